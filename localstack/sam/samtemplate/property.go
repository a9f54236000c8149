package samtemplate

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// reader is what all properties of a template share. It collects what is wrong, so that one run names everything.
type reader struct {
	file       string
	errs       []error
	parameters map[string]parameter
	conditions map[string]bool // whether each holds
}

// property is a node of the template together with the way to it. One that is absent has no node, but knows its name:
// errors can name what is missing.
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

// child returns the property under this one: behind an anchor's alias, and the branch of an !If that holds.
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

// chosen returns the branch of an !If that its condition chooses.
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

// fields returns the entries of a mapping in the order of the file.
func (p property) fields() (all []property) {
	if !p.present() {
		return nil
	}
	if p.node.Kind != yaml.MappingNode {
		p.fail("want a mapping")
		return nil
	}
	for i := 0; i < len(p.node.Content); i += 2 {
		field := p.child(p.node.Content[i].Value, p.node.Content[i+1])
		switch {
		case field.name == "<<":
			field.fail("CloudFormation knows no merge keys")
		case field.present():
			all = append(all, field)
		}
	}
	return all
}

// get returns the entry of that name; it may be absent.
func (p property) get(name string) property {
	if p.present() && p.node.Kind != yaml.MappingNode {
		p.fail("want a mapping with %s in it", name)
	} else if p.present() {
		for i := 0; i < len(p.node.Content); i += 2 {
			if p.node.Content[i].Value == name {
				return p.child(name, p.node.Content[i+1])
			}
		}
	}
	return p.child(name, nil)
}

// items returns the elements of a sequence; a scalar or a mapping counts as a sequence of one, as in IAM's documents.
func (p property) items() (all []property) {
	switch {
	case !p.present():
		return nil
	case p.node.Kind != yaml.SequenceNode:
		return []property{p}
	}
	for i, node := range p.node.Content {
		if item := p.child(strconv.Itoa(i), node); item.present() {
			all = append(all, item)
		}
	}
	return all
}

// text returns a scalar without an intrinsic function.
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

// number returns a number from 0 to mostNumber.
func (p property) number(whole bool) float64 {
	n, err := strconv.ParseFloat(p.text(), 64)
	if err != nil || !(n >= 0 && n <= mostNumber) || whole && n != math.Trunc(n) {
		p.fail("want a %s from 0 to %d", map[bool]string{true: "whole number", false: "number"}[whole], mostNumber)
		return 0
	}
	return n
}

// mostNumber is more than any number of such a template: of seconds, megabytes, requests, characters.
const mostNumber = 1_000_000_000

// decoder is a type that reads itself.
type decoder interface{ decode(property) }

// ignored is a property that changes nothing in a local set-up.
type ignored struct{}

func (*ignored) decode(property) {}

var durationType, propertyType = reflect.TypeFor[time.Duration](), reflect.TypeFor[property]()

// into reads the property into what target points to, and leaves that alone if the property is absent. A struct has a
// field for each entry that may be there, by its name or by its tag `cfn:"Name,required"`; all others are faults. A
// list of strings may be a !Ref to a CommaDelimitedList, and a time.Duration is in seconds.
func (p property) into(target any) { p.decode(reflect.ValueOf(target).Elem()) }

func (p property) decode(v reflect.Value) {
	if !p.present() {
		return
	}
	if d, ok := v.Addr().Interface().(decoder); ok {
		d.decode(p)
		return
	}
	switch v.Type() {
	case propertyType:
		v.Set(reflect.ValueOf(p))
		return
	case durationType:
		v.SetInt(int64(p.number(true)) * int64(time.Second))
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		p.decode(v.Elem())
	case reflect.Struct:
		p.decodeStruct(v)
	case reflect.Map:
		if v.IsNil() {
			v.Set(reflect.MakeMap(v.Type()))
		}
		for _, field := range p.fields() {
			element := reflect.New(v.Type().Elem()).Elem()
			field.decode(element)
			v.SetMapIndex(reflect.ValueOf(field.name), element)
		}
	case reflect.Slice:
		if p.node.Tag == "!Ref" && v.Type().Elem().Kind() == reflect.String {
			v.Set(reflect.ValueOf(p.list()))
			return
		}
		all := reflect.MakeSlice(v.Type(), 0, 0)
		for _, item := range p.items() {
			element := reflect.New(v.Type().Elem()).Elem()
			item.decode(element)
			all = reflect.Append(all, element)
		}
		v.Set(all)
	case reflect.String:
		v.SetString(p.text())
	case reflect.Int:
		v.SetInt(int64(p.number(true)))
	case reflect.Float64:
		v.SetFloat(p.number(false))
	case reflect.Bool:
		b, err := strconv.ParseBool(p.text())
		if err != nil {
			p.fail("want true or false")
		}
		v.SetBool(b)
	default:
		panic("a template has no " + v.Type().String())
	}
}

func (p property) decodeStruct(v reflect.Value) {
	known := map[string]reflect.Value{}
	for _, f := range reflect.VisibleFields(v.Type()) {
		tag := strings.Split(f.Tag.Get("cfn"), ",")
		name := tag[0]
		if name == "" {
			name = f.Name
		}
		if f.Anonymous || name == "-" {
			continue
		}
		known[name] = v.FieldByIndex(f.Index)
		if len(tag) > 1 && p.node.Kind == yaml.MappingNode {
			p.get(name).required()
		}
	}
	for _, field := range p.fields() {
		if target, ok := known[field.name]; ok {
			field.decode(target)
		} else {
			field.fail("not supported")
		}
	}
}

// list returns the default of the parameter of type CommaDelimitedList that a !Ref is to.
func (p property) list() (all []string) {
	parameter := p.reader.parameters[p.node.Value]
	if parameter.Type != "CommaDelimitedList" || parameter.Default == nil {
		p.fail("want a parameter of type CommaDelimitedList with a default, not !Ref %s", p.node.Value)
		return nil
	}
	for text := range strings.SplitSeq(*parameter.Default, ",") {
		all = append(all, strings.TrimSpace(text))
	}
	return all
}
