package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

const page = "Before\n<!-- one: make it -->\nold\n<!-- end -->\nbetween\n<!-- two: make it -->\n<!-- end -->\nafter\n"

func TestReplace(t *testing.T) {
	got, err := Replace(page, "one", "new\nlines\n\n")
	if want := strings.Replace(page, "old\n", "new\nlines\n", 1); err != nil || got != want {
		t.Errorf("%v\n%s", err, got)
	}
	got, err = Replace(page, "two", "new")
	if want := strings.Replace(page, "<!-- two: make it -->\n", "<!-- two: make it -->\nnew\n", 1); err != nil || got != want {
		t.Errorf("%v\n%s", err, got)
	}
	again, err := Replace(got, "two", "new")
	if err != nil || again != got {
		t.Errorf("a second time: %v\n%s", err, again)
	}
	for _, wrong := range []string{"", "three", page + page, strings.ReplaceAll(page, endMarker, "")} {
		if got, err := Replace(wrong, "one", "x"); err == nil {
			t.Errorf("%q became %q", wrong, got)
		}
	}
	if got, err := Find(page, "one"); err != nil || got != "old\n" {
		t.Errorf("found %q, %v", got, err)
	}
}

func TestTable(t *testing.T) {
	table := Table{Header: []string{"What", "#How much"}}
	table.Add("a", 1)
	table.Add("b", 2.5)
	const want = "| What | How much |\n|---|---:|\n| a | 1 |\n| b | 2.5 |\n"
	if got := table.Markdown(); got != want {
		t.Errorf("got\n%s", got)
	}
}

// What was measured takes the place of all that the same key had, and the rest stays.
func TestMerge(t *testing.T) {
	old := "| What | Key |\n|---|---|\n| z1 | z |\n| b1 | b |\n| b2 | b |\n| a1 | a |\n"
	measured := Table{Header: []string{"What", "Key"}, Rows: [][]string{{"b3", "b"}, {"c1", "c"}}}
	got := measured.Merge(old, 1, func(key string) int { return strings.Index("abcz", key) })
	if want := "| What | Key |\n|---|---|\n| a1 | a |\n| b3 | b |\n| c1 | c |\n| z1 | z |\n"; got != want {
		t.Errorf("got\n%s", got)
	}
	if got := measured.Merge("", 1, func(string) int { return 0 }); got != measured.Markdown() {
		t.Errorf("without a table before:\n%s", got)
	}
}

func TestSVG(t *testing.T) {
	chart := Chart{Title: "Times & <goals>", Goal: 20, Says: "20 s", Bars: []Bar{{"none", 0, "0"}, {"half", 10, "10 s"}, {"twice", 40, "40 s"}}}
	for _, log := range []bool{false, true} {
		chart.Log = log
		got := chart.SVG()
		if !bytes.Equal(got, chart.SVG()) {
			t.Error("two drawings differ")
		}
		decoder := xml.NewDecoder(bytes.NewReader(got))
		for {
			if _, err := decoder.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%v\n%s", err, got)
			}
		}
		for _, want := range []string{"Times &amp; &lt;goals&gt;", `width="0.0"`, `width="330.0"`, ">10 s<", ">20 s<", "prefers-color-scheme: dark"} {
			if !strings.Contains(string(got), want) {
				t.Errorf("without %s:\n%s", want, got)
			}
		}
	}
	chart.Log = false
	if got := string(chart.SVG()); !strings.Contains(got, `width="82.5"`) || !strings.Contains(got, `x1="415.0" y1="42" x2="415.0" y2="126"`) {
		t.Errorf("a quarter, and the goal at half:\n%s", got)
	}
}
