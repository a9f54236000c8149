package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// The variables that a program of schemata goes by.
const (
	chosenVariable = "RANCH_MUTANT"          // the number of the mutant that it is; without it, it is the original
	notesVariable  = "RANCH_MUTANTS_REACHED" // the file into which it writes the numbers of the sites that it comes by
)

//go:embed switch.txt
var switchText string

// writeSchemata writes the code with all its mutants in it, each behind a switch, into a folder, with the overlay by
// which the Go tool compiles it in the place of the original. The working tree stays as it is. It returns the overlay's
// path.
func writeSchemata(c *catalogue, root, folder string) (string, error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	replace := map[string]string{}
	for _, s := range c.sources {
		name := strings.ReplaceAll(s.path, "/", "_") + ".schemata" // nothing that looks for Go files finds it
		if err := writeIfOther(filepath.Join(folder, name), s.schemata(c.sites[s])); err != nil {
			return "", err
		}
		replace[filepath.Join(root, filepath.FromSlash(s.path))] = filepath.Join(folder, name)
	}
	for _, dir := range packagesMutated {
		text := strings.NewReplacer(
			"PACKAGE", filepath.Base(dir), "COUNT", fmt.Sprint(len(c.mutants)+1), "CHOSEN", chosenVariable, "NOTES", notesVariable,
			"ALWAYS", always,
		).Replace(switchText)
		name := filepath.Base(dir) + "_switch.schemata"
		if err := writeIfOther(filepath.Join(folder, name), text); err != nil {
			return "", err
		}
		replace[filepath.Join(root, filepath.FromSlash(dir), "mutants_switch.go")] = filepath.Join(folder, name)
	}
	overlay, err := json.MarshalIndent(map[string]any{"Replace": replace}, "", "\t")
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, "overlay.json")
	return path, os.WriteFile(path, overlay, 0o644)
}

// writeIfOther leaves a file alone that has the text already, so that nothing is compiled for nothing.
func writeIfOther(path, text string) error {
	if old, err := os.ReadFile(path); err == nil && string(old) == text {
		return nil
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

// schemata is the file's code with the mutants of all sites.
func (s *source) schemata(sites []*site) string {
	code, rest := s.render(0, len(s.text), sites)
	if len(rest) > 0 {
		panic("mutants: a site is in no other, and not in the file")
	}
	return code
}

// render is the code from..to with the sites in it, which are the first of the given ones. It returns the others.
func (s *source) render(from, to int, sites []*site) (string, []*site) {
	var b strings.Builder
	at := from
	for len(sites) > 0 {
		next := sites[0]
		begin, end := s.offset(next.node.Pos()), s.offset(next.node.End())
		if begin >= to {
			break
		}
		b.Write(s.text[at:begin])
		var original string
		original, sites = s.render(begin, end, sites[1:])
		b.WriteString(next.switched(original))
		at = end
	}
	b.Write(s.text[at:to])
	return b.String(), sites
}

// switched is the site's code with its mutants.
func (s *site) switched(original string) string {
	var b strings.Builder
	first := s.mutants[0].id
	if s.statement {
		fmt.Fprintf(&b, "switch mutantAt(%d) { ", first)
		for _, m := range s.mutants {
			fmt.Fprintf(&b, "case %d: %s; ", m.id, m.after)
		}
		fmt.Fprintf(&b, "default: %s }", original)
		return b.String()
	}
	of := s.source.typeOf(s.expression())
	fmt.Fprintf(&b, "(func() %s { switch mutantAt(%d) { ", of, first)
	for _, m := range s.mutants {
		fmt.Fprintf(&b, "case %d: return %s; ", m.id, m.after)
	}
	fmt.Fprintf(&b, "}; return %s }())", original)
	return b.String()
}
