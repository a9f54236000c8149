package explore

import (
	"errors"
	"fmt"

	"github.com/ranch-game/ranch/localstack/verify/linearizability"
	"github.com/ranch-game/ranch/shared/store"
)

// Problems returns a sentence for each thing that is wrong with a history: calls that were told a failure without need,
// and answers, or what is stored in the end, that the rules do not explain. What is stored before and after is told by
// the worlds.
func (o Outcome) Problems(before, after linearizability.World) []string {
	var problems []string
	for i, c := range o.Calls {
		if c.Unknown() && !o.mayBeUnknown(i) {
			problems = append(problems, fmt.Sprintf("%s, and is told a failure: %v", o.Names[i], c.Err))
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

// mayBeUnknown reports whether the fault is a reason not to know what became of a call: it has ended the call's time or
// process; or it leaves an operator's change in doubt, who is told so.
func (o Outcome) mayBeUnknown(call int) bool {
	if !o.Struck || o.Strike.Call != call {
		return false
	}
	return o.Strike.Fault.ends() || o.Strike.Fault.doubt() && errors.Is(o.Calls[call].Err, store.ErrUnclear)
}

// orders returns the history with other times: for each two calls of which one can have returned before the other was
// made, if steps that touch nothing in common change places, the times that say so. Of histories that differ by such
// places alone only one is played, but when a call was made and returned makes a difference to the rules.
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
