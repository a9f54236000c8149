package main

import (
	"bytes"
	"io/fs"
	"path"
	"strings"
)

// linesBefore are those of the tests before there were any of these four, at commit
// ae60ccb6b7cec5aeb28c99c5220438971015d55f, which a clone need not have. In one that has it:
//
//	git grep -c '' ae60ccb6b7cec5aeb28c99c5220438971015d55f -- 'shared/game/*_test.go' |
//		awk -F: '{n += $NF} END {print n}'
//
// There was no fuzz target.
var linesBefore = map[string]int{
	"shared/game": 1_516, "shared/store": 8_618, "functions": 3_512, "localstack/accept/blackbox": 5_158, fuzzTargets: 0, allOthers: 25_711,
}

// What tests are counted by: their folder, or one of these.
const (
	fuzzTargets = "fuzz targets, everywhere"
	allOthers   = "all others, those of the four themselves among them"
)

// lines is how many lines of Go the tests have.
type lines struct {
	LinesOfTests  string // where
	Before, After int
}

// countLines counts the lines of the tests in a working tree.
func countLines(root fs.FS) ([]lines, error) {
	after := map[string]int{}
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		base := path.Base(name)
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != "." && (base == "node_modules" || strings.HasPrefix(base, ".")):
			return fs.SkipDir
		case entry.IsDir() || !strings.HasSuffix(base, "_test.go"):
			return nil
		}
		text, err := fs.ReadFile(root, name)
		after[kindOf(name)] += bytes.Count(text, []byte("\n"))
		return err
	})
	all := lines{LinesOfTests: "all"}
	var counted []lines
	for _, kind := range []string{"shared/game", "shared/store", "functions", "localstack/accept/blackbox", fuzzTargets, allOthers} {
		counted = append(counted, lines{kind, linesBefore[kind], after[kind]})
		all.Before, all.After = all.Before+linesBefore[kind], all.After+after[kind]
	}
	return append(counted, all), err
}

func kindOf(file string) string {
	if path.Base(file) == "fuzz_test.go" {
		return fuzzTargets
	}
	for _, folder := range []string{"shared/game", "shared/store", "functions", "localstack/accept/blackbox"} {
		if strings.HasPrefix(file, folder+"/") {
			return folder
		}
	}
	return allOthers
}
