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

// FileStore is a Store that keeps the session in a file. Only the file's owner may read it (mode 0600). Processes of
// one machine can share the file. An update replaces the whole file. A file without a complete session counts as none.
//
// Two empty files beside the session's file are for locks: Path with ".lock" for Lock, and Path with ".update" for
// Update. If a process ends in any way, the system releases its locks. Only Windows and Unix with flock have such
// locks. On other systems Lock returns errors.ErrUnsupported, and Update does not exclude other processes.
type FileStore struct {
	Path string // of the file; its folder is created if it is missing
}

const (
	// lockPoll is the time between two attempts to take a lock.
	lockPoll = 10 * time.Millisecond
	// longestUpdate limits how long an update waits for other processes, which each write one small file.
	longestUpdate = 5 * time.Second
)

// Load returns the session, or nil if the file is missing or has no complete session.
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

// Update replaces the session by the result of change. If other processes hold the lock for 5 s, it returns an error.
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
	next, err := os.CreateTemp(filepath.Dir(f.Path), filepath.Base(f.Path)+".*") // CreateTemp uses mode 0600
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

// Lock waits until no other client holds the lock, in any process. The error is the context's or the file system's.
func (f FileStore) Lock(ctx context.Context) (unlock func(), err error) { return f.lock(ctx, ".lock") }

// lock waits for the lock of the file with this ending. If the folder is missing, lock creates it.
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
