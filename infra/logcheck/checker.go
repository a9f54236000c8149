package logcheck

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/ranch-game/ranch/infra/invariants"
	"github.com/ranch-game/ranch/shared/game"
)

// mostOfARule is the most violations of one rule that a report describes. The report only counts further ones.
const mostOfARule = 20

// Checker collects records in any order, and then checks all of them. For a log line that Check compares with others it
// keeps about 300 bytes, and for any other line only a hash.
type Checker struct {
	options       Options
	seed          maphash.Seed
	seen          map[uint64]bool // lines, and invocations that died
	memberAt      game.Instant    // the time of the event whose members are being read; 0: unknown
	ids           map[game.ID]game.ID
	calls         []*Record // that checkCall checks
	byShow        map[game.ID][]*Record
	byUser        map[game.ID][]*Record
	ownerless     []*Record          // registrations that may have been done, whose users are unknown
	answered      []*Record          // by callers
	asked         map[string]*Record // the same by the ids of their requests
	runs          []*Record          // callers' records of JudgeDue, whose shows are unknown
	registrations []*Record          // by callers
	facts         invariants.Facts   // of the table's rows
	shows         map[game.ID]*show  // see showOf
	lost          []game.Instant     // when a process ended without a line; 0: unknown

	silent atomic.Int32 // consecutive reads without an answer of the table
	mu     sync.Mutex   // protects the report during the checks
	unread []string     // accounts and shows that cannot be read
	report Report
	rules  map[string]int // the number of violations by rule
}

// NewChecker returns a checker that has read nothing.
func NewChecker(o Options) *Checker {
	return &Checker{
		options: o, seed: maphash.MakeSeed(), seen: map[uint64]bool{}, ids: map[game.ID]game.ID{}, byShow: map[game.ID][]*Record{},
		byUser: map[game.ID][]*Record{}, asked: map[string]*Record{}, shows: map[game.ID]*show{}, rules: map[string]int{},
		report: Report{Calls: map[Kind]Count{}, Violations: []Violation{}},
	}
}

// Add adds a record, either of a log's line or, if it has an Answer, of a caller.
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
	c.checkRefusedGold(r)
	switch {
	case r.Answer != nil:
		c.addAnswered(&r)
		return
	case r.Kind == Register, r.Kind == Enter, r.Kind == Judge, r.Kind == JudgeDue, r.Kind == Claim:
	case r.Outcome == Done && (r.Kind == Login || r.Kind == Refresh): // only checked for a ban and a later registration
	default:
		return
	}
	if r.Outcome != Refused { // only refusals have a reason
		r.Refusal = ""
	}
	r.User, r.Show, r.Animal = c.intern(r.User), c.intern(r.Show), c.intern(r.Animal)
	c.file(&r)
}

// checkRefusedGold reports the call if it was refused and its record has moved gold.
func (c *Checker) checkRefusedGold(r Record) {
	if r.Outcome == Refused && (r.Paid != 0 || r.Charged != 0) {
		c.violation("refused, yet done", fmt.Sprintf("%s was refused (%s), yet it paid %d and charged %d gold", r.Kind, r.Refusal, r.Paid, r.Charged), r)
	}
}

func (c *Checker) addAnswered(r *Record) {
	c.answered = append(c.answered, r)
	if r.Request != "" {
		c.asked[r.Request] = r
	}
	switch {
	case r.Kind == JudgeDue:
		c.runs = append(c.runs, r)
	case r.Kind == Register:
		c.registrations = append(c.registrations, r)
	}
	c.file(r)
}

// file keeps a record by its show and its user. checkCall will check it, unless it is a log's line without both: such a
// line has too little for a comparison.
func (c *Checker) file(r *Record) {
	if r.Answer != nil || r.Show != "" || r.User != "" {
		c.calls = append(c.calls, r)
	}
	if r.Show != "" {
		c.byShow[r.Show] = append(c.byShow[r.Show], r)
	}
	switch {
	case r.User != "":
		c.byUser[r.User] = append(c.byUser[r.User], r)
	case r.Kind == Register && r.may(): // a failed registration's line has no user
		c.ownerless = append(c.ownerless, r)
	}
}

// merge adds the log's line of a call to the record of its caller. If the caller knows the outcome, the statuses must
// agree. If the function knows it, too, the refusals' codes and the gold must also agree. If either does not know the
// outcome, the line's outcome counts.
func (c *Checker) merge(own *Record, l line, r Record) {
	own.logged = true
	c.checkRefusedGold(r)
	c.report.Paid += r.Paid
	c.report.Charged += r.Charged
	_, refusal, _ := strings.Cut(own.Refusal, ": ")
	code := strings.TrimSuffix(own.Refusal, ": "+refusal)
	switch {
	case own.Outcome == Unknown:
		own.Ended = max(own.Ended, r.Ended) // a function continues after the gateway has stopped waiting
	case own.Answer.Status != l.Status || r.Outcome != Unknown && code != l.Code:
		c.wrong(own, "it was answered %d %s, and the log says %d %s", own.Answer.Status, code, l.Status, l.Code)
	case r.Outcome == Done && (own.Paid != r.Paid && r.Kind == Claim || own.Charged != r.Charged && r.Kind == Enter):
		c.wrong(own, "it was answered %d gold paid, %d charged, and the log says %d and %d", own.Paid, own.Charged, r.Paid, r.Charged)
	}
	if r.Outcome == Unknown || own.Outcome == Unknown {
		own.Outcome, own.Refusal = r.Outcome, r.Refusal
	}
	own.At, own.Paid, own.Charged, own.Judged, own.damaged = r.At, r.Paid, r.Charged, r.Judged, l.Damaged > 0
	if own.User == "" && r.User != "" {
		own.User = c.intern(r.User)
		c.byUser[own.User] = append(c.byUser[own.User], own)
		c.ownerless = slices.DeleteFunc(c.ownerless, func(o *Record) bool { return o == own })
	}
}

// intern returns one shared copy of equal ids, which saves memory.
func (c *Checker) intern(id game.ID) game.ID {
	if one, known := c.ids[id]; known {
		return one
	}
	c.ids[id] = id
	return id
}

// Lost notes that a process ended at this instant without writing the line of its call. If at is 0, the time is
// unknown, and any call may be missing.
func (c *Checker) Lost(at game.Instant) {
	c.report.Lost++
	if at == 0 {
		c.report.Untimed++
	}
	c.lost = append(c.lost, at)
}

// mayBeLost reports whether a call that began then may lack its line, because a process ended within the next 30 s.
func (c *Checker) mayBeLost(began game.Instant) bool {
	for _, at := range c.lost {
		if at == 0 || began <= at.Add(c.options.Skew) && at <= began.Add(DefaultLate+c.options.Skew) {
			return true
		}
	}
	return false
}

// covered reports whether the checker must have a record of every call that began at this instant.
func (c *Checker) covered(began game.Instant) bool {
	return c.options.Complete || began >= c.report.From.Add(c.options.Skew) && began <= c.report.To.Add(-c.options.Late-c.options.Skew) && !c.mayBeLost(began)
}

// before reports whether a certainly precedes b, even if two clocks have measured them.
func (c *Checker) before(a, b game.Instant) bool { return a.Add(c.options.Skew) < b }

// violation adds a violation of a rule to the report, with the calls that show it.
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
		v.Calls = append(v.Calls, r)
	}
	c.report.Violations = append(c.report.Violations, v)
}

// Check compares the records with each other and with the table, and returns the report. Call it once, after CheckRows
// and CheckTable if the table is checked.
func (c *Checker) Check() Report {
	for id := range c.byShow {
		s := c.showOf(id)
		c.checkTwice(s)
		c.checkLeftOut(s)
		if s.known {
			c.checkShowStored(s)
		}
	}
	for user, records := range c.byUser {
		c.checkRegistration(user, records)
	}
	for _, r := range c.calls {
		c.checkCall(r)
	}
	for _, r := range c.answered {
		if r.Answered() && !r.logged {
			c.wrong(r, "it was answered %d, and the log has no line of it", r.Answer.Status)
		}
	}
	if c.options.Complete {
		for user := range c.byUser {
			c.checkUserStored(user)
		}
		c.checkNames()
		c.checkChanges()
	}
	slices.SortFunc(c.report.Violations, func(a, b Violation) int { return cmp.Compare(a.Text, b.Text) })
	return c.report
}
