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

// FileStore keeps a session in a file that its owner alone may read, and can be shared by processes, which it locks by
// a second file beside it (Path and ".lock"). It replaces the file as a whole; a file that holds no session is none,
// and is replaced too.
//
// A process that ends in whatever way holds the lock no longer. Where the operating system has no such lock (neither a
// Unix with flock nor Windows), Lock fails with errors.ErrUnsupported.
type FileStore struct{ Path string }

// lockPoll is how often a lock is asked for that others hold.
const lockPoll = 10 * time.Millisecond

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
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, nil
	}
	return &s, nil
}

// Save implements Store. It makes the folder where there is none.
func (f FileStore) Save(_ context.Context, s *Session) error {
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
	if err := f.makeFolder(); err != nil {
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
func (f FileStore) Lock(ctx context.Context) (unlock func(), err error) {
	if err := f.makeFolder(); err != nil {
		return nil, err
	}
	for {
		unlock, held, err := tryLock(f.Path + ".lock")
		if err != nil || !held {
			return unlock, err
		}
		if err := sleep(ctx, lockPoll); err != nil {
			return nil, err
		}
	}
}

func (f FileStore) makeFolder() error { return os.MkdirAll(filepath.Dir(f.Path), 0o700) }
