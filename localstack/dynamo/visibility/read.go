package visibility

import (
	"errors"
	"net/http"

	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
)

// Read answers a request that reads, and whatever neither reads nor writes items. Hidden items that it touches are as
// they were before, unless sees says true of one: that item is shown from then on. It is asked once for each, in the
// order of the answer's items, and may call what it likes. A TransactGetItems that names an item which a commit hides
// or checks is cancelled.
func (f *Front) Read(r *Request, sees func(Key) bool) (*http.Response, error) {
	switch r.Operation {
	case "ExecuteStatement", "ExecuteTransaction", "BatchExecuteStatement":
		return notSupported(r, unsupported{"PartiQL (at any time)"}), nil
	}
	if len(r.Reads) == 0 {
		return f.pass(r)
	}
	read := f.readItems
	switch r.Operation {
	case "Query", "Scan":
		read = f.readPage
	case "TransactGetItems":
		return f.transactGet(r)
	}
	response, err := read(r, sees)
	if what := (unsupported{}); errors.As(err, &what) {
		return notSupported(r, what), nil
	}
	return response, err
}

// notSupported is an answer that no client tries again.
func notSupported(r *Request, what unsupported) *http.Response {
	return refuse(r, marshal(map[string]string{"__type": "com.amazon.coral.validate#ValidationException", "message": what.Error()}))
}

func (f *Front) transactGet(r *Request) (*http.Response, error) {
	a, err := f.send(r.http, r.body)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if conflicting := f.conflicts(r.items); conflicting != nil && a.ok() {
		return refuse(r, cancelled(conflicting)), nil
	}
	return a.deliver(), nil
}

// readItems answers a GetItem or a BatchGetItem.
func (f *Front) readItems(r *Request, sees func(Key) bool) (*http.Response, error) {
	a, err := f.send(r.http, r.body)
	if err != nil {
		return nil, err
	}
	named := map[Key]bool{}
	for _, i := range r.items {
		named[i.Key] = true
	}
	match := func(k Key) bool { return named[k] }
	before := f.hiding(match)
	if len(before) == 0 || !a.ok() {
		return a.deliver(), nil
	}
	raw, err := f.images(r.http.Context(), r.http, r.items)
	if err != nil {
		return nil, err
	}
	v := view{f, before, f.hiding(match), sees}
	if r.Operation == "GetItem" {
		one, err := v.projected(r.body, r.items, raw)
		if err != nil {
			return nil, err
		}
		a.body = without(a.body, "Item")
		if len(one) > 0 {
			a.body = protocol.With(a.body, protocol.Named("Item", one[0]))
		}
		return a.deliver(), nil
	}
	var tables []protocol.Member
	err = protocol.Members(protocol.MemberOf(r.body, "RequestItems"), func(m protocol.Member) error {
		var items []item
		for _, i := range r.items {
			if i.table == m.Name {
				items = append(items, i)
			}
		}
		all, err := v.projected(m.Value, items, raw)
		tables = append(tables, protocol.Named(m.Name, protocol.Array(all)))
		return err
	})
	if err != nil {
		return nil, err
	}
	a.body = protocol.With(a.body, protocol.Named("Responses", protocol.Object(tables)), protocol.Named("UnprocessedKeys", []byte("{}")))
	return a.deliver(), nil
}

// projected returns those of the items that the read sees, as the parameters want them.
func (v view) projected(parameters []byte, items []item, raw map[Key][]byte) (all [][]byte, err error) {
	if protocol.MemberOf(parameters, "AttributesToGet") != nil {
		return nil, unsupported{"AttributesToGet"}
	}
	e := expressions{names: protocol.MemberOf(parameters, "ExpressionAttributeNames")}
	expression, err := optionalText(parameters, "ProjectionExpression")
	if err != nil {
		return nil, err
	}
	p, err := e.projection(expression)
	if err != nil {
		return nil, err
	}
	for _, i := range items {
		if seen := v.of(i.Key, raw[i.Key]); seen != nil {
			one, err := p.of(seen)
			if err != nil {
				return nil, err
			}
			all = append(all, one)
		}
	}
	return all, nil
}

// optionalText returns the text that a member has; "" without one.
func optionalText(object []byte, name string) (string, error) {
	value := protocol.MemberOf(object, name)
	if value == nil {
		return "", nil
	}
	return protocol.Text(value)
}

// without returns an object without some of its members.
func without(object []byte, names ...string) []byte {
	var all []protocol.Member
	_ = protocol.Members(object, func(m protocol.Member) error {
		for _, name := range names {
			if m.Name == name {
				return nil
			}
		}
		all = append(all, m)
		return nil
	})
	return protocol.Object(all)
}
