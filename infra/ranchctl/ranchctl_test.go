package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/infra/running"
	"github.com/ranch-game/ranch/localstack/kit/iamtest"
	"github.com/ranch-game/ranch/localstack/kit/loopback"
	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/localstack/sam/iam"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/records"
)

func TestMain(m *testing.M) {
	iamtest.Main(m, func() (*iam.Role, error) {
		o, err := operators()
		return o.role, err
	})
}

// operators is a proxy between the tool and the engine. At url it enforces the policy Operators of infra/people.yaml. At
// base with the name Support or OnCall, it enforces the policy with that name.
var operators = sync.OnceValues(func() (o struct {
	role, support *iam.Role
	base, url     string
}, err error) {
	people, err := samtemplate.LoadFile(samtemplate.PeopleFile, nil)
	if err != nil {
		return o, err
	}
	engine, err := url.Parse(storetest.Endpoint())
	if err != nil {
		return o, err
	}
	o.role, o.support = iam.NewRole("Operators", people.Policies["Operators"]), iam.NewRole("Support", people.Policies["Support"])
	roles := []*iam.Role{o.role, o.support, iam.NewRole("OnCall", people.Policies["OnCall"])}
	o.base = httptest.NewServer(iam.Proxy(roles, loopback.Transport(), engine, func(string, string) {})).URL + "/"
	o.url = o.base + o.role.Name
	return o, nil // the server ends with the process
})

var fixed = time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC)

// atFixed is a clock that always shows fixed.
func atFixed() time.Time { return fixed }

// ranchctl runs a command, and returns its output and its exit code. Its stdin is a terminal with this answer. If
// answer is nil, there is no terminal.
func ranchctl(ctx context.Context, clock func() time.Time, answer io.Reader, args ...string) (stdout, stderr string, exit int) {
	var out, errs bytes.Buffer
	a := newApp(&out, &errs, clock)
	if answer != nil {
		a.interactive, a.in = true, answer
	}
	exit = a.run(ctx, args)
	return out.String(), errs.String(), exit
}

// tool is ranchctl in the test's own scene.
type tool struct {
	*storetest.Scene
	t        *testing.T
	endpoint string // for --endpoint; "" in AWS
	clock    func() time.Time
	answer   io.Reader // for function ranchctl
}

// newTool returns ranchctl with the policy Operators.
func newTool(t *testing.T) tool {
	t.Parallel()
	return toolIn(t, storetest.NewScene(t, game.InstantOf(fixed)), "Operators")
}

func toolIn(t *testing.T, scene *storetest.Scene, policy string) tool {
	o, err := operators()
	require.NoError(t, err)
	return tool{Scene: scene, t: t, endpoint: o.base + policy, clock: atFixed}
}

// run returns the output of a command and its exit code.
func (x tool) run(args ...string) (stdout, stderr string, exit int) {
	return x.runIn(x.t.Context(), args...)
}

func (x tool) runIn(ctx context.Context, args ...string) (stdout, stderr string, exit int) {
	where := []string{"--table", x.Name}
	if x.endpoint != "" {
		where = append([]string{"--endpoint", x.endpoint}, where...)
	}
	return ranchctl(ctx, x.clock, x.answer, append(where, args...)...)
}

// json runs a command that must succeed, and decodes its output.
func (x tool) json(into any, args ...string) (stderr string) {
	x.t.Helper()
	stdout, stderr, exit := x.run(append(args, "-o", "json")...)
	require.Equal(x.t, 0, exit, "%v: exit %d: %s", args, exit, stderr)
	err := json.Unmarshal([]byte(stdout), into)
	require.NoError(x.t, err, "%v: %v in %s", args, err, stdout)
	return stderr
}

// refused runs a command that must fail with this exit code and reason on stderr, and without output on stdout.
func (x tool) refused(exit int, why string, args ...string) {
	x.t.Helper()
	stdout, stderr, got := x.run(args...)
	assert.True(x.t, got == exit && strings.Contains(stderr, why) && stdout == "",
		"%v: exit %d, want %d; stderr %q, want %q in it; stdout %q", args, got, exit, stderr, why, stdout)
}

type object = map[string]any

// helpOf returns the help that an unknown flag of a command shows.
func helpOf(t *testing.T, path ...string) string {
	t.Helper()
	root := newRoot(newApp(io.Discard, io.Discard, time.Now))
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	c, _, err := root.Find(path)
	require.NoError(t, err)
	c.InitDefaultHelpFlag()
	return c.UsageString()
}

// Without a name, ranchctl says which table it uses, and not on stdout.
func TestTheTableByDefault(t *testing.T) {
	scene := storetest.NewScene(t, game.InstantOf(fixed))
	t.Setenv("TABLE_NAME", "")
	t.Chdir(t.TempDir())
	list := []string{"season", "list", "-o", "json"}
	_, stderr, exit := ranchctl(t.Context(), atFixed, nil, list...)
	assert.True(t, exit == exitFailed && strings.Contains(stderr, "no running 'make run' found"), "exit %d: %s", exit, stderr)
	withdraw, err := running.Announce(".", running.Stack{Endpoint: storetest.Endpoint(), Table: scene.Name})
	require.NoError(t, err)
	defer withdraw()
	said := "ranchctl: using the running 'make run': the table " + scene.Name + " at " + storetest.Endpoint() + "\n"
	for want, args := range map[string][]string{said: list, "": append(list, "--endpoint", storetest.Endpoint(), "--table", scene.Name)} {
		stdout, stderr, exit := ranchctl(t.Context(), atFixed, nil, args...)
		assert.True(t, exit == exitDone && stderr == want && stdout == "[]\n", "%v: exit %d: %q %q", args, exit, stdout, stderr)
	}
}

func TestCompletion(t *testing.T) {
	t.Parallel()
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		stdout, stderr, exit := ranchctl(t.Context(), atFixed, nil, "completion", shell)
		assert.True(t, exit == exitDone && strings.Contains(stdout, "ranchctl"), "%s: exit %d: %s", shell, exit, stderr)
	}
	stdout, _, _ := ranchctl(t.Context(), atFixed, nil, "__complete", "user", "rev")
	assert.True(t, strings.HasPrefix(stdout, "revoke-sessions\tRevoke "), "no description: %q", stdout)
}

// An operator may have a slow line. ranchctl waits for an answer whose bytes still arrive, longer than a player would.
func TestSlowLine(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		answer, pause := "{}", time.Duration(0)
		if operation(r) == "Query" {
			answer, pause = `{"Items":[]}`, 300*time.Millisecond // 3.6 s in all
		}
		for _, b := range []byte(answer) {
			_, _ = w.Write([]byte{b})
			_ = http.NewResponseController(w).Flush()
			time.Sleep(pause)
		}
	}))
	t.Cleanup(server.Close)
	stdout, stderr, exit := ranchctl(t.Context(), atFixed, nil, "--endpoint", server.URL, "--table", "ranch", "season", "list", "-o", "json")
	assert.True(t, exit == exitDone && stdout == "[]\n", "exit %d: %s%s", exit, stdout, stderr)
}

// --version needs no table.
func TestVersion(t *testing.T) {
	t.Parallel()
	stdout, _, exit := ranchctl(t.Context(), atFixed, nil, "--version")
	assert.True(t, exit == exitDone && strings.HasPrefix(stdout, "ranchctl version "), "exit %d: %s", exit, stdout)
	layout := fmt.Sprintf(", layout %d", records.Layout)
	info := &debug.BuildInfo{GoVersion: "go1.26", Main: debug.Module{Version: "v1.2.3"}, Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.modified", Value: "true"},
	}}
	assert.Equal(t, "v1.2.3 (revision abc, changed since), go1.26"+layout, versionOf(info))
	assert.Equal(t, "unknown (revision unknown), unknown"+layout, versionOf(&debug.BuildInfo{}))
}
