package client

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// FileStore keeps a session in a file that its owner alone may read, and can be shared by processes. It replaces the
// file as a whole; a file that holds no whole session is none, and is replaced too.
//
// Two empty files beside it are what processes lock: Path and ".lock" for Lock, Path and ".update" for Update. A
// process that ends in whatever way holds neither any longer. Where the operating system has no such lock (neither a
// Unix with flock nor Windows), Lock fails with errors.ErrUnsupported, and Update keeps nobody away.
type FileStore struct{ Path string }

const (
	// lockPoll is how often a lock is asked for that others hold.
	lockPoll = 10 * time.Millisecond
	// longestUpdate is how long others are waited for who change the file: longer than any disk takes.
	longestUpdate = 5 * time.Second
)

// Load implements Store.
func (f FileStore) Load(context.Context) (*Session, error) {
	text, err := os.ReadFile(f.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var s Session
	if err := json.Unmarshal(text, &s); err != nil || s.UserID == "" || s.Token == "" || s.RefreshToken == "" {
		return nil, nil
	}
	return &s, nil
}

// Update implements Store. It makes the folder where there is none. Whoever is kept waiting by others for 5 s gets an
// error.
func (f FileStore) Update(ctx context.Context, change func(current *Session) *Session) error {
	limited, cancel := context.WithTimeout(ctx, longestUpdate)
	defer cancel()
	unlock, err := f.lock(limited, ".update")
	switch {
	case err == nil:
		defer unlock()
	case !errors.Is(err, errors.ErrUnsupported):
		return err
	}
	current, err := f.Load(ctx)
	if err != nil {
		return err
	}
	if next := change(current); next != current {
		return f.replace(next)
	}
	return nil
}

func (f FileStore) replace(s *Session) error {
	if s == nil {
		if err := os.Remove(f.Path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	next, err := os.CreateTemp(filepath.Dir(f.Path), filepath.Base(f.Path)+".*") // with mode 0600
	if err != nil {
		return err
	}
	_, err = next.Write(text)
	err = errors.Join(err, next.Sync(), next.Close())
	if err == nil {
		err = os.Rename(next.Name(), f.Path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(next.Name()))
	}
	return nil
}

// Lock implements Store.
func (f FileStore) Lock(ctx context.Context) (unlock func(), err error) { return f.lock(ctx, ".lock") }

// lock waits for the lock of the file with this ending. It makes the folder where there is none.
func (f FileStore) lock(ctx context.Context, ending string) (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(f.Path), 0o700); err != nil {
		return nil, err
	}
	for {
		unlock, held, err := tryLock(f.Path + ending)
		if err != nil || !held {
			return unlock, err
		}
		if err := sleep(ctx, lockPoll); err != nil {
			return nil, err
		}
	}
}
