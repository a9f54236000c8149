package faults

import (
	"context"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tidwall/gjson"

	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
)

// Random plays at most one fault on each request that reads or writes items. The seed and the number of the request, in
// the order of arrival, decide the fault and its delay. It is safe for concurrent use.
type Random struct {
	Seed uint64
	// Chance has the chance of each fault, from 0 to 1, by its name in localstack/dynamo/README.md. All chances
	// together are at most 1.
	Chance map[string]float64
	// LateBy and SlowBy are the longest delays of late attempts and of slow answers.
	LateBy, SlowBy time.Duration

	pending sync.WaitGroup // requests that began while the faults were on, and late attempts

	mu       sync.Mutex
	on       bool
	requests uint64 // that arrived while the faults were on
	played   map[string]int
	tokens   map[string]bool // of the transactions so far
}

// Switch turns the faults on or off. At first, they are off. When it turns them off, it waits until all requests that
// began before have finished, and late attempts have arrived. If the context ends earlier, Switch returns the context's
// error, and the faults are off.
func (f *Random) Switch(ctx context.Context, on bool) error {
	f.mu.Lock()
	f.on = on
	f.mu.Unlock()
	if on {
		return nil
	}
	ended := make(chan struct{})
	go func() { f.pending.Wait(); close(ended) }()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Played returns how often each fault was played.
func (f *Random) Played() map[string]int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.played)
}

// Transport returns a RoundTripper that plays the faults. next leads to the engine.
func (f *Random) Transport(next http.RoundTripper) http.RoundTripper {
	return rewritten(func(r *http.Request, body []byte, pass http.RoundTripper) (*http.Response, error) {
		fault, counted := f.draw(protocol.Operation(r), body)
		if counted {
			defer f.pending.Done()
		}
		return fault(protocol.WithBody(r, body), pass)
	}).On(next)
}

// draw returns the fault of a request, and counts the request as pending if the faults are on. A transaction gets no
// conflict if an attempt with its token came before, because DynamoDB checks the token first.
func (f *Random) draw(operation string, body []byte) (fault Fault, counted bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	token := gjson.GetBytes(body, "ClientRequestToken").Str
	repeats := token != "" && f.tokens[token]
	if f.tokens == nil {
		f.tokens, f.played = map[string]bool{}, map[string]int{}
	}
	f.tokens[token] = true
	if !f.on || !strings.Contains(operation, "Item") && operation != "Query" {
		return Pass, false
	}
	f.pending.Add(1)
	f.requests++
	random := rand.New(rand.NewPCG(f.Seed, f.requests))
	kinds := f.kinds(operation, random.Float64())
	number := random.Float64()
	for _, name := range slices.Sorted(maps.Keys(f.Chance)) {
		if number -= f.Chance[name]; number >= 0 {
			continue
		}
		if kinds[name] == nil || name == "conflict" && repeats {
			break
		}
		f.played[name]++
		return kinds[name], true
	}
	return Pass, true
}

// kinds returns the faults that an operation can meet. share, from 0 to 1, is the share of the longest delay.
func (f *Random) kinds(operation string, share float64) map[string]Fault {
	kinds := map[string]Fault{
		"throttle": Throttle, "error": Unavailable, "lost": LoseAnswer, "broken": CutAnswer,
		"slow": Slow(time.Duration(share * float64(f.SlowBy))),
	}
	transaction := strings.HasPrefix(operation, "Transact")
	if transaction {
		kinds["throttle"] = Answer(protocol.TableThrottled)
	}
	switch {
	case operation == "BatchGetItem":
		kinds["unprocessed"] = Unprocessed
	case !strings.Contains(operation, "Get") && operation != "Query":
		kinds["error-after"], kinds["late"] = FailAfter, f.late(time.Duration(share*float64(f.LateBy)))
		if kinds["conflict"] = ConflictPlainWrite; transaction {
			kinds["conflict"] = Conflict
		}
	}
	return kinds
}

// late returns a fault that fails at once. The request reaches the engine after the delay.
func (f *Random) late(delay time.Duration) Fault {
	late, arrive := Late(Unavailable)
	return func(r *http.Request, pass http.RoundTripper) (*http.Response, error) {
		response, err := late(r, pass)
		f.pending.Add(1)
		time.AfterFunc(delay, func() { defer f.pending.Done(); arrive() })
		return response, err
	}
}
