package client_test

import (
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ranch-game/ranch/shared/client"
)

// While others write, a reader always gets one of the complete sessions.
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

// All concurrent updates take effect, also those by two stores of one file. Update does not wait for the lock of Lock.
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
