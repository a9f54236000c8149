package explore

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/ranch-game/ranch/localstack/verify/linearizability"
	"github.com/ranch-game/ranch/shared/store"
)

// Outcome is what came of a history.
type Outcome struct {
	Whole   bool // else it was abandoned
	Strike  Strike
	Struck  bool // the fault has had its turn
	Calls   []linearizability.Call
	Names   []string
	Steps   []Step
	Choices Choices
	// Attempts are those that were released of each call: a letter each, r for a read and w for what writes.
	Attempts []string
	// Conflicts are how many attempts met others.
	Conflicts int
	lineage   *lineage
}

// play lets the calls take place on a table of that name, as the chooser has it. The same choices lead to the same
// history. The bubble runs a function in one of testing/synctest, to the end of all that the function starts.
func play(on *table, bubble func(do func()), endpoint, name string, calls []Call, strike Strike, chooser Chooser) Outcome {
	out := Outcome{Strike: strike}
	noted, source := &recorder{Chooser: chooser}, newIDs(0)
	uuid.SetRand(source)
	defer uuid.SetRand(nil)
	bubble(func() {
		w := &wire{moved: make(chan struct{}, 1)}
		h := &schedule{wire: w, table: on, chooser: noted, strike: strike, drawn: source.drawn}
		out.Whole = h.run(func(ctx context.Context, call int, op linearizability.Op) (any, error) {
			made := store.New(w.client(endpoint, call), name, time.Now).WithChance(func(time.Duration) time.Duration { return 0 })
			return linearizability.Ask(ctx, made, op)
		}, calls)
		out.Struck, out.Steps, out.Conflicts, out.lineage = h.struck, h.steps, h.conflicts, h.lineage
		for _, c := range h.calls {
			out.Names, out.Calls = append(out.Names, c.Name), append(out.Calls, c.outcome())
			out.Attempts = append(out.Attempts, string(c.released))
		}
	})
	out.Choices = Choices(noted.made)
	return out
}

// ids is what ids are made of.
type ids struct {
	mu   sync.Mutex
	rng  *rand.ChaCha8
	read int
}

// newIDs returns the same ids for the same number.
func newIDs(n byte) *ids { return &ids{rng: rand.NewChaCha8([32]byte{n})} }

func (i *ids) Read(p []byte) (int, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.read += len(p)
	return i.rng.Read(p)
}

// drawn is how many bytes have been.
func (i *ids) drawn() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.read
}

// outcome is what came of the call; who does not return was told nothing.
func (c *calling) outcome() linearizability.Call {
	if c.result.Returned == linearizability.Never {
		c.result.Answer, c.result.Err = nil, errors.New("it has not ended")
	}
	if c.result.Called < 0 {
		c.result.Called = 0
	}
	return c.result
}
