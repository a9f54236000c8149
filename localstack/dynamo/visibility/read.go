package visibility

import (
	"net/http"
	"slices"
	"time"

	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
)

// Read answers a request that reads items, or that neither reads nor writes any. A hidden item appears as it was before
// its transaction. Read calls sees for each hidden item that the response reaches, in the order of the response. If
// sees returns true, the item is visible from now on. The function sees may call any method of Front and Commit. Read
// cancels a TransactGetItems that names a held item. Read refuses a request that it cannot answer while items are
// hidden (see the package's documentation). An error means that the engine did not answer.
func (f *Front) Read(r *protocol.Request, sees func(protocol.Key) bool) (*http.Response, error) {
	switch {
	case len(r.Reads) == 0:
		return f.Pass(r)
	case r.Operation == "TransactGetItems":
		return f.transactGet(r)
	}
	inReach := func(k protocol.Key) bool {
		return slices.ContainsFunc(r.Reads, func(part protocol.Range) bool { return part.Has(k) })
	}
	a, err := f.Send(r.HTTP, r.Body)
	if err != nil {
		return nil, err
	}
	v := view{f.hiding(inReach), sees}
	if len(v.hidden) == 0 || !a.OK() {
		return a.Deliver(), nil
	}
	if r.Page != nil {
		return f.readPage(r, a, v)
	}
	return f.readItems(r, a, v)
}

// refuse returns the response to a read that the package cannot answer while items are hidden. SDKs do not repeat such
// a request.
func refuse(r *protocol.Request, what string) *http.Response {
	return protocol.Invalid("the simulator does not support this while a transaction's items are hidden: " + what).Respond(r.HTTP)
}

func (f *Front) transactGet(r *protocol.Request) (*http.Response, error) {
	a, err := f.Send(r.HTTP, r.Body)
	if err != nil {
		return nil, err
	}
	if conflicts := f.held.Conflicts(time.Now(), r.Keys()); conflicts != nil && a.OK() {
		return protocol.Conflicts(conflicts).Respond(r.HTTP), nil
	}
	return a.Deliver(), nil
}

// readItems replaces the items in a, the engine's answer to a GetItem or a BatchGetItem, by the items as the view v
// shows them. It reads them again, whole.
func (f *Front) readItems(r *protocol.Request, a *protocol.Answer, v view) (*http.Response, error) {
	raw, err := f.images(r.HTTP.Context(), r.HTTP, r.Items)
	if err != nil {
		return nil, err
	}
	seen := map[string][][]byte{} // by table
	for _, i := range r.Items {
		projection, err := protocol.OptionalText(i.Parameters, "ProjectionExpression")
		if err != nil {
			return nil, err
		}
		attributes, ok := protocol.Attributes(projection)
		if projection == "" {
			attributes, ok = nil, protocol.MemberOf(i.Parameters, "AttributesToGet") == nil
		}
		if !ok {
			return refuse(r, "the projection "+projection), nil
		}
		if one := v.of(i.Key, raw[i.Key]); one != nil {
			seen[i.Name] = append(seen[i.Name], projected(one, attributes))
		}
	}
	if r.Operation == "GetItem" {
		a.Body = protocol.Without(a.Body, "Item")
		for _, one := range seen[r.Items[0].Name] {
			a.Body = protocol.With(a.Body, protocol.Named("Item", one))
		}
		return a.Deliver(), nil
	}
	var tables []protocol.Member
	for _, t := range r.Batch {
		tables = append(tables, protocol.Named(t.Name, protocol.Array(seen[t.Name])))
	}
	a.Body = protocol.With(a.Body, protocol.Named("Responses", protocol.Object(tables...)), protocol.Named("UnprocessedKeys", []byte("{}")))
	return a.Deliver(), nil
}
