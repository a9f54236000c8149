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

// program is the file of a function's binary. A compiler may replace the file at any time, even while processes run it.
type program struct {
	path    string
	file    os.FileInfo // of the content
	content digest
	started digest // of the last start; zero before the first
}

// digest identifies a file's content. The zero value means that the content is unknown. The file's time would not do:
// `go build` changes it even if the content stays the same.
type digest [sha256.Size]byte

// present returns the digest of the file's content. It reads the file only if the file has changed since the last call.
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

// start starts cmd, which runs the program. content is the digest of the program that runs, or zero if the file changed
// during the start. changed reports whether the program differs from the last one that start has started.
func (p *program) start(cmd *exec.Cmd) (child *process.Process, content digest, changed bool, err error) {
	if content, err = p.present(); err != nil {
		return nil, digest{}, false, err
	}
	if child, err = process.Start(cmd); err != nil {
		return nil, content, false, err
	}
	if now, err := p.present(); err != nil || now != content {
		return child, digest{}, false, nil // the process may run the old or the new program
	}
	changed = p.started != digest{} && p.started != content
	p.started = content
	return child, content, changed, nil
}

// startPause is how long a function waits before it repeats a start that failed while a compiler replaced the program.
const startPause = 10 * time.Millisecond

// beingReplaced reports whether a start may have failed because a compiler is replacing the program: the file is
// missing, open for writing, or incomplete.
func beingReplaced(err error) bool {
	return errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ETXTBSY) || errors.Is(err, syscall.ENOEXEC)
}
