package explore

import (
	"fmt"
	"io"
	"net/http"
	"slices"

	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
)

// These are the kinds of steps. The id of an attempt's step ends with its kind, and the id of a waking begins with it.
const (
	release = ""  // an attempt goes to the table
	over    = "!" // the attempt's transaction ends: all of it is visible, and its caller gets the answer
	arrival = "~" // the attempt arrives late, when no caller waits for it
	wake    = "w" // some calls, whose numbers follow, wake while transactions are open
)

// release sends an attempt to the table, or plays the fault on it.
func (s *schedule) release(c *calling, a *attempt, step *Step) {
	c.held = slices.DeleteFunc(c.held, func(other *attempt) bool { return other == a })
	c.last = s.clock
	if c.ending.Called < 0 {
		c.ending.Called = 2 * s.clock
	}
	number := c.released
	c.released++
	possible := faultsOf(a.Request)
	for _, fault := range possible {
		if number < mostStruck {
			s.Strikes[Strike{fault, c.number, number}] = true
		}
	}
	step.Text = c.Name + ": "
	asked := s.ask(c, a)
	tell := func(t answer) { s.tell(c, asked, t) }
	switch {
	case s.Strike.Call == c.number && s.Strike.Attempt == number && slices.Contains(possible, s.Strike.Fault):
		s.Struck = true
		delete(c.asked, a.subject())
		s.befall(c, a, step, tell)
	case len(a.Writes) == 0:
		s.read(a, step, tell)
	default:
		s.write(a, step, tell)
	}
}

// befall plays the history's fault on an attempt.
func (s *schedule) befall(c *calling, a *attempt, step *Step, tell func(answer)) {
	step.touched = footprint{}
	step.Text += fmt.Sprintf("a request for %s meets the fault %s", about(a.Request), s.Strike.Fault)
	switch s.Strike.Fault {
	case Conflict:
		conflict := protocol.Conflict
		if a.Operation == "TransactWriteItems" {
			conflict = protocol.Cancelled("TransactionConflict")
		}
		tell(refusal(conflict))
	case Failed:
		tell(refusal(protocol.InternalError))
	case Lost:
		step.touched = s.about(a)
		step.Text += "; "
		s.write(a, step, func(answer) { tell(answer{err: io.ErrUnexpectedEOF}) })
	case Late:
		tell(answer{err: io.ErrUnexpectedEOF})
	case Deadline, Overdue:
		c.cancel()
	case Gone:
		c.gone = true
	case Split: // the call requests the other items again, in a step of their own
		one := a.one(s.pick(a.Batch.Len()))
		step.touched.reads = one.Reads
		step.Text += "; "
		s.read(one, step, tell)
	}
	if s.Strike.Fault == Late || s.Strike.Fault == Overdue {
		a.late = true
		s.ghosts = append(s.ghosts, a)
	}
}

func refusal(r protocol.Refusal) answer {
	return answer{status: r.Status, body: protocol.Marshal(r.Body)}
}

// read answers a read. The chooser decides for each hidden item whether the read sees the item's new value.
func (s *schedule) read(a *attempt, step *Step, tell func(answer)) {
	step.touched.writes = nil
	step.Text += "reads " + about(a.Request)
	var old []protocol.Key
	got := s.table.read(a, func(k protocol.Key) bool {
		if s.pick(2) == 0 {
			old = append(old, k)
			return false
		}
		s.show(k, step)
		return true
	})
	if len(step.shown) > 0 {
		step.Text += "; sees the change of " + list(step.shown)
	}
	if len(old) > 0 {
		step.Text += "; does not see the change of " + list(old) + " yet"
	}
	tell(got)
}

// show notes that an item is visible from now on.
func (s *schedule) show(k protocol.Key, step *Step) {
	step.touched.writes = append(step.touched.writes, k)
	step.shown = append(step.shown, k)
	s.change(k)
}

// write applies a transaction or a plain write. If items of an open transaction are hidden from the write, the chooser
// decides: the write gets a conflict, or the items become visible first. If the open transaction checks one of the
// write's items, or has its token, the write is refused.
func (s *schedule) write(a *attempt, step *Step, tell func(answer)) {
	for _, t := range s.commits {
		met := slices.DeleteFunc(t.commit.Hidden(), func(k protocol.Key) bool { return !slices.Contains(a.locks(), k) })
		checked := slices.ContainsFunc(t.Checks, func(k protocol.Key) bool { return slices.Contains(a.locks(), k) })
		if len(met) == 0 || checked || t.Token == a.Token && a.Token != "" || s.pick(2) == 0 {
			continue
		}
		s.table.show(t.commit, met...)
		for _, k := range met {
			s.show(k, step)
		}
	}
	if len(step.shown) > 0 {
		step.Text += "meets the change of " + list(step.shown) + ", which is visible now; "
	}
	got, commit := s.table.write(a)
	switch {
	case commit != nil:
		s.change(a.locks()...)
		step.applied = true
		step.Text += fmt.Sprintf("%s: applied, not visible yet", about(a.Request))
		s.commits = append(s.commits, &committing{attempt: a, commit: commit, answer: got, tell: tell})
		return
	case a.Operation == "TransactWriteItems", got.status != http.StatusOK:
		step.touched.writes = slices.Clone(step.shown)
		step.Text += fmt.Sprintf("%s: %s", about(a.Request), verdict(got))
	default:
		s.change(a.Writes...)
		step.Text += fmt.Sprintf("%s: applied", about(a.Request))
	}
	tell(got)
}

// arrive sends a late attempt to the table.
func (s *schedule) arrive(a *attempt, step *Step) {
	s.ghosts = slices.DeleteFunc(s.ghosts, func(other *attempt) bool { return other == a })
	s.calls[a.call].last = s.clock
	step.Text = s.calls[a.call].Name + ": what was under way arrives, "
	s.write(a, step, func(answer) {})
}

// end ends a transaction: all its items become visible, and its call gets the answer.
func (s *schedule) end(t *committing, step *Step) {
	s.commits = slices.DeleteFunc(s.commits, func(other *committing) bool { return other == t })
	s.calls[t.call].last = s.clock
	step.Text = fmt.Sprintf("%s: all of it is visible (%s), and answered", s.calls[t.call].Name, list(t.Writes))
	s.table.end(t.commit)
	s.change(t.locks()...)
	t.tell(t.answer)
}

// about returns the items that an attempt can touch. A read that sees a hidden item makes it visible to others.
func (s *schedule) about(a *attempt) footprint {
	f := footprint{reads: a.Reads, writes: slices.Clone(a.Writes), locks: a.locks()}
	for _, t := range s.commits {
		for _, k := range t.commit.Hidden() {
			if readsAny(a.Reads, []protocol.Key{k}) {
				f.writes = append(f.writes, k)
			}
		}
	}
	return f
}

func (a *attempt) locks() []protocol.Key { return slices.Concat(a.Writes, a.Checks) }

// id names a step about the attempt.
func (a *attempt) id(kind string) string { return fmt.Sprintf("%d.%d%s", a.call, a.number, kind) }

// subject returns the attempt's operation and items as text.
func (a *attempt) subject() string { return fmt.Sprint(a.Operation, a.Reads, a.Writes, a.Checks) }

// asking is the last released attempt of a call about a subject.
type asking struct {
	*attempt
	at     int64  // the time of its release
	told   string // its answer; "" before the answer
	before string // the previous attempt's answer
}

// ask notes that an attempt of the call is released.
func (s *schedule) ask(c *calling, a *attempt) *asking {
	now := &asking{attempt: a, at: s.clock}
	if last := c.asked[a.subject()]; last != nil {
		now.before = last.told
	}
	s.polled = s.polled || s.polls(c, a)
	c.asked[a.subject()] = now
	return now
}

// tell gives the call the answer to its attempt.
func (s *schedule) tell(c *calling, asked *asking, t answer) {
	if asked.told = t.text(); asked.told != asked.before {
		c.news = s.clock
	}
	asked.answer <- t
}

// polls reports whether the attempt is a repetition in vain: its call has sent the same before, and neither the call's
// other answers nor the items have changed since. The call could have got the same answer before.
func (s *schedule) polls(c *calling, a *attempt) bool {
	last := c.asked[a.subject()]
	if last == nil || c.news > last.at {
		return false
	}
	for k, at := range s.changed {
		if at > last.at && (readsAny(last.Reads, []protocol.Key{k}) || slices.Contains(last.locks(), k)) {
			return false
		}
	}
	return true
}

// change notes that the present step changes stored items, their visibility, or the transactions on them.
func (s *schedule) change(items ...protocol.Key) {
	for _, k := range items {
		s.changed[k] = s.clock
	}
}
