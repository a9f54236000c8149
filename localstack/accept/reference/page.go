package reference

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"unicode"
)

//go:embed page.html
var pageHTML string

var pageTemplate = template.Must(template.New("page.html").Funcs(template.FuncMap{
	"prose": func(text string) (template.HTML, error) {
		html, _, err := prose(text, "", 6)
		return html, err
	},
	"slug":   slug,
	"table":  func(required string, rows []field) table { return table{required, rows} },
	"breaks": breaks,
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
	API      string
	About    template.HTML
	Headings []heading
	Groups   []group
	Codes    []code
	Headers  []header
	Schemas  []namedSchema
}

// group has the operations of a tag.
type group struct {
	tag
	Operations []*operation
}

// code is an error code, or a message of the gateway without one, with all operations that answer it.
type code struct {
	refusal
	Status string
	Of     []*operation
}

// table is what the template for tables of fields takes: rows, and what the column is called that says yes or no.
type table struct {
	Required string
	Rows     []field
}

// header is a header of answers, with its anchor.
type header struct {
	input
	Anchor string
}

// namedSchema is a schema of the contract's list.
type namedSchema struct {
	body
	Name, Anchor string
	UsedBy       []term
}

func newPage(text []byte, api string) (*page, error) {
	c, err := parse(text)
	if err != nil {
		return nil, err
	}
	p := &page{contract: c, API: strings.TrimSuffix(api, "/")}
	if p.API == "" && len(c.Servers) > 0 {
		p.API = strings.TrimSuffix(c.Servers[0].URL, "/")
	}
	if p.About, p.Headings, err = prose(c.Info.Description, "about-", 2); err != nil {
		return nil, err
	}
	for _, t := range c.Tags {
		p.Groups = append(p.Groups, group{tag: t})
	}
	for _, path := range c.Paths {
		for _, m := range path.Value.operations() {
			o, err := p.operation(path, m)
			if err != nil {
				return nil, fmt.Errorf("%s %s: %w", strings.ToUpper(m.Name), path.Name, err)
			}
			g := p.groupOf(o)
			g.Operations = append(g.Operations, o)
		}
	}
	p.Groups = slices.DeleteFunc(p.Groups, func(g group) bool { return len(g.Operations) == 0 })
	p.addCodes()
	return p, p.addSchemas()
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

// Public returns the operations that nobody needs a token for, and Protected the others.
func (p *page) Public() []*operation {
	return p.operations(func(o *operation) bool { return len(o.Schemes) == 0 })
}
func (p *page) Protected() []*operation {
	return p.operations(func(o *operation) bool { return len(o.Schemes) > 0 })
}

func (p *page) operations(include func(*operation) bool) (all []*operation) {
	for _, g := range p.Groups {
		for _, o := range g.Operations {
			if include(o) {
				all = append(all, o)
			}
		}
	}
	return all
}

// addCodes collects the refusals of all operations, by status and code.
func (p *page) addCodes() {
	for _, o := range p.operations(func(*operation) bool { return true }) {
		for _, a := range o.Answers {
			for _, r := range a.Refusals {
				same := func(c code) bool { return c.Code == r.Code && c.Message == r.Message && c.Status == a.Status }
				i := slices.IndexFunc(p.Codes, same)
				if i < 0 {
					p.Codes = append(p.Codes, code{refusal: r, Status: a.Status})
					i = len(p.Codes) - 1
				}
				p.Codes[i].Of = append(p.Codes[i].Of, o)
			}
		}
	}
	slices.SortStableFunc(p.Codes, func(a, b code) int {
		return strings.Compare(a.Status+" "+a.Code, b.Status+" "+b.Code)
	})
}

// addSchemas describes the contract's schemas, and says where each is used.
func (p *page) addSchemas() error {
	used := map[string][]term{}
	for _, o := range p.operations(func(*operation) bool { return true }) {
		for _, name := range o.names {
			used[name] = append(used[name], term{Text: o.ID, Link: "#" + slug(o.ID)})
		}
	}
	for _, s := range p.Components.Schemas {
		for _, name := range s.Value.names() {
			used[name] = append(used[name], term{Text: s.Name, Link: "#" + schemaAnchor(s.Name)})
		}
	}
	for _, s := range p.Components.Schemas {
		b, err := p.body(s.Value, upToNames)
		if err != nil {
			return fmt.Errorf("schema %s: %w", s.Name, err)
		}
		b.Description = s.Value.Description
		p.Schemas = append(p.Schemas, namedSchema{body: b, Name: s.Name, Anchor: schemaAnchor(s.Name), UsedBy: used[s.Name]})
	}
	return nil
}

func schemaAnchor(name string) string { return "schema-" + slug(name) }

// slug makes an anchor of a name.
func slug(name string) string {
	return strings.Map(func(r rune) rune {
		if r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_') {
			return r
		}
		return '-'
	}, name)
}

// breaks cuts a path, or the name of a field, where a line may break.
func breaks(name string) (parts []string) {
	for part := range strings.SplitAfterSeq(name, "/") {
		for piece := range strings.SplitAfterSeq(part, ".") {
			if piece != "" {
				parts = append(parts, piece)
			}
		}
	}
	return parts
}
