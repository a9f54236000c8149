package main

import (
	"bytes"
	"net/http/httptest"
	neturl "net/url"
	"os"
	"path/filepath"
	"regexp"
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

// keyTool is ranchctl with a Secrets Manager of the test's own.
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

// keyOperators is what stands between the tool and the secret: the policy of template.yaml for those who change keys,
// without some of its actions.
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
	server := httptest.NewServer(iam.New([]*iam.Role{iam.NewRole(role, statements)}, loopback.Forward(at), func(string, string) {}))
	t.Cleanup(server.Close)
	return server.URL + "/" + role
}

// The policy allows what a rotation needs, and nothing that it does not.
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

// run returns what a command prints. No command ever prints a key.
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
	return out.String(), errs.String(), exit
}

// prints runs a command that must succeed, and compares what it prints.
func (x *keyTool) prints(want string, args ...string) (stderr string) {
	x.t.Helper()
	stdout, stderr, exit := x.run(args...)
	if exit != 0 || strings.TrimSpace(stdout) != strings.TrimSpace(want) {
		x.t.Errorf("%v: exit %d: %s\n%s\nwant:\n%s", args, exit, stderr, stdout, want)
	}
	return stderr
}

// refused runs a command that must fail and write nothing.
func (x *keyTool) refused(exit int, why string, args ...string) {
	x.t.Helper()
	_, before := x.Current()
	stdout, stderr, got := x.run(args...)
	if _, writes := x.Current(); writes != before || got != exit || stdout != "" || !strings.Contains(stderr, why) {
		x.t.Errorf("%v: exit %d, want %d, %d writes; %q, want %q in %q", args, got, exit, writes-before, stdout, why, stderr)
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	x := newKeyTool(t)
	x.prints("KID  STATE    SINCE                     RETIRABLE\nk1   current  2026-11-20T09:30:00.000Z  -", "list")
	x.now = x.now.Add(time.Hour)
	const next = `
KID               STATE    SINCE                     RETIRABLE
20261120T103000Z  next     2026-11-20T10:40:00.000Z  -
k1                current  2026-11-20T09:30:00.000Z  -`
	if stderr := x.prints(next, "rotate", "--dry-run"); !strings.Contains(stderr, "dry run") {
		t.Errorf("a dry run says %q", stderr)
	}
	if _, writes := x.Current(); writes != 0 {
		t.Fatalf("a dry run has written %d times", writes)
	}
	if stderr := x.prints(next, "rotate"); stderr != "" {
		t.Errorf("a rotation warns: %s", stderr)
	}
	x.prints(next, "list")
	x.refused(1, "is the current one", "retire", "k1")
	x.now = x.now.Add(token.Lead)
	x.refused(1, "tokens of the key k1 may be live: it can be retired from 2026-12-21T10:40:00.000Z on", "retire", "k1")
	x.prints(`[
  {
    "kid": "20261120T103000Z",
    "state": "current",
    "since": "2026-11-20T10:40:00.000Z",
    "retirableAt": null
  },
  {
    "kid": "k1",
    "state": "old",
    "since": "2026-11-20T09:30:00.000Z",
    "retirableAt": "2026-12-21T10:40:00.000Z"
  }
]`, "list", "-o", "json")
	x.now = x.now.Add(31 * 24 * time.Hour)
	const left = `
KID               STATE    SINCE                     RETIRABLE
20261120T103000Z  current  2026-11-20T10:40:00.000Z  -`
	x.prints(left, "retire", "k1", "--dry-run")
	x.prints(left, "retire", "k1")
	x.prints(left, "list")
	x.refused(1, "no such key", "retire", "k1")
}

// A key that has leaked goes at once, after another one signs, and the tool says who goes with it.
func TestLeakedKey(t *testing.T) {
	t.Parallel()
	x := newKeyTool(t)
	x.now = x.now.Add(time.Hour)
	x.prints(`
KID               STATE    SINCE                     RETIRABLE
20261120T103000Z  current  2026-11-20T10:30:00.000Z  -
k1                old      2026-11-20T09:30:00.000Z  2026-12-21T10:30:00.000Z`, "rotate", "--signs-in", "0s")
	x.refused(1, "tokens of the key k1 may be live", "retire", "k1")
	const left = `
KID               STATE    SINCE                     RETIRABLE
20261120T103000Z  current  2026-11-20T10:30:00.000Z  -`
	x.now = x.now.Add(time.Minute)
	for _, arguments := range [][]string{{"--dry-run"}, nil} {
		stderr := x.prints(left, append([]string{"retire", "k1", "--leaked"}, arguments...)...)
		for _, said := range []string{
			"this logs out whoever registered or logged in between 2026-11-20T09:30:00.000Z and 2026-11-20T10:31:00.000Z, and not after that",
			"functions accept the key k1 for up to 5m0s more", "refresh tokens need a record",
		} {
			if !strings.Contains(stderr, said) {
				t.Errorf("%v: it does not say %q: %s", arguments, said, stderr)
			}
		}
	}
	x.refused(1, "no such key", "retire", "k1", "--leaked")
	x.run("rotate")
	list, _, _ := x.run("list", "-o", "json")
	kid := regexp.MustCompile(`"kid": "(\w+)",\s+"state": "next"`).FindStringSubmatch(list)
	if kid == nil {
		t.Fatalf("no key waits: %s", list)
	}
	if stderr := x.prints(left, "retire", kid[1], "--leaked"); !strings.Contains(stderr, "nobody is logged out") {
		t.Errorf("a key that has signed nothing: %s", stderr)
	}
}

func TestKeyFromAFile(t *testing.T) {
	t.Parallel()
	x := newKeyTool(t)
	file := filepath.Join(t.TempDir(), "key")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	x.refused(1, "no such file", "rotate", "--key-file", file)
	write("short")
	x.refused(2, "fewer than 32 bytes", "rotate", "--key-file", file)
	write(strings.Repeat("password", 8))
	x.refused(2, "repetitive", "rotate", "--key-file", file)
	key := signingkeys.NewKey()
	write(key + "\n")
	x.now = x.now.Add(time.Minute)
	if stderr := x.prints(`
KID               STATE    SINCE                     RETIRABLE
20261120T093100Z  current  2026-11-20T09:31:00.000Z  -
k1                old      2026-11-20T09:30:00.000Z  2026-12-21T09:31:00.000Z`, "rotate", "--key-file", file, "--signs-in", "0s", "--dry-run"); !strings.Contains(stderr, "may refuse its tokens for up to 30s") {
		t.Errorf("without a lead it warns %q", stderr)
	}
	x.run("rotate", "--key-file", file)
	if text, _ := x.Current(); !strings.Contains(text, `"20261120T093100Z":"`+key+`"`) {
		t.Error("the secret does not have the file's key")
	}
}

func TestKeyRefusals(t *testing.T) {
	t.Parallel()
	x := newKeyTool(t)
	x.refused(2, "--signs-in must not be negative", "rotate", "--signs-in", "-1s")
	x.refused(2, "nor more than 24h0m0s", "rotate", "--signs-in", "25h")
	x.refused(1, "the key k1 is the current one: rotate first", "retire", "k1", "--leaked")
	x.refused(2, "is no duration", "rotate", "--signs-in", "soon")
	x.refused(2, "accepts 1 arg", "retire")
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
	if _, stderr, exit := x.run("list"); exit != 0 || !strings.Contains(stderr, "warning: the key k1 is not a good one") {
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

// In AWS nothing is changed without --yes.
func TestKeysInAWS(t *testing.T) {
	x := newKeyTool(t)
	inAWS(t, "AWS_ENDPOINT_URL_SECRETS_MANAGER", x.URL)
	t.Setenv("SIGNING_KEYS_SECRET", "arn:the-secret")
	for _, c := range []struct {
		args         []string
		exit, writes int
		stderr       string
	}{
		{[]string{"list"}, 0, 0, ""},
		{[]string{"rotate"}, 2, 0, "this changes the secret arn:the-secret in account 123456789012, region eu-west-1: repeat it with --yes, or look first with --dry-run"},
		{[]string{"rotate", "--dry-run"}, 0, 0, "dry run"},
		{[]string{"rotate", "--yes"}, 0, 2, "the secret arn:the-secret in account 123456789012, region eu-west-1, as " + operatorARN},
	} {
		var out, errs bytes.Buffer
		exit := run(t.Context(), append([]string{"keys"}, c.args...), &out, &errs, x.clock)
		if _, writes := x.Current(); exit != c.exit || writes != c.writes || !strings.Contains(errs.String(), c.stderr) {
			t.Errorf("%v: exit %d, %d writes: %s", c.args, exit, writes, errs.String())
		}
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
