package visibility

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"

	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
)

// mostOfAPage is the size in bytes at which a page ends (API Reference, Query: 1 MB). The package counts the bytes of
// the items' JSON, which are more than DynamoDB counts. So assembled pages may have fewer items than DynamoDB's.
const mostOfAPage = 1 << 20

// entry is an item that could be on the page.
type entry struct {
	protocol.Key
	raw []byte // the item as the engine has it, or nil
	key []byte // the attributes of its key
}

// readPage replaces the page in a, the engine's answer to a Query or a Scan, by the page as the view v shows it. It reads
// the whole range.
func (f *Front) readPage(r *protocol.Request, a *protocol.Answer, v view) (*http.Response, error) {
	if r.Page.Unsupported != "" {
		return refuse(r, r.Page.Unsupported), nil
	}
	entries, err := f.gather(r)
	if err != nil {
		return nil, err
	}
	if entries, err = insert(r, entries, v.hidden); err != nil {
		return nil, err
	}
	a.Body = v.page(r, a.Body, entries)
	return a.Deliver(), nil
}

// gather reads all items of the range from the engine, after the page's start key.
func (f *Front) gather(r *protocol.Request) (all []entry, err error) {
	for start, ended := r.Page.Start, false; !ended; ended = start == nil {
		body, err := f.Ask(r.HTTP.Context(), r.HTTP, r.Operation, protocol.Bare(r.Body, start))
		if err != nil {
			return nil, err
		}
		err = protocol.Values(protocol.MemberOf(body, "Items"), func(raw []byte) error {
			k, err := r.Schema.Key(raw)
			all = append(all, entry{k, raw, r.Schema.KeyOnly(raw)})
			return err
		})
		if err != nil {
			return nil, err
		}
		start = protocol.MemberOf(body, "LastEvaluatedKey")
	}
	return all, nil
}

// insert adds hidden items that the engine does not have any more, because their transactions delete them. It leaves
// out items before the page's start key. It returns all entries in the page's order.
func insert(r *protocol.Request, all []entry, hidden map[protocol.Key]hiding) ([]entry, error) {
	order := func(a, b protocol.Key) int {
		if r.Page.Backward {
			return cmp.Compare(b.SK, a.SK)
		}
		return cmp.Compare(a.SK, b.SK)
	}
	var start protocol.Key
	var err error
	if r.Page.Start != nil {
		if start, err = r.Schema.Key(r.Page.Start); err != nil {
			return nil, err
		}
	}
	for k, h := range hidden {
		gone := !slices.ContainsFunc(all, func(e entry) bool { return e.Key == k })
		if gone && h.before != nil && (r.Page.Start == nil || order(start, k) < 0) {
			all = append(all, entry{Key: k, key: h.item.KeyJSON()})
		}
	}
	slices.SortFunc(all, func(a, b entry) int { return order(a.Key, b.Key) })
	return all, nil
}

// page returns body, the engine's answer, with the items as the view v shows them.
func (v view) page(r *protocol.Request, body []byte, entries []entry) []byte {
	p, end := r.Page, r.Reads[0].To // no item of the range follows this sort key
	if p.Backward {
		end = r.Reads[0].From
	}
	items, size := [][]byte{}, 0
	var last []byte // LastEvaluatedKey; nil at the end of the range
	for _, e := range entries {
		seen := v.of(e.Key, e.raw)
		if seen == nil {
			continue
		}
		size += len(seen)
		items = append(items, projected(seen, p.Attributes))
		if len(items) == p.Limit || size >= mostOfAPage {
			if e.SK != end || end == "" { // DynamoDB Local refuses the range's end as a start key
				last = e.key
			}
			break
		}
	}
	count := strconv.AppendInt(nil, int64(len(items)), 10)
	all := []protocol.Member{protocol.Named("Count", count), protocol.Named("ScannedCount", count), protocol.Named("Items", protocol.Array(items))}
	if last != nil {
		all = append(all, protocol.Named("LastEvaluatedKey", last))
	}
	return protocol.With(protocol.Without(body, "LastEvaluatedKey"), all...)
}

// projected returns an item with only the named attributes. If attributes is nil, it returns the whole item.
func projected(item []byte, attributes []string) []byte {
	if attributes == nil {
		return item
	}
	return protocol.Only(item, attributes...)
}
