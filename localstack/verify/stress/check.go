package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ranch-game/ranch/infra/invariants"
	"github.com/ranch-game/ranch/shared/game"
)

// violation is something that must not be, with what led to it.
type violation struct {
	round, from, to int // the calls since the last check
	about           subject
	what            string
	requests        []string // of calls that show it, by the log
	story           []string
}

// subject is what a violation is about; "" is all or none.
type subject struct {
	user, show, animal game.ID
	name               string // of a registration
}

// storyLines is how many calls a story has: those that show it, and the last ones that have to do with it.
const storyLines = 14

// check compares what everybody was told since the round began with what is stored, while nothing is under way. It
// returns what it has not returned before, also where not all of it could be compared.
func (r *round) check(ctx context.Context, from int) ([]violation, error) {
	said, err := r.log.complete(r.calls)
	if err != nil {
		return nil, err
	}
	rows, err := r.stage.rows(ctx)
	if err != nil {
		return nil, err
	}
	facts, problems := invariants.Read(rows)
	e := newEvidence(facts, r.calls, said, game.InstantOf(r.began))
	for _, problem := range problems {
		e.report(subjectOf(problem), "the table: %s", problem)
	}
	e.check()
	byLog, err := r.log.check(ctx, r.stage.store, r.calls)
	for _, v := range byLog {
		e.violations = append(e.violations, violation{about: e.subjectOf(v.Requests), what: "by the log: " + v.Text, requests: v.Requests})
	}
	var found []violation
	for _, v := range e.violations {
		if r.known[v.what] {
			continue
		}
		r.known[v.what] = true
		v.round, v.from, v.to = r.number, from, r.plan.calls
		v.story = e.story(v)
		found = append(found, v)
	}
	r.figures.addCheck(e.unanswered, e.unknown-r.unknown, len(found), e.causes)
	r.unknown = e.unknown
	return found, err
}

// subjectOf finds the show and the user that an invariant's sentence names.
func subjectOf(problem string) (s subject) {
	words := strings.FieldsFunc(problem, func(r rune) bool { return strings.ContainsRune(" :,;{}[]", r) })
	for i, word := range words[1:] {
		id, is := game.ParseID(word)
		switch {
		case !is:
		case words[i] == "show":
			s.show = id
		case words[i] == "user":
			s.user = id
		}
	}
	return s
}

// subjectOf finds whose requests those are, and about what, as far as they have it in common.
func (e *evidence) subjectOf(requests []string) (common subject) {
	none := true
	for _, c := range e.calls {
		if c.Request == "" || !slices.Contains(requests, c.Request) {
			continue
		}
		s := c.subject()
		if none {
			common, none = s, false
		}
		if s.user != common.user {
			common.user = ""
		}
		if s.show != common.show {
			common.show = ""
		}
		if s.animal != common.animal {
			common.animal = ""
		}
		if s.name != common.name {
			common.name = ""
		}
	}
	return common
}

// evidence is what is known of a round: what was answered, and what is stored in the end.
type evidence struct {
	facts invariants.Facts
	calls []*call // in the order of their beginnings
	said  testimony
	began game.Instant // the round

	byShow, byUser      map[game.ID][]*call
	shows               map[game.ID]*showEvidence
	violations          []violation
	unanswered, unknown int
	causes              map[string]int // of failures that were not explained before
}

func newEvidence(facts invariants.Facts, calls []*call, said testimony, began game.Instant) *evidence {
	e := &evidence{
		facts: facts, said: said, began: began, byShow: map[game.ID][]*call{}, byUser: map[game.ID][]*call{},
		shows: map[game.ID]*showEvidence{}, causes: map[string]int{},
	}
	e.calls = slices.Clone(calls)
	slices.SortFunc(e.calls, func(a, b *call) int { return cmp.Compare(a.Began, b.Began) })
	for _, c := range e.calls {
		switch said := e.said.answers[c.Request]; {
		case said.fault != "": // some endpoints answer a failure of theirs as if it was none
			c.outcome = unknown
		case c.outcome == unknown && c.Request != "": // what the client was not told, the log may tell
			if c.outcome = told(said.status); c.outcome != unknown {
				e.unanswered++
				c.Ended = max(c.Ended, said.at) // a function works on when the gateway waits no longer
			}
		}
		if c.outcome == unknown {
			e.unknown++
		}
		e.byShow[c.Show] = append(e.byShow[c.Show], c)
		e.byUser[c.User] = append(e.byUser[c.User], c)
	}
	for id := range facts.Shows {
		e.shows[id] = e.ofShow(id)
	}
	return e
}

// wall is when something was by the clock that what is stored goes by.
func (e *evidence) wall(at time.Duration) game.Instant { return e.began.Add(at) }

func (e *evidence) report(about subject, format string, args ...any) {
	e.violations = append(e.violations, violation{about: about, what: fmt.Sprintf(format, args...)})
}

func (e *evidence) check() {
	e.checkLog()
	e.checkCauses()
	e.checkRefusals()
	for id := range e.byShow {
		if id != "" {
			e.checkShow(id)
		}
	}
	for id := range e.byUser {
		if id != "" {
			e.checkStatus(id)
			e.checkSessions(id)
			e.checkScores(id)
			e.checkAnimals(id)
		}
	}
	e.checkNames()
	e.checkLists()
	e.checkChanges()
	e.checkGold()
}

// of returns the calls of a kind among those.
func of(calls []*call, kinds ...string) (found []*call) {
	for _, c := range calls {
		if slices.Contains(kinds, c.Kind) {
			found = append(found, c)
		}
	}
	return found
}

// which returns those calls of which something is true.
func which(calls []*call, is func(*call) bool) (found []*call) {
	for _, c := range calls {
		if is(c) {
			found = append(found, c)
		}
	}
	return found
}

func happened(c *call) bool { return c.outcome == done }

// surely reports whether something that calls make so and others take back was so from the beginning of a call to its
// end: it was made so before, and nothing can have taken it back since.
func surely(made, takenBack []*call, c *call) bool {
	return slices.ContainsFunc(made, func(m *call) bool {
		return m.outcome == done && m.before(c) && !slices.ContainsFunc(takenBack, func(t *call) bool {
			return t.possible() && t.Began < c.Ended && (t.outcome == unknown || t.Ended > m.Began)
		})
	})
}

// perhaps reports whether it may have been so at some instant of the call: it may have been made so, and was not taken
// back for sure before the call began.
func perhaps(made, takenBack []*call, c *call) bool {
	return slices.ContainsFunc(made, func(m *call) bool {
		return m.possible() && m.Began < c.Ended && !slices.ContainsFunc(takenBack, func(t *call) bool {
			return m.outcome == done && t.outcome == done && m.before(t) && t.before(c)
		})
	})
}

// checkLog compares each answer with what the function says that it was. It says something of each.
func (e *evidence) checkLog() {
	for _, c := range e.calls {
		if e.said.lacks(c) {
			e.report(c.subject(), "%s #%d was answered %d, and the function says nothing of it", c.Kind, c.N, c.Status)
		}
		said, is := e.said.answers[c.Request]
		if !is || told(c.Status) == unknown {
			continue
		}
		if said.status != c.Status {
			e.report(c.subject(), "%s #%d was answered %d, and the function says %d", c.Kind, c.N, c.Status, said.status)
		} else if said.fault == "" && said.code != c.Code {
			e.report(c.subject(), "%s #%d was answered %q, and the function says %q", c.Kind, c.N, c.Code, said.code)
		}
	}
}

func (c *call) subject() subject { return subject{c.User, c.Show, c.Animal, c.Name} }

// story returns the calls that show a violation, and the last ones that have to do with it.
func (e *evidence) story(v violation) (lines []string) {
	var others []int // in lines
	for _, c := range e.calls {
		shows := c.Request != "" && slices.Contains(v.requests, c.Request) || strings.Contains(v.what, fmt.Sprintf("%s #%d ", c.Kind, c.N))
		if !shows && !(c.tells() && v.about.concerns(c)) {
			continue
		}
		if !shows {
			others = append(others, len(lines))
		}
		lines = append(lines, c.String())
	}
	for _, first := range slices.Backward(others[:min(len(others), max(0, len(lines)-storyLines))]) {
		lines = slices.Delete(lines, first, first+1)
	}
	return lines
}

// concerns reports whether the call has to do with the subject.
func (s subject) concerns(c *call) bool {
	if s.animal != "" && c.Animal != "" && c.Animal != s.animal {
		return false
	}
	mine := s.user != "" && c.User == s.user
	there := s.show != "" && c.Show == s.show
	switch {
	case s.name != "" && c.Name == s.name:
		return true
	case s.user != "" && s.show != "":
		return mine && (c.Show == "" || there) || there && (c.User == "" || c.Kind == kindJudge)
	}
	return mine || there
}
