package linearizability

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/anishathalye/porcupine"
)

// Violation is a history that no order explains.
type Violation struct {
	Explained    []string // the longest order of calls, or of parts of calls, that their answers agree with
	Contradicted []string // what comes next in no order: each call or part with what contradicts it after those
}

// Error says all of it, in a few lines.
func (v *Violation) Error() string {
	var text strings.Builder
	text.WriteString("no order of the calls explains what was answered and stored\n")
	for _, line := range v.Explained {
		fmt.Fprintf(&text, "  then %s\n", line)
	}
	for _, line := range v.Contradicted {
		fmt.Fprintf(&text, "  but not %s\n", line)
	}
	return strings.TrimSuffix(text.String(), "\n")
}

// newViolation explains by the longest of the partial orders that the search has found, the same one each time.
func newViolation(before World, operations []porcupine.Operation, partial [][]porcupine.Operation) *Violation {
	v := &Violation{Contradicted: contradicted(before, operations, nil)}
	for _, order := range partial {
		explained := make([]string, len(order))
		for i, o := range order {
			explained[i] = o.Input.(step).String()
		}
		if len(explained) > len(v.Explained) || len(explained) == len(v.Explained) && slices.Compare(explained, v.Explained) < 0 {
			v.Explained, v.Contradicted = explained, contradicted(before, operations, order)
		}
	}
	return v
}

// contradicted returns what cannot come after an order: a line for each of the other steps.
func contradicted(before World, operations, order []porcupine.Operation) (lines []string) {
	worlds := []World{before}
	took := map[string]int{} // how often what is described so is in the order
	for _, o := range order {
		s := o.Input.(step)
		worlds, _ = takeAll(worlds, s)
		took[s.full()]++
	}
	for _, o := range operations {
		s := o.Input.(step)
		if took[s.full()] > 0 {
			took[s.full()]--
		} else if after, why := takeAll(worlds, s); len(after) == 0 {
			lines = append(lines, fmt.Sprintf("%s: %s", s.full(), why))
		}
	}
	return lines
}

// takeAll takes a step from each of the worlds; why is what contradicts it in the last of them.
func takeAll(worlds []World, s step) (after []World, why string) {
	for _, w := range worlds {
		next, because := s.take(w)
		after, why = append(after, next...), because
	}
	return after, why
}

// String says which call it is of, with its answer, or which part of one.
func (s step) String() string {
	if s.call != nil && s.part != "" {
		return brief(s.call.Op) + ", " + s.part
	}
	return s.full()
}

// full says which call and which part of it, with the answer.
func (s step) full() string {
	if s.call == nil {
		return s.part
	}
	text := brief(s.call.Op)
	switch kind, refusal := outcomeOf(s.call); kind {
	case done:
		text += " -> " + brief(s.call.Answer)
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

// brief is a value on one line, with what pointers point to, without what is empty.
func brief(v any) string {
	var text strings.Builder
	if t := reflect.TypeOf(v); t != nil && t.Kind() == reflect.Struct {
		text.WriteString(t.Name())
	}
	writeBrief(&text, reflect.ValueOf(v))
	return text.String()
}

func writeBrief(text *strings.Builder, v reflect.Value) {
	if !v.IsValid() {
		text.WriteString("nothing")
		return
	}
	if s, is := v.Interface().(fmt.Stringer); is && v.Kind() != reflect.Pointer {
		text.WriteString(s.String())
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		writeBrief(text, v.Elem())
	case reflect.Struct:
		text.WriteString("{")
		first := true
		for i := range v.NumField() {
			if f := v.Type().Field(i); !f.IsExported() || v.Field(i).IsZero() {
				continue
			}
			if !first {
				text.WriteString(" ")
			}
			first = false
			if f := v.Type().Field(i); !f.Anonymous {
				text.WriteString(f.Name + ":")
			}
			writeBrief(text, v.Field(i))
		}
		text.WriteString("}")
	case reflect.Slice, reflect.Array:
		text.WriteString("[")
		for i := range v.Len() {
			if i > 0 {
				text.WriteString(" ")
			}
			writeBrief(text, v.Index(i))
		}
		text.WriteString("]")
	default:
		fmt.Fprint(text, v.Interface())
	}
}
