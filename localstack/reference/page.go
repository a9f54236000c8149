package reference

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
)

//go:embed page.html
var pageHTML string

var pageTemplate = template.Must(template.New("page.html").Funcs(template.FuncMap{
	"paragraphs": paragraphs,
	"slug":       slug,
}).Parse(pageHTML))

// Render writes the page of a contract. The curl lines go to the API at the given base URL; "" is the contract's first
// server. It returns an error, and writes nothing, where the contract has something that the page cannot show.
func Render(w io.Writer, text []byte, api string) error {
	p, err := newPage(text, api)
	if err != nil {
		return fmt.Errorf("the contract: %w", err)
	}
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, p); err != nil {
		return err
	}
	_, err = w.Write(b.Bytes())
	return err
}

// page is what the template shows.
type page struct {
	*contract
	API     string
	Groups  []group
	Codes   []code
	Schemas []namedSchema
}

// group has the operations of a tag.
type group struct {
	tag
	Operations []*operation
}

type operation struct {
	*operationObject
	Method, Path string
	Schemes      []string // of security; none: anybody may call
	Inputs       []input
	Body         *body // nil: there is none
	Answers      []answer
	Curl         string
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
	Headers                   []input
	Bodies                    []body
	Refusals                  []refusal
	Links                     ordered[link]
}

// refusal is a code with a message that an answer can have.
type refusal struct{ Code, Message, When string }

// sample is an example.
type sample struct {
	Name, Summary, Description string
	JSON                       []token
	node                       *yaml.Node
}

// code is an error code with all places where it is answered.
type code struct {
	refusal
	Status string
	Of     []*operation
}

type namedSchema struct {
	body
	Name, Anchor string
	UsedBy       []*operation
}

func newPage(text []byte, api string) (*page, error) {
	c, err := parse(text)
	if err != nil {
		return nil, err
	}
	p := &page{contract: c, API: strings.TrimSuffix(api, "/")}
	if p.API == "" && len(c.Servers) > 0 {
		p.API = c.Servers[0].URL
	}
	for _, t := range c.Tags {
		p.Groups = append(p.Groups, group{tag: t})
	}
	if err := p.addOperations(); err != nil {
		return nil, err
	}
	if err := p.addSchemas(); err != nil {
		return nil, err
	}
	p.addCodes()
	return p, nil
}

func (p *page) addOperations() error {
	for _, path := range p.Paths {
		var shared []parameter
		if node, ok := path.Value.get("parameters"); ok {
			if err := node.Decode(&shared); err != nil {
				return err
			}
		}
		for _, m := range path.Value {
			if !slices.Contains(methods, m.Name) {
				if m.Name != "parameters" && !strings.HasPrefix(m.Name, "x-") {
					return fmt.Errorf("%s has %q, which the page does not know", path.Name, m.Name)
				}
				continue
			}
			o := &operation{Method: strings.ToUpper(m.Name), Path: path.Name}
			if err := m.Value.Decode(&o.operationObject); err != nil {
				return err
			}
			o.Parameters = append(slices.Clone(shared), o.Parameters...)
			if err := p.complete(o); err != nil {
				return fmt.Errorf("%s %s: %w", o.Method, o.Path, err)
			}
			g := p.groupOf(o)
			g.Operations = append(g.Operations, o)
		}
	}
	p.Groups = slices.DeleteFunc(p.Groups, func(g group) bool { return len(g.Operations) == 0 })
	return nil
}

// groupOf returns the group of an operation's first tag, which is a new one where the tag is not listed.
func (p *page) groupOf(o *operation) *group {
	name := "Other"
	if len(o.Tags) > 0 {
		name = o.Tags[0]
	}
	i := slices.IndexFunc(p.Groups, func(g group) bool { return g.Name == name })
	if i < 0 {
		p.Groups = append(p.Groups, group{tag: tag{Name: name}})
		i = len(p.Groups) - 1
	}
	return &p.Groups[i]
}

// complete works out what the page says of an operation.
func (p *page) complete(o *operation) error {
	if o.ID == "" {
		return fmt.Errorf("it has no operationId")
	}
	schemes := p.Security
	if o.Security != nil {
		schemes = *o.Security
	}
	for _, s := range schemes {
		for _, scheme := range s {
			o.Schemes = append(o.Schemes, scheme.Name)
		}
	}
	for _, parameter := range o.Parameters {
		i, err := p.input(parameter)
		if err != nil {
			return err
		}
		o.Inputs = append(o.Inputs, i)
	}
	if o.RequestBody != nil {
		bodies, err := p.bodies(o.RequestBody.Content)
		if err != nil {
			return err
		}
		if len(bodies) != 1 {
			return fmt.Errorf("its request has %d media types, and the page shows one", len(bodies))
		}
		o.Body = &bodies[0]
		o.Body.Required, o.Body.Description = o.RequestBody.Required, o.RequestBody.Description
	}
	for _, r := range o.Responses {
		a, err := p.answer(r.Name, r.Value)
		if err != nil {
			return fmt.Errorf("%s: %w", r.Name, err)
		}
		o.Answers = append(o.Answers, a)
	}
	o.Curl = p.curl(o)
	return nil
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

func (p *page) bodies(content ordered[mediaType]) (all []body, err error) {
	for _, m := range content {
		b, err := p.body(m.Value.Schema, throughNames)
		if err != nil {
			return nil, err
		}
		b.MediaType, b.Samples = m.Name, samples(m.Value.exampleFields)
		all = append(all, b)
	}
	return all, nil
}

func (p *page) body(s *schema, far expansion) (b body, err error) {
	if s == nil {
		return b, fmt.Errorf("there is no schema")
	}
	if err := s.known(); err != nil {
		return b, err
	}
	if b.Type, err = p.terms(s); err != nil {
		return b, err
	}
	if b.Limits, err = p.limits(s); err != nil {
		return b, err
	}
	b.Fields, err = p.fields(s, far)
	return b, err
}

func (p *page) answer(status string, r response) (a answer, err error) {
	a = answer{Status: status, Description: r.Description, Success: strings.HasPrefix(status, "2"), Links: r.Links}
	if number, err := strconv.Atoi(status); err == nil {
		a.Text = http.StatusText(number)
	}
	for _, h := range r.Headers {
		h.Value.Name = h.Name
		i, err := p.input(h.Value)
		if err != nil {
			return a, err
		}
		a.Headers = append(a.Headers, i)
	}
	if a.Bodies, err = p.bodies(r.Content); err != nil || a.Success {
		return a, err
	}
	for _, m := range r.Content {
		if err := p.refusals(&a, m.Value); err != nil {
			return a, err
		}
	}
	return a, nil
}

// refusals collects the codes and messages of an answer: from its examples, where both are together, and from its
// schema, what the examples do not have.
func (p *page) refusals(a *answer, m mediaType) error {
	for _, s := range samples(m.exampleFields) {
		r := refusal{When: s.Summary}
		if c := member(s.node, "error"); c != nil {
			r.Code = c.Value
		}
		if t := member(s.node, "message"); t != nil {
			r.Message = t.Value
		}
		if r.Code != "" || r.Message != "" {
			a.Refusals = append(a.Refusals, r)
		}
	}
	codes, err := p.values(m.Schema, "error")
	if err != nil {
		return err
	}
	messages, err := p.values(m.Schema, "message")
	if err != nil {
		return err
	}
	for _, c := range codes {
		if !slices.ContainsFunc(a.Refusals, func(r refusal) bool { return r.Code == c }) {
			r := refusal{Code: c}
			if len(codes) == 1 && len(messages) == 1 {
				r.Message = messages[0]
			}
			a.Refusals = append(a.Refusals, r)
		}
	}
	return nil
}

// values returns what a schema allows for a member of its objects, where it lists it.
func (p *page) values(s *schema, name string) (all []string, err error) {
	if s, err = p.follow(s); err != nil {
		return nil, err
	}
	if property, ok := s.Properties.get(name); ok {
		if property, err = p.follow(property); err != nil {
			return nil, err
		}
		for _, v := range property.Enum {
			all = append(all, v.Value)
		}
		if !property.Const.IsZero() {
			all = append(all, property.Const.Value)
		}
	}
	for _, part := range slices.Concat(s.AllOf, s.AnyOf, s.OneOf) {
		more, err := p.values(part, name)
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

func samples(e exampleFields) (all []sample) {
	if !e.Example.IsZero() {
		all = append(all, newSample("", example{Value: e.Example}))
	}
	for _, x := range e.Examples {
		all = append(all, newSample(x.Name, x.Value))
	}
	return all
}

func newSample(name string, e example) sample {
	return sample{Name: name, Summary: e.Summary, Description: e.Description, JSON: jsonTokens(&e.Value, "  "), node: &e.Value}
}

// addCodes collects the refusals of all operations by code.
func (p *page) addCodes() {
	for _, g := range p.Groups {
		for _, o := range g.Operations {
			for _, a := range o.Answers {
				for _, r := range a.Refusals {
					r.When = ""
					i := slices.IndexFunc(p.Codes, func(c code) bool { return c.refusal == r && c.Status == a.Status })
					if i < 0 {
						p.Codes = append(p.Codes, code{refusal: r, Status: a.Status})
						i = len(p.Codes) - 1
					}
					if !slices.Contains(p.Codes[i].Of, o) {
						p.Codes[i].Of = append(p.Codes[i].Of, o)
					}
				}
			}
		}
	}
	slices.SortStableFunc(p.Codes, func(a, b code) int {
		return cmp.Or(cmp.Compare(a.Status, b.Status), cmp.Compare(a.Code, b.Code))
	})
}

func (p *page) addSchemas() error {
	for _, s := range p.Components.Schemas {
		b, err := p.body(s.Value, upToNames)
		if err != nil {
			return fmt.Errorf("schema %s: %w", s.Name, err)
		}
		b.Description = s.Value.Description
		p.Schemas = append(p.Schemas, namedSchema{body: b, Name: s.Name, Anchor: schemaAnchor(s.Name)})
	}
	return nil
}

// span is a piece of a paragraph.
type span struct {
	Code bool
	Text string
}

// paragraphs reads the little of Markdown that the contract's texts have: empty lines between paragraphs, and code in
// back quotes.
func paragraphs(text string) (all [][]span) {
	for paragraph := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		var spans []span
		for i, piece := range strings.Split(paragraph, "`") {
			if piece != "" {
				spans = append(spans, span{Code: i%2 == 1, Text: piece})
			}
		}
		if spans != nil {
			all = append(all, spans)
		}
	}
	return all
}

// slug makes an anchor of a name.
func slug(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, name)
}
