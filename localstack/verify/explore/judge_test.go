package explore

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/shared/game"
)

// played is a store of one text. The call "+x" appends x to it and answers with the new text, "+x+y" does so in two
// steps, "one" is refused unless the text has one letter, and "?" reads the letters as parts.
func played(path []action) (end serial) {
	for _, a := range path {
		end.last, end.struck = Ending{}, false
		switch {
		case a.call == "?":
			end.last.Answer = letters(end.records)
		case a.call == "one" && len(end.records) != 1:
			end.last.Err = game.ErrShowNotOpen
		default:
			added := strings.Split(a.call, "+")[1:]
			if end.struck = a.cut > 0 && a.cut <= len(added); end.struck {
				added = added[:a.cut-1]
			}
			for _, letter := range added {
				if len(added) == 1 && a.cut == 0 || !strings.Contains(end.records, letter) { // a repetition goes on
					end.records += letter
				}
			}
			end.last.Answer = end.records
		}
	}
	return end
}

func letters(text string) Parts {
	p := Parts{}
	for _, letter := range text {
		p[string(letter)] = true
	}
	return p
}

// TestJudge checks which histories the judge explains. A call is its name, the times at which it begins and returns,
// and its answer: "!" for a refusal, "" for an unknown outcome.
func TestJudge(t *testing.T) {
	t.Parallel()
	type call struct {
		name             string
		called, returned int64
		answer           any
	}
	for _, c := range []struct {
		records string
		right   bool
		calls   []call
	}{
		{"ab", true, []call{{"+a", 0, 3, "a"}, {"+b", 1, 2, "ab"}}},
		{"ba", true, []call{{"+a", 0, 3, "ba"}, {"+b", 1, 2, "b"}}},
		{"ba", false, []call{{"+a", 0, 1, "ba"}, {"+b", 2, 3, "b"}}},    // a returned before b began
		{"ab", false, []call{{"+a", 0, 3, "a"}, {"+b", 1, 2, "b"}}},     // b does not know of a
		{"a", false, []call{{"+a", 0, 3, "a"}, {"+b", 1, 2, "ab"}}},     // b is lost
		{"a", true, []call{{"+a", 0, 1, "a"}, {"+b", 0, never, ""}}},    // without the unknown call
		{"ab", true, []call{{"+a", 0, 1, "a"}, {"+b", 0, never, ""}}},   // with it
		{"abb", false, []call{{"+a", 0, 1, "a"}, {"+b", 0, never, ""}}}, // twice
		{"a", true, []call{{"+a", 0, 1, "a"}, {"one", 0, 1, "!"}}},
		{"a", false, []call{{"+a", 0, 1, "a"}, {"one", 2, 3, "!"}}},
		{"axb", true, []call{{"+a+b", 0, 3, "?"}, {"+x", 1, 2, "ax"}}}, // between the steps
		{"ax", false, []call{{"+a+b", 0, 3, "?"}, {"+x", 1, 2, "ax"}}},
		{"ax", true, []call{{"+a+b", 0, never, ""}, {"+x", 1, 2, "ax"}}},                       // the process died between them
		{"ab", true, []call{{"+a", 0, 9, "a"}, {"+b", 0, 9, "ab"}, {"?", 1, 2, letters("b")}}}, // a is not visible yet
		{"ab", false, []call{{"+a", 0, 1, "a"}, {"+b", 0, 9, "ab"}, {"?", 2, 3, letters("b")}}},
		{"ab", false, []call{{"+a", 0, 1, "a"}, {"?", 2, 3, letters("ab")}, {"+b", 4, 5, "ab"}}},
		{"ab", true, []call{{"+a+b", 0, 9, "?"}, {"?", 1, 2, letters("a")}}},
	} {
		var names []string
		var calls []Call
		var endings []Ending
		for _, call := range c.calls {
			names = append(names, call.name)
			calls = append(calls, Call{Name: call.name, Reads: call.name == "?", Steps: strings.Count(call.name, "+") == 2})
			e := Ending{Called: call.called, Returned: call.returned, Answer: call.answer}
			switch call.answer {
			case "!":
				e.Answer, e.Err = nil, game.ErrShowNotOpen
			case "":
				e.Answer, e.Err = nil, context.Canceled
			}
			endings = append(endings, e)
		}
		runs := 0
		judge := NewJudge("", func(path []action) serial { runs++; return played(path) })
		flaws := judge.Flaws(names, calls, endings, c.records)
		assert.Equal(t, c.right, flaws == nil, "%s after %+v: %s", c.records, c.calls, strings.Join(flaws, "\n"))
		before := runs
		judge.Flaws(names, calls, endings, c.records)
		assert.Equal(t, before, runs, "%+v: the judge plays known runs again", c.calls)
	}
}

// TestRecords checks that what differs between equal runs is no part of the records, and everything else is.
func TestRecords(t *testing.T) {
	t.Parallel()
	rows := func(id, verdict, gold string) map[string]map[string]any {
		return map[string]map[string]any{
			"1": {"PK": "USER#1", "g": gold, "id": id},
			"2": {"PK": "SHOW#1", "vd": verdict},
			"3": {"PK": "SHOW#1#R#" + verdict + "#P0"},
			"4": {"PK": "SHOW#1#R#old" + verdict + "#P0"},
			"5": {"PK": "AUDIT#2000-01", "wr": id, "d": id, "pd": id},
		}
	}
	const (
		one   = "89c8b1a6-7c2b-4d5e-8a10-2f62a3a20b1d"
		other = "0b52e3c4-09a1-4f6e-b3d2-5f1d2c3b4a59"
		fixed = "00000100-0000-4000-8000-000000000000"
	)
	first := recordsOf(rows(one, "v1", "50"))
	assert.Equal(t, first, recordsOf(rows(other, "v2", "50")))
	assert.NotEqual(t, first, recordsOf(rows(other, "v2", "51")))
	assert.NotEqual(t, recordsOf(rows(fixed, "v1", "50")), first)
	assert.Len(t, strings.Split(first, "\n"), 4, fmt.Sprint("old results count: ", first))
}

// TestMixed checks records that the steps of a call have left in an order that no run has.
func TestMixed(t *testing.T) {
	t.Parallel()
	ends := [][]string{{"a 1", "b 1", "c"}, {"a 2", "b 2", "c"}}
	for records, right := range map[string]bool{"a 1\nb 2\nc": true, "a 1\nb 3\nc": false, "a 1\nb 2": false} {
		assert.Equal(t, right, (&trial{ends: ends, records: records}).mixed(), records)
	}
}
