package reference

import (
	"bytes"
	"fmt"
	"html/template"
	"slices"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// markdown reads the contract's texts. HTML in them is text like any other, and pictures, which the page may not load,
// are errors (prose).
var markdown = goldmark.New(
	goldmark.WithParser(parser.NewParser(
		parser.WithBlockParsers(without(parser.DefaultBlockParsers(), parser.NewHTMLBlockParser())...),
		parser.WithInlineParsers(without(parser.DefaultInlineParsers(), parser.NewRawHTMLParser())...),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
		parser.WithAutoHeadingID(),
	)),
	goldmark.WithExtensions(extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignNone))),
	goldmark.WithRendererOptions(html.WithXHTML()),
)

func without(parsers []util.PrioritizedValue, one any) []util.PrioritizedValue {
	return slices.DeleteFunc(parsers, func(v util.PrioritizedValue) bool { return fmt.Sprintf("%T", v.Value) == fmt.Sprintf("%T", one) })
}

// heading is a part of a text that the contents name.
type heading struct{ Text, Anchor string }

// prose renders a text in which the highest headings, those of "##", are of the given level. It returns them, too.
// Their anchors begin with the prefix; without one they have none.
func prose(source, prefix string, level int) (template.HTML, []heading, error) {
	var headings []heading
	input := []byte(source)
	root := markdown.Parser().Parse(text.NewReader(input))
	err := ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if _, ok := n.(*ast.Image); ok {
			return ast.WalkStop, fmt.Errorf("a text has a picture, which the page may not load")
		}
		h, ok := n.(*ast.Heading)
		if !ok || !entering {
			return ast.WalkContinue, nil
		}
		if id, ok := h.AttributeString("id"); ok && prefix != "" {
			anchor := fmt.Sprintf("%s%s", prefix, id)
			h.SetAttributeString("id", []byte(anchor))
			if h.Level == 2 {
				headings = append(headings, heading{Text: string(h.Lines().Value(input)), Anchor: anchor})
			}
		} else {
			h.RemoveAttributes()
		}
		h.Level = min(h.Level-2+level, 6)
		return ast.WalkContinue, nil
	})
	if err != nil {
		return "", nil, err
	}
	var b bytes.Buffer
	if err := markdown.Renderer().Render(&b, input, root); err != nil {
		return "", nil, err
	}
	return template.HTML(b.String()), headings, nil // goldmark has escaped what it was given
}
