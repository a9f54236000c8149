package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/ranch-game/ranch/infra/logcheck"
	"github.com/ranch-game/ranch/shared/game"
)

// violation is something that must not be, with the calls that have to do with it.
type violation struct {
	round, from, to int // the calls since the last check
	text            string
	story           []string
}

const (
	// logSkew is by how much the time of a line may be off: there is one clock, which a busy machine reads late.
	logSkew = time.Second
	// storyCalls is how many calls a story has: those that show the violation, and the last ones about the same.
	storyCalls = 14
)

// check has package logcheck judge all calls since the round began, by the functions' log and the table, while nothing
// is under way; and looks for failures without a cause. It returns what it has not returned before, also if not all of
// it could be compared.
func (r *round) check(ctx context.Context, from int) (found []violation, err error) {
	if err := r.log.complete(r.calls); err != nil {
		return nil, err
	}
	checker := logcheck.NewChecker(logcheck.Options{Skew: logSkew, Complete: true})
	for _, c := range slices.Concat(r.welcomed, r.calls) {
		checker.Add(*c)
	}
	if err := r.log.readBy(checker); err != nil {
		return nil, err
	}
	rows, err := r.stage.rows(ctx)
	if err != nil {
		return nil, err
	}
	checker.CheckRows(rows)
	err = checker.CheckTable(ctx, r.stage.store, logcheck.Progress{})
	if errors.Is(err, logcheck.ErrUnread) { // a violation says what
		err = nil
	}
	causes := newCauses(r.log.heard(), r.explained)
	for _, v := range append(checker.Check().Violations, causes.check(r.calls)...) {
		if !r.known[v.Text] {
			r.known[v.Text] = true
			found = append(found, violation{r.number, from, r.plan.calls, v.Text, r.story(v)})
		}
	}
	r.figures.addCheck(r.calls, r.log.heard(), len(found), causes.counts)
	return found, err
}

// story returns the calls that show a violation, and the last ones that changed something of what it names.
func (r *round) story(v logcheck.Violation) (lines []string) {
	shows, about := map[int]bool{}, []*logcheck.Record{}
	for _, c := range v.Calls {
		if c.Answer != nil {
			shows[c.Answer.N] = true
		}
	}
	named := func(id game.ID) bool { return id != "" && strings.Contains(v.Text, string(id)) }
	user := slices.ContainsFunc(r.calls, func(c *logcheck.Record) bool { return named(c.User) })
	show := slices.ContainsFunc(r.calls, func(c *logcheck.Record) bool { return named(c.Show) })
	for _, c := range r.calls {
		mine := !user || c.User == "" || named(c.User) || c.Kind == logcheck.Judge
		there := !show || c.Show == "" || named(c.Show)
		if shows[c.Answer.N] || mine && there && (named(c.User) || named(c.Show)) && slices.Contains(changing, c.Kind) {
			about = append(about, c)
		}
	}
	room := storyCalls - len(shows)
	for _, c := range slices.Backward(about) {
		if !shows[c.Answer.N] {
			room--
		}
		if shows[c.Answer.N] || room >= 0 {
			line := fmt.Sprintf("%8.3f to %8.3f s  %v %s", r.seconds(c.Began), r.seconds(c.Ended), c, c.Answer.Error)
			lines = append(lines, longID.ReplaceAllString(strings.TrimSpace(line), "$1"))
		}
	}
	slices.Reverse(lines)
	return lines
}

// longID finds ids, whose first digits tell one from another in a story.
var longID = regexp.MustCompile(`\b([0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`)

// changing are the calls that can change something.
var changing = []logcheck.Kind{
	logcheck.Register, logcheck.Login, logcheck.Enter, logcheck.Judge, logcheck.Claim, logcheck.Logout, logcheck.CreateShow, logcheck.SetShow,
	logcheck.Cancel, logcheck.Refund, logcheck.JudgeShow, logcheck.Ban, logcheck.Unban, logcheck.Revoke, logcheck.ChangeAnimal, logcheck.AdjustGold,
}

func (r *round) seconds(at game.Instant) float64 { return at.Time().Sub(r.began).Seconds() }
