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

// answer is the status of the response to a call, and the time that the call took.
type answer struct {
	status int
	took   time.Duration
}

// call makes a call as the player p, without retries, because a scene measures single responses. The simulator of the
// table's capacity counts the call's units under the name asker. As for games, the service compresses large responses.
func (f *fair) call(ctx context.Context, asker string, p player, method, path string, body any) (answer, error) {
	began := time.Now()
	header := http.Header{
		"X-Amzn-Trace-Id": {asker}, // the function passes it on with each request to the table
		"Accept-Encoding": {"gzip"},
	}
	request := client.Request{Method: method, Path: path, Token: p.Access, Body: body, Header: header}
	got, err := f.transport.Send(ctx, request)
	return answer{got.Status, time.Since(began)}, err
}

// detail reads the fair's show as a player. enter enters the player's first animal in this show, and judge judges it.
func (f *fair) detail(ctx context.Context, p player) (answer, error) {
	return f.call(ctx, "reader", p, http.MethodGet, "/events/shows/"+string(f.show.ID), nil)
}

func (f *fair) enter(ctx context.Context, p player) (answer, error) {
	body := map[string]string{"animalId": string(p.Animals[0].ID)}
	return f.call(ctx, "entrant", p, http.MethodPost, "/events/shows/"+string(f.show.ID)+"/enter", body)
}

func (f *fair) judge(ctx context.Context, p player) (answer, error) {
	return f.call(ctx, "judge", p, http.MethodPost, "/events/shows/"+string(f.show.ID)+"/judge", nil)
}

// answers collects the statuses and times of many calls. Several goroutines can call add. The other methods are for the
// time after these goroutines have ended.
type answers struct {
	mu       sync.Mutex
	statuses map[int]int
	took     []time.Duration
}

func (a *answers) add(got answer) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.statuses == nil {
		a.statuses = map[int]int{}
	}
	a.statuses[got.status]++
	a.took = append(a.took, got.took)
}

// all reports whether there are responses, and all have the status.
func (a *answers) all(status int) bool { return len(a.took) > 0 && a.statuses[status] == len(a.took) }

// String returns the number of responses with each status, such as "5 × 200, 1 × 404".
func (a *answers) String() string {
	var parts []string
	for _, status := range slices.Sorted(maps.Keys(a.statuses)) {
		parts = append(parts, fmt.Sprintf("%d × %d", a.statuses[status], status))
	}
	return cmp.Or(strings.Join(parts, ", "), "none")
}

// within returns the time within which the given share (from 0 to 1) of the responses came, by the nearest rank, or 0
// without responses.
func (a *answers) within(share float64) time.Duration {
	if len(a.took) == 0 {
		return 0
	}
	slices.Sort(a.took)
	rank := int(math.Ceil(share * float64(len(a.took))))
	return a.took[max(rank, 1)-1].Round(time.Millisecond)
}

// openLoop begins n calls at an average rate a second, without waiting for earlier calls to end. The gaps between calls
// are exponential, like those between independent players, and the same in every run. With even gaps, calls would
// hardly overlap. A call's time counts from the moment when the call was due. A call without a response ends openLoop.
func openLoop(
	ctx context.Context, n int, rate float64, call func(ctx context.Context, i int) (answer, error),
) (*answers, error) {
	got, due, chance := &answers{}, time.Now(), rand.New(rand.NewPCG(uint64(n), 0))
	group, inner := errgroup.WithContext(ctx)
	for i := range n {
		due = due.Add(time.Duration(chance.ExpFloat64() / rate * float64(time.Second)))
		select {
		case <-inner.Done():
			return got, errors.Join(group.Wait(), ctx.Err())
		case <-time.After(time.Until(due)):
		}
		wasDue := due
		group.Go(func() error {
			a, err := call(inner, i)
			if err == nil {
				got.add(answer{a.status, time.Since(wasDue)})
			}
			return err
		})
	}
	return got, errors.Join(group.Wait(), ctx.Err())
}
