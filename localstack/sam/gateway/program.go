package gateway

import (
	"crypto/sha256"
	"errors"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/ranch-game/ranch/localstack/kit/process"
)

// program is a function's binary. A compiler may replace it at any time, even while processes run it.
type program struct {
	path    string
	file    os.FileInfo // of the content
	content digest
	started digest // of the last start; zero before the first
}

// digest identifies the content of a file; the zero value means unknown. The file's time is not enough: `go build` sets
// it even if it changes nothing else.
type digest [sha256.Size]byte

// present returns the program's present digest. It reads the file only if it was written since the last call.
func (p *program) present() (digest, error) {
	file, err := os.Stat(p.path)
	if err != nil {
		return digest{}, err
	}
	if p.file != nil && os.SameFile(p.file, file) && p.file.ModTime().Equal(file.ModTime()) && p.file.Size() == file.Size() {
		return p.content, nil
	}
	text, err := os.ReadFile(p.path)
	if err != nil {
		return digest{}, err
	}
	p.file, p.content = file, sha256.Sum256(text)
	return p.content, nil
}

// start starts the command, which runs the program. It returns the started digest, if that is known, and whether it has
// changed since the last start.
func (p *program) start(cmd *exec.Cmd) (child *process.Process, content digest, changed bool, err error) {
	if content, err = p.present(); err != nil {
		return nil, digest{}, false, err
	}
	if child, err = process.Start(cmd); err != nil {
		return nil, content, false, err
	}
	if now, err := p.present(); err != nil || now != content {
		return child, digest{}, false, nil // it may run the old or the new program
	}
	changed = p.started != digest{} && p.started != content
	p.started = content
	return child, content, changed, nil
}

// startPause is the pause after a start that failed while the program was being replaced.
const startPause = 10 * time.Millisecond

// beingReplaced reports whether a start may have failed because the program is being replaced: it is missing, open for
// writing, or incomplete.
func beingReplaced(err error) bool {
	return errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ETXTBSY) || errors.Is(err, syscall.ENOEXEC)
}
