package visibility

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
)

// Write answers a request that writes or checks. Where an item of it is hidden by an open commit, or checked by one,
// or the commit of its token is open, the engine is not asked, but for those items of a BatchWriteItem that are free.
// Otherwise the engine's answer is returned. A TransactWriteItems that the engine has applied comes with its Commit,
// all of it hidden: the caller must End it. There is none for a repetition of what has succeeded before (by its
// ClientRequestToken). What the engine has been asked to write is not given up when the request's context ends.
func (f *Front) Write(r *Request) (*http.Response, *Commit, error) {
	switch {
	case !r.Changes():
		response, err := f.pass(r)
		return response, nil, err
	case r.Operation == "TransactWriteItems":
		return f.transact(r)
	case r.Operation == "BatchWriteItem":
		response, err := f.writeBatch(r)
		return response, nil, err
	}
	response, err := f.writeOne(r)
	return response, nil, err
}

// pass lets a request through.
func (f *Front) pass(r *Request) (*http.Response, error) {
	if r.http.Body == nil {
		return f.next.RoundTrip(r.http)
	}
	response, err := f.next.RoundTrip(protocol.WithBody(r.http, r.body))
	if r.Operation == "CreateTable" || r.Operation == "DeleteTable" {
		f.schemas.Forget()
	}
	return response, err
}

// conflicts says which items are held by commits; nil if none is. The Front is locked.
func (f *Front) conflicts(items []item) (conflicting []bool) {
	for n, i := range items {
		if f.held[i.Key] != nil {
			if conflicting == nil {
				conflicting = make([]bool, len(items))
			}
			conflicting[n] = true
		}
	}
	return conflicting
}

// plainly carries out a plain write of the items: a transaction that wants one of them waits for its end.
func (f *Front) plainly(r *Request, items []item, body []byte) (*answer, error) {
	defer f.endPlainly(items)
	request := r.http.WithContext(context.WithoutCancel(r.http.Context()))
	if err := f.remember(request, items); err != nil {
		return nil, err
	}
	return f.send(request, body)
}

// beginPlainly counts a plain write of the items; the Front is locked.
func (f *Front) beginPlainly(items []item) {
	for _, i := range items {
		f.plain[i.Key]++
	}
}

func (f *Front) endPlainly(items []item) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, i := range items {
		if f.plain[i.Key]--; f.plain[i.Key] == 0 {
			delete(f.plain, i.Key)
		}
	}
	f.written.Broadcast()
}

func (f *Front) writeOne(r *Request) (*http.Response, error) {
	f.mu.Lock()
	if f.conflicts(r.items) != nil {
		f.mu.Unlock()
		return refuse(r, marshal(protocol.Conflict())), nil
	}
	f.beginPlainly(r.items)
	f.mu.Unlock()
	a, err := f.plainly(r, r.items, r.body)
	if err != nil {
		return nil, err
	}
	return a.deliver(), nil
}

func (f *Front) writeBatch(r *Request) (*http.Response, error) {
	f.mu.Lock()
	conflicting := f.conflicts(r.items)
	var free, kept []item
	for n, i := range r.items {
		if conflicting != nil && conflicting[n] {
			kept = append(kept, i)
		} else {
			free = append(free, i)
		}
	}
	f.beginPlainly(free)
	f.mu.Unlock()
	body := r.body
	switch {
	case free == nil:
		return protocol.Respond(r.http, http.StatusOK, protocol.Object([]protocol.Member{unprocessed(kept, nil)})), nil
	case kept != nil:
		body = protocol.With(body, protocol.Named("RequestItems", byTable(free, nil)))
	}
	a, err := f.plainly(r, free, body)
	if err != nil {
		return nil, err
	}
	if a.ok() && kept != nil {
		a.body = protocol.With(a.body, unprocessed(kept, protocol.MemberOf(a.body, "UnprocessedItems")))
	}
	return a.deliver(), nil
}

// unprocessed returns UnprocessedItems: those that are kept back and those that the engine has left.
func unprocessed(kept []item, left []byte) protocol.Member {
	return protocol.Named("UnprocessedItems", byTable(kept, left))
}

// byTable returns the elements of a batch by their tables, after those that are there already.
func byTable(items []item, before []byte) []byte {
	var names []string
	raw := map[string][][]byte{}
	add := func(table string, value []byte) {
		if raw[table] == nil {
			names = append(names, table)
		}
		raw[table] = append(raw[table], value)
	}
	_ = protocol.Members(before, func(m protocol.Member) error {
		return protocol.Values(m.Value, func(value []byte) error {
			add(m.Name, value)
			return nil
		})
	})
	for _, i := range items {
		add(i.table, i.raw)
	}
	var all []protocol.Member
	for _, name := range names {
		all = append(all, protocol.Named(name, protocol.Array(raw[name])))
	}
	return protocol.Object(all)
}

// transact lets the engine apply a transaction and opens its commit.
func (f *Front) transact(r *Request) (*http.Response, *Commit, error) {
	commit, refused, repeated := f.prepare(r)
	if refused != nil {
		return refuse(r, refused), nil, nil
	}
	request := r.http.WithContext(context.WithoutCancel(r.http.Context()))
	body := f.renamed(r)
	if repeated {
		a, err := f.send(request, body)
		if err != nil {
			return nil, nil, err
		}
		return a.deliver(), nil, nil
	}
	a, err := f.apply(request, commit, body)
	f.mu.Lock()
	defer f.mu.Unlock()
	if err != nil || !a.ok() {
		commit.release()
		if err != nil {
			return nil, nil, err
		}
		return a.deliver(), nil, nil
	}
	commit.open = true
	if commit.token != "" {
		f.succeeded.add(commit.token, time.Now())
	}
	return a.deliver(), commit, nil
}

// prepare holds the items of a transaction, or says why it cannot.
func (f *Front) prepare(r *Request) (commit *Commit, refused []byte, repeated bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if r.Token != "" {
		if f.underWay[r.Token] != nil {
			return nil, marshal(protocol.InProgress()), false
		}
		if f.succeeded.has(r.Token, time.Now()) {
			return nil, nil, true
		}
	}
	if conflicting := f.conflicts(r.items); conflicting != nil {
		return nil, cancelled(conflicting), false
	}
	commit = &Commit{front: f, token: r.Token, items: r.items}
	f.open[commit] = true
	for _, i := range r.items {
		f.held[i.Key] = commit
	}
	if r.Token != "" {
		f.underWay[r.Token] = commit
	}
	for f.anyPlain(r.items) {
		f.written.Wait()
	}
	return commit, nil, false
}

// Repeats reports whether a transaction's token is that of one that is under way or has succeeded: neither will be
// cancelled any more.
func (f *Front) Repeats(r *Request) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return r.Token != "" && (f.underWay[r.Token] != nil || f.succeeded.has(r.Token, time.Now()))
}

func (f *Front) anyPlain(items []item) bool {
	for _, i := range items {
		if f.plain[i.Key] > 0 {
			return true
		}
	}
	return false
}

// apply reads the before-images of a transaction and lets the engine decide.
func (f *Front) apply(request *http.Request, commit *Commit, body []byte) (*answer, error) {
	before, err := f.images(request.Context(), request, commit.items)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	hidden := map[Key]hiding{}
	for _, i := range commit.items {
		if !i.check {
			hidden[i.Key] = hiding{commit, before[i.Key], i}
		}
	}
	commit.hidden = hidden
	if f.journal != nil {
		f.journal.remember(request, commit.items, before)
	}
	f.mu.Unlock()
	return f.send(request, body)
}

// renamed returns the request's body. After a journal has undone what a token stands for, the engine, which cannot
// forget it, is given another one in its place.
func (f *Front) renamed(r *Request) []byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	if r.Token == "" || f.epoch == 0 {
		return r.body
	}
	sum := sha256.Sum256([]byte(strconv.Itoa(f.epoch) + "/" + r.Token))
	token := hex.EncodeToString(sum[:])[:36] // as long as one may be
	return protocol.With(r.body, protocol.Named("ClientRequestToken", marshal(token)))
}

// cancelled is the refusal of a transaction whose items conflict.
func cancelled(conflicting []bool) []byte {
	reasons := make([]protocol.Reason, len(conflicting))
	for i, is := range conflicting {
		reasons[i] = protocol.Reason{Code: "None"}
		if is {
			reasons[i] = protocol.Reason{Code: "TransactionConflict", Message: protocol.MessageConflict}
		}
	}
	return marshal(protocol.Cancelled(reasons))
}

// marshal writes values that have no way to fail.
func marshal(value any) []byte {
	b, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return b
}
