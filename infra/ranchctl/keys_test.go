package main

import (
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	neturl "net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/infra/running"
	"github.com/ranch-game/ranch/infra/signingkeys"
	"github.com/ranch-game/ranch/infra/signingkeys/signingkeystest"
	"github.com/ranch-game/ranch/localstack/kit/loopback"
	"github.com/ranch-game/ranch/localstack/sam/iam"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
	"github.com/ranch-game/ranch/shared/token"
)

// keyTool is ranchctl with the test's own Secrets Manager.
type keyTool struct {
	*signingkeystest.Manager
	t   *testing.T
	now time.Time
}

func newKeyTool(t *testing.T) *keyTool {
	x := &keyTool{t: t, now: fixed}
	x.Manager = signingkeystest.New(t, x.clock, `{"current":"k1","k1":"`+signingkeys.NewKey()+`"}`)
	return x
}

// keyOperators starts a proxy between the tool and the secret. It enforces the policy of infra/people.yaml for operators of
// keys, without some of its actions.
func keyOperators(t *testing.T, m *signingkeystest.Manager, without []string) (url string) {
	t.Helper()
	people, err := samtemplate.LoadFile(samtemplate.PeopleFile, nil)
	require.NoError(t, err)
	role := "KeyOperators"
	var statements []samtemplate.Statement
	for _, s := range people.Policies[role] {
		s.Actions = slices.DeleteFunc(slices.Clone(s.Actions), func(action string) bool { return slices.Contains(without, action) })
		statements = append(statements, s)
	}
	at, err := neturl.Parse(m.URL)
	require.NoError(t, err)
	server := httptest.NewServer(iam.Proxy([]*iam.Role{iam.NewRole(role, statements)}, loopback.Transport(), at, func(string, string) {}))
	t.Cleanup(server.Close)
	return server.URL + "/" + role
}

// The policy allows exactly what a rotation needs.
func TestKeyOperators(t *testing.T) {
	t.Parallel()
	people, err := samtemplate.LoadFile(samtemplate.PeopleFile, nil)
	require.NoError(t, err)
	for _, s := range people.Policies["KeyOperators"] {
		for _, action := range s.Actions {
			x := newKeyTool(t)
			endpoint := keyOperators(t, x.Manager, []string{action})
			_, stderr, exit := ranchctl(t.Context(), x.clock, nil, "keys", "rotate", "--endpoint", endpoint, "--secret", "the-secret")
			assert.True(t, exit == exitFailed && strings.Contains(stderr, "not authorized to perform: "+action),
				"without %s: exit %d: %s", action, exit, stderr)
		}
	}
}

// A proxy's empty 200 is no change: ranchctl repeats the request.
func TestAProxyBeforeTheSecret(t *testing.T) {
	t.Parallel()
	x := newKeyTool(t)
	at, err := neturl.Parse(x.URL)
	require.NoError(t, err)
	forward, answered := loopback.Forward(at), new(atomic.Bool)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		moves := strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".UpdateSecretVersionStage")
		if !moves || !answered.CompareAndSwap(false, true) {
			forward.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(proxy.Close)
	before, _ := x.Current()
	_, stderr, exit := ranchctl(t.Context(), x.clock, nil, "keys", "rotate", "--endpoint", proxy.URL, "--secret", "the-secret")
	after, _ := x.Current()
	assert.True(t, exit == exitDone && after != before && answered.Load(),
		"exit %d, changed: %t: %s", exit, after != before, stderr)
}

func (x *keyTool) clock() time.Time { return x.now }

// run returns the output of a command, and checks that it has no key.
func (x *keyTool) run(args ...string) (stdout, stderr string, exit int) {
	x.t.Helper()
	stdout, stderr, exit = ranchctl(x.t.Context(), x.clock, nil, append([]string{"keys", "--endpoint", keyOperators(x.t, x.Manager, nil)}, args...)...)
	text, _ := x.Current()
	secret, err := token.ReadSecret(text)
	require.NoError(x.t, err)
	for kid, key := range secret.Keys {
		assert.False(x.t, strings.Contains(stdout+stderr, key), "%v prints the key %s", args, kid)
	}
	// Functions verify tokens with the published keys, so each change must publish them.
	if kids := slices.Sorted(maps.Keys(secret.Keys)); exit == exitDone && args[0] != "list" && !slices.Contains(args, "--dry-run") && !slices.Equal(x.Published(), kids) {
		x.t.Errorf("%v publishes the keys %q, and the secret has %q", args, x.Published(), kids)
	}
	return stdout, stderr, exit
}

// In AWS, a change needs --yes.
func TestKeysInAWS(t *testing.T) {
	x := newKeyTool(t)
	inAWS(t, "AWS_ENDPOINT_URL_SECRETS_MANAGER", x.URL)
	t.Setenv("AWS_ENDPOINT_URL_DYNAMODB", x.URL)
	t.Setenv("TABLE_NAME", "the-table")
	t.Setenv("SIGNING_KEYS_SECRET", "arn:the-secret")
	for _, c := range []struct {
		args         []string
		exit, writes int
		stderr       string
	}{
		{[]string{"list"}, 0, 0, ""},
		{[]string{"rotate"}, 2, 0, "\nthis changes the secret arn:the-secret and the public keys in the table the-table in account 123456789012, region eu-west-1: repeat it with --yes, or look first with --dry-run"},
		{[]string{"rotate", "--dry-run"}, 0, 0, "--dry-run changes nothing"},
		{[]string{"rotate", "--yes"}, 0, 2, "the secret arn:the-secret and the public keys in the table the-table in account 123456789012, region eu-west-1, as " + operatorARN},
	} {
		_, stderr, exit := ranchctl(t.Context(), x.clock, nil, append([]string{"keys"}, c.args...)...)
		_, writes := x.Current()
		assert.True(t, exit == c.exit && writes == c.writes && strings.Contains(stderr, c.stderr),
			"%v: exit %d, %d writes: %s", c.args, exit, writes, stderr)
	}
}

// The time until a new key signs begins with the operator's answer, however long the question waits.
func TestARotationThatWaits(t *testing.T) {
	x := newKeyTool(t)
	inAWS(t, "AWS_ENDPOINT_URL_SECRETS_MANAGER", x.URL)
	t.Setenv("AWS_ENDPOINT_URL_DYNAMODB", x.URL)
	answer := readerFunc(func(b []byte) (int, error) {
		x.now = fixed.Add(9 * time.Minute)
		return copy(b, "y\n"), io.EOF
	})
	stdout, stderr, exit := ranchctl(t.Context(), x.clock, answer, "keys", "rotate", "--table", "the-table", "--secret", "the-secret")
	assert.True(t, exit == exitDone && strings.Contains(stderr, "which signs from 2026-11-20T09:40:00.000Z on\n") && strings.Contains(stdout, "2026-11-20T09:49:00.000Z"),
		"exit %d: %s%s", exit, stdout, stderr)
}

// A table with none of the secret's public keys may be another environment's.
func TestASecretAndItsTableBelongTogether(t *testing.T) {
	t.Parallel()
	x := newKeyTool(t)
	for _, public := range []map[string]string{{"k1": "another secret's"}, nil} {
		x.Publish(public)
		for _, command := range []string{"rotate", "publish"} {
			before, _ := x.Current()
			_, stderr, exit := x.run(command)
			after, _ := x.Current()
			assert.True(t, exit == exitUsage && before == after && len(x.Published()) == len(public) && strings.Contains(stderr, "add --adopt"), "%s: exit %d: %s", command, exit, stderr)
		}
	}
	_, stderr, exit := x.run("publish", "--adopt")
	assert.True(t, exit == exitDone, "exit %d: %s", exit, stderr)
}

func TestKeysOfARunningStack(t *testing.T) {
	x := newKeyTool(t)
	root := t.TempDir()
	t.Chdir(root)
	t.Setenv("SIGNING_KEYS_SECRET", "")
	for secret, want := range map[string]string{"": "start it with ENGINE=localstack, or give --secret", "the-secret": ""} {
		withdraw, err := running.Announce(root, running.Stack{Endpoint: x.URL, Secret: secret})
		require.NoError(t, err)
		_, stderr, exit := ranchctl(t.Context(), x.clock, nil, "keys", "list")
		assert.True(t, (exit == exitDone) == (want == "") && strings.Contains(stderr, want), "%q: exit %d: %s", secret, exit, stderr)
		withdraw()
	}
	_, stderr, exit := ranchctl(t.Context(), x.clock, nil, "keys", "list")
	assert.True(t, exit == exitFailed && strings.Contains(stderr, "--secret (AWS)"), "exit %d: %s", exit, stderr)
}
