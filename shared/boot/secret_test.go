package boot

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/table"
	"github.com/ranch-game/ranch/shared/token"
	"github.com/ranch-game/ranch/shared/token/tokentest"
)

// version is Secrets Manager's answer for one version of the secret.
type version struct {
	status int
	answer string
}

// written is the time at which every version of the secret was written.
const written = game.Instant(1_795_000_000_000)

func holding(text string) version {
	id := sha256.Sum256([]byte(text)) // each text is a version of its own
	answer, err := json.Marshal(map[string]any{
		"SecretString": text, "ARN": "arn:the-secret", "VersionId": hex.EncodeToString(id[:]), "CreatedDate": float64(written) / 1000,
	})
	if err != nil {
		panic(err)
	}
	return version{http.StatusOK, string(answer)}
}

func failing(code string) version { return version{http.StatusBadRequest, `{"__type":"` + code + `"}`} }

// secretsManager stands in for Secrets Manager. It answers GetSecretValue for the secret arn:the-secret.
type secretsManager struct {
	url   string
	table published // the place of public keys

	mu       sync.Mutex
	versions map[string]version // by label
	asked    []string           // the labels, in their order
	empty    int                // how many requests a proxy answers with nothing
}

func newSecretsManager(t *testing.T, current version) *secretsManager {
	s := &secretsManager{versions: map[string]version{"AWSCURRENT": current, "AWSPREVIOUS": failing("ResourceNotFoundException")}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var request struct{ SecretId, VersionStage string }
		body, err := io.ReadAll(r.Body)
		assert.True(t, err == nil && json.Unmarshal(body, &request) == nil && request.SecretId == "arn:the-secret",
			"asked for %s, %v", body, err)
		target := r.Header.Get("X-Amz-Target")
		assert.Equal(t, "secretsmanager.GetSecretValue", target, "asked to %s", target)
		checkSignature(t, r, "secretsmanager")
		s.mu.Lock()
		s.asked = append(s.asked, request.VersionStage)
		v := s.versions[request.VersionStage]
		if s.empty > 0 {
			s.empty--
			v = version{status: http.StatusOK}
		}
		s.mu.Unlock()
		w.Header().Set("Content-Type", "application/x-amz-json-1.1")
		w.WriteHeader(v.status)
		_, _ = io.WriteString(w, v.answer)
	}))
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

func (s *secretsManager) put(label string, v version) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.versions[label] = v
}

// reads returns the versions that have been read since the last call.
func (s *secretsManager) reads() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := s.asked
	s.asked = nil
	return asked
}

func (s *secretsManager) environment() variables {
	env := awsVariables()
	env["SIGNING_KEYS_SECRET"], env["AWS_ENDPOINT_URL"] = "arn:the-secret", s.url
	env["METRICS_NAMESPACE"], env["AWS_LAMBDA_FUNCTION_NAME"], env["AWS_LAMBDA_FUNCTION_VERSION"] = "ranch", "ranch-Login", "7"
	return env
}

// start starts a function at the given time.
func (s *secretsManager) start(t *testing.T, log io.Writer, now game.Instant) (*token.Ring, error) {
	t.Helper()
	return s.environment().environment().signingKeys(t.Context(), newLogger(log), now.Time, &s.table)
}

// logged returns the log's lines, without times and errors, and empties the log. No error may quote the secret.
func logged(t *testing.T, log *bytes.Buffer) (lines []map[string]any) {
	t.Helper()
	for d := json.NewDecoder(log); d.More(); {
		var line map[string]any
		require.NoError(t, d.Decode(&line))
		if aws, is := line["_aws"].(map[string]any); is {
			line["_aws"] = fmt.Sprint(aws["CloudWatchMetrics"])
			ago := time.Since(time.UnixMilli(int64(aws["Timestamp"].(float64))))
			assert.True(t, ago >= 0 && ago <= time.Hour, "it is said to be %v ago", ago)
		}
		assert.False(t, strings.Contains(line["error"].(string), "SENSITIVE"), "the log quotes the secret: %v", line)
		delete(line, "time")
		delete(line, "error")
		lines = append(lines, line)
	}
	return lines
}

func complaint(level, problem, goingBy string) []map[string]any {
	line := map[string]any{"level": level, "msg": "signing keys", "signing_keys": problem, "going_by": goingBy}
	if problem == "unparsable" {
		line["KeysUnparsable"], line["_aws"] = 1.0, "[map[Dimensions:[[]] Metrics:[map[Name:KeysUnparsable Unit:Count]] Namespace:ranch]]"
	}
	return []map[string]any{line}
}

func expect[V any](t *testing.T, what string, got, want V) {
	t.Helper()
	assert.Empty(t, gocmp.Diff(want, got), "%s (-want +got)", what)
}

// someKey is a key's text.
func someKey(letter string) string { return strings.Repeat(letter, 64) }

func secretOf(current string, kids ...string) version {
	members := map[string]string{"current": current}
	for _, kid := range kids {
		members[kid] = someKey(kid[:1])
	}
	text, err := json.Marshal(members)
	if err != nil {
		panic(err)
	}
	return holding(string(text))
}

// signer returns the kid of a token that is issued now.
func signer(t *testing.T, keys tokens, now game.Instant) any {
	t.Helper()
	return header(t, keys, now)["kid"]
}

func header(t *testing.T, keys tokens, now game.Instant) map[string]any {
	t.Helper()
	issued, err := keys.IssueAccess(game.User{ID: game.NewID()}, now)
	require.NoError(t, err)
	return tokentest.Parse(t, issued).Header
}

func TestKeysFromSecretsManager(t *testing.T) {
	manager := newSecretsManager(t, secretOf("k1", "k1"))
	for _, variable := range []string{"AWS_ENDPOINT_URL_SECRETS_MANAGER", "AWS_ENDPOINT_URL"} {
		env := manager.environment()
		delete(env, "AWS_ENDPOINT_URL")
		env[variable] = manager.url
		keys, err := env.ring(t)
		require.NoError(t, err)
		same, err := token.NewKeys("k1", map[string][]byte{"k1": []byte(someKey("k"))})
		require.NoError(t, err)
		verifies(t, keys, same)
	}
}

// An answer that is not Secrets Manager's is repeated: it does not mean that the secret has no text.
func TestAProxyBeforeSecretsManager(t *testing.T) {
	const now = game.Instant(1_795_167_000_000)
	manager := newSecretsManager(t, secretOf("k1", "k1"))
	manager.empty = 1
	var log bytes.Buffer
	keys, err := manager.start(t, &log, now)
	require.NoError(t, err)
	expect(t, "signer", signer(t, keys, now+1), any("k1"))
	expect(t, "reads", manager.reads(), []string{"AWSCURRENT", "AWSCURRENT"})
	expect(t, "log", logged(t, &log), nil)
}

// If the secret's current version cannot be parsed, a function starts with the previous version and logs the problem.
// It reads the secret again in its first request, and then at most every half minute.
func TestStartWithThePreviousVersion(t *testing.T) {
	const now = game.Instant(1_795_167_000_000)
	manager := newSecretsManager(t, holding(`{"current":"SENSITIVE"`))
	manager.put("AWSPREVIOUS", secretOf("k1", "k1"))
	var log bytes.Buffer
	keys, err := manager.start(t, &log, now)
	require.NoError(t, err)
	expect(t, "log", logged(t, &log), complaint("ERROR", "unparsable", "the previous version"))
	expect(t, "reads", manager.reads(), []string{"AWSCURRENT", "AWSPREVIOUS"})
	expect(t, "signer", signer(t, keys, now+1), any("k1"))
	expect(t, "reads of the first request", manager.reads(), []string{"AWSCURRENT"})
	expect(t, "its log", logged(t, &log), complaint("ERROR", "unparsable", "the keys in memory"))
	manager.put("AWSCURRENT", secretOf("k2", "k1", "k2"))
	expect(t, "signer half a minute later", signer(t, keys, now.Add(30*time.Second)), any("k1"))
	expect(t, "signer after half a minute", signer(t, keys, now.Add(30*time.Second)+1), any("k2"))
	expect(t, "reads", manager.reads(), []string{"AWSCURRENT"})
	expect(t, "log", len(logged(t, &log)), 0)
}

// A process publishes each version's public keys once, before it signs with them. If the publication fails, a running
// function keeps its old keys. A function that starts uses the new keys, and publishes again in its first request.
func TestKeysArePublishedBeforeTheySign(t *testing.T) {
	const now = game.Instant(1_795_167_000_000)
	manager := newSecretsManager(t, secretOf("k1", "k1"))
	var log bytes.Buffer
	publications := func() (kids []string) {
		for _, p := range manager.table.published {
			assert.True(t, p.Secret == "arn:the-secret" && p.Written == written, "published of %s, written at %v", p.Secret, p.Written)
			kids = append(kids, strings.Join(slices.Sorted(maps.Keys(p.Keys)), " "))
		}
		return kids
	}
	manager.table.fails = errors.New("no answer")
	keys, err := manager.start(t, &log, now)
	require.NoError(t, err)
	expect(t, "log of the start", logged(t, &log), complaint("WARN", "unpublished", "the keys in memory"))
	manager.table.fails = nil
	expect(t, "signer", signer(t, keys, now+1), any("k1"))
	expect(t, "published", publications(), []string{"k1"})
	expect(t, "signer later", signer(t, keys, now.Add(maxAge)+1), any("k1"))
	expect(t, "published", publications(), []string{"k1"})

	manager.put("AWSCURRENT", secretOf("k2", "k1", "k2"))
	manager.table.fails = errors.New("no answer")
	expect(t, "signer that is not published", signer(t, keys, now.Add(2*maxAge)+1), any("k1"))
	expect(t, "log", logged(t, &log), complaint("WARN", "unpublished", "the keys in memory"))
	manager.table.fails = nil
	expect(t, "signer half a minute later", signer(t, keys, now.Add(2*maxAge+token.ReadingPause)+1), any("k2"))
	expect(t, "published", publications(), []string{"k1", "k1 k2"})
	expect(t, "log", len(logged(t, &log)), 0)
}

// If the secret cannot be read, no function starts. A running function keeps its keys and logs the problem. No error
// quotes the secret.
func TestSecretsThatCannotBeRead(t *testing.T) {
	const now = game.Instant(1_795_167_000_000)
	for name, c := range map[string]struct {
		current, previous    version
		want, level, problem string
	}{
		"unknown secret": {failing("ResourceNotFoundException"), version{}, "ResourceNotFoundException", "WARN", "unreadable"},
		"no permission":  {failing("AccessDeniedException"), version{}, "AccessDeniedException", "WARN", "unreadable"},
		"binary secret":  {version{200, `{"Name":"n","SecretBinary":"AAAA"}`}, failing("ResourceNotFoundException"), "no text", "ERROR", "unparsable"},
		"short key":      {holding(`{"current":"k1","k1":"SENSITIVE"}`), failing("ResourceNotFoundException"), "fewer than 32 bytes", "ERROR", "unparsable"},
		"no JSON":        {holding("SENSITIVE"), holding(`{"current":"SENSITIVE"}`), "not a JSON object", "ERROR", "unparsable"},
	} {
		manager := newSecretsManager(t, c.current)
		manager.put("AWSPREVIOUS", c.previous)
		var log bytes.Buffer
		keys, err := manager.start(t, &log, now)
		assert.True(t, keys == nil && err != nil && strings.Contains(err.Error(), c.want) && !strings.Contains(err.Error(), "SENSITIVE") && !strings.Contains(err.Error(), "\n"),
			"%s: %v", name, err)
		reads, said := []string{"AWSCURRENT"}, []map[string]any(nil)
		if c.problem == "unparsable" {
			reads, said = append(reads, "AWSPREVIOUS"), complaint(c.level, c.problem, "none")
		}
		expect(t, name+": reads at the start", manager.reads(), reads)
		expect(t, name+": log of the start", logged(t, &log), said)

		manager.put("AWSCURRENT", secretOf("k1", "k1"))
		keys, err = manager.start(t, &log, now)
		require.NoError(t, err)
		manager.reads()
		manager.put("AWSCURRENT", c.current)
		manager.put("AWSPREVIOUS", secretOf("k0", "k0"))
		expect(t, name+": signer", signer(t, keys, now.Add(maxAge)), any("k1"))
		expect(t, name+": reads", manager.reads(), []string{"AWSCURRENT"})
		expect(t, name+": log", logged(t, &log), complaint(c.level, c.problem, "the keys in memory"))
	}
}

// TestASilentSecretsManager checks how long a function waits for a silent Secrets Manager. attempt is the time limit of
// the first attempt, and call the time until the read ends.
func TestASilentSecretsManager(t *testing.T) {
	atStart := func(ctx context.Context, s *secret) error {
		_, _, err := s.atStart(ctx)
		return err
	}
	for name, c := range map[string]struct {
		unparsable    bool // the first answer comes after a second, and is a version without valid keys
		read          func(ctx context.Context, s *secret) error
		attempt, call time.Duration
		said          []map[string]any
	}{
		"at the start":         {false, atStart, 2 * time.Second, 4 * time.Second, nil},
		"the previous version": {true, atStart, 2 * time.Second, 5 * time.Second, complaint("ERROR", "unparsable", "none")},
		"while a client waits": {false, func(_ context.Context, s *secret) error {
			_, err := s.again()
			return err
		}, 2 * time.Second, 2 * time.Second, complaint("WARN", "unreadable", "the keys in memory")},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log bytes.Buffer
				secret, err := (&secretsManager{}).environment().environment().secret("arn:the-secret", newLogger(&log), token.Refused, &published{})
				require.NoError(t, err)
				var attempt time.Duration // the duration of the first unanswered request
				unparsable := c.unparsable
				secret.client.Options().HTTPClient.(*table.Line).Transport = roundTripper(func(r *http.Request) (*http.Response, error) {
					if unparsable {
						unparsable = false
						time.Sleep(time.Second)
						return answer(`{"SecretString":"{}"}`), nil
					}
					began := time.Now()
					<-r.Context().Done()
					attempt = cmp.Or(attempt, time.Since(began))
					return nil, r.Context().Err()
				})
				start := time.Now()
				err = c.read(t.Context(), secret)
				call := time.Since(start)
				assert.True(t, err != nil && attempt == c.attempt && call == c.call,
					"an attempt lasts %v, the read %v: want %v and %v (%v)", attempt, call, c.attempt, c.call, err)
				expect(t, "log", logged(t, &log), c.said)
			})
		})
	}
}
