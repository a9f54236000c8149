package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ranch-game/ranch/localstack/kit/batch"
)

// command writes the list anew: for what is not in it, and for what has changed.
const command = "make mutants STATE=NOT, or CHANGED=<commit>, writes the list anew"

// TestListIsOfTheCode holds the list against the code: every mutant is in it, caught by a test that is there or
// excused, and no other is. It runs no mutant.
func TestListIsOfTheCode(t *testing.T) {
	t.Parallel()
	root, err := repository()
	if err != nil {
		t.Fatal(err)
	}
	sources, err := load(root)
	if err != nil {
		t.Fatal(err)
	}
	mutants := newCatalogue(sources).mutants
	known, err := readList(root)
	if err != nil {
		t.Fatal(err)
	}
	excuses, err := readExcuses(root)
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]bool{}
	for _, dir := range packagesMutated {
		files, err := testsIn(root, dir)
		if err != nil {
			t.Fatal(err)
		}
		for name := range files {
			tests[dir+"."+name] = true
		}
	}
	problems := known.problems(mutants, excuses, tests)
	for _, problem := range problems[:min(20, len(problems))] {
		t.Error(problem)
	}
	if figures, err := readFigures(root); err != nil || figures.counts != known.counts() {
		t.Errorf("%s is of another list: %+v, %v", figuresPath, figures, err)
	}
	if len(problems) > 0 {
		t.Errorf("%d differences between the code and %s: %s", len(problems), listPath, command)
	}
}

func TestListNamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	name := func(code string) Name {
		return Name{File: "shared/game/a.go", Function: "F", Operator: "not", Code: code}
	}
	mutants := []*Mutant{{Name: name("caught")}, {Name: name("excused")}, {Name: name("new")}, {Name: name("alive")}, {Name: name("forgotten")}, {Name: name("lost")}}
	known := list{
		name("caught"): caughtBy + "shared/game.TestF", name("excused"): excused, name("alive"): survives, name("gone"): excused,
		name("forgotten"): excused, name("lost"): caughtBy + "shared/game.TestGone",
	}
	excuses := map[Name]string{name("excused"): "So.", name("caught"): "So.", name("nowhere"): "So."}
	var got []string
	for _, problem := range known.problems(mutants, excuses, map[string]bool{"shared/game.TestF": true}) {
		_, what, _ := strings.Cut(problem, "  F  not  ")
		got = append(got, what)
	}
	want := []string{
		"alive: SURVIVES", "caught: is caught, and excused all the same", "forgotten: is excused by no sentence", "gone: is in the list alone",
		"lost: caught by shared/game.TestGone, which is not there", "new: is not in the list", "nowhere: is excused, and not there",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}

func TestListReadsWhatItHasWritten(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, file := range []string{listPath, figuresPath} {
		if err := os.MkdirAll(filepath.Join(root, filepath.Dir(file)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	l := list{
		{File: "a.go", Function: "F", Operator: "not", Code: "a || b"}:    caughtBy + "shared/game.TestF",
		{File: "a.go", Function: "F", Operator: "not", Code: "a || b #2"}: excused,
	}
	for _, whole := range []*batch.Run{{Command: "make mutants", Date: "2000-01-01"}, nil} {
		if err := l.write(root, whole); err != nil {
			t.Fatal(err)
		}
		want := figures{batch.Run{Command: "make mutants", Date: "2000-01-01"}, counts{Mutants: 2, Caught: 1, Excused: 1}}
		if got, err := readFigures(root); err != nil || got != want {
			t.Errorf("%+v, %v", got, err)
		}
	}
	got, err := readList(root)
	if err != nil || len(got) != len(l) {
		t.Fatal(got, err)
	}
	for name, verdict := range l {
		if got[name] != verdict {
			t.Errorf("%v: got %q", name, got[name])
		}
	}
}

func TestExcusesAreSentences(t *testing.T) {
	t.Parallel()
	const mutant = "\ta.go\tF\tnot\ta\n"
	for text, want := range map[string]string{
		"# Why.\n\nIt is the same.\n" + mutant:           "",
		mutant:                                           "stands below no sentence",
		"# Why.\n" + mutant:                              "stands below no sentence",
		"It is the same\n" + mutant:                      "is no sentence",
		"It is the same.\n" + mutant + mutant:            "is excused twice",
		"It is the same.\n\ta.go\tF\tnot\n":              "fewer than four fields",
		"It is the same.\n" + mutant + "And the same.\n": "",
	} {
		root := t.TempDir()
		if err := os.MkdirAll(filepath.Join(root, filepath.Dir(excusesPath)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, excusesPath), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		excuses, err := readExcuses(root)
		switch {
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%q: got %v, want %q", text, err, want)
		case want == "" && (err != nil || excuses[Name{File: "a.go", Function: "F", Operator: "not", Code: "a"}] != "It is the same."):
			t.Errorf("%q: got %v, %v", text, excuses, err)
		}
	}
}
