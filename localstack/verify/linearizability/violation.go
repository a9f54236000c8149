package linearizability

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/anishathalye/porcupine"
)

// Violation is a history that is not linearizable.
type Violation struct {
	Explained []string // the longest order of some calls, or their parts, that agrees with their answers
	Left      []string // the other calls and parts
	Stored    []string // if only the stored records are left: how they differ from the predicted ones
}

// Error returns all elements of the violation, one on each line.
func (v *Violation) Error() string {
	text := "no order of the calls explains what was answered and stored"
	for _, line := range v.Explained {
		text += "\n  then " + line
	}
	for _, line := range v.Left {
		text += "\n  but not " + line
	}
	for _, line := range v.Stored {
		text += "\n  stored: " + line
	}
	return text
}

// newViolation returns the violation with the longest of the partial orders that the search has found. Of equally long
// orders, it chooses the alphabetically first, so that the result is always the same.
func newViolation(before World, operations []porcupine.Operation, partial [][]porcupine.Operation, stored flat) *Violation {
	v, longest := &Violation{}, []porcupine.Operation(nil)
	for _, order := range partial {
		explained := make([]string, len(order))
		for i, o := range order {
			explained[i] = o.Input.(step).String()
		}
		if len(explained) > len(v.Explained) || len(explained) == len(v.Explained) && slices.Compare(explained, v.Explained) < 0 {
			v.Explained, longest = explained, order
		}
	}
	world := before
	took := map[string]int{} // how often each description is in the order
	for _, o := range longest {
		s := o.Input.(step)
		if next := s.take(world); len(next) > 0 {
			world = next[0]
		}
		took[s.full()]++
	}
	for _, o := range operations {
		if s := o.Input.(step); took[s.full()] > 0 {
			took[s.full()]--
		} else {
			v.Left = append(v.Left, s.full())
		}
	}
	if len(v.Left) == 1 {
		v.Stored = flattened(world).differences(stored)
	}
	return v
}

// String returns the text of a call with its answer, or of the operation and the part if the step is a part of a call.
func (s step) String() string {
	if s.call != nil && s.part != "" {
		return Brief(s.call.Op) + ", " + s.part
	}
	return s.full()
}

// full returns the text of the call, its answer and its part.
func (s step) full() string {
	if s.call == nil {
		return s.part
	}
	text := Brief(s.call.Op)
	switch kind, refusal := outcomeOf(s.call); kind {
	case done:
		text += " -> " + Brief(s.call.Answer)
	case refused:
		text += " -> " + refusal.Error()
	default:
		text += " -> unknown"
	}
	if s.part != "" {
		text += ", " + s.part
	}
	return text
}

// Brief returns a value as text on one line: its type's name, and its JSON.
func Brief(v any) string {
	if v == nil {
		return "nothing"
	}
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return reflect.TypeOf(v).Name() + string(text)
}

// flat maps each place in a value, such as a field's path, to the text of the value there. Unexported fields and zero
// values are left out.
type flat map[string]string

func flattened(v any) flat {
	f := flat{}
	f.add("", reflect.ValueOf(v))
	return f
}

// equal reports whether two values have equal exported fields.
func equal(a, b any) bool { return maps.Equal(flattened(a), flattened(b)) }

// differences returns a line for each place at which the stored records differ from the predicted ones (follows).
func (follows flat) differences(stored flat) []string {
	places := maps.Clone(follows)
	maps.Copy(places, stored)
	var lines []string
	for _, place := range slices.Sorted(maps.Keys(places)) {
		if stored[place] != follows[place] {
			lines = append(lines, fmt.Sprintf("%s is %s, want %s", place[1:], cmp.Or(stored[place], "missing"), cmp.Or(follows[place], "none")))
		}
	}
	return lines
}

func (f flat) add(place string, v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			f.add(place, v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if field := v.Type().Field(i); field.Anonymous {
				f.add(place, v.Field(i))
			} else if field.IsExported() {
				f.add(place+"."+field.Name, v.Field(i))
			}
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			f[fmt.Sprintf("%s[%v]", place, k)] = "there"
			f.add(fmt.Sprintf("%s[%v]", place, k), v.MapIndex(k))
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			f[fmt.Sprintf("%s[%d]", place, i)] = "there"
			f.add(fmt.Sprintf("%s[%d]", place, i), v.Index(i))
		}
	default:
		if !v.IsZero() {
			f[place] = fmt.Sprint(v.Interface())
		}
	}
}
