package client_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ranch-game/ranch/shared/client"
)

// TestMain is also the other process of TestFileStore_otherProcess.
func TestMain(m *testing.M) {
	if path := os.Getenv("TEST_HOLD_LOCK"); path != "" {
		holdLock(path)
	}
	os.Exit(m.Run())
}

// holdLock takes the lock of a store, says so, and keeps it until its input ends.
func holdLock(path string) {
	if _, err := (client.FileStore{Path: path}).Lock(context.Background()); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("held")
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

// A lock keeps other processes away, as long as the one that has it lives: also one that is killed keeps it no longer.
func TestFileStore_otherProcess(t *testing.T) {
	t.Parallel()
	store := client.FileStore{Path: filepath.Join(t.TempDir(), "session.json")}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	other := exec.Command(program)
	other.Env = append(os.Environ(), "TEST_HOLD_LOCK="+store.Path)
	input, _ := other.StdinPipe() // which stays open
	defer input.Close()
	output, err := other.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(output).ReadString('\n'); line != "held\n" {
		t.Fatalf("the other process said %q, %v", line, err)
	}

	locked := make(chan error, 1)
	go func() {
		unlock, err := store.Lock(t.Context())
		if err == nil {
			unlock()
		}
		locked <- err
	}()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := store.Lock(ctx); ctx.Err() == nil || err != ctx.Err() {
		t.Errorf("while another process has the lock: %v", err)
	}
	select {
	case err := <-locked:
		t.Fatalf("locked by two: %v", err)
	default:
	}
	if err := other.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = other.Wait()
	if err := <-locked; err != nil {
		t.Errorf("when the other process is dead: %v", err)
	}
}

func TestFileStore(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "made", "on demand")
	store := client.FileStore{Path: filepath.Join(folder, "session.json")}
	if s, err := store.Load(t.Context()); s != nil || err != nil {
		t.Fatalf("before anything is there: %v, %v", s, err)
	}
	if err := store.Save(t.Context(), nil); err != nil {
		t.Errorf("removing what is not there: %v", err)
	}
	since := time.Date(2026, 11, 20, 9, 31, 0, 500e6, time.FixedZone("east", 3600))
	s := client.Session{
		API: "http://127.0.0.1:1", UserID: "u", Username: "ann", Token: "t", RefreshToken: "r",
		ReceivedAt: time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC), Lifetime: 15 * time.Minute, Ahead: -1500 * time.Millisecond,
		RefusedSince: &since,
	}
	if err := store.Save(t.Context(), &s); err != nil {
		t.Fatal(err)
	}
	const want = `{"api":"http://127.0.0.1:1","userId":"u","username":"ann","token":"t","refreshToken":"r",` +
		`"receivedAt":"2026-11-20T09:30:00Z","refusedSince":"2026-11-20T08:31:00.5Z","lifetimeMs":900000,"aheadMs":-1500}`
	if text, err := os.ReadFile(store.Path); string(text) != want || err != nil {
		t.Errorf("stored: %v\n got %s\nwant %s", err, text, want)
	}
	if info, err := os.Stat(store.Path); runtime.GOOS != "windows" && (err != nil || info.Mode() != 0o600) {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	got, err := store.Load(t.Context())
	if err != nil || got == nil || !got.ReceivedAt.Equal(s.ReceivedAt) || !got.RefusedSince.Equal(since) {
		t.Fatalf("loaded %v, %v", got, err)
	}
	got.ReceivedAt, got.RefusedSince = s.ReceivedAt, s.RefusedSince
	if *got != s {
		t.Errorf("got %+v, want %+v", *got, s)
	}
	if err := os.WriteFile(store.Path, []byte(want[:40]), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := store.Load(t.Context()); got != nil || err != nil {
		t.Errorf("half a session: %v, %v", got, err)
	}
	if err := store.Save(t.Context(), nil); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(folder); len(left) != 0 || err != nil {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// Readers see one whole session or another, whoever writes.
func TestFileStore_atOnce(t *testing.T) {
	t.Parallel()
	store := client.FileStore{Path: filepath.Join(t.TempDir(), "session.json")}
	write := func(letter string) error {
		return store.Save(t.Context(), &client.Session{Token: strings.Repeat(letter, 5_000), RefreshToken: letter})
	}
	if err := write("a"); err != nil {
		t.Fatal(err)
	}
	var writers sync.WaitGroup
	for _, letter := range []string{"b", "c"} {
		writers.Go(func() {
			for range 50 {
				if err := write(letter); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { writers.Wait(); close(done) }()
	for reading := true; reading; {
		select {
		case <-done:
			reading = false
		default:
		}
		s, err := store.Load(t.Context())
		if err != nil || s == nil || s.Token != strings.Repeat(s.RefreshToken, 5_000) {
			t.Fatalf("read %.40v, %v", s, err)
		}
	}
}

// Both stores let one in at a time.
func TestStore_lock(t *testing.T) {
	t.Parallel()
	for name, store := range map[string]client.Store{
		"memory": &client.MemoryStore{},
		"file":   client.FileStore{Path: filepath.Join(t.TempDir(), "session.json")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var inside atomic.Int32
			var all sync.WaitGroup
			for range 8 {
				all.Go(func() {
					unlock, err := store.Lock(t.Context())
					if err != nil {
						t.Error(err)
						return
					}
					defer unlock()
					if n := inside.Add(1); n != 1 {
						t.Errorf("%d at a time", n)
					}
					runtime.Gosched()
					inside.Add(-1)
				})
			}
			all.Wait()
			unlock, err := store.Lock(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer unlock()
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if _, err := store.Lock(ctx); err != context.Canceled {
				t.Errorf("given up: %v", err)
			}
		})
	}
}
