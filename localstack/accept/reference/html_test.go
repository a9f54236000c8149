package reference

import (
	"encoding/xml"
	"errors"
	"io"
	"iter"
	"strings"
	"testing"
	"unicode"
)

// element is a node of a page: an element, or a text without a name.
type element struct {
	name       string
	attributes map[string]string
	children   []*element
	data       string
	words      string // that says has found inside
}

// readHTML reads a page, which is XML as well: what is not closed, not quoted or not nested is an error.
func readHTML(t *testing.T, page string) *element {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(page))
	root := &element{}
	open := []*element{root}
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return root
		}
		if err != nil {
			t.Fatalf("the page is not well-formed: %v", err)
		}
		top := open[len(open)-1]
		switch x := token.(type) {
		case xml.StartElement:
			e := &element{name: x.Name.Local, attributes: map[string]string{}}
			for _, a := range x.Attr {
				e.attributes[a.Name.Local] = a.Value
			}
			top.children = append(top.children, e)
			open = append(open, e)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			top.children = append(top.children, &element{data: string(x)})
		}
	}
}

// all has the element and those in it, in their order.
func (e *element) all() iter.Seq[*element] {
	return func(yield func(*element) bool) { e.walk(yield) }
}

func (e *element) walk(yield func(*element) bool) bool {
	if !yield(e) {
		return false
	}
	for _, c := range e.children {
		if !c.walk(yield) {
			return false
		}
	}
	return true
}

// named returns the elements of a name inside.
func (e *element) named(name string) (all []*element) {
	for x := range e.all() {
		if x.name == name {
			all = append(all, x)
		}
	}
	return all
}

// labelled returns the element that another with an id is the label of.
func (e *element) labelled(t *testing.T, id string) *element {
	t.Helper()
	for x := range e.all() {
		if x.attributes["aria-labelledby"] == id {
			return x
		}
	}
	t.Fatalf("the page has nothing on %s", id)
	return nil
}

// text returns all text inside.
func (e *element) text() string {
	var b strings.Builder
	for x := range e.all() {
		b.WriteString(x.data)
	}
	return b.String()
}

// says reports whether the words of a text are inside, in their order. Marks between them do not count, so that it does
// not matter what Markdown makes of them.
func (e *element) says(text string) bool {
	if e.words == "" {
		var b strings.Builder
		for x := range e.all() {
			b.WriteString(x.data + " ")
		}
		e.words = words(b.String())
	}
	return strings.Contains(e.words, words(text))
}

func words(text string) string {
	return " " + strings.Join(strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), " ") + " "
}
