package visibility

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/ranch-game/ranch/localstack/dynamo/holds"
	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
)

// Write answers a request that writes items or checks conditions. If an open commit holds one of the items, or has the
// request's ClientRequestToken, Write refuses the request. Otherwise it returns the engine's response. If the engine
// applies a TransactWriteItems, Write also returns its Commit. All written items of the Commit are hidden, and the
// caller must End it. A repetition of a successful transaction, with the same token, has no Commit. If the request's
// context ends, the write still continues.
func (f *Front) Write(r *protocol.Request) (*http.Response, *Commit, error) {
	if !r.Changes() {
		response, err := f.Pass(r)
		return response, nil, err
	}
	lasting := *r
	lasting.HTTP = r.HTTP.WithContext(context.WithoutCancel(r.HTTP.Context()))
	if r = &lasting; r.Operation == "TransactWriteItems" {
		return f.transact(r)
	}
	if f.held.Conflicts(time.Now(), r.Keys()) != nil {
		return protocol.Conflict.Respond(r.HTTP), nil, nil
	}
	if _, known := f.before[r.Items[0].Key]; !known {
		before, err := f.read(r, r.Items)
		if err != nil {
			return nil, nil, err
		}
		f.remember(r, r.Items, before)
	}
	a, err := f.Send(r.HTTP, r.Body)
	return delivered(a, nil, err)
}

// transact sends a transaction to the engine, and returns the Commit if the engine applies the transaction.
func (f *Front) transact(r *protocol.Request) (*http.Response, *Commit, error) {
	hold, conflicts, came := f.held.Acquire(time.Now(), r.Token, r.Keys())
	switch came {
	case holds.InProgress:
		return protocol.InProgress.Respond(r.HTTP), nil, nil
	case holds.Conflict:
		return protocol.CancelledFor("TransactionConflict", conflicts).Respond(r.HTTP), nil, nil
	case holds.Repeated:
		a, err := f.Send(r.HTTP, f.renamed(r))
		return delivered(a, nil, err)
	}
	commit := &Commit{front: f, hold: hold}
	commit.items = slices.DeleteFunc(slices.Clone(r.Items), func(i protocol.Item) bool { return i.Check })
	a, err := f.apply(r, commit)
	if err != nil || !a.OK() {
		f.held.End(hold, time.Now(), false)
		commit = nil
	}
	return delivered(a, commit, err)
}

func delivered(a *protocol.Answer, commit *Commit, err error) (*http.Response, *Commit, error) {
	if err != nil {
		return nil, nil, err
	}
	return a.Deliver(), commit, nil
}

// apply sends a transaction to the engine. If the engine applies it, apply reads its items and hides them.
func (f *Front) apply(r *protocol.Request, c *Commit) (*protocol.Answer, error) {
	before, err := f.read(r, c.items)
	if err != nil {
		return nil, err
	}
	f.remember(r, c.items, before)
	a, err := f.Send(r.HTTP, f.renamed(r))
	if err != nil || !a.OK() {
		return a, err
	}
	if c.after, err = f.read(r, c.items); err != nil {
		return nil, err
	}
	for _, i := range c.items {
		f.hidden[i.Key] = c
	}
	return a, f.store(r.HTTP.Context(), c.items, before)
}

// renamed returns the request's body. After an Undo, the body gets another ClientRequestToken, because the engine still
// remembers the tokens of undone transactions.
func (f *Front) renamed(r *protocol.Request) []byte {
	if r.Token == "" || f.epoch == 0 {
		return r.Body
	}
	sum := sha256.Sum256([]byte(strconv.Itoa(f.epoch) + "/" + r.Token))
	token := hex.EncodeToString(sum[:])[:36] // the longest allowed token
	return protocol.With(r.Body, protocol.Member{Name: "ClientRequestToken", Value: `"` + token + `"`})
}
