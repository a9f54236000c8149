package main

import (
	"maps"
	"os"
	"strings"
	"testing"
	"testing/fstest"
)

func TestThePageIsUpToDate(t *testing.T) {
	page, err := os.ReadFile("../../../docs/truth.md")
	if err != nil {
		t.Fatal(err)
	}
	want, err := fill(string(page), os.DirFS("figures"))
	if err != nil {
		t.Fatal(err)
	}
	if string(page) != want {
		t.Error("docs/truth.md does not say what the figures do: make truth writes it")
	}
}

func TestFill(t *testing.T) {
	page := "# Page\n\n<!-- some: make some -->\n<!-- end -->\n\n<!-- other: make other -->\nold\n<!-- end -->\n\n<!-- few: make few X=1 -->\n<!-- end -->\n"
	figures := fstest.MapFS{"some.json": &fstest.MapFile{Data: []byte(`{
		"Command": "make some X=1", "Date": "2026-11-22", "Minutes": 512.5, "Interrupted": true, "Mixed": "a|b", "Calls": 1234567, "PerSecond": 12.345, "Unfinished": [], "Cases": ["a", "b"], "Found": null,
		"CallsByKind": {"enter": {"201": 1500, "409": 0}, "claim": {"200": 2}}, "Faults": {"lost": 3, "late-applied": 1000, "shared/game.FuzzID": 4},
		"Stories": [{"What": "two\nlines", "HowOften": 2}]
	}`)}}
	figures["few.json"] = &fstest.MapFile{Data: []byte(`{"Tests": [{"LinesOfTests": "all", "Before": 1, "After": 2000}]}`)}
	got, err := fill(page, figures)
	want := `# Page

<!-- some: make some -->
By ` + "`make some X=1`" + `, on 2026-11-22, in 512.5 minutes; it was interrupted before it had tried all:

| What | How many |
|---|---:|
| Mixed | a\|b |
| Calls | 1,234,567 |
| Per second | 12.3 |
| Unfinished | none |
| Cases | a, b |
| Found | none |

| Calls by kind | How many |
|---|---|
| enter | 1,500 × 201 |
| claim | 2 × 200 |

| Faults | How many |
|---|---:|
| lost | 3 |
| late-applied | 1,000 |
| shared/game.FuzzID | 4 |

| What | How often |
|---|---:|
| two<br>lines | 2 |
<!-- end -->

<!-- other: make other -->
Not measured yet: ` + "`make other`" + `
<!-- end -->

<!-- few: make few X=1 -->
By ` + "`make few X=1`" + `:

| Lines of tests | Before | After |
|---|---:|---:|
| all | 1 | 2,000 |
<!-- end -->
`
	if err != nil || got != want {
		t.Errorf("%v, got\n%s\nwant\n%s", err, got, want)
	}
	figures["nowhere.json"] = figures["some.json"]
	if _, err := fill(page, figures); err == nil || !strings.Contains(err.Error(), "no place for nowhere.json") {
		t.Errorf("figures without a place: %v", err)
	}
}

// Each line of a test counts once, where it belongs; nothing else counts.
func TestCountLines(t *testing.T) {
	file := func(lines int) *fstest.MapFile { return &fstest.MapFile{Data: []byte(strings.Repeat("x\n", lines))} }
	got, err := countLines(fstest.MapFS{
		"shared/game/a_test.go": file(1), "shared/game/deeper/b_test.go": file(2), "shared/game/fuzz_test.go": file(4), "shared/game/a.go": file(8), "docs/c_test.go": file(16),
		"localstack/accept/blackbox/d_test.go": file(32), "x/node_modules/e_test.go": file(64), ".build/f_test.go": file(128),
	})
	if err != nil {
		t.Fatal(err)
	}
	after, before := map[string]int{}, 0
	for _, l := range got {
		after[l.LinesOfTests] = l.After
		before += l.Before
	}
	want := map[string]int{"shared/game": 3, "shared/store": 0, "functions": 0, "localstack/accept/blackbox": 32, fuzzTargets: 4, allOthers: 16, "all": 55}
	if !maps.Equal(after, want) || before != 2*44_515 {
		t.Errorf("%v, %d before", after, before)
	}
}
