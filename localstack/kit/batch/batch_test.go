package batch

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
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

// A signal ends the run in order, also when make sends it a second time. The command says what is kept.
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

func TestProgress(t *testing.T) {
	t.Parallel()
	var r rate
	began := time.Now()
	for _, step := range []struct {
		at   time.Duration
		p    Progress
		want string
	}{
		{0, Progress{"calls", 0, 200, ""}, "  0 %  0 of 200 calls"},
		{10 * time.Second, Progress{"calls", 50, 200, "2 checks"}, " 25 %  50 of 200 calls, 5/s, 30s left; 2 checks"},
		{20 * time.Second, Progress{"pages", 10, 20, ""}, " 50 %  10 of 20 pages"},
		{50 * time.Second, Progress{"pages", 25, 20, ""}, "100 %  25 of 20 pages, 0.5/s, 0s left"},
		{60 * time.Second, Progress{"things", 0, 0, ""}, "  0 %  0 of 0 things"},
	} {
		if got := r.line(step.p, began.Add(step.at)); got != step.want {
			t.Errorf("got  %s\nwant %s", got, step.want)
		}
	}
}

// New figures replace the old ones as a whole.
func TestFigures(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "figures.json")
	for _, run := range []Run{{"make run", "2000-01-01", 100.5, true}, {"make run", "2000-01-01", 1.5, false}} {
		if err := WriteFigures(path, run); err != nil {
			t.Fatal(err)
		}
	}
	if WriteFigures(path, func() {}) == nil || WriteFigures(filepath.Join(path, "none"), 1) == nil || WriteFigures("", 1) != nil {
		t.Error("a function and a wrong path must fail, no path must not")
	}
	text, err := os.ReadFile(path)
	if want := "{\n\t\"Command\": \"make run\",\n\t\"Date\": \"2000-01-01\",\n\t\"Minutes\": 1.5\n}\n"; err != nil || string(text) != want {
		t.Errorf("%v, got %s", err, text)
	}
	if files, err := os.ReadDir(filepath.Dir(path)); err != nil || len(files) != 1 {
		t.Errorf("%v, %v", files, err)
	}
	if r := NewRun("make run", time.Now().Add(-time.Hour), true); r.Minutes < 60 || r.Command != "make run" || !r.Interrupted {
		t.Errorf("%+v", r)
	}
}
