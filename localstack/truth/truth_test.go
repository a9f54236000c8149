package main

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"
)

func TestThePageIsUpToDate(t *testing.T) {
	page, err := os.ReadFile("../../docs/truth.md")
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
	page := "# Page\n\n<!-- some: make some -->\n<!-- end -->\n\n<!-- other: make other -->\nold\n<!-- end -->\n"
	figures := fstest.MapFS{"some.json": &fstest.MapFile{Data: []byte(`{
		"Command": "make a|b", "Calls": 1234567, "PerSecond": 12.345, "Unfinished": [], "Cases": ["a", "b"], "Found": null,
		"CallsByKind": {"enter": {"201": 1500, "409": 0}, "claim": {"200": 2}}, "Faults": {"lost": 3, "late-applied": 1000},
		"Stories": [{"What": "two\nlines", "HowOften": 2}]
	}`)}}
	got, err := fill(page, figures)
	want := `# Page

<!-- some: make some -->
| What | How many |
|---|---:|
| Command | make a\|b |
| Calls | 1,234,567 |
| Per second | 12.3 |
| Unfinished | none |
| Cases | a, b |
| Found | null |

| Calls by kind | How many |
|---|---|
| enter | 1,500 × 201 |
| claim | 2 × 200 |

| Faults | How many |
|---|---:|
| lost | 3 |
| late-applied | 1,000 |

| What | How often |
|---|---|
| two<br>lines | 2 |
<!-- end -->

<!-- other: make other -->
Not measured yet.
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
