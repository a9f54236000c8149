package blackbox

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/ranch-game/ranch/localstack/kit/loopback"
	"github.com/ranch-game/ranch/localstack/kit/process"
	"github.com/ranch-game/ranch/localstack/kit/process/processtest"
)

const (
	startPatience = 3 * time.Minute // it may have to compile the functions
	endPatience   = 20 * time.Second
)

// stack is a ranch-local that runs as a child process.
type stack struct {
	api, endpoint string
	ports         [2]int
	tree          string    // the working tree that it runs in
	cmd           *exec.Cmd // has the exit code, once the process is done
	process       *process.Process
	screen        *screen
}

// screen keeps what a program prints, and tells when it is ready.
type screen struct {
	mu    sync.Mutex
	text  bytes.Buffer
	ready chan struct{}
	once  sync.Once
}

func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text.Write(b)
	if bytes.Contains(s.text.Bytes(), []byte("\nReady: ")) {
		s.once.Do(func() { close(s.ready) })
	}
	return len(b), nil
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// startStack starts a ranch-local on free ports and waits until it is ready.
func startStack(variables ...string) (*stack, error) {
	ports, err := freePorts()
	if err != nil {
		return nil, err
	}
	s, err := launch(ports, variables...)
	if err != nil {
		return nil, err
	}
	select {
	case <-s.screen.ready:
		return s, nil
	case <-s.process.Done():
		return nil, fmt.Errorf("ranch-local ended at its start with %d:\n%s", s.cmd.ProcessState.ExitCode(), s.screen)
	case <-time.After(startPatience):
		return nil, errors.Join(fmt.Errorf("ranch-local was not ready in time:\n%s", s.screen), s.stop(syscall.SIGTERM))
	}
}

// launch starts a ranch-local in a working tree of its own, so that it announces itself to nobody else.
func launch(ports [2]int, variables ...string) (*stack, error) {
	tree, err := newTree()
	if err != nil {
		return nil, err
	}
	s := &stack{
		api: fmt.Sprintf("http://127.0.0.1:%d", ports[0]), endpoint: fmt.Sprintf("http://127.0.0.1:%d", ports[1]), ports: ports,
		tree: tree, cmd: exec.Command(suite.programs.ranchLocal), screen: &screen{ready: make(chan struct{})},
	}
	s.cmd.Dir = tree
	s.cmd.Env = append(os.Environ(), fmt.Sprintf("PORT=%d", ports[0]), fmt.Sprintf("DB_PORT=%d", ports[1]), "PLAY_PORT=none", "DATA_DIR=", "THROTTLE=")
	s.cmd.Env = append(s.cmd.Env, variables...)
	s.cmd.Stdout, s.cmd.Stderr = s.screen, s.screen
	s.process, err = process.Start(s.cmd)
	return s, err
}

// newTree makes a folder that looks like the repository to ranch-local: its template and engines, and a Makefile that
// builds the functions with the real one, in a place that all stacks of the suite share.
func newTree() (string, error) {
	tree, err := os.MkdirTemp(suite.programs.dir, "tree-")
	if err != nil {
		return "", err
	}
	template, err := os.ReadFile(filepath.Join(suite.programs.root, "template.yaml"))
	if err != nil {
		return "", err
	}
	makefile := fmt.Sprintf("functions:\n\t@$(MAKE) --no-print-directory -C %q functions FUNCTIONS_DIR=%q\n\t@mkdir -p .build && ln -sfn %[2]q .build/functions\n",
		suite.programs.root, suite.programs.functions)
	return tree, errors.Join(
		os.WriteFile(filepath.Join(tree, "template.yaml"), template, 0o600),
		os.WriteFile(filepath.Join(tree, "Makefile"), []byte(makefile), 0o600),
		os.Symlink(filepath.Join(suite.programs.root, "localstack"), filepath.Join(tree, "localstack")),
	)
}

// stop sends the signal and returns what is wrong with the end: an exit code other than 0, a process or a listener left
// behind.
func (s *stack) stop(signal syscall.Signal) error {
	select {
	case <-s.process.Done():
		return fmt.Errorf("ranch-local has ended before it was told to, with %d:\n%s", s.cmd.ProcessState.ExitCode(), s.screen)
	default:
	}
	children := processtest.Descendants(s.process.PID())
	s.process.Signal(signal)
	exit, err := s.wait()
	if exit != 0 {
		err = errors.Join(err, fmt.Errorf("after %s ranch-local ends with %d:\n%s", signal, exit, s.tail()))
	}
	return errors.Join(err, s.leftovers(children))
}

// wait returns the exit code. A stack that does not end is killed.
func (s *stack) wait() (exit int, err error) {
	select {
	case <-s.process.Done():
		return s.cmd.ProcessState.ExitCode(), nil
	case <-time.After(endPatience):
		s.process.Stop(0)
		return s.cmd.ProcessState.ExitCode(), fmt.Errorf("ranch-local did not end within %v:\n%s", endPatience, s.tail())
	}
}

// leftovers returns an error for each of the children that still lives, and each port that is still in use.
func (s *stack) leftovers(children []processtest.Process) error {
	var err error
	for _, c := range children {
		if c.Alive() {
			err = errors.Join(err, fmt.Errorf("process %d (%s) is left behind", c.PID, c.Name))
		}
	}
	for _, port := range s.ports {
		err = errors.Join(err, loopback.CheckPort(loopback.Address, port))
	}
	return err
}

// checkLog returns an error for a line of the log that tells of a failure or a crash, or that has a token, a password
// or an address in it.
func (s *stack) checkLog() error {
	var err error
	for line := range strings.Lines(s.screen.String()) {
		for _, bad := range []string{" ERR ", " WRN ", "panic", "gateway:", "eyJ", "pass-bb", "@example.com"} {
			if strings.Contains(line, bad) {
				err = errors.Join(err, fmt.Errorf("the log has %q: %.300s", bad, line))
			}
		}
	}
	return err
}

// tail is the end of what the stack has printed.
func (s *stack) tail() string {
	lines := strings.Split(s.screen.String(), "\n")
	return strings.Join(lines[max(0, len(lines)-20):], "\n")
}

// freePorts returns two ports for a stack.
func freePorts() (ports [2]int, err error) {
	for ports[0] == ports[1] && err == nil {
		var err2 error
		ports[0], err = loopback.FreePort(loopback.Address)
		ports[1], err2 = loopback.FreePort(loopback.Address)
		err = errors.Join(err, err2)
	}
	return ports, err
}
