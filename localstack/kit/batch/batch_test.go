package batch

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// TestMain is also the command that TestSignals interrupts.
func TestMain(m *testing.M) {
	if kept, is := os.LookupEnv("BATCH_KEPT"); is {
		Main("waiting", kept, func(ctx context.Context) error {
			fmt.Println("it has begun")
			<-ctx.Done()
			fmt.Println("it ends")
			_, _ = io.Copy(io.Discard, os.Stdin) // an end in order, which takes a while
			return errors.Join(fmt.Errorf("waiting: %w", ctx.Err()), errors.New("something is wrong"))
		})
		return
	}
	os.Exit(m.Run())
}

// TestSignals checks that a signal ends a run in order, even if make sends it a second time. The command prints which
// results are kept.
func TestSignals(t *testing.T) {
	t.Parallel()
	for signal, kept := range map[os.Signal]string{os.Interrupt: "the list is kept", syscall.SIGTERM: "", syscall.SIGHUP: ""} {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "BATCH_KEPT="+kept)
		var printed strings.Builder
		cmd.Stderr = &printed
		out, outErr := cmd.StdoutPipe()
		in, inErr := cmd.StdinPipe()
		if err := errors.Join(outErr, inErr, cmd.Start()); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewReader(out)
		for range 2 {
			if _, err := lines.ReadString('\n'); err != nil {
				t.Error(err)
			}
			if err := cmd.Process.Signal(signal); err != nil {
				t.Error(err)
			}
		}
		in.Close()
		_, _ = io.Copy(io.Discard, lines)
		want := strings.TrimSuffix("waiting: interrupted; "+kept, "; ") + "\nsomething is wrong\n"
		if err := cmd.Wait(); err == nil || err.Error() != "exit status 1" || printed.String() != want {
			t.Errorf("%v: %v, %q", signal, err, printed.String())
		}
	}
}
