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
	Key
	raw  []byte // as the engine has it; nil if it has none
	key  []byte // the attributes of its key
	sort []byte // the value of its sort key
}

// page is a page that is put together.
type page struct {
	*paging
	front   *Front
	request *Request
	schema  *protocol.Schema
	entries []entry // what may be on it, in order
	ended   bool    // there is nothing after the entries
}

// readPage answers a Query or a Scan.
func (f *Front) readPage(r *Request, sees func(Key) bool) (*http.Response, error) {
	p, unsupported := parsePaging(r.body)
	body := r.body
	if p.total > 1 && p.segment < p.total {
		// The engine is asked for what it finds wrong, not for items. It has other segments, and may mind the start.
		body = protocol.With(without(body, "ExclusiveStartKey"), protocol.Named("Limit", []byte("1")))
	}
	a, err := f.send(r.http, body)
	if err != nil {
		return nil, err
	}
	where := r.Reads[0]
	match := func(k Key) bool { return k.Table == where.Table && (where.PK == "" || k.PK == where.PK) }
	before := f.hiding(match)
	if !a.ok() || len(before) == 0 && p.total < 2 {
		return a.deliver(), nil
	}
	if unsupported != nil {
		return nil, unsupported
	}
	page := &page{paging: p, front: f, request: r}
	if page.schema, _, err = f.schema(r.http, r.body); err != nil {
		return nil, err
	}
	if err := page.gather(before); err != nil {
		return nil, err
	}
	v := view{f, before, f.hiding(match), sees}
	if err := page.insert(v.after); err != nil {
		return nil, err
	}
	return page.answer(a, v)
}

// gather reads what the engine has, from the start of the page on: at least what fills it when the hidden items are
// left out.
func (p *page) gather(hidden map[Key]hiding) error {
	start, size := p.start, 0
	for !p.ended && size < mostOfAPage && (p.limit == 0 || len(p.entries) < p.limit+len(hidden)) {
		body, err := p.front.ask(p.request.http.Context(), p.request.http, p.request.Operation, p.bare(p.request.body, start))
		if err != nil {
			return err
		}
		err = protocol.Values(protocol.MemberOf(body, "Items"), func(raw []byte) error {
			k, err := p.schema.Key(raw)
			if err == nil && p.mine(k) {
				if _, is := hidden[k]; !is {
					size += len(raw)
				}
				p.entries = append(p.entries, p.entry(k, raw, keyOnly(p.schema, raw)))
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

func (p *page) entry(k Key, raw, key []byte) entry {
	return entry{Key: k, raw: raw, key: key, sort: protocol.MemberOf(key, p.schema.Sort)}
}

// insert puts those hidden items in their places that the engine does not have.
func (p *page) insert(hidden map[Key]hiding) error {
	has := map[Key]bool{}
	for _, e := range p.entries {
		has[e.Key] = true
	}
	var deleted []entry
	for k, h := range hidden {
		if h.before == nil || has[k] || !p.mine(k) {
			continue
		}
		if p.keyCondition != nil {
			if is, err := p.keyCondition.holds(h.before); err != nil {
				return err
			} else if !is {
				continue
			}
		}
		deleted = append(deleted, p.entry(k, nil, h.item.key))
	}
	slices.SortFunc(deleted, func(a, b entry) int { return compareKeys(a.Key, b.Key) })
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
		c, failed := compareValues(a.sort, b.sort)
		err = cmp.Or(err, failed)
		if p.backward {
			return -c
		}
		return c
	}
	start := p.entry(Key{}, nil, p.start)
	for _, e := range deleted {
		if p.start != nil && compare(e, start) <= 0 {
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
func (p *page) insertScanned(deleted []entry, hidden map[Key]hiding) error {
	r := p.request.http
	var items []item
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
		if first := !slices.ContainsFunc(p.entries[:at], func(o entry) bool { return o.raw != nil }); first && p.start != nil {
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

// successor returns the item that follows a key in the engine's order, in the segment; nil if there is none.
func (p *page) successor(key []byte) (*Key, error) {
	r := p.request.http
	for {
		body, err := p.front.ask(r.Context(), r, "Scan", protocol.With(p.bare(p.request.body, key), protocol.Named("Limit", []byte("1"))))
		if err != nil {
			return nil, err
		}
		var found *Key
		err = protocol.Values(protocol.MemberOf(body, "Items"), func(raw []byte) error {
			k, err := p.schema.Key(raw)
			found = &k
			return err
		})
		if err != nil {
			return nil, err
		}
		if found != nil && p.mine(*found) {
			return found, nil
		}
		if key = protocol.MemberOf(body, "LastEvaluatedKey"); key == nil {
			return nil, nil
		}
	}
}

// beforeStart reports whether an item that has no predecessor on the page belongs on the one before. Both have the same
// successor then; where the key that this page starts after is one that the engine has, it lies between.
func (p *page) beforeStart(e entry, successor *Key) (bool, error) {
	start, err := p.schema.Key(p.start)
	if err != nil {
		return false, err
	}
	stored, err := p.front.images(p.request.http.Context(), p.request.http, []item{{Key: start, table: p.schema.Table, key: p.start}})
	if err != nil || stored[start] != nil {
		return false, err
	}
	return compareKeys(e.Key, start) <= 0, nil
}

// answer fills the page with what the read sees.
func (p *page) answer(a *answer, v view) (*http.Response, error) {
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
		if p.filter != nil {
			is, err = p.filter.holds(seen)
		}
		if err != nil {
			return nil, err
		}
		if is {
			one, err := p.projection.of(seen)
			if err != nil {
				return nil, err
			}
			items = append(items, one)
		}
		if full = scanned == p.limit || size >= mostOfAPage; full {
			break
		}
	}
	all := []protocol.Member{
		protocol.Named("Count", strconv.AppendInt(nil, int64(len(items)), 10)), protocol.Named("ScannedCount", strconv.AppendInt(nil, int64(scanned), 10)),
	}
	if !p.count {
		all = append(all, protocol.Named("Items", protocol.Array(items)))
	}
	if last != nil && (full || !p.ended) {
		all = append(all, protocol.Named("LastEvaluatedKey", last))
	}
	a.body = protocol.With(without(a.body, "Items", "LastEvaluatedKey"), all...)
	return a.deliver(), nil
}
