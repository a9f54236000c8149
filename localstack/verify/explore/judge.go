package explore

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/aws/smithy-go"

	"github.com/ranch-game/ranch/shared/operate"
)

// Ending is the end of a call: its answer or its error, and the times, by a clock that all calls of a history share.
type Ending struct {
	Called   int64 // when the call began
	Returned int64 // when the answer came, or never
	Over     int64 // the latest time at which a call without an answer can take effect; 0 if that time is unknown
	Answer   any   // Parts, or a value that is compared as JSON
	Err      error
}

// never is the return time of a call without an answer.
const never = math.MaxInt64

// Parts is an answer that consists of several items, by the names of its parts. Each part is compared alone.
type Parts map[string]any

// unknown reports whether the call's outcome is unknown: the call may have taken effect, or may still take effect. Any
// other error is a refusal.
func (e Ending) unknown() bool {
	ended := errors.Is(e.Err, context.Canceled) || errors.Is(e.Err, context.DeadlineExceeded)
	failed := errors.Is(e.Err, operate.ErrUnclear) || errors.As(e.Err, new(*smithy.OperationError))
	return e.Returned == never || ended || failed
}

// end returns the latest time at which the call can take effect.
func (e Ending) end() int64 {
	switch {
	case !e.unknown():
		return e.Returned
	case e.Over > 0:
		return e.Over
	}
	return never
}

// text returns the answer or the refusal as text.
func (e Ending) text() string {
	switch {
	case e.unknown():
		return fmt.Sprintf("unknown (%v)", e.Err)
	case e.Err != nil:
		return "refused, " + e.Err.Error()
	case e.Answer == nil:
		return "done"
	}
	return "done, " + brief(e.Answer)
}

// parts returns the parts of the answer to a reading call. A refusal is a part, too.
func (e Ending) parts() map[string]string {
	if e.Err != nil {
		return map[string]string{"the refusal": e.Err.Error()}
	}
	texts := map[string]string{}
	for name, part := range e.Answer.(Parts) {
		texts[name] = brief(part)
	}
	return texts
}

func brief(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// action is an element of a serial run: a call of the fixture's list of calls, with its place in the history. If cut is
// not 0, the call's process dies before its attempt with this number, from 0.
type action struct {
	call  string
	place int
	cut   int
}

// serial is the end of a serial run.
type serial struct {
	last    Ending // of the last action
	struck  bool   // the last action was cut: the call has as many attempts as that
	records string // as text, see recordsOf
}

// Judge judges histories by serial runs. A serial run plays the same calls one after the other on a fresh copy of the
// fixture. A Judge remembers each run, because the histories of a case have the same few.
type Judge struct {
	start string // the records of the fixture
	play  func(path []action) serial
	runs  map[string]serial // by their paths
}

// NewJudge returns a Judge for a fixture with these records. The function play plays actions on a fresh copy of the
// fixture.
func NewJudge(records string, play func(path []action) serial) *Judge {
	return &Judge{records, play, map[string]serial{}}
}

// run returns the end of the run of a path and a further action.
func (j *Judge) run(path []action, next action) serial {
	path = append(slices.Clone(path), next)
	name := fmt.Sprint(path)
	if _, known := j.runs[name]; !known {
		j.runs[name] = j.play(path)
	}
	return j.runs[name]
}

// cuts returns the actions after a path that make only a part of a call's changes, one for each state of the records
// that they lead to. before are the records after the path.
func (j *Judge) cuts(path []action, before string, a action) (all []action) {
	seen := []string{before, j.run(path, a).records}
	for a.cut = 1; ; a.cut++ {
		part := j.run(path, a)
		if !part.struck {
			return all
		}
		if !slices.Contains(seen, part.records) {
			seen, all = append(seen, part.records), append(all, a)
		}
	}
}

// Flaws returns nil if a serial run explains the history, or lines that say why each run differs. A run explains the
// history if it has the same answers and the same records, and if each call comes after the calls that ended before it
// began. A call whose outcome is unknown may be missing. A call of several steps makes them in any order, and may die
// between them. If there is one and no run has the same records, each record must be as after some run, whole or not.
func (j *Judge) Flaws(names []string, calls []Call, endings []Ending, records string) []string {
	t := &trial{Judge: j, calls: calls, endings: endings, records: records}
	for place, name := range names {
		t.actions, t.likely = append(t.actions, action{call: name, place: place}), append(t.likely, place)
	}
	slices.SortStableFunc(t.likely, func(a, b int) int { return cmp.Compare(endings[a].Returned, endings[b].Returned) })
	if t.explained(nil, j.start) {
		return nil
	}
	if slices.ContainsFunc(calls, func(c Call) bool { return c.Steps }) {
		if t.cutting = true; t.explained(nil, j.start) || t.mixed() {
			return nil
		}
	}
	return append([]string{"no serial run of the calls has these answers and records"}, t.reasons...)
}

// trial is the search for a serial run that explains a history.
type trial struct {
	*Judge
	actions []action // by call, uncut
	calls   []Call
	endings []Ending
	records string
	cutting bool       // also try parts of calls
	likely  []int      // the calls, in the order in which runs are tried
	ends    [][]string // the records after each run with the same answers
	reasons []string   // why runs differ
}

// explained reports whether a run that begins with the path explains the history. at are the records after the path.
func (t *trial) explained(path []action, at string) bool {
	complete := true
	for _, i := range t.likely {
		if slices.Contains(path, t.actions[i]) || t.idle(i) {
			continue
		}
		complete = complete && t.endings[i].unknown()
		if slices.ContainsFunc(path, func(a action) bool { return t.endings[i].end() < t.endings[a.place].Called }) {
			continue
		}
		next := []action{t.actions[i]}
		if t.cutting && t.calls[i].Steps && !slices.ContainsFunc(path, func(a action) bool { return a.place == i }) {
			next = append(next, t.cuts(path, at, t.actions[i])...)
		}
		for _, a := range next {
			took := t.run(path, a)
			if (a.cut > 0 || t.answered(path, i, took.last)) && t.explained(append(slices.Clip(path), a), took.records) {
				return true
			}
		}
	}
	if !complete || !t.sees(path) {
		return false
	}
	if t.cutting {
		t.ends = append(t.ends, strings.Split(at, "\n"))
	}
	return t.stored(path, at)
}

// idle reports whether the call was refused by a read that need not see every change, so that it has no place in a run.
func (t *trial) idle(i int) bool {
	return t.calls[i].Reads && t.endings[i].Err != nil && !t.endings[i].unknown()
}

// mixed reports whether each record is as after a run, and no record is missing that all runs have.
func (t *trial) mixed() bool {
	records := strings.Split(t.records, "\n")
	ended := func(line string) int { // the number of runs with this record
		return len(slices.DeleteFunc(slices.Clone(t.ends), func(end []string) bool { return !slices.Contains(end, line) }))
	}
	strange := slices.ContainsFunc(records, func(line string) bool { return ended(line) == 0 })
	return !strange && !slices.ContainsFunc(slices.Concat(t.ends...), func(line string) bool {
		return ended(line) == len(t.ends) && !slices.Contains(records, line)
	})
}

// answered reports whether the call's answer agrees with its answer in the run. The answers to calls of several steps
// are not compared, and those to reading calls only in sees.
func (t *trial) answered(path []action, i int, ending Ending) bool {
	got, want := t.endings[i], ending.text()
	loose := t.calls[i].Steps || t.calls[i].Reads
	if got.unknown() || got.text() == want || loose && got.Err == nil && ending.Err == nil {
		return true
	}
	return t.differs(path, "%s would be: %s", t.calls[i].Name, want)
}

// stored reports whether the stored records are those after the run.
func (t *trial) stored(path []action, at string) bool {
	if at == t.records {
		return true
	}
	without := func(text, other string) string { // the first line that the other text lacks
		lines, others := strings.Split(text, "\n"), strings.Split(other, "\n")
		lines = slices.DeleteFunc(lines, func(line string) bool { return slices.Contains(others, line) })
		return append(lines, "nothing else")[0]
	}
	return t.differs(path, "would be stored: %s\n    instead of: %s", without(at, t.records), without(t.records, at))
}

// differs notes why a run does not explain the history, and returns false. Runs with parts of calls have no reasons of
// interest.
func (t *trial) differs(path []action, why string, args ...any) bool {
	text := "  in the order"
	for _, a := range path {
		if a.cut > 0 {
			return false
		}
		text += " " + t.calls[a.place].Name + ","
	}
	if text += " " + fmt.Sprintf(why, args...); !slices.Contains(t.reasons, text) {
		t.reasons = append(t.reasons, text)
	}
	return false
}

// sees reports whether each part of each answer to a reading call was right at an instant. A change that had no answer
// when the reading call began may be invisible to a part, and not to another one.
func (t *trial) sees(path []action) bool {
	for i, call := range t.calls {
		if !call.Reads || t.endings[i].unknown() {
			continue
		}
		var views []map[string]string
		t.views(i, nil, t.start, path, func(path []action) { views = append(views, t.run(path, t.actions[i]).last.parts()) })
		parts := t.endings[i].parts()
		names := maps.Clone(parts)
		for _, view := range views {
			maps.Copy(names, view)
		}
		for _, name := range slices.Sorted(maps.Keys(names)) {
			if !slices.ContainsFunc(views, func(view map[string]string) bool { return view[name] == parts[name] }) {
				return t.differs(path, "%s could not see: %s %s", call.Name, name, cmp.Or(parts[name], "is missing"))
			}
		}
	}
	return true
}

// views calls look with each path that a reading call may have seen a part of: with all actions of the run that had
// ended when it began, and with any of those that had not. at are the records after the path.
func (t *trial) views(reader int, path []action, at string, rest []action, look func(path []action)) {
	if len(rest) == 0 {
		look(path)
		return
	}
	a, rest := rest[0], rest[1:]
	open := t.endings[a.place].end() >= t.endings[reader].Called
	if a.place == reader || open {
		t.views(reader, path, at, rest, look)
	}
	if a.place == reader || t.endings[a.place].Called > t.endings[reader].Returned {
		return
	}
	seen := []action{a}
	if t.cutting && t.calls[a.place].Steps && open {
		seen = append(seen, t.cuts(path, at, t.actions[a.place])...)
	}
	for _, a := range seen {
		t.views(reader, append(slices.Clip(path), a), t.run(path, a).records, rest, look)
	}
}

// anyID matches the ids that the store draws. Those of fixtures and calls have other digits (storetest.ID).
var (
	anyID    = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}`)
	chosenID = regexp.MustCompile(`-0000-4000-8000-[0-9a-f]{12}$`)
)

// recordsOf returns records as text, one sorted line for each, without what differs between equal runs: random ids, the
// names of results, results that no show leads to, leases, and the times of writing and the digests of the audit.
func recordsOf(rows map[string]map[string]any) string {
	var names []string // of results, and what replaces them
	for _, row := range rows {
		if verdict, is := row["vd"].(string); is {
			names = append(names, "#R#"+verdict, "#results", "vd:"+verdict, "vd:results")
		}
	}
	named := strings.NewReplacer(names...)
	var lines []string
	for _, row := range rows {
		row = maps.Clone(row)
		var left []string // attributes that are not compared
		switch pk := fmt.Sprint(row["PK"]); {
		case strings.HasPrefix(pk, "AUDIT"):
			left = []string{"wr", "d", "pd"}
		case strings.HasPrefix(pk, "SHOW#"):
			left = []string{"lb", "lu"} // the lease of a call that died
		}
		maps.DeleteFunc(row, func(name string, _ any) bool { return slices.Contains(left, name) })
		line := anyID.ReplaceAllStringFunc(named.Replace(fmt.Sprint(row)), func(id string) string {
			if chosenID.MatchString(id) {
				return id
			}
			return "id"
		})
		if !strings.Contains(line, "#R#") {
			lines = append(lines, line)
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}
