package visibility

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
)

// Front stands before an engine. It is safe for concurrent use.
type Front struct {
	next    http.RoundTripper
	schemas protocol.Schemas

	mu        sync.Mutex
	written   *sync.Cond         // a plain write has been answered
	held      map[Key]*Commit    // what is hidden or checked
	plain     map[Key]int        // plain writes that the engine has not answered
	underWay  map[string]*Commit // by ClientRequestToken
	succeeded succeeded
	open      map[*Commit]bool // transactions under way and commits that are not over
	journal   *Journal         // nil without
	epoch     int              // how often a journal has undone what succeeded tokens stand for
}

// New returns a Front before the engine that next leads to, with nothing held.
func New(next http.RoundTripper) *Front {
	f := &Front{
		next: next, held: map[Key]*Commit{}, plain: map[Key]int{}, underWay: map[string]*Commit{},
		open: map[*Commit]bool{},
	}
	f.written = sync.NewCond(&f.mu)
	return f
}

// answer is what the engine said.
type answer struct {
	*http.Response
	body []byte
}

func (a *answer) ok() bool { return a.StatusCode == http.StatusOK }

// deliver returns the answer with a body that can be read.
func (a *answer) deliver() *http.Response {
	protocol.SetBody(a.Response, a.body)
	return a.Response
}

// send passes a body on to the engine as the request's.
func (f *Front) send(r *http.Request, body []byte) (*answer, error) {
	r = protocol.WithBody(r, body)
	r.Header = r.Header.Clone()
	r.Header.Set("Accept-Encoding", "identity") // the answer must be read
	response, err := f.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	a := &answer{Response: response}
	a.body, err = protocol.ReadAll(response.Body, response.ContentLength)
	return a, err
}

// ask has the engine do an operation of this package's own, with the request's headers.
func (f *Front) ask(ctx context.Context, r *http.Request, operation string, body []byte) ([]byte, error) {
	r = r.Clone(ctx)
	service, _, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	r.Header.Set("X-Amz-Target", service+"."+operation)
	a, err := f.send(r, body)
	if err == nil && !a.ok() {
		err = fmt.Errorf("%s %s", a.Status, a.body)
	}
	if err != nil {
		return nil, fmt.Errorf("visibility: %s: %w", operation, err)
	}
	return a.body, nil
}

// images reads items as they are in the engine; those that are not there have none.
func (f *Front) images(ctx context.Context, r *http.Request, items []item) (map[Key][]byte, error) {
	found := map[Key][]byte{}
	for some := range slices.Chunk(items, mostItems) {
		if err := f.readImages(ctx, r, some, found); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// readImages reads as many items as one request can.
func (f *Front) readImages(ctx context.Context, r *http.Request, items []item, found map[Key][]byte) error {
	keys, schemas := map[string][][]byte{}, map[string]*protocol.Schema{}
	asked := map[Key]bool{}
	for _, i := range items {
		if asked[i.Key] {
			continue
		}
		asked[i.Key] = true
		s, err := f.schemas.Of(i.Table, r, f.next)
		if err != nil {
			return err
		}
		keys[i.Table] = append(keys[i.Table], i.key)
		schemas[i.Table] = s
	}
	tables := []protocol.Member{}
	for table, all := range keys {
		tables = append(tables, protocol.Named(table, protocol.Object([]protocol.Member{
			protocol.Named("Keys", protocol.Array(all)), protocol.Named("ConsistentRead", []byte("true")),
		})))
	}
	left := protocol.Object(tables)
	for string(left) != "{}" {
		body, err := f.ask(ctx, r, "BatchGetItem", protocol.Object([]protocol.Member{protocol.Named("RequestItems", left)}))
		if err != nil {
			return err
		}
		err = protocol.Members(protocol.MemberOf(body, "Responses"), func(m protocol.Member) error {
			return protocol.Values(m.Value, func(raw []byte) error {
				k, err := schemas[m.Name].Key(raw)
				found[k] = slices.Clone(raw)
				return err
			})
		})
		if err != nil {
			return err
		}
		if left = protocol.MemberOf(body, "UnprocessedKeys"); left == nil {
			break
		}
	}
	return nil
}

// refuse answers without the engine.
func refuse(r *Request, body []byte) *http.Response {
	return protocol.Respond(r.http, http.StatusBadRequest, body)
}

// hiding is a hidden item, as a read finds it.
type hiding struct {
	commit *Commit
	before []byte // nil where there was none
	item   item
}

// hiding returns the items that are hidden, and match. What the engine has not been asked to write yet is not among
// them.
func (f *Front) hiding(match func(Key) bool) map[Key]hiding {
	f.mu.Lock()
	defer f.mu.Unlock()
	found := map[Key]hiding{}
	for k, c := range f.held {
		if h, is := c.hidden[k]; is && match(k) {
			found[k] = h
		}
	}
	return found
}

// view is what a read that has met hidden items sees of them.
type view struct {
	front         *Front
	before, after map[Key]hiding // as they were before and after the engine was asked
	sees          func(Key) bool
}

// of returns the item as the read sees it, raw being the engine's.
func (v view) of(k Key, raw []byte) []byte {
	h, is := v.after[k]
	if !is {
		return raw
	}
	// What became hidden while the engine was asked may not have been in its answer: that cannot be shown.
	if earlier, was := v.before[k]; was && earlier.commit == h.commit && h.commit.isOpen() && v.sees(k) {
		h.commit.Show(k)
		return raw
	}
	return h.before
}
