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
	Record  Key // the row that is wrong, or missing
	Text    string
	User    game.ID // whose rows it is about, too; "": nobody's
}

func (p Problem) String() string { return fmt.Sprintf("%s: %s: %s", p.Subject, p.Record, p.Text) }

// Subject is what a problem is about: a show, a user or a season.
type Subject struct {
	Kind string // "show", "user" or "season"
	ID   game.ID
}

func (s Subject) String() string { return s.Kind + "/" + string(s.ID) }

func aboutShow(id game.ID) Subject   { return Subject{"show", id} }
func aboutUser(id game.ID) Subject   { return Subject{"user", id} }
func aboutSeason(id game.ID) Subject { return Subject{"season", id} }

// errUnknownKind means that no row has such a key.
var errUnknownKind = errors.New("it is no known kind of row")

// report adds a problem that a check has found. Where two checks say the same of a row, it is there once.
func (b *Books) report(s Subject, record Key, format string, args ...any) {
	b.reportOf("", s, record, format, args...)
}

// reportOf is report, of a problem that rows of a user's have to do with.
func (b *Books) reportOf(user game.ID, s Subject, record Key, format string, args ...any) {
	p := Problem{s, record, fmt.Sprintf(format, args...), user}
	if !slices.Contains(b.problems, p) {
		b.problems = append(b.problems, p)
	}
}

// file adds a problem that a row shows by itself. It stays until the subject is forgotten.
func (b *Books) file(s Subject, record Key, format string, args ...any) {
	b.filed = append(b.filed, Problem{s, record, fmt.Sprintf(format, args...), ""})
}

func compareProblems(x, y Problem) int {
	return cmp.Or(cmp.Compare(x.Subject.String(), y.Subject.String()), cmp.Compare(x.Record.String(), y.Record.String()), cmp.Compare(x.Text, y.Text))
}
