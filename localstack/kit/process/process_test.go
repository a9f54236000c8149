package process

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/ranch-game/ranch/localstack/kit/process/processtest"
)

// parentVariable has this test binary be another process, with a child that knows nothing of its parent.
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

// start starts a shell script, and returns once it has printed something.
func start(t *testing.T, script string) (*Process, *Tail) {
	t.Helper()
	cmd, output := exec.Command("/bin/sh", "-c", script), &Tail{}
	cmd.Stdout, cmd.Stderr = output, output
	p, err := Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Stop(0) })
	eventually(t, "the script has printed something", func() bool { return output.String() != "" })
	return p, output
}

func TestStart_leadsAGroupOfItsOwn(t *testing.T) {
	t.Parallel()
	p, _ := start(t, "echo ready; exec sleep 600")
	if group, err := syscall.Getpgid(p.PID()); group != p.PID() || err != nil {
		t.Errorf("process %d is in the group %d, %v", p.PID(), group, err)
	}
}

func TestStart_reportsAProgramThatIsNotThere(t *testing.T) {
	t.Parallel()
	if p, err := Start(exec.Command(t.TempDir() + "/none")); p != nil || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v, %v", p, err)
	}
}

func TestWait_tellsHowItEnded(t *testing.T) {
	t.Parallel()
	p, output := start(t, "echo one; echo two >&2; exit 3")
	for range 2 {
		if err := p.Wait(); err == nil || err.Error() != "exit status 3" || output.String() != "one\ntwo" {
			t.Errorf("%v after %q", err, output)
		}
	}
	<-p.Done()
	p.Signal(syscall.SIGTERM)
	p.Stop(time.Hour)
}

// What a child leaves behind ends with it, whether or not it holds the child's output open.
func TestDone_leavesNoDescendants(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"quiet":      "sleep 600 >/dev/null 2>&1 & echo $!",
		"holds open": "sleep 600 & echo $!",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, output := start(t, script)
			descendant, err := strconv.Atoi(output.String())
			if err != nil {
				t.Fatal(err)
			}
			<-p.Done()
			eventually(t, "the descendant is gone", func() bool { return !processtest.Alive(descendant) })
		})
	}
}

func TestStop(t *testing.T) {
	t.Parallel()
	t.Run("asks", func(t *testing.T) {
		t.Parallel()
		p, output := start(t, "trap 'echo asked; exit 4' TERM; echo ready; sleep 600 & wait")
		p.Stop(time.Hour)
		if err := p.Wait(); err == nil || err.Error() != "exit status 4" || output.String() != "ready\nasked" {
			t.Errorf("%v after %q", err, output)
		}
	})
	t.Run("makes it", func(t *testing.T) {
		t.Parallel()
		p, _ := start(t, "trap '' TERM; echo ready; sleep 600 & wait; wait")
		p.Stop(10 * time.Millisecond)
		if err := p.Wait(); err == nil || err.Error() != "signal: killed" || processtest.Alive(p.PID()) {
			t.Errorf("%v", err)
		}
	})
}

// eventually fails the test when the condition does not come true within ten seconds.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	poll := time.NewTicker(5 * time.Millisecond)
	defer poll.Stop()
	for deadline := time.Now().Add(10 * time.Second); !condition(); <-poll.C {
		if time.Now().After(deadline) {
			t.Fatalf("ten seconds later it is not so that %s", what)
		}
	}
}
