package visibility

import (
	"net/http"
	"slices"
	"time"

	"github.com/tidwall/gjson"

	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
)

// Read answers a request that reads items, or that neither reads nor writes any. A hidden item appears as it was before
// its transaction. Read calls sees for each hidden item that the response reaches, in the order of the response. If
// sees returns true, the item is visible from now on. The function sees may call any method of Front and Commit. Read
// cancels a TransactGetItems that names a held item. An error means that the engine did not answer.
func (f *Front) Read(r *protocol.Request, sees func(protocol.Key) bool) (*http.Response, error) {
	if len(r.Reads) == 0 {
		return f.Pass(r)
	}
	for asked := map[protocol.Key]bool{}; ; {
		a, err := f.Send(r.HTTP, r.Body)
		if err != nil {
			return nil, err
		}
		if !a.OK() {
			return a.Deliver(), nil
		}
		if r.Operation == "TransactGetItems" {
			if conflicts := f.held.Conflicts(time.Now(), r.Keys()); conflicts != nil {
				return protocol.CancelledFor("TransactionConflict", conflicts).Respond(r.HTTP), nil
			}
			return a.Deliver(), nil
		}
		shown := false
		for _, k := range f.reached(r, a) {
			if asked[k] {
				continue
			}
			asked[k] = true
			if shown = sees(k); shown {
				if err := f.hidden[k].Show(k); err != nil {
					return nil, err
				}
				break
			}
		}
		if !shown {
			return a.Deliver(), nil
		}
	}
}

// reached returns the keys of the hidden items that the answer a to a read reaches, in the order of the answer. A page
// reaches the items after its start key, to its last key.
func (f *Front) reached(r *protocol.Request, a *protocol.Answer) (keys []protocol.Key) {
	if len(r.Items) > 0 {
		return slices.DeleteFunc(r.Keys(), func(k protocol.Key) bool { return f.hidden[k] == nil })
	}
	if keys = f.hiddenIn(r.Reads[0]); r.Backward {
		slices.Reverse(keys)
	}
	start := protocol.KeyOf(gjson.GetBytes(r.Body, "ExclusiveStartKey"))
	last := protocol.KeyOf(gjson.GetBytes(a.Body, "LastEvaluatedKey"))
	follows := func(a, b protocol.Key) bool { return a.PK == b.PK && a != b && (a.SK > b.SK) != r.Backward }
	return slices.DeleteFunc(keys, func(k protocol.Key) bool {
		return k == start || follows(start, k) || follows(k, last)
	})
}
