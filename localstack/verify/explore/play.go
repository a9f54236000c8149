package explore

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/ranch-game/ranch/localstack/verify/linearizability"
	"github.com/ranch-game/ranch/shared/store"
)

// Stage is a table on which histories take place, one at a time in a process.
type Stage struct {
	endpoint, name string
	bubble         func(do func())
	table          *table
}

// NewStage returns the stage of a table by its name, in the engine at an endpoint, and on the way to that. What the
// table has by then is there at the beginning of each history. The bubble runs a function in one of testing/synctest,
// to the end of all that the function starts.
func NewStage(way http.RoundTripper, endpoint, name string, bubble func(do func())) *Stage {
	return &Stage{endpoint: endpoint, name: name, bubble: bubble, table: newTable(way)}
}

// Close ends what the stage has to do with its engine.
func (s *Stage) Close() { s.table.close() }

// Reset undoes what the last history has written.
func (s *Stage) Reset(ctx context.Context) error {
	return s.table.memory.undo(func() error { return s.table.journal.Undo(ctx) })
}

// Stored is the same for two histories where they have written the same. What is stored need not be in the table yet:
// Store sees to that.
func (s *Stage) Stored() (stored [32]byte) { return s.table.memory.stored() }

// Store lets what has been written in a history be in the table, for whoever looks at that.
func (s *Stage) Store() error { return s.table.memory.store() }

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

// Play lets the calls take place as the chooser has it. The same choices lead to the same history.
func (s *Stage) Play(calls []Call, strike Strike, chooser Chooser) Outcome {
	out := Outcome{Strike: strike}
	noted, source := &recorder{Chooser: chooser}, newIDs(0)
	uuid.SetRand(source)
	defer uuid.SetRand(nil)
	s.bubble(func() {
		w := &wire{moved: make(chan struct{}, 1)}
		h := &schedule{wire: w, table: s.table, chooser: noted, strike: strike, drawn: source.drawn}
		out.Whole = h.run(func(ctx context.Context, call int, op linearizability.Op) (any, error) {
			made := store.New(w.client(s.endpoint, call), s.name, time.Now).WithChance(func(time.Duration) time.Duration { return 0 })
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
