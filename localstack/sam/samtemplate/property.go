package samtemplate

import (
	"fmt"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// reader is what all properties of a template share. It collects what is wrong, so that one run names everything.
type reader struct {
	file string
	errs []error
	// conditions say which of the template's conditions hold.
	conditions map[string]bool
}

// property is a node of the template together with the way to it. One that is absent has no node, reads as the zero
// value, and knows its name all the same: errors can name what is missing. Reading a property of the wrong shape
// records a fault and gives the zero value.
type property struct {
	node   *yaml.Node
	parent *yaml.Node
	name   string // last element of path
	path   string
	reader *reader
}

func (p property) present() bool { return p.node != nil }

// required records a fault if the property is absent.
func (p property) required() bool {
	if !p.present() {
		p.fail("it is missing")
	}
	return p.present()
}

func (p property) fail(format string, args ...any) {
	line := 0
	if p.node != nil {
		line = p.node.Line
	} else if p.parent != nil {
		line = p.parent.Line
	}
	p.reader.errs = append(p.reader.errs, fmt.Errorf("%s:%d: %s: %s", p.reader.file, line, p.path, fmt.Sprintf(format, args...)))
}

// child is the property under this one: behind an anchor's alias and by the conditions, if there are any. What is
// AWS::NoValue is absent.
func (p property) child(name string, node *yaml.Node) property {
	path := name
	if p.path != "" {
		path = p.path + "." + name
	}
	child := property{node: node, parent: p.node, name: name, path: path, reader: p.reader}
	for child.node != nil {
		switch {
		case child.node.Kind == yaml.AliasNode:
			child.node = child.node.Alias
		case child.node.Tag == "!If":
			child.node = child.chosen()
		case child.node.Tag == "!Ref" && child.node.Value == "AWS::NoValue":
			child.node = nil
		default:
			return child
		}
	}
	return child
}

// chosen is the branch of an !If that its condition chooses.
func (p property) chosen() *yaml.Node {
	if p.node.Kind != yaml.SequenceNode || len(p.node.Content) != 3 {
		p.fail("want a condition and two values")
		return nil
	}
	holds, known := p.reader.conditions[p.node.Content[0].Value]
	switch {
	case !known:
		p.fail("there is no condition %s", p.node.Content[0].Value)
		return nil
	case holds:
		return p.node.Content[1]
	}
	return p.node.Content[2]
}

// fields gives the entries of a mapping in the order of the file.
func (p property) fields() []property {
	if !p.present() {
		return nil
	}
	if p.node.Kind != yaml.MappingNode {
		p.fail("want a mapping")
		return nil
	}
	var all []property
	for i := 0; i < len(p.node.Content); i += 2 {
		field := p.child(p.node.Content[i].Value, p.node.Content[i+1])
		if field.name == "<<" {
			field.fail("CloudFormation knows no merge keys")
			continue
		}
		if slices.ContainsFunc(all, func(other property) bool { return other.name == field.name }) {
			field.fail("it is there twice")
			continue
		}
		if field.present() {
			all = append(all, field)
		}
	}
	return all
}

// get gives the entry of that name; it may be absent.
func (p property) get(name string) property {
	if p.present() && p.node.Kind == yaml.MappingNode {
		for i := 0; i < len(p.node.Content); i += 2 {
			if p.node.Content[i].Value == name {
				return p.child(name, p.node.Content[i+1])
			}
		}
	} else if p.present() {
		p.fail("want a mapping with %s in it", name)
	}
	return p.child(name, nil)
}

// only records a fault for every entry that has none of the names.
func (p property) only(names ...string) {
	for _, field := range p.fields() {
		if !slices.Contains(names, field.name) {
			field.fail("not supported")
		}
	}
}

// items gives the elements of a sequence; a scalar or a mapping counts as a sequence of one, as it does in IAM's
// documents.
func (p property) items() []property {
	switch {
	case !p.present():
		return nil
	case p.node.Kind != yaml.SequenceNode:
		return []property{p}
	}
	var all []property
	for i, node := range p.node.Content {
		if item := p.child(strconv.Itoa(i), node); item.present() {
			all = append(all, item)
		}
	}
	return all
}

// text gives a scalar without an intrinsic function.
func (p property) text() string {
	if !p.present() {
		return ""
	}
	if p.node.Kind != yaml.ScalarNode || !literalTag(p.node) {
		p.fail("want a plain value")
		return ""
	}
	return p.node.Value
}

func (p property) texts() []string {
	var all []string
	for _, item := range p.items() {
		all = append(all, item.text())
	}
	return all
}

// mostInteger is more than any number of such a template: of seconds, megabytes, requests, characters.
const mostInteger = 1_000_000_000

func (p property) integer() int {
	if !p.present() {
		return 0
	}
	n, err := strconv.Atoi(p.text())
	if err != nil || n < 0 || n > mostInteger {
		p.fail("want a whole number from 0 to %d", mostInteger)
		return 0
	}
	return n
}

func (p property) boolean() bool {
	if !p.present() {
		return false
	}
	b, err := strconv.ParseBool(p.text())
	if err != nil {
		p.fail("want true or false")
	}
	return b
}
