package invariants

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/ranch-game/ranch/shared/game"
)

// Problem is one violation of an invariant. Text describes it for an operator.
type Problem struct {
	Subject Subject
	Record  Key // the key of the row that is wrong or missing
	Text    string
	User    game.ID // another user whose rows Verify must read again, too; or ""
}

func (p Problem) String() string { return fmt.Sprintf("%s: %s: %s", p.Subject, p.Record, p.Text) }

// Subject names the show, the user or the season that has a problem: "show/ID", "user/ID" or "season/ID".
type Subject struct {
	Kind string // "show", "user" or "season"
	ID   game.ID
}

func (s Subject) String() string { return s.Kind + "/" + string(s.ID) }

func aboutShow(id game.ID) Subject   { return Subject{"show", id} }
func aboutUser(id game.ID) Subject   { return Subject{"user", id} }
func aboutSeason(id game.ID) Subject { return Subject{"season", id} }

// errUnknownKind means that a row's key has the form of no record that this package knows.
var errUnknownKind = errors.New("this program knows no record with such a key: use a program of the table's version, or delete the row if it is foreign")

// report adds a problem of the subject s in the row with the key record. It ignores a problem that is already there.
func (b *books) report(s Subject, record Key, format string, args ...any) {
	b.reportOf("", s, record, format, args...)
}

// reportOf adds a problem as report does. Rows of the user may be the cause, too, so Verify reads them again.
func (b *books) reportOf(user game.ID, s Subject, record Key, format string, args ...any) {
	p := Problem{s, record, fmt.Sprintf(format, args...), user}
	if !slices.Contains(b.problems, p) {
		b.problems = append(b.problems, p)
	}
}

// file adds a problem that a single row has without comparison. The problem stays until forget removes its subject.
func (b *books) file(s Subject, record Key, format string, args ...any) {
	b.filed = append(b.filed, Problem{s, record, fmt.Sprintf(format, args...), ""})
}

// differing names the fields in which is differs from want: "Fee is 25 instead of 20". Both are structs of the same
// type. differing ignores their embedded structs.
func differing(is, want any) string {
	var all []string
	was, wanted := reflect.ValueOf(is), reflect.ValueOf(want)
	for i := range was.NumField() {
		field := was.Type().Field(i)
		if !field.Anonymous && !reflect.DeepEqual(was.Field(i).Interface(), wanted.Field(i).Interface()) {
			all = append(all, fmt.Sprintf("%s is %v instead of %v", field.Name, value(was.Field(i)), value(wanted.Field(i))))
		}
	}
	return strings.Join(all, ", ")
}

// value returns a field's value for an operator: nil and "" become "missing", and a pointer becomes its target.
func value(v reflect.Value) any {
	if v.Kind() == reflect.Pointer && v.IsNil() || v.IsZero() && v.Kind() == reflect.String {
		return "missing"
	}
	return reflect.Indirect(v).Interface()
}

func compareProblems(x, y Problem) int {
	return cmp.Or(cmp.Compare(x.Subject.String(), y.Subject.String()), cmp.Compare(x.Record.String(), y.Record.String()), cmp.Compare(x.Text, y.Text))
}
