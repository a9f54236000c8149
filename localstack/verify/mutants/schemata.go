package main

import (
	_ "embed"
	"fmt"
	"go/ast"
	"path/filepath"
	"strings"

	"github.com/ranch-game/ranch/localstack/kit/build"
	"github.com/ranch-game/ranch/localstack/verify/mutants/wire"
)

//go:embed switch.txt
var switchText string

// writeSchemata writes the code with all its mutants into folder. A switch on the mutant's number selects one at run
// time. It returns the path of an overlay file, with which the Go tool compiles this code in place of the original.
func writeSchemata(sources []*source, root, folder string) (overlay string, err error) {
	texts := map[string]string{}
	for _, s := range sources {
		path := filepath.Join(root, filepath.FromSlash(s.path))
		texts[path], _ = s.render(0, len(s.text), s.mutants)
		texts[filepath.Join(filepath.Dir(path), "mutants_switch.go")] =
			strings.NewReplacer("PACKAGE", s.pkg.Name(), "CHOSEN", wire.Chosen, "NOTES", wire.Notes).Replace(switchText)
	}
	return build.Overlay(folder, texts)
}

// render returns the code between two offsets, with all mutants in this range. mutants has the mutants from the first
// in the range on. render also returns those after the range.
func (s *source) render(from, to int, mutants []*mutant) (string, []*mutant) {
	var b strings.Builder
	for len(mutants) > 0 {
		node := mutants[0].node
		begin, end := s.offset(node.Pos()), s.offset(node.End())
		if begin >= to {
			break
		}
		b.Write(s.text[from:begin])
		of := 1 // the number of the node's mutants
		for of < len(mutants) && mutants[of].node == node {
			of++
		}
		original, after := s.render(begin, end, mutants[of:])
		b.WriteString(s.switched(mutants[:of], original))
		from, mutants = end, after
	}
	b.Write(s.text[from:to])
	return b.String(), mutants
}

// switched returns the code of a node and its mutants: a switch statement, inside a function call for an expression.
func (s *source) switched(mutants []*mutant, original string) string {
	expression, is := mutants[0].node.(ast.Expr)
	change := "%s"
	if is {
		change = "return %s"
	}
	code := fmt.Sprintf("switch mutantAt(%d) { ", mutants[0].site)
	for _, m := range mutants {
		code += fmt.Sprintf("case %d: "+change+"; ", m.number, m.after)
	}
	if is {
		// Not every file that uses a duration imports package time.
		returned := strings.ReplaceAll(s.typeOf(expression), "time.Duration", "mutantDuration")
		return fmt.Sprintf("(func() %s { %s}; return %s }())", returned, code, original)
	}
	return code + "default: " + original + " }"
}
