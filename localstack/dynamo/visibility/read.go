package visibility

import (
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
)

// Read answers a request that reads items, or that neither reads nor writes any. A hidden item appears as it was before
// its transaction. Read calls sees once for each hidden item, in the order of the response; if sees returns true, the
// item is visible from now on. The function sees may call any method. Read cancels a TransactGetItems if a commit hides
// or checks one of its items.
func (f *Front) Read(r *protocol.Request, sees func(protocol.Key) bool) (response *http.Response, err error) {
	switch {
	case r.Operation == "ExecuteStatement" || r.Operation == "ExecuteTransaction" || r.Operation == "BatchExecuteStatement":
		err = protocol.Unsupported{What: "PartiQL (at any time)"}
	case len(r.Reads) == 0:
		return f.Pass(r)
	case r.Page != nil:
		response, err = f.readPage(r, sees)
	case r.Operation == "TransactGetItems":
		return f.transactGet(r)
	default:
		response, err = f.readItems(r, sees)
	}
	if what := (protocol.Unsupported{}); errors.As(err, &what) {
		return protocol.Invalid(what.Error()).Respond(r.HTTP), nil // clients do not repeat it
	}
	return response, err
}

func (f *Front) transactGet(r *protocol.Request) (*http.Response, error) {
	a, err := f.Send(r.HTTP, r.Body)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if conflicts := f.held.Conflicts(time.Now(), r.Keys()); conflicts != nil && a.OK() {
		return protocol.Conflicts(conflicts).Respond(r.HTTP), nil
	}
	return a.Deliver(), nil
}

// readItems answers a GetItem or a BatchGetItem.
func (f *Front) readItems(r *protocol.Request, sees func(protocol.Key) bool) (*http.Response, error) {
	a, err := f.Send(r.HTTP, r.Body)
	if err != nil {
		return nil, err
	}
	named := r.Keys()
	match := func(k protocol.Key) bool { return slices.Contains(named, k) }
	before := f.hiding(match)
	if len(before) == 0 || !a.OK() {
		return a.Deliver(), nil
	}
	raw, err := f.images(r.HTTP.Context(), r.HTTP, r.Items)
	if err != nil {
		return nil, err
	}
	v := view{before, f.hiding(match), sees}
	if r.Operation == "GetItem" {
		one, err := v.projected(r.Body, r.Items, raw)
		if err != nil {
			return nil, err
		}
		a.Body = protocol.Without(a.Body, "Item")
		if len(one) > 0 {
			a.Body = protocol.With(a.Body, protocol.Named("Item", one[0]))
		}
		return a.Deliver(), nil
	}
	var tables []protocol.Member
	items := r.Items
	for _, t := range r.Batch {
		all, err := v.projected(t.Value, items[:len(t.Elements)], raw)
		if err != nil {
			return nil, err
		}
		items = items[len(t.Elements):]
		tables = append(tables, protocol.Named(t.Name, protocol.Array(all)))
	}
	a.Body = protocol.With(a.Body, protocol.Named("Responses", protocol.Object(tables...)), protocol.Named("UnprocessedKeys", []byte("{}")))
	return a.Deliver(), nil
}

// projected returns the items as the read v sees them, with only the attributes that the request's parameters select.
func (v view) projected(parameters []byte, items []protocol.Item, raw map[protocol.Key][]byte) (all [][]byte, err error) {
	if protocol.MemberOf(parameters, "AttributesToGet") != nil {
		return nil, protocol.Unsupported{What: "AttributesToGet"}
	}
	text, err := protocol.OptionalText(parameters, "ProjectionExpression")
	if err != nil {
		return nil, err
	}
	e := protocol.ExpressionsOf(parameters)
	p, err := e.Projection(text)
	if err != nil {
		return nil, err
	}
	for _, i := range items {
		if seen := v.of(i.Key, raw[i.Key]); seen != nil {
			one, err := p.Of(seen)
			if err != nil {
				return nil, err
			}
			all = append(all, one)
		}
	}
	return all, nil
}
