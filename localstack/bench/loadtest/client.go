package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ranch-game/ranch/shared/client"
)

// connections are kept open: more than any scene has clients.
const connections = 1000

func newTransport(api string) *client.Transport {
	return &client.Transport{API: api, HTTP: &http.Client{
		Timeout:   40 * time.Second, // the gateway answers within 30
		Transport: &http.Transport{MaxIdleConnsPerHost: connections},
	}}
}

// answer is what a call got.
type answer struct {
	client.Answer
	took time.Duration
}

// call makes a call as a player, once: what is measured is what each call gets. What it takes of the table is counted
// as the asker's. Large answers come compressed, as games ask for them.
func (f *fair) call(ctx context.Context, asker string, p player, method, path string, body any) (answer, error) {
	began := time.Now()
	got, err := f.transport.Send(ctx, client.Request{Method: method, Path: path, Token: p.token, Body: body, Header: http.Header{
		"X-Amzn-Trace-Id": {asker}, // reaches the function, and with each of its requests the table
		"Accept-Encoding": {"gzip"},
	}})
	return answer{got, time.Since(began)}, err
}

// answers are those to many calls. It may be added to by several at once.
type answers struct {
	mu       sync.Mutex
	statuses map[int]int
	took     []time.Duration
	late     []time.Duration // by which calls of an open loop began, for want of processor
}

func (a *answers) add(status int, took time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.statuses == nil {
		a.statuses = map[int]int{}
	}
	a.statuses[status]++
	a.took = append(a.took, took)
}

// count returns how many answers have the status.
func (a *answers) count(status int) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.statuses[status]
}

// String says how many answers have which status: "5 × 200, 1 × 404".
func (a *answers) String() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	var parts []string
	for _, status := range slices.Sorted(maps.Keys(a.statuses)) {
		parts = append(parts, fmt.Sprintf("%d × %d", a.statuses[status], status))
	}
	return cmp.Or(strings.Join(parts, ", "), "none")
}

// within returns the time within which the given share of the answers came: the nearest rank, 0 without any.
func (a *answers) within(share float64) time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	return percentile(a.took, share)
}

// percentile sorts the times and returns the one of the nearest rank.
func percentile(times []time.Duration, share float64) time.Duration {
	if len(times) == 0 {
		return 0
	}
	slices.Sort(times)
	rank := int(math.Ceil(share * float64(len(times))))
	return times[min(max(rank, 1), len(times))-1]
}

// openLoop calls n times, so many a second on the average, whatever becomes of the calls before and with gaps as chance
// has them (exponential, the same in every run), as those come who know nothing of each other: at even gaps they would
// hardly meet. A call's time counts from when it was due. It returns the first error that is none of the service's.
func openLoop(ctx context.Context, n int, rate float64, call func(ctx context.Context, i int) (answer, error)) (*answers, error) {
	got, due, chance := &answers{}, time.Now(), rand.New(rand.NewPCG(uint64(n), 0))
	group, inner := errgroup.WithContext(ctx)
	for i := range n {
		due = due.Add(time.Duration(chance.ExpFloat64() / rate * float64(time.Second)))
		if err := sleepUntil(inner, due); err != nil {
			break
		}
		got.late = append(got.late, time.Since(due))
		wasDue := due
		group.Go(func() error {
			a, err := call(inner, i)
			if err == nil {
				got.add(a.Status, time.Since(wasDue))
			}
			return err
		})
	}
	return got, errors.Join(group.Wait(), ctx.Err())
}

func sleepUntil(ctx context.Context, due time.Time) error {
	timer := time.NewTimer(time.Until(due))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
