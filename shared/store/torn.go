package store

import (
	"fmt"
	"strings"
	"sync"
	"time"
)

// tornFor is how long lists do not wait again for a show that looks as it did when a list waited in vain.
const tornFor = 10 * time.Minute

// mostTorn is the most shows that are remembered; one more replaces them all. A restored table has fewer.
const mostTorn = 1_000

// tornShows are the shows for which a list has waited in vain, by their looks at that time. They are damaged (torn):
// for example, a restored table has only a part of a transaction. A show that is being changed looks different after
// each step, so that lists wait for it again. The zero value remembers none. It is safe for concurrent use.
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
