package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ranch-game/ranch/infra/logcheck"
	"github.com/ranch-game/ranch/infra/running"
	"github.com/ranch-game/ranch/localstack/dynamo/capacity"
	"github.com/ranch-game/ranch/shared/client"
)

// TestRun_theWholeLoop runs the real functions, plays the tour, and stops. The functions' requests are metered, and their
// sum is shown at the end.
func TestRun_theWholeLoop(t *testing.T) {
	tour := buildProgram(t, "./localstack/run/tour")
	treeOfPrograms(t)
	cfg := usual(t)
	cfg.limits, cfg.processes, cfg.logFile = &capacity.Options{}, 2, filepath.Join(t.TempDir(), "folder", "log")
	out, stop := runInBackground(t, cfg)
	api, page := fmt.Sprintf("http://127.0.0.1:%d", cfg.port), fmt.Sprintf("http://127.0.0.1:%d", cfg.playPort)
	eventually(t, "the stack is ready", out.shows("\nReady: "+api+"\n"))
	welcome := fmt.Sprintf("\nGame:     %s\nContract: %[1]s/reference/\nAPI:      %s\nDynamoDB: http://127.0.0.1:%d (table ranch)\n\nIn a second terminal, `make tour`", page, api, cfg.dbPort)
	if !out.shows(welcome)() {
		t.Errorf("the welcome is not %s", welcome)
	}
	play := exec.CommandContext(t.Context(), tour)
	play.Env = append(os.Environ(), "API=")
	played, err := play.CombinedOutput()
	if err != nil {
		t.Error(err)
	}
	for _, want := range []string{
		`"goldBalance": 500`, `"name": "Buck"`, `"Creekside Open"`, `Newcomers' Welcome!`, `"message": "Show judged. 1 entries."`, `"goldReward": 100`,
		`"rewardClaimed": true`, `"mySeasonScore": 100`, "Gold: 600.",
	} {
		if !strings.Contains(string(played), want) {
			t.Errorf("the tour does not show %s", want)
		}
	}
	eventually(t, "the log has the judging", out.shows(" INF POST /events/shows/{id}/judge 200 "))
	if err := stop(); err != nil {
		t.Errorf("a requested stop: %v", err)
	}
	shown := regexp.MustCompile(`requests: [1-9]\d+, of them throttled 0 and in conflict 0; [1-9]\d* read and [1-9]\d* write units, most of them in \S+#\S+ \(`)
	if !shown.MatchString(out.String()) {
		t.Errorf("the stack says nothing like %s", shown)
	}
	if t.Failed() {
		t.Logf("the tour:\n%s\nthe stack:\n%s", played, out)
	}
	checkLog(t, cfg.logFile)
	if _, err := running.Find(); !errors.Is(err, running.ErrNone) {
		t.Errorf("after the end, looking for the stack: %v", err)
	}
	checkGone(t, cfg)
}

// checkLog judges the log of a tour.
func checkLog(t *testing.T, path string) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	checker := logcheck.NewChecker(logcheck.Options{Skew: logcheck.DefaultSkew})
	if err := checker.Read(file); err != nil {
		t.Fatal(err)
	}
	r := checker.Check()
	for _, kind := range []logcheck.Kind{logcheck.Register, logcheck.Enter, logcheck.Judge, logcheck.Claim} {
		if r.Calls[kind].Done != 1 {
			t.Errorf("by the log, %d calls of %s are done, want 1", r.Calls[kind].Done, kind)
		}
	}
	if r.Found > 0 || r.Lost > 0 {
		t.Errorf("the log has %d processes that ended, and %v", r.Lost, r.Violations)
	}
}

// A run that cannot start says why, and leaves nothing running. It looks at the ports before it does any work.
func TestRun_cannotStart(t *testing.T) {
	for name, c := range map[string]struct {
		makefile      string
		taken         bool
		wants, prints string
	}{
		"port in use":  {"functions:\n\techo BUILT\n", true, "is in use: end what listens there, or choose another with PORT=", ""},
		"failed build": {"functions:\n\t@echo does not compile; exit 1\n", false, "building the functions", "does not compile"},
	} {
		t.Run(name, func(t *testing.T) {
			tree(t, c.makefile)
			cfg := usual(t)
			if c.taken {
				cfg.port = listen(t)
			}
			var out screen
			err := run(t.Context(), cfg, &out, newConsole(&out, false))
			if err == nil || !strings.Contains(err.Error(), c.wants) || c.taken && out.String() != "" || !out.shows(c.prints)() {
				t.Errorf("the error is %v, after the output %q", err, &out)
			}
			if !c.taken {
				checkGone(t, cfg)
			}
		})
	}
}

func TestRun_stopsWhileItBuilds(t *testing.T) {
	pidFile := filepath.Join(t.TempDir(), "pid")
	tree(t, "functions:\n\t@echo $$$$ >"+pidFile+"; echo compiling; sleep 600\n")
	cfg := usual(t)
	out, stop := runInBackground(t, cfg)
	eventually(t, "the build runs", out.shows("compiling"))
	if err := stop(); err != nil {
		t.Errorf("a requested stop: %v", err)
	}
	text, err := os.ReadFile(pidFile)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the compiler is gone", func() bool { return syscall.Kill(pid, 0) != nil })
	checkGone(t, cfg)
}

// TestProgram is about what only a process has: signals, arguments and an exit status.
func TestProgram(t *testing.T) {
	program := buildProgram(t, "./localstack/run")
	tree(t, buildNothing)
	cfg := usual(t)
	start := func(variable string, arguments ...string) (*exec.Cmd, *screen) {
		t.Helper()
		out := &screen{}
		cmd := exec.CommandContext(t.Context(), program, arguments...)
		cmd.Env = append(os.Environ(), fmt.Sprintf("PORT=%d", cfg.port), fmt.Sprintf("PLAY_PORT=%d", cfg.playPort), fmt.Sprintf("DB_PORT=%d", cfg.dbPort), variable)
		cmd.Stdout, cmd.Stderr = out, out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd, out
	}
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		cmd, out := start("SEED=none")
		eventually(t, "the stack is ready", out.shows("\nReady: "))
		if err := cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err != nil || !out.shows("\nStopping\n")() {
			t.Errorf("after %s it ends with %v:\n%s", signal, err, out)
		}
		checkGone(t, cfg)
	}
	for _, c := range []struct{ variable, argument, want string }{
		{"SEED=maybe", "", "SEED=maybe: it is neither demo nor none"},
		{"ENGINE=embedded", "init", "init is for a LocalStack: call it with ENGINE=localstack"},
		{"PLAY_PORT=off", "sam-local", "sam-local is for a LocalStack: call it with ENGINE=localstack"},
		{"SEED=none", "play", `["play"] is no command of it: it takes none, init or sam-local`},
	} {
		cmd, out := start(c.variable, strings.Fields(c.argument)...)
		err := cmd.Wait()
		if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() != 1 || out.String() != "ranch-local: "+c.want+"\n" {
			t.Errorf("%s %s: %v with the output %q, not %q", c.variable, c.argument, err, out, c.want)
		}
	}
}

// What runs by itself runs one after the other, and has ended when stop returns, even if its next turn has come. That
// is tried often, since by chance the end may be seen first.
func TestRepeat(t *testing.T) {
	for range 20 {
		synctest.Test(t, func(t *testing.T) {
			var running, runs int
			enough := make(chan struct{})
			stop := repeat(t.Context(), time.Minute, func(ctx context.Context) {
				if running++; running != 1 {
					t.Error("two at once")
				}
				if runs++; runs == 3 {
					time.Sleep(2 * time.Minute)
					close(enough)
					<-ctx.Done()
				}
				running--
			})
			<-enough
			stop()
			if running != 0 || runs != 3 {
				t.Errorf("%d runs, %d under way", runs, running)
			}
		})
	}
}

// sessions plays players' clients. Its methods fail the test if an answer is not the one for a live session.
type sessions struct {
	t     *testing.T
	api   string
	email string // of the player who registered last, and logs in
}

const aPassword = "correct horse"

// must sends a request, once, and decodes the answer, which must have the status, into v.
func (s *sessions) must(status int, method, path, access string, body, v any) {
	s.t.Helper()
	transport := client.Transport{API: s.api}
	answer, err := transport.Send(s.t.Context(), client.Request{Method: method, Path: path, Token: access, Body: body})
	if err == nil {
		err = answer.Read(status, v)
	}
	if err != nil {
		s.t.Errorf("%s %s: %d, want %d: %v", method, path, answer.Status, status, err)
	}
}

func (s *sessions) opened(status int, path string, body any) (tokens client.Tokens) {
	s.t.Helper()
	s.must(status, "POST", path, "", body, &tokens)
	return tokens
}

func (s *sessions) register() client.Tokens {
	s.t.Helper()
	name := fmt.Sprintf("rider%d", time.Now().UnixNano())
	s.email = name + "@example.com"
	return s.opened(201, "/auth/register", client.Registration{Email: s.email, Username: name, Password: aPassword, RanchName: "Sunny Acres"})
}

func (s *sessions) login() client.Tokens {
	s.t.Helper()
	return s.opened(200, "/auth/login", map[string]string{"email": s.email, "password": aPassword})
}

// refresh returns a new access token.
func (s *sessions) refresh(presented string) string {
	s.t.Helper()
	return s.opened(200, "/auth/refresh", map[string]string{"refreshToken": presented}).Token
}
