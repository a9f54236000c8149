package visibility

import (
	"strings"

	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
)

// projection has what is kept of an item: the whole of an attribute where it has no members. A nil one keeps all.
type projection map[string]projection

// projection reads a ProjectionExpression; "" is one that keeps all.
func (e *expressions) projection(text string) (projection, error) {
	if text == "" {
		return nil, nil
	}
	all := projection{}
	for one := range strings.SplitSeq(text, ",") {
		path, err := e.path(strings.TrimSpace(one))
		if err != nil {
			return nil, err
		}
		at := all
		for i, name := range path {
			switch {
			case i == len(path)-1:
				at[name] = nil
			case at[name] == nil:
				at[name] = projection{}
			}
			at = at[name]
		}
	}
	return all, nil
}

// of returns what is kept of an object of attributes.
func (p projection) of(attributes []byte) ([]byte, error) {
	if p == nil {
		return attributes, nil
	}
	var kept []protocol.Member
	err := protocol.Members(attributes, func(m protocol.Member) error {
		inner, is := p[m.Name]
		if !is {
			return nil
		}
		if inner != nil {
			within := protocol.MemberOf(m.Value, "M")
			if within == nil {
				return nil
			}
			rest, err := inner.of(within)
			if err != nil || string(rest) == "{}" {
				return err
			}
			m.Value = protocol.Object([]protocol.Member{protocol.Named("M", rest)})
		}
		kept = append(kept, m)
		return nil
	})
	return protocol.Object(kept), err
}
