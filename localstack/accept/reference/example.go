package reference

import (
	"encoding/json"
	"strings"

	"go.yaml.in/yaml/v3"
)

// token is a piece of a JSON text, with the class that the stylesheet colours it by.
type token struct{ Class, Text string }

func texts(tokens []token) (all []string) {
	for _, t := range tokens {
		all = append(all, t.Text)
	}
	return all
}

// jsonTokens writes a value of the contract as JSON, its members in the order in which they are there. Without an
// indent it is in one line.
func jsonTokens(node *yaml.Node, indent string) []token {
	w := &jsonWriter{indent: indent}
	w.value(node, "\n")
	return w.tokens
}

// compact writes a value as JSON in one line.
func compact(node *yaml.Node) string { return strings.Join(texts(jsonTokens(node, "")), "") }

type jsonWriter struct {
	indent string
	tokens []token
}

func (w *jsonWriter) add(class, text string) { w.tokens = append(w.tokens, token{class, text}) }

func (w *jsonWriter) value(node *yaml.Node, newLine string) {
	switch node.Kind {
	case yaml.MappingNode:
		w.list("{", "}", newLine, len(node.Content)/2, func(i int, newLine string) {
			w.add("key", quoted(node.Content[2*i].Value))
			w.add("", strings.TrimSuffix(": ", strings.Repeat(" ", 1-min(1, len(w.indent)))))
			w.value(node.Content[2*i+1], newLine)
		})
	case yaml.SequenceNode:
		w.list("[", "]", newLine, len(node.Content), func(i int, newLine string) { w.value(node.Content[i], newLine) })
	case yaml.AliasNode:
		w.value(node.Alias, newLine)
	default:
		switch node.ShortTag() {
		case "!!str", "!!timestamp":
			w.add("string", quoted(node.Value))
		case "!!null":
			w.add("word", "null")
		case "!!bool":
			w.add("word", node.Value)
		default:
			w.add("number", node.Value)
		}
	}
}

func (w *jsonWriter) list(begin, end, newLine string, n int, item func(i int, newLine string)) {
	if n == 0 {
		w.add("", begin+end)
		return
	}
	inner := newLine + w.indent
	for i := range n {
		separator := begin
		if i > 0 {
			separator = ","
		}
		if w.indent != "" {
			separator += inner
		}
		w.add("", separator)
		item(i, inner)
	}
	if w.indent != "" {
		end = newLine + end
	}
	w.add("", end)
}

func quoted(text string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // a string always has an encoding
	return strings.TrimSuffix(b.String(), "\n")
}

// sample is an example.
type sample struct {
	Name, Summary, Description string
	JSON                       []token

	node *yaml.Node
}

// Title says which example it is.
func (s sample) Title() string {
	if s.Summary != "" {
		return s.Summary
	}
	return strings.ReplaceAll(s.Name, "-", " ")
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

// curl returns a command that makes the call, ready to paste.
func (p *page) curl(o *operation) string {
	var b strings.Builder
	b.WriteString("curl")
	if o.Method != "GET" {
		b.WriteString(" -X " + o.Method)
	}
	path := o.Path
	for _, i := range o.Inputs {
		if i.In == "path" {
			path = strings.ReplaceAll(path, "{"+i.Name+"}", "$"+variable(i.Name))
		}
	}
	b.WriteString(` "` + p.API + path + `"`)
	if len(o.Schemes) > 0 {
		b.WriteString(" \\\n  -H \"authorization: Bearer $TOKEN\"")
	}
	if o.Body != nil {
		b.WriteString(" \\\n  -H 'content-type: " + o.Body.MediaType + "'")
		if len(o.Body.Samples) > 0 {
			text := compact(o.Body.Samples[0].node)
			b.WriteString(" \\\n  -d '" + strings.ReplaceAll(text, "'", `'\''`) + "'")
		}
	}
	return b.String()
}

// variable is the shell's variable for a part of the path.
func variable(name string) string { return strings.ToUpper(slug(name)) }
