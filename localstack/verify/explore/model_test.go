package explore

import (
	"cmp"
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/localstack/verify/linearizability"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// inOrder is a Chooser that plays the calls one after the other, as far as it can.
type inOrder struct{ *Replay }

// Next implements Chooser.
func (inOrder) Next(options []Option) int {
	first := 0
	for i, o := range options {
		if o.Call < options[first].Call {
			first = i
		}
	}
	return first
}

// TestTheModelRejectsOtherHistories plays each call after a random call, and between two equal reads. The model,
// linearizability.Explain, must explain these sequential histories. It must not explain them with another answer or
// other records (falsify). If the answers of the two reads differ, it must not explain another order (reorder).
// TestExplore checks that the model explains concurrent calls.
func TestTheModelRejectsOtherHistories(t *testing.T) {
	refusing := map[string]string{"rename.cid": "register", "due": "judge"} // a call, and one that makes it refused
	answers := map[string]any{}
	seen := map[string]bool{} // the kinds of calls that were done, or that were refused
	places, rng := newPlaces(t), rand.New(rand.NewPCG(0, 0))
	for i, fixture := range []string{"fair", "poor", "empty", "banned"} {
		for _, name := range callNames {
			first := cmp.Or(refusing[name], pick(rng, pick(rng, [][]string{{"ban", "cancel", "judge", "register", "set.fee", "set.later"}, callNames})))
			read := pick(rng, []string{"list", "list.open", "show", "show.judged", "season"})
			c := Case{Fixture: fixture, Calls: []string{first, read, name, read}}
			p := places.of(c)
			out, after := p.take(c, inOrder{NewReplay("")})
			if !sequential(out.Calls) { // such as a deletion, during whose sleep the second read begins
				c.Calls = c.Calls[:3]
				if out, after = p.take(c, inOrder{NewReplay("")}); !sequential(out.Calls) {
					continue
				}
			}
			for _, problem := range append(out.Problems(p.before, after.world), after.problems...) {
				t.Errorf("%s: %s", c, problem)
			}
			for n, call := range out.Calls {
				kind, _, _ := strings.Cut(c.Calls[n], ".")
				seen[kind+map[bool]string{true: " refused"}[call.Err != nil]] = true
			}
			f := falsifier{t, rng, p.before, after.world, c.Calls, out.Calls, answers}
			f.check(c.String(), true, out.Calls)
			if i < 2 {
				f.falsify()
			}
			if len(c.Calls) == 4 && f.reorder() {
				seen["another order"] = true
			}
		}
	}
	for _, what := range append([]string{
		"register refused", "login refused", "refresh refused", "enter refused", "judge refused", "claim refused", "set refused", "refund refused",
		"due refused", "adjust refused", "rename refused", "another order",
	}, kinds...) {
		assert.True(t, seen[what], "never: %s", what)
	}
}

func sequential(calls []linearizability.Call) bool {
	for i, c := range calls[1:] {
		if c.Called < calls[i].Returned {
			return false
		}
	}
	return true
}

func pick[T any](rng *rand.Rand, from []T) T { return from[rng.IntN(len(from))] }

// falsifier changes a sequential history. If the history has four calls, the second and the fourth are the same read.
type falsifier struct {
	*testing.T
	rng           *rand.Rand
	before, after linearizability.World
	names         []string
	calls         []linearizability.Call
	answers       map[string]any // the last answer by kind
}

// check reports an error unless the model explains the calls if explained is true, and rejects them if it is false.
func (f falsifier) check(what string, explained bool, calls []linearizability.Call) {
	f.Helper()
	var found *linearizability.Violation
	err := linearizability.Explain(f.before, calls, f.after)
	assert.True(f, (!explained || err == nil) && (explained || errors.As(err, &found)), "%s: %v\n%+v", what, err, calls)
}

// reorder plays the third call and one read at other times. The read has its old answer, from before the call, or its
// new answer, from after the call. If these answers are equal, reorder returns false.
func (f falsifier) reorder() bool {
	first, old, call, latest := f.calls[0], f.calls[1], f.calls[2], f.calls[3]
	if old.Err != nil || reflect.DeepEqual(old.Answer, latest.Answer) {
		return false
	}
	from := func(called, returned int64, c linearizability.Call) linearizability.Call {
		c.Called, c.Returned = called, returned
		return c
	}
	first, old, call, latest = from(-2, -1, first), from(0, 1, old), from(0, 1, call), from(0, 1, latest)
	later := func(c linearizability.Call) linearizability.Call { return from(2, 3, c) }
	lost := from(0, linearizability.Never, call)
	lost.Answer, lost.Err = nil, errors.New("the answer was lost")
	ended := lost
	ended.Over = 1
	f.check("the old answer before the call", true, []linearizability.Call{first, old, later(call)})
	f.check("the new answer before the call", false, []linearizability.Call{first, latest, later(call)})
	f.check("the old answer after the call", false, []linearizability.Call{first, call, later(old)})
	f.check("the new answer after the call", true, []linearizability.Call{first, call, later(latest)})
	f.check("the old answer during the call", true, []linearizability.Call{first, call, old})
	f.check("the new answer during the call", true, []linearizability.Call{first, call, latest})
	if !strings.HasPrefix(f.names[2], "rename") { // the parts of a lost renaming have too many orders
		f.check("the old answer during a lost call", true, []linearizability.Call{first, lost, later(old)})
		f.check("the old answer after a lost call", false, []linearizability.Call{first, ended, later(old)})
	}
	before, isDetail := old.Answer.(linearizability.Details)
	after, _ := latest.Answer.(linearizability.Details)
	if isDetail && before.Show.Status == game.ShowOpen && after.Show.Status == game.ShowCompleted && !reflect.DeepEqual(before.Entries, after.Entries) {
		old.Answer = linearizability.Details{Show: before.Show, Entries: after.Entries}
		f.check("half a judging", false, []linearizability.Call{first, call, old})
	}
	return true
}

// falsify changes an answer of a call or the stored records, one at a time. The model must reject each change.
func (f falsifier) falsify() {
	stored := f.after
	if w, changed := f.changed(reflect.ValueOf(stored)); changed {
		f.after = w.Interface().(linearizability.World)
		f.check("another stored state", false, f.calls)
	}
	if f.after = f.before; !reflect.DeepEqual(f.before, stored) {
		f.check("no effect", false, f.calls)
	}
	f.after = stored
	for i, c := range f.calls {
		kind, _, _ := strings.Cut(f.names[i], ".")
		with := func(answer any, err error) []linearizability.Call {
			calls := slices.Clone(f.calls)
			calls[i].Answer, calls[i].Err = answer, err
			return calls
		}
		if c.Err != nil {
			f.check("success", false, with(f.answers[kind], nil))
			others := slices.DeleteFunc([]error{game.ErrUnauthorized, game.ErrDuplicateEntry, store.ErrNotDue}, func(err error) bool { return errors.Is(c.Err, err) })
			f.check("another refusal", false, with(nil, pick(f.rng, others)))
			continue
		}
		f.answers[kind] = c.Answer
		f.check("a refusal", false, with(nil, game.ErrDuplicateEntry))
		for range 3 {
			if answer, changed := f.changed(reflect.ValueOf(c.Answer)); changed {
				f.check("another answer", false, with(answer.Interface(), nil))
			}
		}
	}
}

// unchecked are the fields of answers that the model does not compare.
var unchecked = map[reflect.Type][]string{
	reflect.TypeFor[game.Entry]():   {"ID"},
	reflect.TypeFor[game.Account](): {"Ranch", "LedgerSeq", "StatusChanges", "LastLoginAt", "SessionsFrom"},
	reflect.TypeFor[game.User]():    {"GoldBalance", "PremiumBalance", "PrestigePoints", "MarketRestrictedUntil", "CreatedAt"},
}

// changed returns a copy of a value with one change at random: another number or text, or a missing or repeated
// element. If it finds nothing to change, it returns false.
func (f falsifier) changed(v reflect.Value) (reflect.Value, bool) {
	if !v.IsValid() {
		return v, false
	}
	c := reflect.New(v.Type()).Elem()
	c.Set(v)
	switch v.Kind() {
	case reflect.Int, reflect.Int64:
		c.SetInt(v.Int() + 1)
	case reflect.String:
		c.SetString(v.String() + "x")
	case reflect.Bool:
		c.SetBool(!v.Bool())
	case reflect.Pointer:
		inner, ok := f.changed(v.Elem())
		if ok {
			c.Set(reflect.New(v.Type().Elem()))
			c.Elem().Set(inner)
		}
		return c, ok
	case reflect.Slice:
		if v.Len() == 0 {
			return v, false
		}
		c.Set(reflect.AppendSlice(reflect.MakeSlice(v.Type(), 0, v.Len()), v))
		i := f.rng.IntN(v.Len())
		inner, ok := f.changed(v.Index(i))
		switch n := f.rng.IntN(4); {
		case n == 0:
			c.Set(reflect.Append(c, v.Index(i)))
		case n == 1 || !ok:
			c.Set(reflect.AppendSlice(c.Slice(0, i), v.Slice(i+1, v.Len())))
		default:
			c.Index(i).Set(inner)
		}
	case reflect.Map:
		keys := v.MapKeys()
		if len(keys) == 0 {
			return v, false
		}
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		key := pick(f.rng, keys)
		c.Set(reflect.MakeMap(v.Type()))
		for _, k := range keys {
			c.SetMapIndex(k, v.MapIndex(k))
		}
		inner, ok := f.changed(v.MapIndex(key))
		if !ok || f.rng.IntN(3) == 0 {
			inner = reflect.Value{} // deletes it
		}
		c.SetMapIndex(key, inner)
	case reflect.Struct:
		for _, i := range f.rng.Perm(v.NumField()) {
			field := v.Type().Field(i)
			if !field.IsExported() || slices.Contains(unchecked[v.Type()], field.Name) {
				continue
			}
			if inner, ok := f.changed(v.Field(i)); ok {
				c.Field(i).Set(inner)
				return c, true
			}
		}
		return v, false
	default:
		return v, false
	}
	return c, true
}
