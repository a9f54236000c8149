package invariants

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/ranch-game/ranch/shared/game"
)

// Problem is one violation of an invariant.
type Problem struct {
	Subject Subject
	Record  Key // the key of the row that is wrong or missing
	Text    string
	User    game.ID // another user whose rows are concerned; "" if there is none
}

func (p Problem) String() string { return fmt.Sprintf("%s: %s: %s", p.Subject, p.Record, p.Text) }

// Subject names the show, the user or the season that has a problem.
type Subject struct {
	Kind string // "show", "user" or "season"
	ID   game.ID
}

func (s Subject) String() string { return s.Kind + "/" + string(s.ID) }

func aboutShow(id game.ID) Subject   { return Subject{"show", id} }
func aboutUser(id game.ID) Subject   { return Subject{"user", id} }
func aboutSeason(id game.ID) Subject { return Subject{"season", id} }

// errUnknownKind means that a row's key has the form of no known record.
var errUnknownKind = errors.New("this program knows no record with such a key: use a program of the table's version, or delete the row if it is foreign")

// report adds a problem that a check has found in the row record of the subject. If two checks report the same problem,
// it appears once.
func (b *Books) report(s Subject, record Key, format string, args ...any) {
	b.reportOf("", s, record, format, args...)
}

// reportOf adds a problem as report does. It notes that rows of the user are concerned, too.
func (b *Books) reportOf(user game.ID, s Subject, record Key, format string, args ...any) {
	p := Problem{s, record, fmt.Sprintf(format, args...), user}
	if !slices.Contains(b.problems, p) {
		b.problems = append(b.problems, p)
	}
}

// file adds a problem of a single row, found without comparing rows. The problem stays until Books forgets the subject.
func (b *Books) file(s Subject, record Key, format string, args ...any) {
	b.filed = append(b.filed, Problem{s, record, fmt.Sprintf(format, args...), ""})
}

func compareProblems(x, y Problem) int {
	return cmp.Or(cmp.Compare(x.Subject.String(), y.Subject.String()), cmp.Compare(x.Record.String(), y.Record.String()), cmp.Compare(x.Text, y.Text))
}
