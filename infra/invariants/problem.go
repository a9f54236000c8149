package invariants

import (
	"cmp"
	"fmt"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/records"
	"github.com/ranch-game/ranch/shared/table"
)

// Problem is one violation of an invariant. Text describes it for an operator.
type Problem struct {
	Subject Subject
	Record  table.Key // the key of the row that is wrong or missing
	Text    string
	User    game.ID // another user whose rows Verify must read again, too; or ""
}

func (p Problem) String() string { return fmt.Sprintf("%s: %s: %s", p.Subject, p.Record, p.Text) }

// Where returns the key of the problem's row for people. If the row is a gate (a counter shard) of a known show, it
// returns the gate's number and closing time: a gate's key is packed.
func (p Problem) Where() string {
	if closes, gate, is := records.GateIn(p.Record); is && p.Subject.ID != "" {
		return fmt.Sprintf("gate %d, closes %v", gate, closes)
	}
	return p.Record.String()
}

// Subject names the show, the user or the season that has a problem: "show/ID", "user/ID" or "season/ID".
type Subject struct {
	Kind string // "show", "user" or "season"
	ID   game.ID
}

func (s Subject) String() string { return s.Kind + "/" + string(s.ID) }

func aboutShow(id game.ID) Subject   { return Subject{"show", id} }
func aboutUser(id game.ID) Subject   { return Subject{"user", id} }
func aboutSeason(id game.ID) Subject { return Subject{"season", id} }

// report adds a problem of the subject s in the row with the key record.
func (b *books) report(s Subject, record table.Key, format string, args ...any) {
	b.reportOf("", s, record, format, args...)
}

// reportOf adds a problem as report does. Rows of the user may be the cause, too, so Verify reads them again.
func (b *books) reportOf(user game.ID, s Subject, record table.Key, format string, args ...any) {
	b.problems = append(b.problems, Problem{s, record, fmt.Sprintf(format, args...), user})
}

func compareProblems(x, y Problem) int {
	return cmp.Or(cmp.Compare(x.Subject.String(), y.Subject.String()), compareKeys(x.Record, y.Record),
		cmp.Compare(x.Text, y.Text), cmp.Compare(x.User, y.User))
}

func compareKeys(x, y table.Key) int { return cmp.Or(cmp.Compare(x.PK, y.PK), cmp.Compare(x.SK, y.SK)) }
