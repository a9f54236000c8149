package explore

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
	"github.com/ranch-game/ranch/localstack/verify/linearizability"
	"github.com/ranch-game/ranch/shared/store"
)

// Problems returns a sentence for each call that failed without a cause. If the rules do not explain the answers and
// the records before and after the history, Problems adds one sentence that explains this flaw.
func (o Outcome) Problems(before, after linearizability.World) []string {
	var problems []string
	for i, c := range o.Calls {
		if c.Unknown() && !o.mayBeUnknown(i) {
			problems = append(problems, fmt.Sprintf("%s, and got a failure: %v", o.Names[i], c.Err))
		}
	}
	if err := linearizability.Explain(before, o.Calls, after); err != nil {
		return append(problems, err.Error())
	}
	for _, calls := range o.orders() {
		if err := linearizability.Explain(before, calls, after); err != nil {
			return append(problems, "with independent steps in another order: "+err.Error())
		}
	}
	return problems
}

// mayBeUnknown reports whether the history's fault explains that the call's outcome is unknown. Either the fault has
// ended the call's time or process, or the call is an operator's change that the store reports as in doubt.
func (o Outcome) mayBeUnknown(call int) bool {
	if !o.Struck || o.Strike.Call != call {
		return false
	}
	return o.Strike.Fault.ends() || o.Strike.Fault.doubt() && errors.Is(o.Calls[call].Err, store.ErrUnclear)
}

// orders returns the history with other possible times of its calls, once for each pair of calls whose order is open.
// The search plays only one order of steps that touch nothing in common. In another order, one of these calls could
// have returned before the other began, and the rules depend on these times.
func (o Outcome) orders() [][]linearizability.Call {
	var orders [][]linearizability.Call
	for i := range o.Calls {
		for j := range o.Calls {
			a, b := o.Calls[i], o.Calls[j]
			if i == j || a.Returned == linearizability.Never || a.Returned < b.Called || o.lineage.follows(i, j) {
				continue
			}
			calls := make([]linearizability.Call, len(o.Calls))
			for k, c := range o.Calls {
				c.Called, c.Over = 0, 0
				if c.Returned != linearizability.Never {
					c.Returned = 3
				}
				calls[k] = c
			}
			calls[i].Returned, calls[j].Called = 1, 2
			orders = append(orders, calls)
		}
	}
	return orders
}

// Story returns the steps and the results of the calls as text, one line each.
func (o Outcome) Story() string {
	var story strings.Builder
	for _, step := range o.Steps {
		fmt.Fprintln(&story, step.Text)
	}
	for i, c := range o.Calls {
		switch {
		case c.Unknown():
			fmt.Fprintf(&story, "%s: unknown (%v)\n", o.Names[i], c.Err)
		case c.Err != nil:
			fmt.Fprintf(&story, "%s: refused, %v\n", o.Names[i], c.Err)
		case c.Answer == nil:
			fmt.Fprintf(&story, "%s: done\n", o.Names[i])
		default:
			fmt.Fprintf(&story, "%s: done, %s\n", o.Names[i], linearizability.Brief(c.Answer))
		}
	}
	return story.String()
}

// words are readable names of items, by the beginnings of their keys. sk is "" if the partition key is enough.
var words = []struct{ pk, sk, word string }{
	{"USER#", "PROFILE", "user"}, {"USER#", "ANIMAL#", "animal"}, {"USER#", "LEDGER#", "ledger row"}, {"USER#", "SEASON#", "participation"},
	{"EMAIL#", "", "address"}, {"USERNAME#", "", "username"}, {"TOKEN#", "", "refresh record"}, {"SHOW#", "SHOW", "show"}, {"SHOW#", "ENTRY#", "entry"},
	{"SHOW#", "CLAIM#", "receipt"}, {"SHOW#", "SHEET", "sheet"}, {"SHOW#", "PAGE#", "page"}, {"SHOW#", "", "entries"}, {"G#", "", "gate"},
	{"BOARD#", "", "board"}, {"SEASON", "", "season"}, {"AUDIT#", "", "record of the change"}, {"AUDIT", "", "last record"}, {"CHANGED", "", "notes of changed animals"}, {"PENDING", "", "note of begun work"},
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
	if json.Unmarshal(a.reply.body, &answer) != nil {
		return http.StatusText(a.reply.status)
	}
	_, what, _ := strings.Cut(answer.Type, "#")
	for _, reason := range answer.CancellationReasons {
		if reason.Code != "None" {
			what = reason.Code
		}
	}
	return what
}
