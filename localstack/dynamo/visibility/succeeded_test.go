package visibility

import (
	"fmt"
	"testing"
	"time"
)

// A token is known for as long as it lives, and takes no memory after.
func TestTokensAreForgotten(t *testing.T) {
	t.Parallel()
	var known succeeded
	now := time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC)
	for i := range 2000 {
		known.add(fmt.Sprint(i), now)
		if !known.has(fmt.Sprint(i), now) || known.has(fmt.Sprint(i+1), now) {
			t.Fatalf("token %d is not known, or the next one is", i)
		}
		now = now.Add(time.Second)
	}
	if oldest := 2000 - int(tokenLife/time.Second); known.has(fmt.Sprint(oldest), now) || !known.has(fmt.Sprint(oldest+1), now) {
		t.Errorf("token %d is still known, or the next one is not", oldest)
	}
	if most := int(tokenLife/time.Second) + 1; len(known.at) > most || len(known.order) > most {
		t.Errorf("%d tokens are kept, and %d in order", len(known.at), len(known.order))
	}
	// A second success of one token counts: the engine may have forgotten the first.
	known.add("again", now)
	now = now.Add(tokenLife)
	known.add("again", now)
	known.add("another", now)
	if !known.has("again", now) {
		t.Error("the token that has just succeeded is not known")
	}
}
