package visibility

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
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
	switch {
	case !r.Changes():
		response, err := f.Pass(r)
		return response, nil, err
	case r.Operation == "TransactWriteItems":
		return f.transact(r)
	}
	response, err := f.writePlainly(r)
	return response, nil, err
}

// writePlainly executes a write of one item.
func (f *Front) writePlainly(r *protocol.Request) (*http.Response, error) {
	if f.held.Conflicts(time.Now(), r.Keys()) != nil {
		return protocol.Conflict.Respond(r.HTTP), nil
	}
	request := r.HTTP.WithContext(context.WithoutCancel(r.HTTP.Context()))
	if err := f.remember(request, r.Items); err != nil {
		return nil, err
	}
	a, err := f.Send(request, r.Body)
	if err != nil {
		return nil, err
	}
	return a.Deliver(), nil
}

// transact sends a transaction to the engine, and returns the Commit if the engine applies the transaction.
func (f *Front) transact(r *protocol.Request) (*http.Response, *Commit, error) {
	hold, conflicts, came := f.held.Acquire(time.Now(), r.Token, r.Keys())
	request := r.HTTP.WithContext(context.WithoutCancel(r.HTTP.Context()))
	body := f.renamed(r)
	switch came {
	case holds.InProgress:
		return protocol.InProgress.Respond(r.HTTP), nil, nil
	case holds.Conflict:
		return protocol.Conflicts(conflicts).Respond(r.HTTP), nil, nil
	case holds.Repeated:
		a, err := f.Send(request, body)
		if err != nil {
			return nil, nil, err
		}
		return a.Deliver(), nil, nil
	}
	commit := &Commit{front: f, hold: hold}
	f.open[commit] = true
	a, err := f.apply(request, commit, r.Items, body)
	switch {
	case err != nil:
		commit.release(false)
		return nil, nil, err
	case !a.OK():
		commit.release(false)
		return a.Deliver(), nil, nil
	}
	return a.Deliver(), commit, nil
}

// apply reads the current values of a transaction's items, hides the items that it writes, and sends it to the engine.
func (f *Front) apply(
	request *http.Request, commit *Commit, items []protocol.Item, body []byte,
) (*protocol.Answer, error) {
	before, err := f.images(request.Context(), request, items)
	if err != nil {
		return nil, err
	}
	commit.hidden = map[protocol.Key]hiding{}
	for _, i := range items {
		if !i.Check {
			commit.hidden[i.Key] = hiding{commit, before[i.Key], i}
		}
	}
	f.journal.remember(request, items, before)
	return f.Send(request, body)
}

// renamed returns the request's body. After an Undo, the body gets another ClientRequestToken, because the engine still
// remembers the tokens of undone transactions.
func (f *Front) renamed(r *protocol.Request) []byte {
	if r.Token == "" || f.epoch == 0 {
		return r.Body
	}
	sum := sha256.Sum256([]byte(strconv.Itoa(f.epoch) + "/" + r.Token))
	token := hex.EncodeToString(sum[:])[:36] // the longest allowed token
	return protocol.With(r.Body, protocol.Named("ClientRequestToken", protocol.Marshal(token)))
}
