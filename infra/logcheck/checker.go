package logcheck

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"slices"
	"sync"

	"github.com/ranch-game/ranch/shared/game"
)

// mostOfARule is how many violations of a rule are described; others are counted.
const mostOfARule = 20

// Checker takes records in any order, then checks all of them. A call that leaves a trace takes some 300 bytes of
// memory, any other that of its line's hash.
type Checker struct {
	options  Options
	seed     maphash.Seed
	seen     map[uint64]bool // lines, and invocations that died
	memberAt game.Instant    // when the event was whose members are being read; 0: not known
	printed  []byte          // the message of an event that is printed as text, so far; nil: none is being read
	ids      map[game.ID]game.ID
	byShow   map[game.ID][]*Record
	byUser   map[game.ID][]*Record
	nobodys  []*Record      // registrations that may have been done, of which it is not known whose they were
	lost     []game.Instant // when a process ended without a line; 0: nobody knows

	mu     sync.Mutex // around the report, once it is checked
	unread []string   // what of the table cannot be read
	report Report
	rules  map[string]int // how often each was violated
}

// NewChecker returns a checker that has read nothing.
func NewChecker(o Options) *Checker {
	return &Checker{
		options: o, seed: maphash.MakeSeed(), seen: map[uint64]bool{}, ids: map[game.ID]game.ID{}, byShow: map[game.ID][]*Record{},
		byUser: map[game.ID][]*Record{}, rules: map[string]int{}, report: Report{Calls: map[Kind]Count{}, Violations: []Violation{}},
	}
}

// Add takes a record.
func (c *Checker) Add(r Record) {
	c.report.Records++
	if c.report.From == 0 || r.Began < c.report.From {
		c.report.From = r.Began
	}
	c.report.To = max(c.report.To, r.Ended)
	count := c.report.Calls[r.Kind]
	switch r.Outcome {
	case Done:
		count.Done++
	case Refused:
		count.Refused++
	default:
		count.Unknown++
	}
	c.report.Calls[r.Kind] = count
	c.report.Paid += r.Paid
	c.report.Charged += r.Charged
	if r.Outcome == Refused && (r.Paid != 0 || r.Charged != 0) {
		c.violation("refused, yet done", fmt.Sprintf("%s was refused (%s), yet it paid %d and charged %d gold", r.Kind, r.Refusal, r.Paid, r.Charged), r)
	}
	switch r.Kind {
	case Register, Enter, Judge, JudgeDue, Claim:
	case Login, Refresh: // which only bans are held against
		if r.Outcome != Done {
			return
		}
	default:
		return
	}
	if r.Outcome != Refused { // what it said is not looked at
		r.Refusal = ""
	}
	r.User, r.Show, r.Animal = c.intern(r.User), c.intern(r.Show), c.intern(r.Animal)
	if r.Show != "" {
		c.byShow[r.Show] = append(c.byShow[r.Show], &r)
	}
	switch {
	case r.User != "":
		c.byUser[r.User] = append(c.byUser[r.User], &r)
	case r.Kind == Register && r.may(): // its line has the user only once there is one
		c.nobodys = append(c.nobodys, &r)
	}
}

// intern returns the one copy of an id.
func (c *Checker) intern(id game.ID) game.ID {
	if one, known := c.ids[id]; known {
		return one
	}
	c.ids[id] = id
	return id
}

// Lost takes it down that a process ended at that instant without a line for what it was doing. Where nobody knows
// when, at 0, any call may be missing.
func (c *Checker) Lost(at game.Instant) {
	c.report.Lost++
	if at == 0 {
		c.report.Untimed++
	}
	c.lost = append(c.lost, at)
}

// mayBeLost reports whether a call that began then may have been one of a process that ended without a line.
func (c *Checker) mayBeLost(began game.Instant) bool {
	for _, at := range c.lost {
		if at == 0 || began <= at.Add(c.options.Skew) && at <= began.Add(DefaultLate+c.options.Skew) {
			return true
		}
	}
	return false
}

// covered reports whether a call that began then must have its record.
func (c *Checker) covered(began game.Instant) bool {
	return began >= c.report.From.Add(c.options.Skew) && began <= c.report.To.Add(-c.options.Late-c.options.Skew) && !c.mayBeLost(began)
}

// before reports whether an instant lies before another one, by whatever clocks.
func (c *Checker) before(a, b game.Instant) bool { return a.Add(c.options.Skew) < b }

// violation takes down what violates a rule, with the calls that show it.
func (c *Checker) violation(rule, text string, calls ...Record) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.report.Found++
	if c.rules[rule]++; c.rules[rule] > mostOfARule {
		return
	}
	v := Violation{Text: text, Requests: []string{}}
	for _, r := range calls {
		v.Requests = append(v.Requests, r.Request)
	}
	c.report.Violations = append(c.report.Violations, v)
}

// Check compares the records with each other, and returns what was found. Call it once, after CheckTable if that is
// called.
func (c *Checker) Check() Report {
	for show, records := range c.byShow {
		c.checkShow(show, records)
	}
	for user, records := range c.byUser {
		c.checkUser(user, records)
	}
	slices.SortFunc(c.report.Violations, func(a, b Violation) int { return cmp.Compare(a.Text, b.Text) })
	return c.report
}
