package explore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
	"github.com/ranch-game/ranch/localstack/dynamo/visibility"
	"github.com/ranch-game/ranch/shared/operate"
	"github.com/ranch-game/ranch/shared/store"
)

const (
	// shortest replaces every random wait. A wait's length makes no difference, since the scheduler decides when the
	// next request arrives. All these waits of a history together are too short to change what a rule decides.
	shortest = time.Nanosecond
	// nap is longer than a wait between attempts, and shorter than a wait for a lease or for a transaction's
	// visibility.
	nap = 100 * time.Millisecond
	// callTime is the time limit of a call by the bubble's clock. In the cloud, each function has such a limit.
	callTime = 8 * time.Second
	// mostSteps is the most steps of a history. Otherwise calls that repeat requests could make it endless.
	mostSteps = 400
)

// Chooser makes the choices of a history.
type Chooser interface {
	// Next returns the index of the next step's option, or -1 to abandon the history.
	Next(options []Option) int
	// Pick chooses one of n possible effects of the present step. It returns a number from 0 to n-1.
	Pick(n int) int
	// Did gets the effect of the step.
	Did(step Step)
}

// Option is a possible next step.
type Option struct {
	ID      string // of the step; the same in every history
	Call    int
	about   footprint // what the step may touch
	begins  bool      // it is the first step of its call
	returns bool      // a call returns after the step; known once the step was made
	do      func(*Step)
}

// Step is a step that was made.
type Step struct {
	Option
	touched footprint      // what the step has touched
	applied bool           // a transaction, which is now open
	shown   []protocol.Key // items of open transactions that it has made visible
	Text    string         // for a story
}

// schedule is a running history: its calls, its open transactions and its clock. Its methods run inside the bubble.
type schedule struct {
	Outcome
	wire    *wire
	table   *table
	chooser Chooser

	calls   []*calling
	commits []*committing // the open transactions
	ghosts  []*attempt
	clock   int64
	changed map[protocol.Key]int64 // the time of the last change of each item
	polled  bool                   // a call has repeated a request in vain (polls)
	woken   bool                   // a sleep has ended while transactions were open
}

// calling is a call of a running history.
type calling struct {
	Call
	number   int
	cancel   context.CancelFunc
	held     []*attempt
	sent     int
	last     int64              // the time of its last step
	released int                // number of released attempts
	asked    map[string]*asking // the last attempt about each subject
	asleep   bool               // for longer than a nap
	gone     bool               // its process has died
	returned atomic.Bool
	ended    chan struct{}
	ending   Ending
	news     int64 // when it last got an answer with something new
}

func (c *calling) over() bool { return c.gone || c.returned.Load() }

// committing is an open transaction: the table has applied it, but it has not ended. Other calls may see parts of it,
// and its own call has no answer yet.
type committing struct {
	*attempt
	commit *visibility.Commit
	tell   func(answer)
	answer answer
}

// run runs the calls until the history ends. whole is false if the chooser has abandoned the history.
func (s *schedule) run(storeOf func(call int) operate.Desk, calls []Call) (whole bool) {
	s.changed = map[protocol.Key]int64{}
	for i, call := range calls {
		ctx, cancel := context.WithTimeout(context.Background(), callTime)
		c := &calling{Call: call, number: i, cancel: cancel, asked: map[string]*asking{}, ended: make(chan struct{})}
		c.ending = Ending{Called: -1, Returned: never}
		s.calls = append(s.calls, c)
		go func() {
			defer close(c.ended)
			c.ending.Answer, c.ending.Err = call.Do(ctx, storeOf(i))
			c.returned.Store(true)
			s.wire.stir()
		}()
		s.settle() // one call after the other, so that they draw ids in this order
	}
	if whole = s.steer(); whole && len(s.commits) == 0 && len(s.ghosts) == 0 {
		for _, c := range s.calls {
			c.ending.Over = 2*c.last + 1
		}
	}
	s.close()
	return whole
}

// steer takes one step after the other until none is possible. It returns false if the chooser abandons the history.
func (s *schedule) steer() bool {
	for {
		options := s.options()
		switch {
		case len(options) == 0 && !s.anyRunning():
			return true
		case len(options) == 0: // all running calls sleep
			if !s.sleep() {
				return true
			}
			continue
		case len(s.Steps) >= mostSteps:
			return true
		}
		next := s.chooser.Next(options)
		if next < 0 {
			return false
		}
		s.note(next)
		s.clock++
		step := Step{Option: options[next], touched: options[next].about}
		step.do(&step)
		s.settle()
		step.returns = slices.ContainsFunc(s.calls, func(c *calling) bool { return c.ending.Returned == 2*s.clock+1 })
		s.Steps = append(s.Steps, step)
		s.chooser.Did(step)
	}
}

// settle waits until every call has a held attempt or an open transaction, sleeps for longer than a nap, or has ended.
// It lets short sleeps end, since the next request of such a call is held anyway.
func (s *schedule) settle() {
	for {
		synctest.Wait()
		s.collect()
		if !slices.ContainsFunc(s.calls, s.dozes) {
			return
		}
		select {
		case <-s.wire.moved:
		case <-time.After(nap):
			for _, c := range s.calls {
				c.asleep = c.asleep || s.dozes(c)
			}
		}
	}
}

// sleep lets the bubble's time pass until a call wakes. It returns false if no call wakes within twice callTime.
func (s *schedule) sleep() bool {
	select {
	case <-s.wire.moved:
	case <-time.After(2 * callTime):
		return false
	}
	s.settle()
	return true
}

// waking returns the step in which sleeping calls wake although transactions are open. It returns false if none is
// open, if no call sleeps, or if the history already had such a step. It also returns false if an operator's call
// sleeps: that call relies on its wait, and all transactions end before it wakes.
func (s *schedule) waking() (Option, bool) {
	wakes := Option{ID: wake, do: func(step *Step) {
		s.woken = true
		s.sleep()
		step.Text = "time passes, and what is under way stays so"
	}}
	for _, c := range s.calls {
		switch {
		case !c.asleep || c.over():
		case c.Operator:
			return Option{}, false
		default:
			wakes.ID, wakes.Call = fmt.Sprint(wakes.ID, c.number), c.number
		}
	}
	for _, t := range s.commits { // a canonical order
		wakes.about.locks = append(wakes.about.locks, t.locks()...)
	}
	return wakes, wakes.ID != wake && !s.woken && len(s.commits) > 0
}

// dozes reports whether the call waits only for time, but not yet for longer than a nap: it has not ended, and has
// neither a held attempt nor an open transaction.
func (s *schedule) dozes(c *calling) bool {
	return !c.over() && !c.asleep && len(c.held) == 0 && !s.commitsFor(c)
}

// commitsFor reports whether the call waits for an open transaction.
func (s *schedule) commitsFor(c *calling) bool {
	return slices.ContainsFunc(s.commits, func(t *committing) bool { return t.call == c.number && !t.late })
}

func (s *schedule) anyRunning() bool {
	return slices.ContainsFunc(s.calls, func(c *calling) bool { return !c.over() })
}

// collect records attempts that have arrived or were given up, and calls that have returned.
func (s *schedule) collect() {
	arrived, givenUp := s.wire.take()
	// The order must not depend on the machine: simultaneous requests of one call are sorted by their items.
	slices.SortStableFunc(arrived, func(a, b *attempt) int {
		return cmp.Or(cmp.Compare(a.call, b.call), cmp.Compare(a.subject(), b.subject()))
	})
	for _, a := range arrived {
		c := s.calls[a.call]
		a.number, c.asleep = c.sent, false
		c.sent++
		c.held = append(c.held, a)
	}
	for _, a := range givenUp {
		c := s.calls[a.call]
		c.held = slices.DeleteFunc(c.held, func(other *attempt) bool { return other == a })
	}
	for _, c := range s.calls {
		if c.returned.Load() && !c.gone && c.ending.Returned == never {
			c.ending.Returned = 2*s.clock + 1
		}
	}
}

// options returns the possible steps, in the same order on every machine. Calls may repeat a request in vain (polls)
// only once in a history, unless no other step is possible.
func (s *schedule) options() []Option {
	var options, again []Option
	for _, c := range s.calls {
		for _, a := range c.held {
			o := Option{ID: a.id(release), Call: a.call, about: s.about(a), begins: c.ending.Called < 0}
			o.do = func(step *Step) { s.release(c, a, step) }
			switch {
			case c.gone:
			case s.polls(c, a):
				again = append(again, o)
			default:
				options = append(options, o)
			}
		}
	}
	for _, t := range s.commits {
		o := Option{ID: t.id(over), Call: s.process(t.attempt), about: footprint{writes: t.Writes, locks: t.locks()}}
		o.do = func(step *Step) { s.end(t, step) }
		options = append(options, o)
	}
	for _, a := range s.ghosts {
		o := Option{ID: a.id(arrival), Call: s.process(a), about: s.about(a)}
		o.do = func(step *Step) { s.arrive(a, step) }
		options = append(options, o)
	}
	if o, can := s.waking(); can {
		options = append(options, o)
	}
	if !s.polled || len(options) == 0 {
		options = append(options, again...)
	}
	return options
}

// pick lets the chooser decide between n effects of the present step.
func (s *schedule) pick(n int) int {
	picked := s.chooser.Pick(n)
	s.note(picked)
	return picked
}

// note records a choice.
func (s *schedule) note(n int) { s.Choices += Choices(choiceDigits[n : n+1]) }

// process returns the number of the call that makes the attempt. All late attempts count as one further call.
func (s *schedule) process(a *attempt) int {
	if a.late {
		return len(s.calls)
	}
	return a.call
}

// close ends the remaining calls and transactions, such as those of an abandoned history, and those whose process a
// fault has ended.
func (s *schedule) close() {
	for _, t := range s.commits {
		s.table.end(t.commit)
	}
	s.wire.close()
	for _, c := range s.calls {
		c.cancel()
		<-c.ended
	}
}

// Outcome is the result of a history.
type Outcome struct {
	Whole   bool // false if the chooser has abandoned the history
	Strike  Strike
	Struck  bool // the fault of Strike has struck
	Calls   []Call
	Endings []Ending // by call
	Steps   []Step
	Choices Choices
	Strikes map[Strike]bool // the faults that could have struck the history's attempts
}

// play runs the calls on the named table, as the chooser decides, and returns the outcome. Equal choices lead to equal
// histories. The parameter bubble runs a function in a bubble of testing/synctest, to the end of all its goroutines.
func play(
	on *table, bubble func(do func()), endpoint, name string, calls []Call, strike Strike, chooser Chooser, ids byte,
) Outcome {
	h := &schedule{Outcome: Outcome{Strike: strike, Strikes: map[Strike]bool{}, Calls: calls}, table: on, chooser: chooser}
	uuid.SetRand(newIDs(ids))
	defer uuid.SetRand(nil)
	bubble(func() {
		h.wire = &wire{moved: make(chan struct{}, 1)}
		h.Whole = h.run(func(call int) operate.Desk {
			noChance := func(time.Duration) time.Duration { return 0 }
			return operate.Open(store.New(h.wire.client(endpoint, call), name, time.Now).WithChance(noChance))
		}, calls)
		for _, c := range h.calls {
			h.Endings = append(h.Endings, c.outcome())
		}
	})
	return h.Outcome
}

// ids is a source of ids for several goroutines.
type ids struct {
	mu  sync.Mutex
	rng *rand.ChaCha8
}

// newIDs returns a source that gives the same ids for the same number.
func newIDs(n byte) *ids { return &ids{rng: rand.NewChaCha8([32]byte{n})} }

func (i *ids) Read(p []byte) (int, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.rng.Read(p)
}

// outcome returns the end of the call. If the call has not returned, it has no answer and an error.
func (c *calling) outcome() Ending {
	if c.ending.Returned == never {
		c.ending.Answer, c.ending.Err = nil, errors.New("it has not ended")
	}
	c.ending.Called = max(c.ending.Called, 0)
	return c.ending
}
