package samtemplate

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
)

// Value is a plain text in the template, or a reference that CloudFormation resolves. At most one field is set.
type Value struct {
	Literal string // a plain text
	Ref     string // !Ref: a resource, a parameter or a pseudo parameter; or !GetAtt: an attribute, as in "Table.Arn"
	Sub     string // !Sub: a text with ${references}
}

// UnmarshalJSON reads a scalar, or an object from a function (plain).
func (v *Value) UnmarshalJSON(text []byte) error {
	*v = Value{}
	switch text[0] {
	case '{':
		var f struct {
			Ref    string `json:"!Ref"`
			GetAtt string `json:"!GetAtt"`
			Sub    string `json:"!Sub"`
		}
		err := decode(text, &f)
		v.Ref, v.Sub = f.Ref+f.GetAtt, f.Sub
		if err == nil && *v == (Value{}) {
			err = errors.New("want a value")
		}
		return err
	case '[':
		return errors.New("want a value, not a list")
	case '"':
		return json.Unmarshal(text, &v.Literal)
	}
	v.Literal = string(text) // a number, true or false
	return nil
}

var placeholder = regexp.MustCompile(`\$\{(!?)([^}]*)\}`)

// Resolve turns values into texts (Text). The error names every value without a text, with its reference.
func (t *Template) Resolve(values map[string]Value, physical map[string]string) (map[string]string, error) {
	resolved := make(map[string]string, len(values))
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(values)) {
		text, err := t.Text(values[name], physical)
		if resolved[name] = text; err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
		}
	}
	if errs != nil {
		return nil, errors.Join(errs...)
	}
	return resolved, nil
}

// Text turns a value into a text. physical has the text of each reference, such as "Table" for !Ref Table, "Table.Arn"
// for !GetAtt Table.Arn, or "AWS::Region". A parameter that physical lacks has its default. For a reference with
// neither, Text returns an error.
func (t *Template) Text(v Value, physical map[string]string) (text string, err error) {
	lookup := func(reference string) string {
		if text, ok := physical[reference]; ok {
			return text
		}
		if p := t.Parameters[reference]; p.Default != nil {
			return p.Default.Literal
		}
		err = errors.Join(err, fmt.Errorf("%s is no parameter with a default, and has no value here", reference))
		return ""
	}
	switch {
	case v.Ref != "":
		text = lookup(v.Ref)
	case v.Sub != "":
		text = placeholder.ReplaceAllStringFunc(v.Sub, func(match string) string {
			parts := placeholder.FindStringSubmatch(match)
			if parts[1] == "" {
				return lookup(parts[2])
			}
			return "${" + parts[2] + "}"
		})
	default:
		text = v.Literal
	}
	return text, err
}
