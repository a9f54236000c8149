package operate

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// Difference returns the changed members of the states, for people: "status: active -> banned", "name: Cup" for a
// creation, or "" if none has changed. If a state is not an object, it returns both states.
func (r AuditRecord) Difference() string {
	before, after := r.Before, r.After
	was, names, ok := fields(before, nil)
	is, names, also := fields(after, names)
	if !ok || !also {
		return text(before) + " -> " + text(after)
	}
	var parts []string
	for _, name := range names {
		switch old, now := text(was[name]), text(is[name]); {
		case old == now:
		case len(before) == 0:
			parts = append(parts, name+": "+now)
		default:
			parts = append(parts, name+": "+old+" -> "+now)
		}
	}
	return strings.Join(parts, ", ")
}

// fields returns the members of a JSON object by name. all has the given names, and then the object's other names in
// its order. An empty text is an object without members. If the text is not an object, ok is false.
func fields(object json.RawMessage, names []string) (values map[string]json.RawMessage, all []string, ok bool) {
	if len(object) == 0 {
		return nil, names, true
	}
	if err := json.Unmarshal(object, &values); err != nil {
		return nil, names, false
	}
	decoder := json.NewDecoder(bytes.NewReader(object))
	_, _ = decoder.Token() // {: Unmarshal has accepted the object
	for decoder.More() {
		name, _ := decoder.Token()
		if text, isName := name.(string); isName && !slices.Contains(names, text) {
			names = append(names, text)
		}
		var value json.RawMessage
		_ = decoder.Decode(&value)
	}
	return values, names, true
}

// text returns a value for people: a string without its quotes, a missing or null value as a dash.
func text(value json.RawMessage) string {
	var s string
	switch {
	case len(value) == 0, string(value) == "null":
		return "-"
	case json.Unmarshal(value, &s) == nil:
		return s
	}
	return string(value)
}
