package process

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/ranch-game/ranch/localstack/kit/process/processtest"
)

// A killed parent cannot end its children.
func TestDiesWithItsParent(t *testing.T) {
	t.Parallel()
	parent := exec.Command(os.Args[0])
	parent.Env = append(os.Environ(), parentVariable+"=1")
	stdout, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(stdout).ReadString('\n')
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil || !processtest.Alive(pid) {
		t.Errorf("no child: %q, %v", line, err)
	}
	if err := errors.Join(parent.Process.Kill(), parent.Wait()); err == nil || err.Error() != "signal: killed" {
		t.Errorf("the parent has ended with %v", err)
	}
	processtest.Eventually(t, "the child is gone", func() bool { return !processtest.Alive(pid) })
}
