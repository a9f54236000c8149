package store_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// readOperations are the operations that read.
var readOperations = []string{"GetItem", "BatchGetItem", "Query"}

// watch calls see with the request of an attempt, decoded and as text, and then plays the fault.
func watch(then storetest.Fault, see func(body map[string]any, text string)) storetest.Fault {
	return func(r *http.Request, pass http.RoundTripper) (*http.Response, error) {
		text, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		var body map[string]any
		if err := json.Unmarshal(text, &body); err != nil {
			return nil, err
		}
		see(body, string(text))
		r = r.Clone(r.Context())
		r.Body = io.NopCloser(bytes.NewReader(text))
		return then(r, pass)
	}
}

// consistent reports whether all parts of a read are strongly consistent.
func consistent(body map[string]any) bool {
	tables, batch := body["RequestItems"].(map[string]any)
	if !batch {
		return body["ConsistentRead"] == true
	}
	for _, keys := range tables {
		if keys, ok := keys.(map[string]any); !ok || keys["ConsistentRead"] != true {
			return false
		}
	}
	return len(tables) > 0
}

// mayBeStale reports whether a read may be eventually consistent: it reads shows, for a season score or own entries.
func mayBeStale(name string, body map[string]any) bool {
	text, err := json.Marshal(body["RequestItems"])
	keys := strings.Count(string(text), `"SK":`)
	return err == nil && (name == "score" || strings.HasPrefix(name, "own entries")) && keys > 0 && keys == strings.Count(string(text), `"SK":{"S":"SHOW"}`)
}

// The local engines always read consistently, and DynamoDB does not. So the test checks the requests of every read, and
// of the reads before writes. Only the first read of shows may be eventually consistent
// (TestSeasonScoreOfAReplicaThatIsBehind).
func TestEveryReadIsStronglyConsistent(t *testing.T) {
	t.Parallel()
	check := func(t *testing.T, name string, f fair, do func(ctx context.Context, f fair) error) {
		t.Helper()
		seen := make(chan bool, 1000)
		look := watch(storetest.Pass, func(body map[string]any, _ string) { seen <- consistent(body) || mayBeStale(name, body) })
		for _, operation := range readOperations {
			f.Wire.Next(operation, slices.Repeat([]storetest.Fault{look}, 100)...)
		}
		err := do(t.Context(), f)
		assert.NoError(t, err, "%s", name)
		f.Wire.Forget()
		for len(seen) > 0 {
			assert.True(t, <-seen, "%s: a read that may be stale", name)
		}
	}
	f := readsOfOneFair(t)
	for name, read := range reads {
		check(t, name, f, func(ctx context.Context, f fair) error { _, err := read(ctx, f); return err })
	}
	for _, w := range writes {
		check(t, w.name, w.fair(t), w.do)
	}
}

// A replica that lags may have a show as it was before its judging: the store reads such a show again. It reads a
// completed show once, since that does not change any more.
func TestSeasonScoreOfAReplicaThatIsBehind(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 3)
	open := f.AddShow(t, storetest.Fee(0))
	f.MustEnter(t, f.Ann, open, 0)
	f.judged(t, 0, 1, 2)
	f.Wire.Next("BatchGetItem", storetest.Behind, storetest.Behind) // it passes a strongly consistent read
	f.checkScore(t, f.Ann, 190)
	f.CheckFaults(t)
	f.MustJudge(t, f.Ann, open)
	eventually, strongly := 0, 0
	look := watch(storetest.Pass, func(body map[string]any, _ string) {
		if consistent(body) {
			strongly++
		} else {
			eventually++
		}
	})
	f.Wire.Next("BatchGetItem", look, look)
	f.checkScore(t, f.Ann, 290)
	f.Wire.Forget()
	assert.True(t, eventually == 1 && strongly == 0,
		"%d eventually consistent and %d strongly consistent reads of completed shows", eventually, strongly)
}

// Rule S2.3.3: a judging reads the health. Health changes no score (TestEveryEntryWithAPhenotypeIsRanked), so that only
// the request shows the read.
func TestJudgingReadsHealth(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	f.MustEnter(t, f.Ann, f.Show, 0)
	entry := f.At(store.EntryKey(f.Show.ID, f.Ann.Animals[0].ID, 1)).Read(t)
	health, is := entry["he"].(*types.AttributeValueMemberN)
	assert.True(t, is && health.Value == strconv.Itoa(f.Ann.Animals[0].Health), "the entry has the health %v", entry["he"])
	whole := false
	look := watch(storetest.Pass, func(body map[string]any, _ string) {
		if body["ExpressionAttributeValues"].(map[string]any)[":pk"].(map[string]any)["S"] == fmt.Sprintf("SHOW#%s#0", f.Show.ID) {
			whole = body["ProjectionExpression"] == nil
		}
	})
	f.Wire.Next("Query", look, look, look)
	checkError(t, f.judge(t.Context()), nil)
	f.Wire.Forget()
	assert.True(t, whole, "the judging does not read the animals' health")
}
