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

// state is the stored state after a serial run.
type state struct {
	records string // as text, see recordsOf
	path    []action
	next    map[action]outcome
}

// outcome is what an action leads to.
type outcome struct {
	ending Ending
	struck bool // the process died: the call has as many attempts as that
	to     *state
}

// Judge judges histories by serial runs. A serial run plays the same calls one after the other on a fresh copy of the
// fixture. A Judge remembers each run, because the histories of a case have the same few.
type Judge struct {
	play   func(path []action) (last Ending, struck bool, records string)
	start  *state
	states map[string]*state // by their records
}

// NewJudge returns a Judge for a fixture with these records. The function play plays actions on a fresh copy of the
// fixture, and returns the end of the last one and the records.
func NewJudge(records string, play func(path []action) (last Ending, struck bool, records string)) *Judge {
	start := &state{records: records, next: map[action]outcome{}}
	return &Judge{play, start, map[string]*state{records: start}}
}

// take returns the outcome of an action in a state.
func (j *Judge) take(from *state, a action) outcome {
	if known, is := from.next[a]; is {
		return known
	}
	path := append(slices.Clone(from.path), a)
	ending, struck, records := j.play(path)
	to := j.states[records]
	if to == nil {
		to = &state{records: records, path: path, next: map[action]outcome{}}
		j.states[records] = to
	}
	from.next[a] = outcome{ending, struck, to}
	return from.next[a]
}

// cuts returns the actions that make only a part of a call's changes, one for each state that they lead to.
func (j *Judge) cuts(from *state, a action) (all []action) {
	seen := []*state{from, j.take(from, a).to}
	for a.cut = 1; ; a.cut++ {
		part := j.take(from, a)
		if !part.struck {
			return all
		}
		if !slices.Contains(seen, part.to) {
			seen, all = append(seen, part.to), append(all, a)
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
		t.actions = append(t.actions, action{call: name, place: place})
	}
	for place := range calls { // the likeliest order first
		t.likely = append(t.likely, place)
	}
	slices.SortStableFunc(t.likely, func(a, b int) int { return cmp.Compare(endings[a].Returned, endings[b].Returned) })
	if t.explained(j.start) {
		return nil
	}
	if slices.ContainsFunc(calls, func(c Call) bool { return c.Steps }) {
		if t.cutting = true; t.explained(j.start) || t.mixed() {
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
	order   []action   // the run so far
	ends    [][]string // the records after each run with the same answers
	reasons []string   // why runs differ
}

// explained reports whether a run that begins with t.order, which leads to the state at, explains the history.
func (t *trial) explained(at *state) bool {
	missing := false
	for _, i := range t.likely {
		if !t.mayFollow(i) {
			missing = missing || t.must(i)
			continue
		}
		missing = missing || t.must(i)
		next := []action{t.actions[i]}
		if t.cutting && t.calls[i].Steps && !slices.ContainsFunc(t.order, func(a action) bool { return a.place == i }) {
			next = append(next, t.cuts(at, t.actions[i])...)
		}
		for _, a := range next {
			took := t.take(at, a)
			if a.cut == 0 && !t.answered(i, took.ending) {
				continue
			}
			t.order = append(t.order, a)
			explained := t.explained(took.to)
			t.order = t.order[:len(t.order)-1]
			if explained {
				return true
			}
		}
	}
	if missing || !t.sees() {
		return false
	}
	if t.cutting {
		t.ends = append(t.ends, strings.Split(at.records, "\n"))
	}
	return t.recorded(at)
}

// mixed reports whether each record is as after a run, and no record is missing that all runs have.
func (t *trial) mixed() bool {
	records := strings.Split(t.records, "\n")
	for _, line := range records {
		if !slices.ContainsFunc(t.ends, func(end []string) bool { return slices.Contains(end, line) }) {
			return false
		}
	}
	return !slices.ContainsFunc(slices.Concat(t.ends...), func(line string) bool {
		common := !slices.ContainsFunc(t.ends, func(end []string) bool { return !slices.Contains(end, line) })
		return common && !slices.Contains(records, line)
	})
}

// played reports whether the run has the whole call.
func (t *trial) played(i int) bool { return slices.Contains(t.order, t.actions[i]) }

// idle reports whether the call was refused by a read that need not see every change, so that it has no place in a run.
func (t *trial) idle(i int) bool {
	return t.calls[i].Reads && t.endings[i].Err != nil && !t.endings[i].unknown()
}

// must reports whether the run lacks the call.
func (t *trial) must(i int) bool { return !t.played(i) && !t.idle(i) && !t.endings[i].unknown() }

// mayFollow reports whether the call can be next in the run.
func (t *trial) mayFollow(i int) bool {
	return !t.played(i) && !t.idle(i) && !slices.ContainsFunc(t.order, func(a action) bool {
		return t.endings[i].end() < t.endings[a.place].Called
	})
}

// answered reports whether the call's answer agrees with its answer in the run. The answers to calls of several steps
// are not compared, and those to reading calls only in sees.
func (t *trial) answered(i int, ending Ending) bool {
	got, want := t.endings[i], ending.text()
	loose := t.calls[i].Steps || t.calls[i].Reads
	if got.unknown() || got.text() == want || loose && got.Err == nil && ending.Err == nil {
		return true
	}
	t.differs(fmt.Sprintf("%s would be: %s", t.calls[i].Name, want))
	return false
}

// recorded reports whether the stored records are those after the run.
func (t *trial) recorded(at *state) bool {
	if at.records == t.records {
		return true
	}
	got, want := strings.Split(t.records, "\n"), strings.Split(at.records, "\n")
	without := func(lines, others []string) string {
		i := slices.IndexFunc(lines, func(line string) bool { return !slices.Contains(others, line) })
		if i < 0 {
			return "nothing else"
		}
		return lines[i]
	}
	t.differs(fmt.Sprintf("would be stored: %s\n    instead of: %s", without(want, got), without(got, want)))
	return false
}

// differs notes why the present run does not explain the history. Runs with parts of calls have no reasons of interest.
func (t *trial) differs(why string) {
	text := "  in the order"
	for _, a := range t.order {
		if a.cut > 0 {
			return
		}
		text += " " + t.calls[a.place].Name + ","
	}
	if text += " " + why; !slices.Contains(t.reasons, text) {
		t.reasons = append(t.reasons, text)
	}
}

// sees reports whether each part of each answer to a reading call was right at an instant. A change that had no answer
// when the reading call began may be invisible to a part, and not to another one.
func (t *trial) sees() bool {
	for i, call := range t.calls {
		if !call.Reads || t.endings[i].unknown() {
			continue
		}
		var views []map[string]string
		t.views(i, t.start, t.order, func(at *state) { views = append(views, t.take(at, t.actions[i]).ending.parts()) })
		parts := t.endings[i].parts()
		names := maps.Clone(parts)
		for _, view := range views {
			maps.Copy(names, view)
		}
		for _, name := range slices.Sorted(maps.Keys(names)) {
			if !slices.ContainsFunc(views, func(view map[string]string) bool { return view[name] == parts[name] }) {
				t.differs(fmt.Sprintf("%s could not see: %s %s", call.Name, name, cmp.Or(parts[name], "is missing")))
				return false
			}
		}
	}
	return true
}

// views calls look with each state that a reading call may have seen a part of: after all actions of the run that had
// ended when it began, and after any of those that had not.
func (t *trial) views(reader int, at *state, rest []action, look func(at *state)) {
	if len(rest) == 0 {
		look(at)
		return
	}
	a := rest[0]
	if a.place == reader || t.endings[a.place].end() >= t.endings[reader].Called {
		t.views(reader, at, rest[1:], look)
	}
	if a.place == reader || t.endings[a.place].Called > t.endings[reader].Returned {
		return
	}
	t.views(reader, t.take(at, a).to, rest[1:], look)
	if t.cutting && t.calls[a.place].Steps && t.endings[a.place].end() >= t.endings[reader].Called {
		for _, part := range t.cuts(at, t.actions[a.place]) {
			t.views(reader, t.take(at, part).to, rest[1:], look)
		}
	}
}

// randomID matches the ids that the store draws. Those of fixtures and calls have other digits (storetest.ID).
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
