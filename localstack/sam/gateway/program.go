package gateway

import (
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/ranch-game/ranch/localstack/kit/process"
)

// program is a function's binary. A compiler may replace it at any time, also while processes run it.
type program struct {
	path string

	mu      sync.Mutex
	file    os.FileInfo // that has the content
	content digest
	started digest // of the process that was started last; zero before the first
}

// digest stands for what is in a file; the zero value, for what is not known. The time of the file says too little: `go
// build` sets that also where it changes nothing else.
type digest [sha256.Size]byte

// present returns what the program is now. It reads the file only if that has been written since the last time.
func (p *program) present() (digest, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.look()
}

// look does the work of present. The caller holds the lock.
func (p *program) look() (digest, error) {
	file, err := os.Stat(p.path)
	if err != nil {
		return digest{}, err
	}
	if p.file != nil && os.SameFile(p.file, file) && p.file.ModTime().Equal(file.ModTime()) && p.file.Size() == file.Size() {
		return p.content, nil
	}
	opened, err := os.Open(p.path)
	if err != nil {
		return digest{}, err
	}
	defer opened.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, opened); err != nil {
		return digest{}, err
	}
	p.file, p.content = file, digest(hash.Sum(nil))
	return p.content, nil
}

// start starts the command, which is to run the program. It returns what was started, as far as that is known, and
// whether that has changed since the last time.
func (p *program) start(cmd *exec.Cmd) (child *process.Process, content digest, changed bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if content, err = p.look(); err != nil {
		return nil, digest{}, false, err
	}
	if child, err = process.Start(cmd); err != nil {
		return nil, content, false, err
	}
	if now, err := p.look(); err != nil || now != content {
		return child, digest{}, false, nil // it may run what was there before or after
	}
	changed = p.started != digest{} && p.started != content
	p.started = content
	return child, content, changed, nil
}

// startPause is how long the next start waits after one that failed because the program is being replaced.
const startPause = 10 * time.Millisecond

// beingReplaced reports whether a start may have failed because another program is only just taking the place of the
// one before: it is missing, open for writing, or not complete.
func beingReplaced(err error) bool {
	return errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ETXTBSY) || errors.Is(err, syscall.ENOEXEC)
}
