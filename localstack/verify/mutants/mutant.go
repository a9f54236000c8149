package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// Mutant is one change of the code, that at least one test should notice.
type Mutant struct {
	Name
	id    int // within one build
	site  *site
	after string // the code in the place of the site's
}

// Name names a mutant for as long as the code that it changes stays in its function, wherever that moves.
type Name struct {
	File     string // from the repository's root
	Function string // with its type: Store.Enter; or a variable of the package
	Operator string // what is changed
	Code     string // of which code, shortened; with a number where a function has it several times
}

func (n Name) String() string { return strings.Join(n.fields(), "  ") }

func (n Name) fields() []string { return []string{n.File, n.Function, n.Operator, n.Code} }

func compareNames(a, b Name) int { return slices.Compare(a.fields(), b.fields()) }

// site is a piece of code that can be another: an expression, or a statement.
type site struct {
	source    *source
	node      ast.Node
	function  string
	statement bool
	mutants   []*Mutant
}

// mostCode is how many characters of the code a name has.
const mostCode = 100

// catalogue is all mutants of the code, and the sites that have them.
type catalogue struct {
	sources []*source
	sites   map[*source][]*site // in the order of the file, outer ones before inner ones
	mutants []*Mutant           // by name
}

// newCatalogue finds all mutants in the code.
func newCatalogue(sources []*source) *catalogue {
	c := &catalogue{sources: sources, sites: map[*source][]*site{}}
	for _, s := range sources {
		f := finder{source: s, at: map[ast.Node]*site{}}
		f.find()
		sites := slices.SortedFunc(func(yield func(*site) bool) {
			for _, site := range f.at {
				if !yield(site) {
					return
				}
			}
		}, func(a, b *site) int {
			return cmp.Or(cmp.Compare(a.node.Pos(), b.node.Pos()), cmp.Compare(b.node.End(), a.node.End()))
		})
		c.sites[s] = sites
		seen := map[Name]int{}
		for _, site := range sites {
			for _, m := range site.mutants {
				if seen[m.Name]++; seen[m.Name] > 1 {
					m.Code += fmt.Sprintf(" #%d", seen[m.Name])
				}
				c.mutants = append(c.mutants, m)
			}
		}
	}
	id := 0
	for _, s := range sources {
		for _, site := range c.sites[s] {
			for _, m := range site.mutants {
				id++
				m.id = id
			}
		}
	}
	slices.SortFunc(c.mutants, func(a, b *Mutant) int { return compareNames(a.Name, b.Name) })
	return c
}

// line is where the mutant is in the file, from 1.
func (m *Mutant) line() int { return m.site.source.fset.Position(m.site.node.Pos()).Line }

// ofCondition reports whether the mutant is another condition of a write, which the table has to take as one.
func (m *Mutant) ofCondition() bool {
	text, is := m.site.node.(*ast.BasicLit)
	return is && text.Kind == token.STRING || strings.HasPrefix(m.after, "mutantAlways(") || strings.HasPrefix(m.after, "mutantNot(")
}

// diff shows the change.
func (m *Mutant) diff() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:%d: %s: %s\n", m.File, m.line(), m.Function, m.Operator)
	for _, line := range strings.Split(m.site.source.code(m.site.node), "\n") {
		fmt.Fprintf(&b, "  - %s\n", strings.TrimSpace(line))
	}
	after := m.after
	if after == "" {
		after = "(nothing)"
	}
	for _, line := range strings.Split(after, "\n") {
		fmt.Fprintf(&b, "  + %s\n", strings.TrimSpace(line))
	}
	return b.String()
}

// expression is the site's node where it is one.
func (s *site) expression() ast.Expr { return s.node.(ast.Expr) }
