package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// mutant is one change, of the code or of what it sends, that at least one test should notice.
type mutant struct {
	// name says in which function what is changed, as in
	//
	//	game.EntryRequest.Check: without !r.Show.Free(): !r.Show.Free() && r.Caller.GoldBalance < r.Show.EntryFee
	//	Store.Claim: Update USER#*/PROFILE: always ls = :seen
	name string
	path string // of the function's file, from the repository's root

	// Of a change of the code; a change of a request has none of them.
	source *source
	site   *site
	number int
	after  string // the code in the place of the site's
}

// chosen is what the environment tells a process that is to be the mutant.
func (m *mutant) chosen() string {
	if m.source == nil {
		return m.name
	}
	return strconv.Itoa(m.number)
}

// place is what a test notes that comes by the mutant: the first mutant of its site.
func (m *mutant) place() string {
	if m.source == nil {
		return m.name
	}
	return strconv.Itoa(m.site.mutants[0].number)
}

func (m *mutant) function() string {
	function, _, _ := strings.Cut(m.name, ": ")
	return function
}

// line is where the change is.
func (m *mutant) line() string {
	if m.source == nil {
		return m.path
	}
	return fmt.Sprintf("%s:%d", m.path, m.source.fset.Position(m.site.node.Pos()).Line)
}

func codeMutants(sources []*source) (mutants []*mutant) {
	for _, s := range sources {
		for _, site := range s.sites {
			mutants = append(mutants, site.mutants...)
		}
	}
	return mutants
}

// wireMutants are those of the requests that the tests have sent. They belong to the file of the function that is named
// first.
func wireMutants(tests []*test, sources []*source) (mutants []*mutant) {
	files := map[string]string{}
	for _, s := range sources {
		for _, function := range s.functions() {
			files[function] = s.path
		}
	}
	sent := map[string]bool{}
	for _, t := range tests {
		for place := range t.Reaches {
			if _, err := strconv.Atoi(place); err != nil {
				sent[place] = true
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(sent)) {
		m := &mutant{name: name}
		m.path = files[m.function()]
		mutants = append(mutants, m)
	}
	return mutants
}
