package reference

import (
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// operation is what the page says of a method of a path.
type operation struct {
	*operationObject
	Method, Path string
	Schemes      []string // of security; none: anybody may call
	Inputs       []input
	Body         *body // nil: there is none
	Answers      []answer
	Curl         string

	names []string // of schemas that are mentioned
}

// input is a parameter of a request, or a header of an answer.
type input struct {
	Name, In    string
	Required    bool
	Type        []term
	Description string
	Limits      []limit
	Samples     []sample
}

// body is what a message has in it.
type body struct {
	MediaType   string
	Required    bool
	Description string
	Type        []term
	Limits      []limit
	Fields      []field
	Samples     []sample
}

type answer struct {
	Status, Text, Description string
	Success                   bool
	Headers                   []header
	Bodies                    []body
	Refusals                  []refusal
}

// refusal is a code with a message that an answer can have, and the names of its examples.
type refusal struct {
	Code, Message string
	When          []string
}

// Class is 2 for an answer of the kind 2xx, and so on.
func (a answer) Class() string { return a.Status[:1] }

func (p *page) operation(path named[pathItem], m named[*operationObject]) (o *operation, err error) {
	o = &operation{operationObject: m.Value, Method: strings.ToUpper(m.Name), Path: path.Name}
	if o.ID == "" {
		return nil, errors.New("it has no operationId")
	}
	security := p.Security
	if o.Security != nil {
		security = *o.Security
	}
	for _, s := range security {
		for _, scheme := range s {
			o.Schemes = append(o.Schemes, scheme.Name)
		}
	}
	for _, parameter := range slices.Concat(path.Value.Parameters, o.Parameters) {
		i, err := p.input(parameter)
		if err != nil {
			return nil, err
		}
		o.Inputs = append(o.Inputs, i)
		o.mention(parameter.Schema)
	}
	if o.RequestBody != nil {
		bodies, err := p.bodies(o, o.RequestBody.Content)
		if err != nil {
			return nil, err
		}
		if len(bodies) != 1 {
			return nil, fmt.Errorf("its request has %d media types, and the page shows one", len(bodies))
		}
		o.Body = &bodies[0]
		o.Body.Required, o.Body.Description = o.RequestBody.Required, o.RequestBody.Description
	}
	for _, r := range o.Responses {
		a, err := p.answer(o, r.Name, r.Value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.Name, err)
		}
		o.Answers = append(o.Answers, a)
	}
	o.Curl = p.curl(o)
	return o, nil
}

// mention notes which schemas an operation has to do with.
func (o *operation) mention(s *schema) {
	for _, name := range s.names() {
		if !slices.Contains(o.names, name) {
			o.names = append(o.names, name)
		}
	}
}

func (p *page) input(of parameter) (i input, err error) {
	i = input{Name: of.Name, In: of.In, Required: of.Required, Description: of.Description, Samples: samples(of.exampleFields)}
	if of.Schema == nil {
		return i, fmt.Errorf("%s has no schema", of.Name)
	}
	if i.Type, err = p.terms(of.Schema); err != nil {
		return i, err
	}
	if i.Limits, err = p.limits(of.Schema); err != nil {
		return i, err
	}
	if of.AllowEmptyValue {
		i.Limits = append(i.Limits, limit{Words: "may be empty"})
	}
	if i.Description == "" {
		i.Description, err = p.description(of.Schema)
	}
	return i, err
}

func (p *page) bodies(o *operation, content ordered[mediaType]) (all []body, err error) {
	for _, m := range content {
		if m.Value.Schema == nil {
			return nil, fmt.Errorf("%s has no schema", m.Name)
		}
		b, err := p.body(m.Value.Schema, throughNames)
		if err != nil {
			return nil, err
		}
		b.MediaType, b.Samples = m.Name, samples(m.Value.exampleFields)
		o.mention(m.Value.Schema)
		all = append(all, b)
	}
	return all, nil
}

func (p *page) body(s *schema, far expansion) (b body, err error) {
	if b.Type, err = p.terms(s); err != nil {
		return b, err
	}
	if b.Limits, err = p.limits(s); err != nil {
		return b, err
	}
	b.Fields, err = p.fields(s, far)
	return b, err
}

func (p *page) answer(o *operation, status string, r response) (a answer, err error) {
	a = answer{Status: status, Description: r.Description, Success: strings.HasPrefix(status, "2")}
	if number, err := strconv.Atoi(status); err == nil {
		a.Text = http.StatusText(number)
	}
	for _, h := range r.Headers {
		h.Value.Name = h.Name
		i, err := p.input(h.Value)
		if err != nil {
			return a, err
		}
		a.Headers = append(a.Headers, p.header(i))
	}
	if a.Bodies, err = p.bodies(o, r.Content); err != nil || a.Success {
		return a, err
	}
	for _, m := range r.Content {
		if err := p.addRefusals(&a, m.Value); err != nil {
			return a, err
		}
	}
	return a, nil
}

// header returns the header of the page's list that is described so, which is a new one where there is none yet. Almost
// all answers have the same headers, so that they are described once.
func (p *page) header(i input) header {
	anchor := "header-" + slug(i.Name)
	for _, h := range p.Headers {
		if reflect.DeepEqual(h.input, i) {
			return h
		}
		if h.Name == i.Name {
			anchor += "-too"
		}
	}
	p.Headers = append(p.Headers, header{input: i, Anchor: anchor})
	return p.Headers[len(p.Headers)-1]
}

// addRefusals collects the codes and messages of an answer: from its examples, where both are together, and from its
// schema, what the examples do not have.
func (p *page) addRefusals(a *answer, m mediaType) error {
	for _, s := range samples(m.exampleFields) {
		r := refusal{Code: memberText(s.node, "error"), Message: memberText(s.node, "message")}
		i := slices.IndexFunc(a.Refusals, func(o refusal) bool { return o.Code == r.Code && o.Message == r.Message })
		if i < 0 {
			a.Refusals = append(a.Refusals, r)
			i = len(a.Refusals) - 1
		}
		a.Refusals[i].When = append(a.Refusals[i].When, s.Title())
	}
	for _, c := range p.values(m.Schema, "error") {
		if !slices.ContainsFunc(a.Refusals, func(r refusal) bool { return r.Code == c }) {
			a.Refusals = append(a.Refusals, refusal{Code: c})
		}
	}
	return nil
}

// memberText returns a member of an object, "" where there is none.
func memberText(node *yaml.Node, name string) string {
	if m := member(node, name); m != nil {
		return m.Value
	}
	return ""
}

// values returns what a schema allows for a member of its objects, where it lists it.
func (p *page) values(s *schema, name string) (all []string) {
	s, err := p.follow(s)
	if err != nil {
		return nil // whoever described the schema has said so
	}
	if property, ok := s.Properties.get(name); ok {
		for _, v := range property.Enum {
			all = append(all, v.Value)
		}
		if !property.Const.IsZero() {
			all = append(all, property.Const.Value)
		}
	}
	for _, part := range slices.Concat(s.AllOf, s.AnyOf, s.OneOf) {
		all = append(all, p.values(part, name)...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
