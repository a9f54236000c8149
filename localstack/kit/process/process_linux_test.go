package process

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/kit/process/processtest"
)

// A killed parent cannot end its children, so the system must do it.
func TestDiesWithItsParent(t *testing.T) {
	t.Parallel()
	parent := exec.Command(os.Args[0])
	parent.Env = append(os.Environ(), parentVariable+"=1")
	stdout, err := parent.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, parent.Start())
	line, _ := bufio.NewReader(stdout).ReadString('\n')
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	assert.True(t, err == nil && processtest.Alive(pid), "no child: %q, %v", line, err)
	err = errors.Join(parent.Process.Kill(), parent.Wait())
	assert.True(t, err != nil && err.Error() == "signal: killed", "the parent has ended with %v", err)
	processtest.Eventually(t, "the child is gone", func() bool { return !processtest.Alive(pid) })
}
