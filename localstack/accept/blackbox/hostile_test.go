package blackbox

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/ranch-game/ranch/localstack/accept/world"
	"github.com/ranch-game/ranch/localstack/engine"
	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/localstack/run/stack"
	"github.com/ranch-game/ranch/localstack/sam/gateway"
)

// TestHostile_tenThousandRequests sends hostile requests to a service whose players are in the middle of the game.
// hostile_kinds_test.go defines more than ten thousand. Each run sends a random selection (see sample). No request may
// change anything: it has no valid token, only reads, or breaks a rule.
//
// Every response must come within a minute, fit the contract, be no server fault, and reveal nothing internal. At the
// end, all rows of the table and all processes must be unchanged. Requests that break the rules of HTTP are left out,
// because neither API Gateway nor the local gateway passes them to a function.
//
// schemathesis (`make schemathesis`) derives its requests from the contract's schemas, and the fuzz targets of package
// httpapi vary bodies and queries. The requests of this test also have changed and forged tokens, other players' things
// and unusual headers. Only this test compares the table.
func TestHostile_tenThousandRequests(t *testing.T) {
	t.Parallel()
	var log journal
	in := newWorld(t, "it compares all of a table, and all processes", &log, 1) // one process of each function
	w := newHostileWorld(t, in)
	attempts := sample(t, w.attempts())
	rows, processes := tableRows(t, in), processesOf(in)

	type verdict struct {
		reply
		took     time.Duration
		problems []string
	}
	verdicts := make([]verdict, len(attempts))
	var senders errgroup.Group
	senders.SetLimit(4)
	for i, a := range attempts {
		senders.Go(func() error {
			began := time.Now()
			answer := try(t.Context(), a.request)
			for tries := 0; answer.status >= 500 && tries < 3; tries++ { // a busy machine may fail up to three times
				answer = try(t.Context(), a.request)
			}
			verdicts[i] = verdict{answer, time.Since(began), answer.problems()}
			return nil
		})
	}
	_ = senders.Wait() // no sender returns an error
	counts, told, slowest := map[string]map[int]int{}, 0, 0
	for i, v := range verdicts {
		kind := attempts[i].kind
		if counts[kind] == nil {
			counts[kind] = map[int]int{}
		}
		counts[kind][v.status]++
		if v.took > verdicts[slowest].took {
			slowest = i
		}
		if strings.Contains(kind, "token") && v.status != http.StatusUnauthorized && v.path != "/auth/logout" {
			v.problems = append(v.problems, "the token is good")
		}
		for _, problem := range v.problems {
			if told++; told <= 20 { // one mistake often makes many
				t.Errorf("%s, %s: %s", kind, v.reply, problem)
			}
		}
	}
	assert.Empty(t, cmp.Diff(rows, tableRows(t, in)), "the table has changed (-before +after)")
	if !maps.Equal(processes, processesOf(in)) {
		t.Errorf("these are other processes: %v, before %v", processesOf(in), processes)
	}
	assert.True(t, len(rows) >= 10, "there are %d rows in the table: too few to say anything", len(rows))
	w.stillServed(t)
	assert.NoError(t, log.check("context deadline exceeded"))
	t.Logf("%d problems; the slowest took %v: %s", told, verdicts[slowest].took.Round(time.Millisecond), verdicts[slowest])
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%-22s %v", kind, counts[kind])
	}
}

// sample returns as many attempts as HOSTILE says: by default 600, at most all. It selects them by HOSTILE_SEED, which
// is random by default, and prints how to repeat the selection.
func sample(t *testing.T, all []attempt) []attempt {
	t.Helper()
	settings := map[string]uint64{"HOSTILE": 600, "HOSTILE_SEED": rand.Uint64N(1 << 32)}
	for name := range settings {
		if text := os.Getenv(name); text != "" {
			value, err := strconv.ParseUint(text, 10, 64)
			require.NoError(t, err, "%s=%s: not a number", name, text)
			settings[name] = value
		}
	}
	n, seed := min(settings["HOSTILE"], uint64(len(all))), settings["HOSTILE_SEED"]
	t.Logf("%d of %d requests; the same again: HOSTILE=%[1]d HOSTILE_SEED=%[3]d", n, len(all), seed)
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:n]
}

// problems returns the flaws of a response to a hostile request. hold reports violations of the contract.
func (r reply) problems() (all []string) {
	if r.err != nil {
		return []string{"there is no answer"}
	}
	if r.header.Get("Apigw-Requestid") == "" {
		if r.status != http.StatusRequestHeaderFieldsTooLarge {
			all = append(all, "it does not come from the API")
		}
		return all
	}
	if r.status >= 500 {
		all = append(all, "it is a fault")
	}
	for _, text := range append([]string{"USER#", "argon2", "runtime error"}, inside...) {
		if bytes.Contains(r.body, []byte(text)) {
			all = append(all, fmt.Sprintf("it shows %q", text))
		}
	}
	return all
}

// processesOf returns the processes that run a world's functions.
func processesOf(w *world.World) map[gateway.Process]bool {
	all := map[gateway.Process]bool{}
	for _, p := range w.Stack.Processes() {
		all[p] = true
	}
	return all
}

// tableRows returns all rows of a stack's table, by their keys.
func tableRows(t *testing.T, w *world.World) map[string]map[string]any {
	t.Helper()
	rows, err := engine.Rows(t.Context(), w.Engine.Client(), stack.TableName)
	require.NoError(t, err)
	return storetest.Decode(t, rows)
}

// TestHostile_storedTexts checks that the service stores texts with a meaning in other languages like any others. Such
// a text comes back as it was sent, and works as a password.
func TestHostile_storedTexts(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"'; DROP TABLE ranch; --", "${jndi:ldap://example.com/x}", "{{constructor}}", "<script>alert(1)</script>", "nul \x00 inside", "  spaces around  ", "line\nbreak\ttab\r", "\u202eright to left",
		"e\u0301 is not é", "\u2028\u2029\ufeff", "null", "%s%n%x%00", "\\u0041 \\\" \\", "USER#" + newID(), strings.Repeat("\u0000", 100), "👩‍👩‍👧‍👦 👍🏽 \U0010ffff",
	} {
		p := candidate()
		p.ranch, p.password = text, text+" and enough of it"
		require.NoError(t, p.register(t.Context()))
		ranch := p.account(t)["ranch"].(object)
		assert.True(t, ranch["name"] == text, "%q came back as %q", text, ranch["name"])
	}
	// Half of a surrogate pair is not valid text. The service may accept or refuse it, but must not fail.
	for _, half := range []string{`"\ud800 a ranch"`, `"a ranch \udfff"`, `"\udc00\ud800 ranch"`} {
		p := candidate()
		p.ranch, p.password = "the ranch", "the password"
		body := strings.NewReplacer(`"the ranch"`, half, `"the password"`, half).Replace(string(encode(p.form())))
		if answer := send(t, p.anonymously("/auth/register", body)); answer.status == 201 {
			send(t, p.anonymously("/auth/login", fmt.Sprintf(`{"email":%q,"password":%s}`, p.email, half))).object(t, 200)
		} else {
			answer.object(t, 400)
		}
	}
}
