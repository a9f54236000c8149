package visibility

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"

	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
)

// mostOfAPage is where a page ends (API Reference, Query: 1 MB). It is compared with the items as they are sent, which
// is more than what DynamoDB takes them to be: pages that are put together here may be shorter.
const mostOfAPage = 1 << 20

// entry is an item that may be on a page: the engine's, or one that a commit has deleted.
type entry struct {
	protocol.Key
	raw  []byte // as the engine has it; nil if it has none
	key  []byte // the attributes of its key
	sort []byte // the value of its sort key
}

// page is a page that is put together.
type page struct {
	*protocol.Page
	front   *Front
	request *protocol.Request
	schema  *protocol.Schema
	entries []entry // what may be on it, in order
	ended   bool    // there is nothing after the entries
}

// readPage answers a Query or a Scan.
func (f *Front) readPage(r *protocol.Request, sees func(protocol.Key) bool) (*http.Response, error) {
	body := r.Body
	if r.Page.Segments > 1 && r.Page.Segment < r.Page.Segments {
		// The engine is asked for what it finds wrong, not for items. It has other segments, and may mind the start.
		body = protocol.With(protocol.Without(body, "ExclusiveStartKey"), protocol.Named("Limit", []byte("1")))
	}
	a, err := f.Send(r.HTTP, body)
	if err != nil {
		return nil, err
	}
	where := r.Reads[0]
	match := func(k protocol.Key) bool { return k.Table == where.Table && (where.PK == "" || k.PK == where.PK) }
	before := f.hiding(match)
	if !a.OK() || len(before) == 0 && r.Page.Segments < 2 {
		return a.Deliver(), nil
	}
	if r.Page.Unsupported != nil {
		return nil, r.Page.Unsupported
	}
	page := &page{Page: r.Page, front: f, request: r, schema: r.Schema}
	if err := page.gather(before); err != nil {
		return nil, err
	}
	v := view{before, f.hiding(match), sees}
	if err := page.insert(v.after); err != nil {
		return nil, err
	}
	return page.answer(a, v)
}

// gather reads what the engine has, from the start of the page on: at least what fills it when the hidden items are
// left out.
func (p *page) gather(hidden map[protocol.Key]hiding) error {
	start, size := p.Start, 0
	for !p.ended && size < mostOfAPage && (p.Limit == 0 || len(p.entries) < p.Limit+len(hidden)) {
		body, err := p.ask(p.request.Operation, p.Bare(p.request.Body, start))
		if err != nil {
			return err
		}
		err = protocol.Values(protocol.MemberOf(body, "Items"), func(raw []byte) error {
			i, err := protocol.ItemAt(p.schema, raw)
			if err == nil && p.Has(i.Key) {
				if _, is := hidden[i.Key]; !is {
					size += len(raw)
				}
				p.entries = append(p.entries, p.entry(i, raw))
			}
			return err
		})
		if err != nil {
			return err
		}
		start = protocol.MemberOf(body, "LastEvaluatedKey")
		p.ended = start == nil
	}
	return nil
}

func (p *page) entry(i protocol.Item, raw []byte) entry {
	key := i.KeyJSON()
	return entry{Key: i.Key, raw: raw, key: key, sort: protocol.MemberOf(key, p.schema.Sort)}
}

// insert puts those hidden items in their places that the engine does not have.
func (p *page) insert(hidden map[protocol.Key]hiding) error {
	has := map[protocol.Key]bool{}
	for _, e := range p.entries {
		has[e.Key] = true
	}
	var deleted []entry
	for k, h := range hidden {
		if h.before == nil || has[k] || !p.Has(k) {
			continue
		}
		if p.KeyCondition != nil {
			if is, err := p.KeyCondition.Holds(h.before); err != nil {
				return err
			} else if !is {
				continue
			}
		}
		deleted = append(deleted, p.entry(h.item, nil))
	}
	slices.SortFunc(deleted, func(a, b entry) int { return a.Key.Compare(b.Key) })
	if p.request.Operation == "Query" {
		return p.insertSorted(deleted)
	}
	return p.insertScanned(deleted, hidden)
}

// insertSorted puts items of a Query into the order of their sort keys.
func (p *page) insertSorted(deleted []entry) (err error) {
	compare := func(a, b entry) int {
		if p.schema.Sort == "" {
			return 0 // there is one item at most
		}
		c, failed := protocol.CompareValues(a.sort, b.sort)
		err = cmp.Or(err, failed)
		if p.Backward {
			return -c
		}
		return c
	}
	start := entry{sort: protocol.MemberOf(p.Start, p.schema.Sort)}
	for _, e := range deleted {
		if p.Start != nil && compare(e, start) <= 0 {
			continue
		}
		at, _ := slices.BinarySearchFunc(p.entries, e, compare)
		if at < len(p.entries) || p.ended {
			p.entries = slices.Insert(p.entries, at, e)
		}
	}
	return err
}

// insertScanned puts items of a Scan before those that the engine has as their successors. Whatever has the same
// successor is in the order of its keys.
func (p *page) insertScanned(deleted []entry, hidden map[protocol.Key]hiding) error {
	r := p.request.HTTP
	var items []protocol.Item
	for _, e := range deleted {
		items = append(items, hidden[e.Key].item)
	}
	if items == nil {
		return nil
	}
	stored, err := p.front.images(r.Context(), r, items)
	if err != nil {
		return err
	}
	for _, e := range deleted {
		if stored[e.Key] != nil {
			continue // it is on another page
		}
		next, err := p.successor(e.key)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(p.entries, func(o entry) bool { return o.raw != nil && next != nil && o.Key == *next })
		if next == nil && p.ended {
			at = len(p.entries)
		}
		if at < 0 {
			continue
		}
		if first := !slices.ContainsFunc(p.entries[:at], func(o entry) bool { return o.raw != nil }); first && p.Start != nil {
			before, err := p.beforeStart(e, next)
			if err != nil || before {
				if err != nil {
					return err
				}
				continue
			}
		}
		p.entries = slices.Insert(p.entries, at, e)
	}
	return nil
}

// successor returns the item that follows a key in the engine's order, in the segment; nil if there
// is none.
func (p *page) successor(key []byte) (*protocol.Key, error) {
	var found *protocol.Key
	for key != nil && found == nil {
		body, err := p.ask("Scan", protocol.With(p.Bare(p.request.Body, key), protocol.Named("Limit", []byte("1"))))
		if err != nil {
			return nil, err
		}
		err = protocol.Values(protocol.MemberOf(body, "Items"), func(raw []byte) error {
			if k, err := p.schema.Key(raw); err != nil || p.Has(k) {
				found = &k
				return err
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		key = protocol.MemberOf(body, "LastEvaluatedKey")
	}
	return found, nil
}

func (p *page) ask(operation string, body []byte) ([]byte, error) {
	return p.front.Ask(p.request.HTTP.Context(), p.request.HTTP, operation, body)
}

// beforeStart reports whether an item that has no predecessor on the page belongs on the one before. Both have the same
// successor then; where the key that this page starts after is one that the engine has, it lies between.
func (p *page) beforeStart(e entry, successor *protocol.Key) (bool, error) {
	start, err := protocol.ItemAt(p.schema, p.Start)
	if err != nil {
		return false, err
	}
	stored, err := p.front.images(p.request.HTTP.Context(), p.request.HTTP, []protocol.Item{start})
	if err != nil || stored[start.Key] != nil {
		return false, err
	}
	return e.Key.Compare(start.Key) <= 0, nil
}

// answer fills the page with what the read sees.
func (p *page) answer(a *protocol.Answer, v view) (*http.Response, error) {
	items, scanned, size, full := [][]byte{}, 0, 0, false
	var last []byte
	for _, e := range p.entries {
		last = e.key
		seen := v.of(e.Key, e.raw)
		if seen == nil {
			continue
		}
		scanned++
		size += len(seen)
		is := true
		var err error
		if p.Filter != nil {
			is, err = p.Filter.Holds(seen)
		}
		if err != nil {
			return nil, err
		}
		if is {
			one, err := p.Projection.Of(seen)
			if err != nil {
				return nil, err
			}
			items = append(items, one)
		}
		if full = scanned == p.Limit || size >= mostOfAPage; full {
			break
		}
	}
	all := []protocol.Member{
		protocol.Named("Count", strconv.AppendInt(nil, int64(len(items)), 10)), protocol.Named("ScannedCount", strconv.AppendInt(nil, int64(scanned), 10)),
	}
	if !p.Count {
		all = append(all, protocol.Named("Items", protocol.Array(items)))
	}
	if last != nil && (full || !p.ended) {
		all = append(all, protocol.Named("LastEvaluatedKey", last))
	}
	a.Body = protocol.With(protocol.Without(a.Body, "Items", "LastEvaluatedKey"), all...)
	return a.Deliver(), nil
}
