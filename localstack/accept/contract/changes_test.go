package contract

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// walker makes every single change of a JSON value that its schema ought to notice.
type walker struct {
	root    any
	samples samples
	closed  bool // every object ought to notice an unknown field, and every text that it is empty
	visit   func(what string, changed []byte)
}

// samples are values by the location of their schema, for what an example has null.
type samples map[string]any

// resolve follows references, and of alternatives the one that the value fits.
func resolve(s *jsonschema.Schema, v any) *jsonschema.Schema {
	for {
		alternatives := append(slices.Clone(s.AnyOf), s.OneOf...)
		switch i := slices.IndexFunc(alternatives, func(a *jsonschema.Schema) bool { return a.Validate(v) == nil }); {
		case s.Ref != nil:
			s = s.Ref
		case i >= 0:
			s = alternatives[i]
		default:
			return s
		}
	}
}

// collect takes samples of all that is in a value.
func (all samples) collect(s *jsonschema.Schema, v any) {
	s = resolve(s, v)
	if v != nil {
		all[s.Location] = v
	}
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			all.collect(memberSchema(s, name), member)
		}
	case []any:
		for _, item := range v {
			all.collect(s.Items2020, item)
		}
	}
}

func memberSchema(s *jsonschema.Schema, name string) *jsonschema.Schema {
	if member, declared := s.Properties[name]; declared {
		return member
	}
	return s.AdditionalProperties.(*jsonschema.Schema)
}

// walk changes a value at a place, in which replace puts another one.
func (w *walker) walk(written *jsonschema.Schema, v any, at string, replace func(any)) {
	s := resolve(written, v)
	change := func(how string, to any) {
		replace(to)
		w.told(at+" "+how, replace, v)
	}
	for how, to := range otherTypes(v) {
		change(how, to)
	}
	if v != nil && written.Validate(nil) != nil {
		change("is null", nil)
	}
	switch v := v.(type) {
	case nil:
		for _, alternative := range append(slices.Clone(written.AnyOf), s) {
			if sample, taken := w.samples[resolve(alternative, nil).Location]; taken {
				replace(sample)
				w.walk(written, sample, at, replace)
				replace(nil)
			}
		}
	case string:
		for how, to := range w.otherTexts(s, v) {
			change(how, to)
		}
	case bool:
		if s.Not != nil {
			change("is the opposite", !v)
		}
	case json.Number:
		for how, to := range otherNumbers(s, v) {
			change(how, to)
		}
	case map[string]any:
		w.walkObject(s, v, at, replace)
	case []any:
		if s.MaxItems != nil && len(v) > 0 {
			change("has too many items", slices.Repeat(v[:1], *s.MaxItems+1))
		}
		if s.MinItems != nil {
			change("has no items", []any{})
		}
		for i, item := range v {
			w.walk(s.Items2020, item, fmt.Sprintf("%s[%d]", at, i), func(to any) { v[i] = to })
		}
	}
}

func (w *walker) walkObject(s *jsonschema.Schema, v map[string]any, at string, replace func(any)) {
	if w.closed || s.AdditionalProperties != nil {
		v["unknown"] = json.Number("1")
		w.told(at+" has an unknown field", func(any) { delete(v, "unknown") }, nil)
	}
	if s.MinProperties != nil {
		replace(map[string]any{})
		w.told(at+" is empty", replace, v)
	}
	for _, name := range slices.Sorted(maps.Keys(v)) {
		member := v[name]
		put := func(to any) { v[name] = to }
		if s.Properties[name] != nil {
			delete(v, name)
			w.told(at+"."+name+" is missing", put, member)
		}
		w.walk(memberSchema(s, name), member, at+"."+name, put)
	}
}

// told shows the value as it has been changed, and puts back what was there.
func (w *walker) told(what string, replace func(any), was any) {
	changed, err := json.Marshal(w.root)
	if err != nil {
		panic(err) // it came from JSON
	}
	w.visit(what, changed)
	replace(was)
}

func otherTypes(v any) map[string]any {
	switch v := v.(type) {
	case string:
		return map[string]any{"is a number": json.Number("7"), "is a list": []any{v}}
	case json.Number:
		return map[string]any{"is a text": v.String(), "is a boolean": true}
	case bool:
		return map[string]any{"is a text": fmt.Sprint(v), "is a number": json.Number("1")}
	case map[string]any:
		return map[string]any{"is a list": []any{}, "is a text": "object"}
	case []any:
		return map[string]any{"is an object": map[string]any{}, "is a text": "list"}
	}
	return map[string]any{"is a boolean": true, "is an empty object": map[string]any{}}
}

func (w *walker) otherTexts(s *jsonschema.Schema, v string) map[string]any {
	all := map[string]any{}
	if w.closed || s.MinLength != nil || s.Pattern != nil || s.Enum != nil {
		all["is empty"] = ""
	}
	if s.Pattern != nil || s.Enum != nil {
		all["has something behind it"] = v + " "
		all["has something before it"] = " " + v
		all["has a line behind it"] = v + "\n"
	}
	if s.Format != nil && s.Format.Name == "date-time" {
		all["is of 31 February"] = "2026-02-31" + v[len("2026-02-31"):]
	}
	if s.MaxLength != nil {
		all["is too long"] = v + strings.Repeat("x", *s.MaxLength)
	}
	return all
}

func otherNumbers(s *jsonschema.Schema, v json.Number) map[string]any {
	all := map[string]any{"has an exponent": json.Number(v.String() + "e0")}
	beyond := func(bound *big.Rat, step int64) any {
		return json.Number(new(big.Rat).Add(bound, big.NewRat(step, 100)).FloatString(2))
	}
	whole := int64(1)
	if slices.Contains(s.Types.ToStrings(), "integer") {
		whole = 100
		all["is no integer"] = json.Number(v.String() + ".50")
		all["is written as a decimal"] = json.Number(v.String() + ".00")
	} else {
		all["has three places"] = json.Number("87.125")
	}
	if s.Minimum != nil {
		all["is too small"] = beyond(s.Minimum, -whole)
	}
	if s.Maximum != nil {
		all["is too large"] = beyond(s.Maximum, whole)
	}
	return all
}
