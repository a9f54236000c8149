package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http/httptest"
	"net/url"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ranch-game/ranch/infra/running"
	"github.com/ranch-game/ranch/localstack/kit/iamtest"
	"github.com/ranch-game/ranch/localstack/kit/loopback"
	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/localstack/sam/iam"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

func TestMain(m *testing.M) {
	iamtest.Main(m, func() (*iam.Role, error) {
		o, err := operators()
		return o.role, err
	})
}

// operators is a proxy between the tool and the engine. It enforces the policy of template.yaml for operators. Under
// base and another policy's name it enforces Support or OnCall.
var operators = sync.OnceValues(func() (o struct {
	role, support *iam.Role
	base, url     string
}, err error) {
	template, err := samtemplate.LoadRoot()
	if err != nil {
		return o, err
	}
	engine, err := url.Parse(storetest.Endpoint())
	if err != nil {
		return o, err
	}
	o.role, o.support = iam.NewRole("Operators", template.Policies["Operators"]), iam.NewRole("Support", template.Policies["Support"])
	roles := []*iam.Role{o.role, o.support, iam.NewRole("OnCall", template.Policies["OnCall"])}
	o.base = httptest.NewServer(iam.Proxy(roles, loopback.Transport(), engine, func(string, string) {})).URL + "/"
	o.url = o.base + o.role.Name
	return o, nil // it ends with the process
})

var fixed = time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC)

// tool is ranchctl in the test's own scene.
type tool struct {
	*storetest.Scene
	t      *testing.T
	policy string // of who runs it
}

func newTool(t *testing.T) tool {
	t.Parallel()
	return tool{storetest.NewScene(t, game.InstantOf(fixed)), t, "Operators"}
}

// run returns the output of a command and its exit code.
func (x tool) run(args ...string) (stdout, stderr string, exit int) {
	x.t.Helper()
	return x.runAt(fixed, args...)
}

func (x tool) runAt(now time.Time, args ...string) (stdout, stderr string, exit int) {
	x.t.Helper()
	o, err := operators()
	if err != nil {
		x.t.Fatal(err)
	}
	var out, errs bytes.Buffer
	all := append([]string{"--endpoint", o.base + x.policy, "--table", x.Name}, args...)
	exit = run(x.t.Context(), all, &out, &errs, func() time.Time { return now })
	return out.String(), errs.String(), exit
}

// json runs a command that must succeed, and decodes its output.
func (x tool) json(into any, args ...string) (stderr string) {
	x.t.Helper()
	stdout, stderr, exit := x.run(append(args, "-o", "json")...)
	if exit != 0 {
		x.t.Fatalf("%v: exit %d: %s", args, exit, stderr)
	}
	if err := json.Unmarshal([]byte(stdout), into); err != nil {
		x.t.Fatalf("%v: %v in %s", args, err, stdout)
	}
	return stderr
}

// refused runs a command that must fail with this exit code and reason on stderr, and without output on stdout.
func (x tool) refused(exit int, why string, args ...string) {
	x.t.Helper()
	stdout, stderr, got := x.run(args...)
	if got != exit || !strings.Contains(stderr, why) || stdout != "" {
		x.t.Errorf("%v: exit %d, want %d; stderr %q, want %q in it; stdout %q", args, got, exit, stderr, why, stdout)
	}
}

type object = map[string]any

// helpOf returns the help that wrong usage of a command shows.
func helpOf(t *testing.T, path ...string) string {
	t.Helper()
	root := newRoot(newApp(io.Discard, io.Discard, time.Now))
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	c, _, err := root.Find(path)
	if err != nil {
		t.Fatal(err)
	}
	c.InitDefaultHelpFlag()
	return c.UsageString()
}

func TestNoConnection(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("TABLE_NAME", "")
	var out, errs bytes.Buffer
	if exit := run(t.Context(), []string{"season", "list"}, &out, &errs, time.Now); exit != 1 || !strings.Contains(errs.String(), "make run") {
		t.Errorf("exit %d: %s", exit, errs.String())
	}
	errs.Reset()
	if exit := run(t.Context(), []string{"season", "list", "--endpoint", "http://127.0.0.1:1"}, &out, &errs, time.Now); exit != 1 || !strings.Contains(errs.String(), "127.0.0.1:1") {
		t.Errorf("exit %d: %s", exit, errs.String())
	}
}

// Without a name, ranchctl says which table it uses, and not on stdout.
func TestTheTableByDefault(t *testing.T) {
	scene := storetest.NewScene(t, game.InstantOf(fixed))
	t.Setenv("TABLE_NAME", "")
	t.Chdir(t.TempDir())
	withdraw, err := running.Announce(".", running.Stack{Endpoint: storetest.Endpoint(), Table: scene.Name})
	if err != nil {
		t.Fatal(err)
	}
	defer withdraw()
	for _, named := range []bool{false, true} {
		args, want := []string{"season", "list", "-o", "json"}, "ranchctl: using the running 'make run': the table "+scene.Name+" at "+storetest.Endpoint()+"\n"
		if named {
			args, want = append(args, "--endpoint", storetest.Endpoint(), "--table", scene.Name), ""
		}
		var out, errs bytes.Buffer
		if exit := run(t.Context(), args, &out, &errs, time.Now); exit != exitDone || errs.String() != want || out.String() != "[]\n" {
			t.Errorf("%v: exit %d: %q %q", args, exit, out.String(), errs.String())
		}
	}
}

// ranchctl refuses a table with another layout.
func TestAnotherLayout(t *testing.T) {
	x := newTool(t)
	x.AddSeason(t)
	x.At("LAYOUT", "LAYOUT").Edit(t, "SET n = :n", map[string]any{":n": store.Layout + 1})
	x.Unchanged(t, func() {
		for _, args := range [][]string{{"season", "list"}, {"user", "create-external", "--email", "a@example.com", "--username", "Anna"}} {
			x.refused(1, "another layout", args...)
		}
	})
}

// Progress is a line now and then; on a terminal, it is one line that is rewritten.
func TestProgress(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		watched            bool
		step, count, total int
		first, last        string
		lines              int
	}{
		{false, 1, 999, 0, "", "", 0},
		{false, 1, 2500, 0, "1000 shows made\n", "2000 shows made\n", 2},
		{false, 300, 2400, 0, "1200 shows made\n", "2100 shows made\n", 2},
		{false, 25, 75, 75, "75 of 75 shows made\n", "75 of 75 shows made\n", 1},
		{true, 1, 0, 0, "", "", 0},
		{true, 1, 2500, 0, "\r1 shows made", "shows made\n", 1},
		{true, 1, 40, 40, "\r1 of 40 shows made", "\r40 of 40 shows made\n", 1},
	} {
		var said strings.Builder
		p := (&app{watched: c.watched, warnings: &said}).progress("shows made")
		for count := c.step; count <= c.count; count += c.step {
			p.at(count, c.total)
		}
		p.end()
		if got := said.String(); !strings.HasPrefix(got, c.first) || !strings.HasSuffix(got, c.last) || strings.Count(got, "\n") != c.lines {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// 'version' needs no table.
func TestVersion(t *testing.T) {
	x := newTool(t)
	var got versionRecord
	if x.json(&got, "version"); got.Layout != store.Layout || !strings.HasPrefix(got.Go, "go1.") {
		t.Errorf("%+v", got)
	}
	info := &debug.BuildInfo{GoVersion: "go1.26", Main: debug.Module{Version: "v1.2.3"}, Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.time", Value: "2026-11-20T09:30:00Z"}, {Key: "vcs.modified", Value: "true"},
	}}
	storetest.Equal(t, "version", versionOf(info), versionRecord{"v1.2.3", "abc", "2026-11-20T09:30:00Z", true, "go1.26", store.Layout})
	storetest.Equal(t, "unknown version", versionOf(&debug.BuildInfo{}), versionRecord{"unknown", "unknown", "unknown", false, "unknown", store.Layout})
}

// Shells complete sub-commands and the values of -o.
func TestCompletion(t *testing.T) {
	x := newTool(t)
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if stdout, stderr, exit := x.run("completion", shell); exit != exitDone || !strings.Contains(stdout, "ranchctl") {
			t.Errorf("%s: exit %d: %s", shell, exit, stderr)
		}
	}
	for asked, want := range map[string]string{"season list -o ": "table\njson\ncsv\n:4\n", "user rev": "revoke-sessions\t"} {
		words := strings.Split(asked, " ")
		if stdout, stderr, exit := x.run(append([]string{"__complete"}, words...)...); exit != exitDone || !strings.HasPrefix(stdout, want) {
			t.Errorf("%q: exit %d: %q %s", asked, exit, stdout, stderr)
		}
	}
}
