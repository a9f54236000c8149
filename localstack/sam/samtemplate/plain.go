package samtemplate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// absent represents AWS::NoValue.
type absent struct{}

// plain converts a YAML node into maps, slices and scalars, the types of encoding/json. It resolves aliases, replaces
// !If by the selected branch and !Ref to a CommaDelimitedList by the list, and leaves out AWS::NoValue. Any other
// intrinsic function becomes an object with its short name: {"!Ref": "Table"}.
func (t *Template) plain(n *yaml.Node) (value any, err error) {
	function := strings.HasPrefix(n.Tag, "!") && !strings.HasPrefix(n.Tag, "!!")
	switch {
	case n.Kind == yaml.AliasNode:
		return t.plain(n.Alias)
	case n.Tag == "!If":
		chosen, err := t.chosen(n)
		if err != nil {
			return nil, err
		}
		return t.plain(chosen)
	case n.Tag == "!Ref" && n.Value == "AWS::NoValue":
		return absent{}, nil
	case n.Tag == "!Ref" && t.Parameters[n.Value].Type == "CommaDelimitedList":
		return t.list(n.Value)
	case n.Kind == yaml.MappingNode:
		value, err = t.plainMap(n)
	case n.Kind == yaml.SequenceNode:
		all := []any{}
		for _, item := range n.Content {
			one, err := t.plain(item)
			if err != nil {
				return nil, err
			}
			if one != any(absent{}) {
				all = append(all, one)
			}
		}
		value = all
	case function:
		value = n.Value
	default:
		err = n.Decode(&value)
	}
	if function {
		value = map[string]any{n.Tag: value}
	}
	return value, err
}

func (t *Template) plainMap(n *yaml.Node) (map[string]any, error) {
	all := map[string]any{}
	for i := 0; i < len(n.Content); i += 2 {
		name := n.Content[i].Value
		if name == "<<" {
			return nil, errors.New("CloudFormation knows no merge keys")
		}
		value, err := t.plain(n.Content[i+1])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if value != any(absent{}) {
			all[name] = value
		}
	}
	return all, nil
}

// chosen returns the branch of an !If that its condition selects.
func (t *Template) chosen(n *yaml.Node) (*yaml.Node, error) {
	if n.Kind != yaml.SequenceNode || len(n.Content) != 3 {
		return nil, errors.New("want an !If of a condition and two values")
	}
	holds, known := t.conditions[n.Content[0].Value]
	switch {
	case !known:
		return nil, fmt.Errorf("there is no condition %s", n.Content[0].Value)
	case holds:
		return n.Content[1], nil
	}
	return n.Content[2], nil
}

// list returns the default of a parameter of type CommaDelimitedList.
func (t *Template) list(parameter string) (all []any, err error) {
	d := t.Parameters[parameter].Default
	if d == nil {
		return nil, fmt.Errorf("the list %s has no default", parameter)
	}
	for text := range strings.SplitSeq(d.Literal, ",") {
		all = append(all, strings.TrimSpace(text))
	}
	return all, nil
}

// json returns a node's plain value as JSON. For the zero node it returns nil.
func (t *Template) json(n *yaml.Node) (json.RawMessage, error) {
	if n.IsZero() {
		return nil, nil
	}
	value, err := t.plain(n)
	if err != nil {
		return nil, err
	}
	return json.Marshal(value)
}

// decode reads JSON, unless text is nil, into the value at target. A member for which target has no field is an error.
func decode(text json.RawMessage, target any) error {
	if text == nil {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode(target)
}
