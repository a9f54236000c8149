package main

import (
	"bytes"
	"encoding/json"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

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

// operators is what stands between the tool and the engine: the policy of template.yaml that lets an operator do what
// the tool does, and no more.
var operators = sync.OnceValues(func() (o struct {
	role *iam.Role
	url  string
}, err error) {
	template, err := samtemplate.LoadRoot()
	if err != nil {
		return o, err
	}
	engine, err := url.Parse(storetest.Endpoint())
	if err != nil {
		return o, err
	}
	o.role = iam.NewRole("Operators", template.Policies["Operators"])
	o.url = httptest.NewServer(iam.New([]*iam.Role{o.role}, loopback.Forward(engine), func(string, string) {})).URL + "/" + o.role.Name
	return o, nil // it ends with the process
})

var fixed = time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC)

// tool is ranchctl in a scene of the test's own.
type tool struct {
	*storetest.Scene
	t *testing.T
}

func newTool(t *testing.T) tool {
	t.Parallel()
	return tool{storetest.NewScene(t, game.InstantOf(fixed)), t}
}

// run returns what a command prints and its exit code.
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
	all := append([]string{"--endpoint", o.url, "--table", x.Name}, args...)
	exit = run(x.t.Context(), all, &out, &errs, func() time.Time { return now })
	return out.String(), errs.String(), exit
}

// json runs a command that must succeed and decodes what it prints.
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

// refused runs a command that must fail with the exit code, say why on stderr, and print nothing.
func (x tool) refused(exit int, why string, args ...string) {
	x.t.Helper()
	stdout, stderr, got := x.run(args...)
	if got != exit || !strings.Contains(stderr, why) || stdout != "" {
		x.t.Errorf("%v: exit %d, want %d; stderr %q, want %q in it; stdout %q", args, got, exit, stderr, why, stdout)
	}
}

type object = map[string]any

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

// A ranchctl of another version leaves a table alone.
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
