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

// TestMain is also the main function of the other process in TestFileStore_otherProcess.
func TestMain(m *testing.M) {
	if path := os.Getenv("TEST_HOLD_LOCK"); path != "" {
		holdLock(path)
	}
	os.Exit(m.Run())
}

// holdLock takes the lock of a store, prints that it has it, and keeps it until its input ends.
func holdLock(path string) {
	if _, err := (client.FileStore{Path: path}).Lock(context.Background()); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("held")
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

// A lock excludes other processes as long as its holder lives. A killed process loses it.
func TestFileStore_otherProcess(t *testing.T) {
	t.Parallel()
	store := client.FileStore{Path: filepath.Join(t.TempDir(), "session.json")}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	other := exec.Command(program)
	other.Env = append(os.Environ(), "TEST_HOLD_LOCK="+store.Path)
	input, _ := other.StdinPipe() // stays open until the test closes it
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
	put(t, store, nil) // removing nothing is no error
	since := time.Date(2026, 11, 20, 9, 31, 0, 500e6, time.FixedZone("east", 3600))
	last := since.Add(time.Minute)
	s := client.Session{
		API: "http://127.0.0.1:1", UserID: "u", Username: "ann", Token: "t", RefreshToken: "r",
		ReceivedAt: time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC), Lifetime: 15 * time.Minute, Ahead: -1500 * time.Millisecond,
		RefusedSince: &since, RefusedLast: &last,
	}
	put(t, store, &s)
	const want = `{"api":"http://127.0.0.1:1","userId":"u","username":"ann","token":"t","refreshToken":"r",` +
		`"receivedAt":"2026-11-20T09:30:00Z","refusedSince":"2026-11-20T08:31:00.5Z","refusedLast":"2026-11-20T08:32:00.5Z","lifetimeMs":900000,"aheadMs":-1500}`
	if text, err := os.ReadFile(store.Path); string(text) != want || err != nil {
		t.Errorf("stored: %v\n got %s\nwant %s", err, text, want)
	}
	if info, err := os.Stat(store.Path); runtime.GOOS != "windows" && (err != nil || info.Mode() != 0o600) {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	got, err := store.Load(t.Context())
	if err != nil || got == nil || !got.ReceivedAt.Equal(s.ReceivedAt) || !got.RefusedSince.Equal(since) || !got.RefusedLast.Equal(last) {
		t.Fatalf("loaded %v, %v", got, err)
	}
	got.ReceivedAt, got.RefusedSince, got.RefusedLast = s.ReceivedAt, s.RefusedSince, s.RefusedLast
	if *got != s {
		t.Errorf("got %+v, want %+v", *got, s)
	}
	put(t, store, nil)
	if left, err := filepath.Glob(filepath.Join(folder, "*")); len(left) != 1 || left[0] != store.Path+".update" {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// A reader sees one complete session or another while others write.
func TestFileStore_atOnce(t *testing.T) {
	t.Parallel()
	store := client.FileStore{Path: filepath.Join(t.TempDir(), "session.json")}
	write := func(letter string) {
		put(t, store, &client.Session{UserID: "u", Token: strings.Repeat(letter, 5_000), RefreshToken: letter})
	}
	write("a")
	var writers sync.WaitGroup
	for _, letter := range []string{"b", "c"} {
		writers.Go(func() {
			for range 50 {
				write(letter)
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

// Concurrent updates, also by several stores of one file, all take effect. They do not wait for the lock.
func TestStore_update(t *testing.T) {
	t.Parallel()
	memory := &client.MemoryStore{}
	path := filepath.Join(t.TempDir(), "session.json")
	for name, stores := range map[string][2]client.Store{
		"memory": {memory, memory},
		"file":   {client.FileStore{Path: path}, client.FileStore{Path: path}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			unlock, err := stores[0].Lock(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer unlock()
			put(t, stores[0], &client.Session{UserID: "u", Token: "t", RefreshToken: "r"})
			var all sync.WaitGroup
			for i := range 40 {
				all.Go(func() {
					err := stores[i%2].Update(t.Context(), func(current *client.Session) *client.Session {
						next := *current
						next.Lifetime += time.Second
						return &next
					})
					if err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
			var seen *client.Session
			err = stores[1].Update(t.Context(), func(current *client.Session) *client.Session { seen = current; return current })
			if err != nil || seen == nil || seen.Lifetime != 40*time.Second {
				t.Errorf("got %v, %v", seen, err)
			}
		})
	}
}

// Both stores let one holder in at a time.
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
