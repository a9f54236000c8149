package samtemplate

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Value is a value as the template has it: a plain text, or a reference that becomes one when the stack is deployed.
// Exactly one kind is set.
type Value struct {
	Literal string // a plain text
	Ref     string // !Ref: a resource's logical id, a parameter, or a pseudo parameter
	GetAtt  string // !GetAtt: logical id and attribute, as in "Table.Arn"
	Sub     string // !Sub: a text with ${references}
}

// String returns the value as it would be written in a template.
func (v Value) String() string {
	switch {
	case v.Ref != "":
		return "!Ref " + v.Ref
	case v.GetAtt != "":
		return "!GetAtt " + v.GetAtt
	case v.Sub != "":
		return "!Sub " + v.Sub
	default:
		return v.Literal
	}
}

// literalTag reports whether a scalar is no intrinsic function.
func literalTag(node *yaml.Node) bool {
	return !strings.HasPrefix(node.Tag, "!") || strings.HasPrefix(node.Tag, "!!")
}

func (v *Value) decode(p property) { *v = p.value() }

// value reads a plain value, or an intrinsic function in its short form.
func (p property) value() Value {
	if !p.present() || literalTag(p.node) {
		return Value{Literal: p.text()}
	}
	function := p.node.Tag
	var parts []string
	for _, part := range p.items() {
		if part.node.Kind != yaml.ScalarNode {
			part.fail("not supported")
			return Value{}
		}
		parts = append(parts, part.node.Value)
	}
	switch {
	case function == "!Ref" && len(parts) == 1:
		return Value{Ref: parts[0]}
	case function == "!GetAtt" && strings.Contains(strings.Join(parts, "."), "."):
		return Value{GetAtt: strings.Join(parts, ".")}
	case function == "!Sub" && len(parts) == 1:
		return Value{Sub: parts[0]}
	}
	p.fail("not supported: %s", function)
	return Value{}
}

var placeholder = regexp.MustCompile(`\$\{(!?)([^}]*)\}`)

// Resolve turns values into texts. physical has what each reference becomes: "Table" for !Ref Table, "Table.Arn" for
// !GetAtt Table.Arn, "AWS::Region". A parameter that is not there has its default. The error names every variable and
// reference that cannot be resolved.
func (t *Template) Resolve(values map[string]Value, physical map[string]string) (map[string]string, error) {
	resolved := make(map[string]string, len(values))
	var missing []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		lookup := func(reference string) string {
			if text, ok := physical[reference]; ok {
				return text
			}
			if p := t.parameters[reference]; p.Default != nil {
				return *p.Default
			}
			missing = append(missing, fmt.Sprintf("%s (%s)", reference, name))
			return ""
		}
		switch v := values[name]; {
		case v.Ref != "" || v.GetAtt != "":
			resolved[name] = lookup(v.Ref + v.GetAtt)
		case v.Sub != "":
			resolved[name] = placeholder.ReplaceAllStringFunc(v.Sub, func(match string) string {
				parts := placeholder.FindStringSubmatch(match)
				if parts[1] == "" {
					return lookup(parts[2])
				}
				return "${" + parts[2] + "}"
			})
		default:
			resolved[name] = v.Literal
		}
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("the template's references cannot be resolved: %s", strings.Join(missing, ", "))
	}
	return resolved, nil
}
