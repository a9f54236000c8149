package process

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/kit/process/processtest"
)

// parentVariable is an environment variable that turns this test binary into another program. That program starts a
// child process, which does not watch its parent.
const parentVariable = "PROCESS_TEST_PARENT"

func TestMain(m *testing.M) {
	if os.Getenv(parentVariable) != "" {
		p, err := Start(exec.Command("sleep", "600"))
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println(p.PID())
		<-p.Done()
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// start starts a shell script, and returns after its first output.
func start(t *testing.T, script string) (*Process, *Tail) {
	t.Helper()
	cmd, output := exec.Command("/bin/sh", "-c", script), &Tail{}
	cmd.Stdout, cmd.Stderr = output, output
	p, err := Start(cmd)
	require.NoError(t, err)
	t.Cleanup(func() { p.Stop(0) })
	processtest.Eventually(t, "the script has printed something", func() bool { return output.String() != "" })
	return p, output
}

// TestProcess checks how scripts end, by themselves or because of Stop, and what they print.
func TestProcess(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script        string
		grace         time.Duration // of Stop; 0: the script ends by itself
		ended, output string
	}{
		"by itself":      {"echo one; echo two >&2; exit 3", 0, "exit status 3", "one\ntwo"},
		"is asked":       {"trap 'echo asked; exit 4' TERM; echo ready; sleep 600 & wait", time.Hour, "exit status 4", "ready\nasked"},
		"does not obey":  {"trap '' TERM; echo ready; sleep 600 & wait; wait", 10 * time.Millisecond, "signal: killed", "ready"},
		"leads a group":  {"echo ready; exec sleep 600", time.Hour, "signal: terminated", "ready"},
		"leaves nothing": {"sleep 600 >/dev/null 2>&1 & echo ready; exit 3", 0, "exit status 3", "ready"},
		"holds open":     {"sleep 600 & echo ready; exit 3", 0, "exit status 3", "ready"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, output := start(t, c.script)
			if group, err := syscall.Getpgid(p.PID()); err == nil && group != p.PID() {
				t.Errorf("process %d is in the group %d", p.PID(), group)
			}
			if c.grace > 0 {
				p.Stop(c.grace)
			}
			for range 2 {
				err := p.Wait()
				assert.True(t, err != nil && err.Error() == c.ended && output.String() == c.output, "%v after %q", err, output)
			}
			p.Stop(time.Hour) // does nothing any more
			processtest.Eventually(t, "nothing of its group is left", func() bool { return errors.Is(syscall.Kill(-p.PID(), 0), syscall.ESRCH) })
		})
	}
	p, err := Start(exec.Command(t.TempDir() + "/none"))
	assert.True(t, p == nil && errors.Is(err, os.ErrNotExist), "a program that is not there: %v, %v", p, err)
}
