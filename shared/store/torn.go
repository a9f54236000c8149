package store

import (
	"fmt"
	"strings"
	"sync"
	"time"
)

// tornFor is how long a show is known as damaged without a new look: lists with it need not wait for it.
const tornFor = 10 * time.Minute

// mostTorn is the most shows that are remembered. A table restored from a backup has a few damaged ones.
const mostTorn = 1_000

// tornShows are the shows for which a list has waited without success, as they were then. They are damaged: for
// example, a restored table has half of their transaction. A show in motion looks different at each step, so that lists
// wait for it all the same. The zero value remembers none; it is safe for concurrent use.
type tornShows struct {
	mu    sync.Mutex
	until map[string]time.Time // by the description of looksOf
}

func (t *tornShows) remember(looks string, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.until == nil || len(t.until) >= mostTorn {
		t.until = map[string]time.Time{}
	}
	t.until[looks] = now.Add(tornFor)
}

func (t *tornShows) knows(looks string, now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return now.Before(t.until[looks])
}

// looksOf describes a show's row on a board, and which of its gates exist.
func looksOf(row *boardItem, keys []key, gates map[key]*gateItem) string {
	var there strings.Builder
	for _, k := range keys {
		if gates[k] == nil {
			there.WriteByte('-')
		} else {
			there.WriteByte('+')
		}
	}
	return fmt.Sprint(row.SK, " ", row.Name, " ", row.Tier, " ", row.EntryFee, " ", row.Status, " ", row.Gates, " ", there.String())
}
