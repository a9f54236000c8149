package dynamo

import (
	"cmp"
	"context"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ranch-game/ranch/localstack/dynamo/faults"
	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
	"github.com/ranch-game/ranch/localstack/dynamo/visibility"
)

// Simulator is an http.RoundTripper to an engine that plays random faults on requests. At first, the faults are on.
type Simulator struct {
	options Options
	front   *visibility.Front
	refuse  func(time.Duration)

	mu      sync.Mutex
	changed *sync.Cond // signalled when status.Pending has changed
	status  Status
}

// These are the names of Status.Effects.
const (
	held          = "held"            // transactions whose items were held
	metConflict   = "met-conflict"    // refusals for items that another transaction held
	metInProgress = "met-in-progress" // refusals of a token whose transaction was under way
	lateAccepted  = "late-accepted"   // late attempts that the engine accepted
)

// Status is a Simulator's report.
type Status struct {
	On       bool
	Requests uint64         // requests for items that arrived while the faults were on
	Pending  int            // running ones of these Requests, late attempts, and transactions that hold items
	Faults   map[string]int // how often each was played
	Effects  map[string]int // outcomes of holds and of late attempts
}

// New returns a Simulator for the engine behind next. For the fault Refuse, the Simulator cuts the connection of the
// request and calls refuse. The function refuse must return at once, and refuse new connections for the given time.
func New(o Options, next http.RoundTripper, refuse func(time.Duration)) *Simulator {
	s := &Simulator{options: o, front: visibility.New(next), refuse: refuse, status: Status{On: true, Faults: map[string]int{}}}
	s.status.Effects = map[string]int{held: 0, metConflict: 0, metInProgress: 0, lateAccepted: 0}
	for _, k := range All {
		s.status.Faults[string(k)] = 0
	}
	s.changed = sync.NewCond(&s.mu)
	return s
}

// decision has the random values of one request.
type decision struct {
	fault  Kind          // "" for none
	hold   time.Duration // how long a transaction's items are held
	shows  []float64     // for each item, the share of hold (0 to 1) after which it becomes visible
	delay  time.Duration // of a late attempt or a slow answer
	pick   float64       // from 0 to 1: selects one of the items, or how many of them
	second bool          // the fault's second form: ThrottlingException for Throttle, a cut connection for Late
}

// decide returns the random values for the n-th request.
func (o *Options) decide(n uint64, r *protocol.Request) decision {
	random := rand.New(rand.NewPCG(o.Seed, n))
	d := decision{fault: o.draw(random.Float64(), r)}
	// Each value is drawn for every request, so that a change of one fault's chance does not change the other values.
	d.pick, d.second = random.Float64(), random.Float64() < 0.5
	share := random.Float64()
	d.hold = time.Duration(random.Float64() * float64(o.Hold))
	switch d.fault {
	case Late:
		d.delay = time.Duration(share * float64(o.LateBy))
	case Slow:
		d.delay = time.Duration(share * float64(o.SlowBy))
	}
	for range r.Writes {
		d.shows = append(d.shows, random.Float64())
	}
	return d
}

// draw returns the fault that a number from 0 to 1 selects, or "" for none, or for one that the request cannot get.
func (o *Options) draw(number float64, r *protocol.Request) Kind {
	for _, f := range All {
		if number < o.Chance[f] {
			if !f.befalls(r) {
				return ""
			}
			return f
		}
		number -= o.Chance[f]
	}
	return ""
}

// attempt is one request on its way to the engine, with the random values that decide its fault.
type attempt struct {
	*Simulator
	decision
	over chan struct{} // closed when the engine has answered and no items are held
}

// RoundTrip answers one request. It sends the request to the engine, unless a fault prevents that. An error means that
// the engine does not answer, that a fault cuts the connection, or that Parse fails.
func (s *Simulator) RoundTrip(r *http.Request) (*http.Response, error) {
	request, err := s.front.Parse(r)
	if err != nil {
		return nil, err
	}
	n, on := s.begin(request)
	if !on {
		response, commit, err := s.pass(request)
		if commit != nil {
			commit.End()
		}
		return response, err
	}
	defer s.pend(-1)
	a := &attempt{s, s.options.decide(n, request), make(chan struct{})}
	if s.front.Repeats(request) {
		a.repeats()
	}
	if a.fault != "" {
		s.count(s.status.Faults, string(a.fault))
	}
	if r.Body != nil {
		r = protocol.WithBody(r, request.Body)
	}
	response, err := a.plays(request)(r, a)
	if err == nil && (a.fault == "" || a.fault == Slow) && request.Operation == "TransactWriteItems" {
		<-a.over // as in the cloud, the client gets its response at the end of the transaction
	}
	return response, err
}

// repeats removes a conflict from a repetition, a request whose token belongs to a transaction that is running or has
// succeeded. DynamoDB checks the token before the items. So it can throttle a repetition, but not cancel it.
func (a *attempt) repeats() {
	switch a.fault {
	case Conflict:
		a.fault = ""
	case Throttle:
		a.second = true
	}
}

// simple has the faults that need no random values.
var simple = map[Kind]faults.Fault{
	"": faults.Pass, Error: faults.Unavailable, ErrorAfter: faults.FailAfter, Lost: faults.LoseAnswer, Broken: faults.CutAnswer,
}

// plays returns the fault of package faults for the request. For Refuse, it also begins the outage.
func (a *attempt) plays(r *protocol.Request) faults.Fault {
	transaction := strings.HasPrefix(r.Operation, "Transact")
	switch {
	case a.fault == Conflict && transaction:
		return a.cancels(r, "TransactionConflict")
	case a.fault == Conflict:
		return faults.ConflictPlainWrite
	case a.fault == Throttle && a.second:
		return faults.Answer(protocol.TableThrottled())
	case a.fault == Throttle && transaction:
		return a.cancels(r, "ThrottlingError")
	case a.fault == Throttle:
		return faults.Throttle
	case a.fault == Unprocessed: // at least one element is processed, and one is not
		return faults.InPart(func(n int) int { return 1 + int(a.pick*float64(n-1)) })
	case a.fault == Late:
		return a.late
	case a.fault == Slow:
		return faults.Slow(a.delay)
	case a.fault == Refuse:
		a.refuse(a.options.Outage)
		return faults.Lost
	}
	return simple[a.fault]
}

// cancels returns a fault that cancels a transaction. One random item has the code, and the others have "None".
func (a *attempt) cancels(r *protocol.Request, code string) faults.Fault {
	codes := slices.Repeat([]string{"None"}, len(r.Items))
	codes[int(a.pick*float64(len(codes)))] = code
	return faults.Cancelled(codes...)
}

// late returns a failure to the client at once, and sends the request to the engine after the delay.
func (a *attempt) late(r *http.Request, pass http.RoundTripper) (*http.Response, error) {
	told := faults.Unavailable
	if a.second {
		told = faults.Lost
	}
	late, arrive := faults.Late(told)
	response, err := late(r, pass)
	a.pend(1)
	go func() {
		defer a.pend(-1)
		time.Sleep(a.delay)
		arrive()
	}()
	return response, err
}

// RoundTrip sends the request to the engine. If the engine applies a transaction, a goroutine then shows its items one
// by one during the hold. RoundTrip does not wait for the goroutine.
func (a *attempt) RoundTrip(r *http.Request) (*http.Response, error) {
	request, err := a.front.Parse(r)
	if err != nil {
		return nil, err
	}
	response, commit, err := a.pass(request)
	if err == nil && response.StatusCode == http.StatusBadRequest {
		a.countConflict(response)
	}
	if err == nil && response.StatusCode == http.StatusOK && a.fault == Late {
		a.count(a.status.Effects, lateAccepted)
	}
	if commit == nil || a.hold == 0 {
		if commit != nil {
			commit.End()
		}
		close(a.over)
		return response, err
	}
	a.count(a.status.Effects, held)
	a.pend(1)
	go func() {
		defer a.pend(-1)
		defer close(a.over)
		a.show(commit)
	}()
	return response, err
}

// pass sends the request to the engine, without a fault.
func (s *Simulator) pass(r *protocol.Request) (*http.Response, *visibility.Commit, error) {
	if r.Changes() {
		return s.front.Write(r)
	}
	// A read makes no item visible: show does, by the clock.
	response, err := s.front.Read(r, func(protocol.Key) bool { return false })
	return response, nil, err
}

// show makes the items of a commit visible one by one, at their random times, and then ends the commit.
func (a *attempt) show(commit *visibility.Commit) {
	at := map[protocol.Key]time.Duration{}
	for i, k := range commit.Hidden() {
		at[k] = time.Duration(a.shows[i] * float64(a.hold))
	}
	began := time.Now()
	for _, k := range slices.SortedFunc(maps.Keys(at), func(a, b protocol.Key) int { return cmp.Or(cmp.Compare(at[a], at[b]), a.Compare(b)) }) {
		time.Sleep(at[k] - time.Since(began))
		commit.Show(k)
	}
	time.Sleep(a.hold - time.Since(began))
	commit.End()
}

// begin returns the number n of a request, and counts the request as pending. If the faults are off or the request
// concerns no items, on is false and nothing is counted.
func (s *Simulator) begin(r *protocol.Request) (n uint64, on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.status.On || !r.Understood() {
		return 0, false
	}
	s.status.Requests++
	s.status.Pending++
	return s.status.Requests, true
}

// pend adds n to the number of pending requests, late attempts and open commits.
func (s *Simulator) pend(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status.Pending += n
	s.changed.Broadcast()
}

func (s *Simulator) count(in map[string]int, what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	in[what]++
}

// countConflict counts a response that reports a conflict with a held item. The response's body remains readable.
func (s *Simulator) countConflict(response *http.Response) {
	body, err := protocol.ReadAll(response.Body, response.ContentLength)
	if err != nil {
		return
	}
	protocol.SetBody(response, body)
	switch text := string(body); {
	case strings.Contains(text, "TransactionInProgressException"):
		s.count(s.status.Effects, metInProgress)
	case strings.Contains(text, "TransactionConflict"):
		s.count(s.status.Effects, metConflict)
	}
}

// Switch turns the faults on or off. When it turns them off, it waits until all requests that began before have
// finished, late attempts have arrived, and commits have ended. If the context ends earlier, Switch returns the
// context's error, and the faults are off.
func (s *Simulator) Switch(ctx context.Context, on bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status.On = on
	if on {
		return nil
	}
	defer context.AfterFunc(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.changed.Broadcast()
	})()
	for s.status.Pending > 0 {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		s.changed.Wait()
	}
	return nil
}

// Status returns a copy of the current counts.
func (s *Simulator) Status() Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	status := s.status
	status.Faults, status.Effects = maps.Clone(status.Faults), maps.Clone(status.Effects)
	return status
}
