package visibility

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"

	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
)

// mostOfAPage is the size at which a page ends (API Reference, Query: 1 MB). The package compares it with the size of
// the items' JSON, which is larger than the size that DynamoDB counts. So the pages that it assembles may be shorter.
const mostOfAPage = 1 << 20

// entry is an item that may be on a page.
type entry struct {
	protocol.Key
	raw []byte // as the engine has it, or nil
	key []byte // its key's attributes
}

// page is a page under assembly.
type page struct {
	*protocol.Page
	front   *Front
	request *protocol.Request
	schema  *protocol.Schema
	entries []entry // all items of the range, in order; in the end, those of this page and of later pages
}

// readPage answers a Query or a Scan.
func (f *Front) readPage(r *protocol.Request, sees func(protocol.Key) bool) (*http.Response, error) {
	body := r.Body
	if r.Page.Segments > 1 && r.Page.Segment < r.Page.Segments {
		// The engine only validates this request. Its segments differ from the simulator's, so it might refuse the
		// start key.
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
	if err := page.gather(); err != nil {
		return nil, err
	}
	v := view{before, f.hiding(match), sees}
	if err := page.insert(v.after); err != nil {
		return nil, err
	}
	return page.answer(a, v)
}

// gather reads everything from the engine.
func (p *page) gather() error {
	for start, ended := []byte(nil), false; !ended; ended = start == nil {
		body, err := p.ask(p.request.Operation, p.Bare(p.request.Body, start))
		if err != nil {
			return err
		}
		err = protocol.Values(protocol.MemberOf(body, "Items"), func(raw []byte) error {
			i, err := protocol.ItemAt(p.schema, raw)
			if err == nil && p.Has(i.Key) {
				p.entries = append(p.entries, entry{i.Key, raw, i.KeyJSON()})
			}
			return err
		})
		if err != nil {
			return err
		}
		start = protocol.MemberOf(body, "LastEvaluatedKey")
	}
	return nil
}

// insert adds the hidden items that the engine lacks, at their places. It then drops all items up to the page's start
// key, even if the item with the start key does not exist any more.
func (p *page) insert(hidden map[protocol.Key]hiding) error {
	has := map[protocol.Key]bool{}
	for _, e := range p.entries {
		has[e.Key] = true
	}
	var gone []entry
	add := func(i protocol.Item) {
		if !has[i.Key] {
			has[i.Key] = true
			gone = append(gone, entry{Key: i.Key, key: i.KeyJSON()})
		}
	}
	var start protocol.Item
	if p.Start != nil {
		var err error
		if start, err = protocol.ItemAt(p.schema, p.Start); err != nil {
			return err
		}
		add(start)
	}
	for k, h := range hidden {
		is := h.before != nil && p.Has(k)
		if is && p.KeyCondition != nil {
			var err error
			if is, err = p.KeyCondition.Holds(h.before); err != nil {
				return err
			}
		}
		if is {
			add(h.item)
		}
	}
	slices.SortFunc(gone, func(a, b entry) int { return a.Key.Compare(b.Key) })
	place := p.sorted
	if p.request.Operation == "Scan" {
		place = p.scanned
	}
	for _, e := range gone {
		at, err := place(e)
		if err != nil {
			return err
		}
		p.entries = slices.Insert(p.entries, at, e)
	}
	if p.Start != nil {
		p.entries = p.entries[1+slices.IndexFunc(p.entries, func(e entry) bool { return e.Key == start.Key }):]
	}
	return nil
}

// sorted returns the index of an item in the entries of a Query, which are in the order of the sort keys.
func (p *page) sorted(e entry) (at int, err error) {
	at, _ = slices.BinarySearchFunc(p.entries, e, func(a, b entry) int {
		if p.schema.Sort == "" {
			return 0 // there is at most one item
		}
		c, failed := protocol.CompareValues(protocol.MemberOf(a.key, p.schema.Sort), protocol.MemberOf(b.key, p.schema.Sort))
		err = cmp.Or(err, failed)
		if p.Backward {
			return -c
		}
		return c
	})
	return at, err
}

// scanned returns the index of an item in the entries of a Scan: before the item that follows it in the engine. If
// several items have the same successor, their keys decide the order.
func (p *page) scanned(e entry) (at int, err error) {
	at = -1
	for key := e.key; key != nil && at < 0; {
		body, err := p.ask("Scan", protocol.With(p.Bare(p.request.Body, key), protocol.Named("Limit", []byte("1"))))
		if err != nil {
			return 0, err
		}
		err = protocol.Values(protocol.MemberOf(body, "Items"), func(raw []byte) error {
			k, err := p.schema.Key(raw)
			// The entries do not have an item of another segment, or a new item.
			at = slices.IndexFunc(p.entries, func(o entry) bool { return o.Key == k })
			return err
		})
		if err != nil {
			return 0, err
		}
		key = protocol.MemberOf(body, "LastEvaluatedKey")
	}
	if at < 0 {
		at = len(p.entries)
	}
	return at, nil
}

func (p *page) ask(operation string, body []byte) ([]byte, error) {
	return p.front.Ask(p.request.HTTP.Context(), p.request.HTTP, operation, body)
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
	if full {
		all = append(all, protocol.Named("LastEvaluatedKey", last))
	}
	a.Body = protocol.With(protocol.Without(a.Body, "Items", "LastEvaluatedKey"), all...)
	return a.Deliver(), nil
}
