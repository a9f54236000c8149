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

func TestSettings(t *testing.T) {
	t.Parallel()
	from := func(variables ...string) *Settings {
		return NewSettings(func(name string) string {
			for _, v := range variables {
				if text, is := strings.CutPrefix(v, name+"="); is {
					return text
				}
			}
			return ""
		})
	}
	read := func(s *Settings) string {
		return fmt.Sprint(s.Text("TEXT", "standard"), " ", s.Number("OPS", 10, 1), " ", s.Pattern("NAME"), " ", s.Figures())
	}
	none := from()
	if got := read(none); got != "standard 10  " || none.Err() != nil || none.Command("run") != "make run" {
		t.Errorf("%q, %v, %q", got, none.Err(), none.Command("run"))
	}
	all := from("TEXT=it's", "OPS=7", "NAME=^a|b$", "FIGURES=file")
	if got, want := read(all), "it's 7 ^a|b$ file"; got != want || all.Err() != nil {
		t.Errorf("%q, %v", got, all.Err())
	}
	all.Went("SEED", "3")
	if got, want := all.Command("run"), `make run TEXT='it'\''s' OPS=7 NAME='^a|b$' SEED=3`; got != want {
		t.Errorf("the command is %s", got)
	}
	if got, want := all.Given("SEED", "OPS", "NONE"), " OPS=7 SEED=3"; got != want {
		t.Errorf("given was %q", got)
	}
	for _, wrong := range []string{"OPS=0", "OPS=x", "OPS=1.5", "NAME=[", "FIGURES=nowhere/figures.json"} {
		s := from(wrong)
		read(s)
		if err := s.Err(); err == nil || !strings.HasPrefix(err.Error(), wrong) {
			t.Errorf("%s: %v", wrong, err)
		}
	}
}
