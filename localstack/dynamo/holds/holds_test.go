package holds

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
)

// TestTheTableForgets checks that the table remembers the token of a succeeded transaction for tokenLife. It also
// checks that the table does not grow: it forgets old items and tokens. localstack/dynamo.TestClientRequestToken checks
// how requests with a known token are answered.
func TestTheTableForgets(t *testing.T) {
	t.Parallel()
	const hold = 12 * time.Millisecond
	var h Table
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	transaction := func(token string) {
		one, _, _ := h.Acquire(now, token, []protocol.Key{{Table: "t", PK: token, SK: "s"}})
		h.End(now, one, now.Add(hold), true)
	}
	transaction("first")
	for after, want := range map[time.Duration]Outcome{hold - 1: InProgress, hold: Repeated, hold + tokenLife - 1: Repeated, hold + tokenLife: Held} {
		assert.Equal(t, want, h.Token(now.Add(after), "first"), "after %v", after)
	}
	for i := range 10_000 {
		transaction(fmt.Sprint(i))
		now = now.Add(time.Second)
	}
	h.Acquire(now, "", nil)
	most := int(tokenLife/time.Second) + 1
	assert.True(t, len(h.items) <= 1 && len(h.tokens) <= most && len(h.ended)+len(h.remembered) <= most+1,
		"%d items, %d tokens, %d+%d holds are kept", len(h.items), len(h.tokens), len(h.ended), len(h.remembered))
}
