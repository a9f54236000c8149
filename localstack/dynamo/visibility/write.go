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

// writePlainly executes a write of one item. A transaction that names the item waits meanwhile.
func (f *Front) writePlainly(r *protocol.Request) (*http.Response, error) {
	key := r.Items[0].Key
	f.mu.Lock()
	if f.held.Conflicts(time.Now(), r.Keys()) != nil {
		f.mu.Unlock()
		return protocol.Conflict.Respond(r.HTTP), nil
	}
	f.plain[key]++
	f.mu.Unlock()
	defer f.endPlainly(key)
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

func (f *Front) endPlainly(key protocol.Key) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.plain[key]--; f.plain[key] == 0 {
		delete(f.plain, key)
	}
	f.written.Broadcast()
}

// transact sends a transaction to the engine, and returns the Commit if the engine applies the transaction.
func (f *Front) transact(r *protocol.Request) (*http.Response, *Commit, error) {
	commit, refused := f.prepare(r)
	if refused != nil {
		return refused.Respond(r.HTTP), nil, nil
	}
	request := r.HTTP.WithContext(context.WithoutCancel(r.HTTP.Context()))
	body := f.renamed(r)
	if commit == nil {
		a, err := f.Send(request, body)
		if err != nil {
			return nil, nil, err
		}
		return a.Deliver(), nil, nil
	}
	a, err := f.apply(request, commit, r.Items, body)
	f.mu.Lock()
	defer f.mu.Unlock()
	if err != nil || !a.OK() {
		commit.release()
		if err != nil {
			return nil, nil, err
		}
		return a.Deliver(), nil, nil
	}
	commit.applied = true
	return a.Deliver(), commit, nil
}

// prepare holds the items of a transaction, and waits until the engine has answered all plain writes of them. If
// prepare cannot hold them, it returns the refusal. For a repetition of a successful transaction it returns two nils.
func (f *Front) prepare(r *protocol.Request) (*Commit, *protocol.Refusal) {
	f.mu.Lock()
	defer f.mu.Unlock()
	keys := r.Keys()
	hold, conflicts, came := f.held.Acquire(time.Now(), r.Token, keys)
	switch came {
	case holds.InProgress:
		return nil, &protocol.InProgress
	case holds.Conflict:
		return nil, new(protocol.Conflicts(conflicts))
	case holds.Repeated:
		return nil, nil
	}
	commit := &Commit{front: f, hold: hold}
	f.open[commit] = true
	for slices.ContainsFunc(keys, func(k protocol.Key) bool { return f.plain[k] > 0 }) {
		f.written.Wait()
	}
	return commit, nil
}

// apply reads the current values of a transaction's items, hides the items that it writes, and sends it to the engine.
func (f *Front) apply(request *http.Request, commit *Commit, items []protocol.Item, body []byte) (*protocol.Answer, error) {
	before, err := f.images(request.Context(), request, items)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	hidden := map[protocol.Key]hiding{}
	for _, i := range items {
		if !i.Check {
			hidden[i.Key] = hiding{commit, before[i.Key], i}
		}
	}
	commit.hidden = hidden
	if f.journal != nil {
		f.journal.remember(request, items, before)
	}
	f.mu.Unlock()
	return f.Send(request, body)
}

// renamed returns the request's body. After an Undo, the body gets another ClientRequestToken, because the engine still
// remembers the tokens of undone transactions.
func (f *Front) renamed(r *protocol.Request) []byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	if r.Token == "" || f.epoch == 0 {
		return r.Body
	}
	sum := sha256.Sum256([]byte(strconv.Itoa(f.epoch) + "/" + r.Token))
	token := hex.EncodeToString(sum[:])[:36] // the longest allowed token
	return protocol.With(r.Body, protocol.Named("ClientRequestToken", protocol.Marshal(token)))
}
