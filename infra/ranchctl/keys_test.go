package main

import (
	"bytes"
	"io"
	"maps"
	"net/http/httptest"
	neturl "net/url"
	"slices"
	"strings"
	"testing"
	"time"

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

// keyOperators starts a proxy between the tool and the secret. It enforces the policy of template.yaml for operators of
// keys, without some of its actions.
func keyOperators(t *testing.T, m *signingkeystest.Manager, without []string) (url string) {
	t.Helper()
	template, err := samtemplate.LoadRoot()
	if err != nil {
		t.Fatal(err)
	}
	role := "KeyOperators"
	var statements []samtemplate.Statement
	for _, s := range template.Policies[role] {
		s.Actions = slices.DeleteFunc(slices.Clone(s.Actions), func(action string) bool { return slices.Contains(without, action) })
		statements = append(statements, s)
	}
	at, err := neturl.Parse(m.URL)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(iam.Proxy([]*iam.Role{iam.NewRole(role, statements)}, loopback.Transport(), at, func(string, string) {}))
	t.Cleanup(server.Close)
	return server.URL + "/" + role
}

// The policy allows exactly what a rotation needs.
func TestKeyOperators(t *testing.T) {
	t.Parallel()
	template, err := samtemplate.LoadRoot()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range template.Policies["KeyOperators"] {
		for _, action := range s.Actions {
			x := newKeyTool(t)
			var out, errs bytes.Buffer
			endpoint := keyOperators(t, x.Manager, []string{action})
			exit := run(t.Context(), []string{"keys", "rotate", "--endpoint", endpoint, "--secret", "the-secret"}, &out, &errs, x.clock)
			if exit != 1 || !strings.Contains(errs.String(), "not authorized to perform: "+action) {
				t.Errorf("without %s: exit %d: %s", action, exit, errs.String())
			}
		}
	}
}

func (x *keyTool) clock() time.Time { return x.now }

// run returns the output of a command, and checks that it has no key.
func (x *keyTool) run(args ...string) (stdout, stderr string, exit int) {
	x.t.Helper()
	var out, errs bytes.Buffer
	exit = run(x.t.Context(), append([]string{"keys", "--endpoint", keyOperators(x.t, x.Manager, nil), "--secret", "the-secret"}, args...), &out, &errs, x.clock)
	text, _ := x.Current()
	secret, err := token.ReadSecret(text)
	if err != nil {
		x.t.Fatal(err)
	}
	for kid, key := range secret.Keys {
		if strings.Contains(out.String()+errs.String(), key) {
			x.t.Errorf("%v prints the key %s", args, kid)
		}
	}
	// Functions verify tokens with the published keys, so each change must publish them.
	if kids := slices.Sorted(maps.Keys(secret.Keys)); exit == 0 && args[0] != "list" && !slices.Contains(args, "--dry-run") && !slices.Equal(x.Published(), kids) {
		x.t.Errorf("%v publishes the keys %q, and the secret has %q", args, x.Published(), kids)
	}
	return out.String(), errs.String(), exit
}

func TestKeyRefusals(t *testing.T) {
	t.Parallel()
	x := newKeyTool(t)
	x.Before = func(operation string) {
		if operation == "UpdateSecretVersionStage" {
			x.Put(`{"current":"k9","k9":"` + signingkeys.NewKey() + `"}`)
		}
	}
	if stdout, stderr, exit := x.run("rotate"); exit != 1 || stdout != "" || !strings.Contains(stderr, "somebody else has changed the secret meanwhile") {
		t.Errorf("exit %d: %s%s", exit, stdout, stderr)
	}
	x.Before = nil
	x.Put(`{"current":"k1","k1":"` + strings.Repeat("0123", 10) + `"}`)
	if _, stderr, exit := x.run("list"); exit != 0 || !strings.Contains(stderr, "warning: the key k1 is unsuitable") {
		t.Errorf("exit %d: %s", exit, stderr)
	}
	x.Put(`{"current":"k1","k1":"` + signingkeys.NewKey() + `"}`)
	var out, errs bytes.Buffer
	x.Manager.Put(`{"current":"k1","k1":"SENSITIVE"}`)
	for _, command := range []string{"list", "rotate"} {
		if exit := run(t.Context(), []string{"keys", command, "--endpoint", x.URL}, &out, &errs, x.clock); exit != 1 || strings.Contains(errs.String(), "SENSITIVE") ||
			!strings.Contains(errs.String(), "the secret ranch-signing-keys: token: a signing key has fewer than 32 bytes") {
			t.Errorf("exit %d: %s", exit, errs.String())
		}
	}
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
		var out, errs bytes.Buffer
		exit := run(t.Context(), append([]string{"keys"}, c.args...), &out, &errs, x.clock)
		if _, writes := x.Current(); exit != c.exit || writes != c.writes || !strings.Contains(errs.String(), c.stderr) {
			t.Errorf("%v: exit %d, %d writes: %s", c.args, exit, writes, errs.String())
		}
	}
}

// The time until a new key signs begins with the operator's answer, however long the question waits.
func TestARotationThatWaits(t *testing.T) {
	x := newKeyTool(t)
	inAWS(t, "AWS_ENDPOINT_URL_SECRETS_MANAGER", x.URL)
	t.Setenv("AWS_ENDPOINT_URL_DYNAMODB", x.URL)
	var out, errs bytes.Buffer
	a := newApp(&out, &errs, x.clock)
	a.interactive, a.in = true, readerFunc(func(b []byte) (int, error) {
		x.now = fixed.Add(9 * time.Minute)
		return copy(b, "y\n"), io.EOF
	})
	exit := a.run(t.Context(), []string{"keys", "rotate", "--table", "the-table", "--secret", "the-secret"})
	if exit != exitDone || !strings.Contains(errs.String(), "which signs from 2026-11-20T09:40:00.000Z on\n") || !strings.Contains(out.String(), "2026-11-20T09:49:00.000Z") {
		t.Errorf("exit %d: %s%s", exit, &out, &errs)
	}
}

func TestKeysOfARunningStack(t *testing.T) {
	x := newKeyTool(t)
	root := t.TempDir()
	t.Chdir(root)
	t.Setenv("SIGNING_KEYS_SECRET", "")
	for secret, want := range map[string]string{"": "only one with ENGINE=localstack has a secret", "the-secret": ""} {
		withdraw, err := running.Announce(root, running.Stack{Endpoint: x.URL, Secret: secret})
		if err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		if exit := run(t.Context(), []string{"keys", "list"}, &out, &errs, x.clock); (exit == 0) != (want == "") || !strings.Contains(errs.String(), want) {
			t.Errorf("%q: exit %d: %s", secret, exit, errs.String())
		}
		withdraw()
	}
	var out, errs bytes.Buffer
	if exit := run(t.Context(), []string{"keys", "list"}, &out, &errs, x.clock); exit != 1 || !strings.Contains(errs.String(), "--secret (AWS)") {
		t.Errorf("exit %d: %s", exit, errs.String())
	}
}
