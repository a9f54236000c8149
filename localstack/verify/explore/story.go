package explore

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
	"github.com/ranch-game/ranch/shared/operate"
)

// Failures returns a sentence for each call that failed without a cause.
func (o Outcome) Failures() (problems []string) {
	for i, e := range o.Endings {
		if e.unknown() && !o.mayBeUnknown(i) {
			problems = append(problems, fmt.Sprintf("%s, and got a failure: %v", o.Calls[i].Name, e.Err))
		}
	}
	return problems
}

// Unfinished reports whether a call of several steps may have stopped between them. The table then lacks some of its
// changes until an operator finishes it, and invariants can be broken.
func (o Outcome) Unfinished() bool {
	for i, e := range o.Endings {
		if o.Calls[i].Steps && e.unknown() {
			return true
		}
	}
	return false
}

// mayBeUnknown reports whether the history's fault explains that the call's outcome is unknown. Either the fault has
// ended the call's time or process, or the call is an operator's change that the store reports as in doubt.
func (o Outcome) mayBeUnknown(call int) bool {
	if !o.Struck || o.Strike.Call != call {
		return false
	}
	unclear := errors.Is(o.Endings[call].Err, operate.ErrUnclear)
	return slices.Contains(fatal, o.Strike.Fault) || unclear && slices.Contains(doubtful, o.Strike.Fault)
}

// Story returns the steps and the ends of the calls as text, one line each.
func (o Outcome) Story() string {
	var story strings.Builder
	for _, step := range o.Steps {
		fmt.Fprintln(&story, step.Text)
	}
	for i, e := range o.Endings {
		fmt.Fprintf(&story, "%s: %s\n", o.Calls[i].Name, e.text())
	}
	return story.String()
}

// words are readable names of items, by the beginnings of their keys. sk is "" if the partition key is enough.
var words = []struct{ pk, sk, word string }{
	{"USER#", "PROFILE", "user"}, {"USER#", "ANIMAL#", "animal"}, {"USER#", "LEDGER#", "ledger row"},
	{"USER#", "SEASON#", "participation"}, {"EMAIL#", "", "address"}, {"USERNAME#", "", "username"},
	{"TOKEN#", "", "refresh record"}, {"SHOW#", "SHOW", "show"}, {"SHOW#", "ENTRY#", "entry"},
	{"SHOW#", "CLAIM#", "receipt"}, {"SHOW#", "SHEET", "sheet"}, {"SHOW#", "PAGE#", "page"}, {"SHOW#", "", "entries"},
	{"G#", "", "gate"}, {"BOARD#", "", "board"}, {"SEASON", "", "season"}, {"AUDIT#", "", "record of the change"},
	{"AUDIT", "", "last record"}, {"CHANGED", "", "notes of changed animals"}, {"PENDING", "", "note of begun work"},
}

func word(k protocol.Key) string {
	for _, w := range words {
		if strings.HasPrefix(k.PK, w.pk) && strings.HasPrefix(k.SK, w.sk) {
			return w.word
		}
	}
	return k.PK + " " + k.SK
}

// list returns the names of the items, each once.
func list(keys []protocol.Key) string {
	var all []string
	for _, k := range keys {
		if w := word(k); !slices.Contains(all, w) {
			all = append(all, w)
		}
	}
	return strings.Join(all, ", ")
}

// about returns the names of the request's items.
func about(q *protocol.Request) string {
	if q.Changes() {
		return list(slices.Concat(q.Writes, q.Checks))
	}
	var keys []protocol.Key
	for _, r := range q.Reads {
		keys = append(keys, protocol.Key{PK: r.PK, SK: r.From})
	}
	return list(keys)
}

// verdict returns the table's reason for refusing a write, such as the code of a failed condition.
func verdict(a answer) string {
	var answer struct {
		Type                string `json:"__type"`
		CancellationReasons []struct{ Code string }
	}
	if a.err != nil {
		return a.err.Error()
	}
	if json.Unmarshal(a.body, &answer) != nil {
		return http.StatusText(a.status)
	}
	_, what, _ := strings.Cut(answer.Type, "#")
	for _, reason := range answer.CancellationReasons {
		if reason.Code != "None" {
			what = reason.Code
		}
	}
	return what
}
