package explore

import (
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ranch-game/ranch/localstack/kit/batch"
)

// settings are the variables of make explore.
type settings struct {
	pairs, triples, late []Case // late ones are played at random
	faults               bool
	random               time.Duration
	seed                 uint64
	history              string
	figures              string // the file that they go into; "" for none
	workers              int
	most                 int    // histories of a case
	command              string // that does the same again
}

func parseSettings(getenv func(string) string) (settings, error) {
	from := batch.NewSettings(getenv)
	s := settings{
		faults: from.Text("FAULTS", "") != "0", history: from.Text("HISTORY", ""), figures: from.Figures(),
		workers: from.Number("WORKERS", runtime.NumCPU(), 1), most: from.Number("MOST", mostHistories, 1),
		random: time.Duration(from.Number("SECONDS", 60, 0)) * time.Second,
	}
	s.seed = uint64(from.Number("SEED", int(time.Now().UnixNano()), 0))
	if getenv("SEED") == "" && s.history == "" {
		from.Went("SEED", strconv.FormatUint(s.seed, 10))
	}
	s.pairs = chosen(from, "PAIRS", pairs())
	some := slices.Concat(parseCases(triples), parseCases(lateTriples))
	for _, c := range chosen(from, "TRIPLES", some) {
		switch {
		case c.Strike.Fault == "":
			s.triples = append(s.triples, c)
		case s.faults:
			s.late = append(s.late, c)
		}
	}
	if s.history != "" {
		if c, _, err := ParseHistory(s.history); err != nil {
			from.Wrong("HISTORY", err)
		} else if err := c.known(); err != nil {
			from.Wrong("HISTORY", err)
		}
	}
	s.command = from.Command("explore")
	return s, from.Err()
}

// chosen returns those of the cases that a variable names: by their calls, or the operations of them, in any order and
// divided by commas. All are where nothing is named, none where it is "none". What names no case is wrong.
func chosen(from *batch.Settings, variable string, all []Case) (some []Case) {
	text := from.Text(variable, "")
	switch text {
	case "":
		return all
	case "none":
		return nil
	}
	for _, name := range strings.Split(text, ",") {
		found := slices.DeleteFunc(slices.Clone(all), func(c Case) bool { return !c.called(name) })
		if len(found) == 0 {
			from.Wrong(variable, fmt.Errorf("%s is none of the cases (localstack/verify/explore/plan_test.go)", name))
		}
		some = append(some, found...)
	}
	return some
}

// called reports whether the calls of the case, or their operations, are those of a name.
func (c Case) called(name string) bool {
	var kinds []string
	for _, call := range c.Calls {
		kind, _, _ := strings.Cut(call, ".")
		kinds = append(kinds, kind)
	}
	wanted := slices.Sorted(slices.Values(strings.Split(name, "+")))
	return slices.Equal(wanted, slices.Sorted(slices.Values(c.Calls))) || slices.Equal(wanted, slices.Sorted(slices.Values(kinds)))
}

// A search that is told what there is not says so, and does not explore nothing instead.
func TestSettings(t *testing.T) {
	t.Parallel()
	from := func(variables ...string) (settings, error) {
		return parseSettings(func(name string) string {
			for _, v := range variables {
				if text, is := strings.CutPrefix(v, name+"="); is {
					return text
				}
			}
			return ""
		})
	}
	s, err := from("SEED=7")
	if err != nil || len(s.pairs) != len(pairs()) || len(s.triples) != len(triples) || len(s.late) != len(lateTriples) || s.seed != 7 || s.command != "make explore SEED=7" {
		t.Errorf("%+v, %v", s, err)
	}
	if s, err := from(); err != nil || !strings.HasPrefix(s.command, "make explore SEED=") {
		t.Errorf("%s does not do the same again: %v", s.command, err)
	}
	for name, want := range map[string]int{"enter+judge": 2, "judge+enter": 2, "judge+enter.bob": 1, "enter+judge,login+logout": 3, "none": 0} {
		s, err := from("PAIRS="+name, "TRIPLES=none")
		if err != nil || len(s.pairs) != want || len(s.triples)+len(s.late) != 0 {
			t.Errorf("%s: %v, %v", name, s.pairs, err)
		}
	}
	if s, err := from("TRIPLES=unban+ban+enter", "FAULTS=0"); err != nil || len(s.triples) != 1 || len(s.late) != 0 {
		t.Errorf("%v, %v, %v", s.triples, s.late, err)
	}
	for _, wrong := range []string{
		"PAIRS=entr+judge", "PAIRS=enter+judge,enter", "TRIPLES=enter+judge", "SECONDS=-1", "SEED=x", "MOST=0", "WORKERS=0", "HISTORY=fair/enter", "HISTORY=fete/enter/-/",
		"HISTORY=fair/dance/-/", "HISTORY=fair/enter/lost@1.0/", "HISTORY=fair/list+list+list+list+list/-/",
	} {
		name, _, _ := strings.Cut(wrong, "=")
		if _, err := from(wrong); err == nil || !strings.Contains(err.Error(), name+"=") {
			t.Errorf("%s: %v", wrong, err)
		}
	}
}
