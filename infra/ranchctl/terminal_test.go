package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
)

// hostileName clears the screen, sets the window's title, begins rows of its own, turns text around, hides, and holds
// what would stop tabwriter from aligning.
const hostileName = "\x1b[2J\x1b]0;root\x07Ann\r\nBob\tBob\v\f\x00\x7f\u0085\u009b2J \u202eenoN\u202c\u2066\u2069\u200f\u061c" +
	"\u2028\u2029a\u200bb\u200dc\ufeff\u2800\u3164\ufe0f \u00a0\\ ☃😀"

// What a table and a JSON string show of it.
const (
	hostileNameInTables = `\x1b[2J\x1b]0;root\aAnn\r\nBob\tBob\v\f\x00\x7f\u0085\u009b2J \u202eenoN\u202c\u2066\u2069\u200f\u061c` +
		`\u2028\u2029a\u200bb\u200dc\ufeff\u2800\u3164\ufe0f \u00a0\ ☃😀`
	hostileNameInJSON = `\u001b[2J\u001b]0;root\u0007Ann\r\nBob\tBob\u000b\f\u0000\u007f\u0085\u009b2J \u202eenoN\u202c\u2066\u2069\u200f\u061c` +
		`\u2028\u2029a\u200bb\u200dc\ufeff\u2800\u3164\ufe0f \u00a0\\ ☃😀`
)

// checkPrintable checks that a terminal would only print what was written, in so many lines.
func checkPrintable(t rapid.TB, text string, lines int) {
	t.Helper()
	for _, r := range text {
		if r != '\n' && (!unicode.IsPrint(r) || strings.ContainsRune("\u2800\u3164\ufe0f", r)) {
			t.Errorf("%U is in %q", r, text)
		}
	}
	if got := strings.Count(text, "\n"); !utf8.ValidString(text) || got != lines || !strings.HasSuffix(text, "\n") {
		t.Errorf("%d lines, want %d: %q", got, lines, text)
	}
}

// Whoever can choose a name cannot reach an operator's terminal with it. Players choose those of ranches; the others
// are checked when they are given, and may be in the table all the same.
func TestHostileNames(t *testing.T) {
	x := newTool(t)
	x.AddFair(t)
	p, show := x.Ann, x.Show
	rename := func(pk, sk string, attributes ...string) {
		for _, attribute := range attributes {
			x.At(pk, sk).Edit(t, "SET "+attribute+" = :n", map[string]any{":n": hostileName})
		}
	}
	rename("USER#"+string(p.ID), "PROFILE", "un", "r.n")
	rename("USER#"+string(p.ID), "ANIMAL#"+string(p.Animals[0].ID), "na")
	rename("SHOW#"+string(show.ID), "SHOW", "na")
	rename("BOARD#all", show.EntryClosesAt.String()+"#"+string(show.ID), "na") // not "ti": it has no gates then
	rename("SEASON", "SEASON#"+string(x.Season.ID), "na")
	x.MustEnter(t, p, show, 0)
	judged := x.AddShow(t, storetest.Fee(0))
	x.MustEnter(t, p, judged, 0)
	x.MustJudge(t, p, judged)
	for _, test := range []struct {
		records int
		args    []string
	}{
		{1, []string{"user", "get", string(p.ID)}}, // its ranch and its username
		{1, []string{"user", "list"}},
		{3, []string{"animal", "list", string(p.ID)}},
		{2, []string{"ledger", "list", string(p.ID)}}, // the show in a description
		{2, []string{"show", "list"}},
		{1, []string{"season", "list"}},
		{1, []string{"season", "standings", string(x.Season.ID)}},
	} {
		stdout, stderr, exit := x.run(test.args...)
		if exit != 0 || stderr != "" || !strings.Contains(stdout, hostileNameInTables) {
			t.Errorf("%v: exit %d: %q, %q", test.args, exit, stdout, stderr)
		}
		checkPrintable(t, stdout, 1+test.records)
		stdout, _, _ = x.run(append(test.args, "-o", "json")...)
		if !strings.Contains(stdout, hostileNameInJSON) {
			t.Errorf("%v: %s", test.args, stdout)
		}
		checkPrintable(t, stdout, strings.Count(stdout, "\n"))
	}
	var user object // once decoded, a text is what it was
	if x.json(&user, "user", "get", string(p.ID)); user["ranch"].(object)["name"] != hostileName || user["username"] != hostileName {
		t.Errorf("%v", user)
	}
	stderr := x.json(&object{}, "season", "create", "--name", "Other", "--start", "-1h", "--end", "+1h", "--activate")
	if !strings.HasPrefix(stderr, "ranchctl: warning: also active: "+hostileNameInTables) {
		t.Errorf("warned %q", stderr)
	}
	checkPrintable(t, stderr, 1)
}

// An error may quote what was typed, or pasted.
func TestErrorsAreShownHarmlessly(t *testing.T) {
	x := newTool(t)
	const pasted = "\x1b[2J\u202eenon\u009b"
	for _, args := range [][]string{{pasted}, {"user", "get", pasted}, {"season", "list", "--" + pasted}, {"season", "list", "-o", pasted}, {"show", "list", "--endpoint", pasted}} {
		stdout, stderr, exit := x.run(args...)
		if exit != 2 || stdout != "" || !strings.Contains(stderr, `\x1b[2J\u202eenon\u009b`) {
			t.Errorf("%q: exit %d: %q, %q", args, exit, stdout, stderr)
		}
		checkPrintable(t, stderr, 2)
	}
}

// Whatever the texts are: a record is a row of what prints, in line with the others, and its JSON decodes to the same.
func TestAnyTextIsShownHarmlessly(t *testing.T) {
	t.Parallel()
	odd := rapid.SampledFrom([]rune("\x00\a\b\t\n\v\f\r\x1b\x7f\u0080\u0085\u009b\u009d\u00a0\u00ad\u061c\u200b\u200c\u200d\u200e\u200f\u2028\u2029\u202a\u202e\u2066\u2069\u2800\u3164\ufe0f\ufeff\ufffd\U000e0041\U0010ffff\\\"é☃😀"))
	valid := rapid.OneOf(rapid.String(), rapid.StringOf(odd))
	anyBytes := rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })
	rapid.Check(t, func(t *rapid.T) {
		type record struct{ Text, After string }
		write := func(format string, records []record) string {
			var out strings.Builder
			a := &app{format: format, out: &out}
			row := func(r record) []any { return []any{r.Text, r.After} }
			if err := (table[record]{"TEXT AFTER", row}).list(a)(records, nil); err != nil {
				t.Fatal(err)
			}
			return out.String()
		}
		records := func(texts *rapid.Generator[string]) []record {
			return rapid.SliceOf(rapid.Map(texts, func(s string) record { return record{s, "after"} })).Draw(t, "records")
		}

		bytes := records(rapid.OneOf(valid, anyBytes))
		table := write("table", bytes)
		checkPrintable(t, table, 1+len(bytes))
		column := strings.Index(table, "AFTER")
		for i, line := range strings.Split(strings.TrimSuffix(table, "\n"), "\n")[1:] {
			if cells := []rune(line); len(cells) < column || string(cells[column:]) != "after" {
				t.Errorf("row %d is not aligned:\n%s", i, table)
			}
		}

		texts := records(valid)
		encoded := write("json", texts)
		checkPrintable(t, encoded, strings.Count(encoded, "\n"))
		var decoded []record
		if err := json.Unmarshal([]byte(encoded), &decoded); err != nil || fmt.Sprintf("%q", decoded) != fmt.Sprintf("%q", texts) {
			t.Errorf("%q decodes to %q, %v", encoded, decoded, err)
		}
	})
}
