package main

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/dynamo/faults"
	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
	"github.com/ranch-game/ranch/localstack/kit/build"
	"github.com/ranch-game/ranch/localstack/run/stack"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// stressed plays a round on the real functions, and returns its violations as an error. alter, if not nil, changes the
// requests to the engine.
func stressed(t *testing.T, calls, window int, alter stack.Between) (*figures, error) {
	t.Helper()
	template, err := samtemplate.LoadRoot()
	require.NoError(t, err)
	require.NoError(t, build.Make(t.Context(), template.Root, t.Output(), "functions"))
	counted := &figures{counts: map[string]int{}}
	s := &search{window: window, template: template, folder: t.TempDir(), figures: counted, alter: alter}
	return counted, s.playRound(t.Context(), 1, calls)
}

// TestStress checks that 400 calls to the real service lead to no violation, and that kills and faults are played.
func TestStress(t *testing.T) {
	f, err := stressed(t, 400, 200, nil)
	require.NoError(t, err)
	for _, counted := range []string{"EnterShow 201", "ClaimReward 200", "create show done", "killed functions", "fault conflict"} {
		assert.True(t, f.of(counted) > 0, "%s is not counted: %v", counted, f.counts)
	}
}

// TestAGuardIsMissed lets two changes of a user's gold overwrite each other. The checks must find a violation within
// 3,000 calls.
func TestAGuardIsMissed(t *testing.T) {
	const guard, weak = "ls = :lsSeen", "(ls = :lsSeen OR attribute_exists(PK))" // uses all values
	weaken := faults.Fault(func(r *http.Request, pass http.RoundTripper) (*http.Response, error) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		return pass.RoundTrip(protocol.WithBody(r, bytes.ReplaceAll(body, []byte(guard), []byte(weak))))
	})
	_, err := stressed(t, 3000, 150, weaken.On)
	assert.ErrorContains(t, err, "the amounts add up to")
	t.Log(err)
}

func TestReceipts(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		outcomes string
		exists   bool
		want     string // a part of the only violation; "": none
	}{
		{"done refused", true, ""}, {"done", false, "missing"}, {"done done", true, "twice"},
		{"refused", false, ""}, {"refused", true, "refused"}, {"", true, "refused"},
		{"refused unknown", true, ""}, {"unknown", false, ""},
	} {
		var receipts []receipt
		for _, o := range strings.Fields(test.outcomes) {
			receipts = append(receipts, receipt{"enter", "entry", outcome(o)})
		}
		exist := map[string]bool{}
		if test.exists {
			exist["entry"] = true
		}
		found := strings.Join(compare(receipts, exist), "\n")
		assert.True(t, (found != "") == (test.want != "") && strings.Contains(found, test.want), "%+v: %s", test, found)
	}
}

// TestComplaints checks which lines of the functions' log no played fault explains.
func TestComplaints(t *testing.T) {
	t.Parallel()
	for line, complains := range map[string]bool{
		`{"error":"operation error DynamoDB: Query, api error ThrottlingException: slow"}`: false,
		`{"error":"operation error DynamoDB: Query, api error ValidationException: no"}`:   true,
		`{"error":"panic: boom"}`:                              true,
		"gateway: the process ended: signal: killed":           false,
		"1234 Task timed out after 8.00 seconds":               false,
		"gateway: the process ended: exit status 2":            true,
		"template.yaml does not allow EnterShow dynamodb:Scan": true,
	} {
		var r round
		r.complain(line)
		assert.Equal(t, complains, len(r.complaints) == 1, line)
	}
}
