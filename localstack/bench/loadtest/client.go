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

	"github.com/ranch-game/ranch/localstack/dynamo/capacity"
	"github.com/ranch-game/ranch/shared/client"
)

// answer is the response to a call, with its duration.
type answer struct {
	client.Answer
	took time.Duration
}

// call makes a call as the player p, without retries, because the scene measures single responses. The simulator of the
// table's capacity counts the call's units under the name asker. As for games, the service compresses large responses.
func (f *fair) call(ctx context.Context, asker string, p player, method, path string, body any) (answer, error) {
	began := time.Now()
	got, err := f.transport.Send(ctx, client.Request{Method: method, Path: path, Token: p.Access, Body: body, Header: http.Header{
		"X-Amzn-Trace-Id": {asker}, // the function passes it on with each request to the table
		"Accept-Encoding": {"gzip"},
	}})
	return answer{got, time.Since(began)}, err
}

// detail reads the fair's show as a player. enter enters the player's first animal in this show, and judge judges it.
func (f *fair) detail(ctx context.Context, p player) (answer, error) {
	return f.call(ctx, "reader", p, "GET", "/events/shows/"+string(f.show.ID), nil)
}

func (f *fair) enter(ctx context.Context, p player) (answer, error) {
	return f.call(ctx, "entrant", p, "POST", "/events/shows/"+string(f.show.ID)+"/enter", map[string]string{"animalId": string(p.Animals[0].ID)})
}

func (f *fair) judge(ctx context.Context, p player) (answer, error) {
	return f.call(ctx, "judge", p, "POST", "/events/shows/"+string(f.show.ID)+"/judge", nil)
}

// entered is the status of the response to an accepted entry.
const entered = http.StatusCreated

// entries returns three numbers of entries of the fair's show: the count in the list of shows, the count in the show
// itself, and the count of entries whose rank fits their score. If the list lacks the show, inList is -1.
func (f *fair) entries(ctx context.Context) (inList, inShow, ranked int, err error) {
	a, err := f.call(ctx, "list", f.players[0], "GET", "/events/shows?status=", nil)
	if err != nil {
		return 0, 0, 0, err
	}
	var shows []client.ListedShow
	if err := a.Read(http.StatusOK, &shows); err != nil {
		return 0, 0, 0, err
	}
	inList = -1
	for _, s := range shows {
		if s.ID == string(f.show.ID) {
			inList = int(s.EntryCount)
		}
	}
	_, entries, err := f.Store.ShowWithEntries(ctx, f.show.ID)
	for i, e := range entries { // by rank, as a completed show lists them
		if e.Rank != nil && *e.Rank == i+1 && e.Score != nil && (i == 0 || entries[i-1].Score != nil && *entries[i-1].Score >= *e.Score) {
			ranked++
		}
	}
	return inList, len(entries), ranked, err
}

// of returns the counts of the requests to the table that calls under the name asker have caused.
func (f *fair) of(asker string) capacity.Counts {
	return f.Stack.Limits.Snapshot().Where(func(r capacity.Row) bool { return r.Who == asker })
}

// answers collects the statuses and times of many calls. Several goroutines can call add. The other methods are for the
// time after these goroutines have ended.
type answers struct {
	mu       sync.Mutex
	statuses map[int]int
	took     []time.Duration
	late     []time.Duration // of an open loop: the delay between the time when a call was due and its beginning
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

// each makes one call as each of the players, all of them concurrently, in the group.
func (a *answers) each(ctx context.Context, group *errgroup.Group, players []player, call func(context.Context, player) (answer, error)) {
	for _, p := range players {
		group.Go(func() error {
			got, err := call(ctx, p)
			if err == nil {
				a.add(got.Status, got.took)
			}
			return err
		})
	}
}

// count returns the number of responses with the status.
func (a *answers) count(status int) int { return a.statuses[status] }

// String returns the number of responses with each status, such as "5 × 200, 1 × 404".
func (a *answers) String() string {
	var parts []string
	for _, status := range slices.Sorted(maps.Keys(a.statuses)) {
		parts = append(parts, fmt.Sprintf("%d × %d", a.statuses[status], status))
	}
	return cmp.Or(strings.Join(parts, ", "), "none")
}

// within returns the time within which the given share (from 0 to 1) of the responses came, as percentile does.
func (a *answers) within(share float64) time.Duration { return percentile(a.took, share) }

// percentile sorts the times and returns the time at the share (from 0 to 1), by the nearest rank, or 0 for no times.
func percentile(times []time.Duration, share float64) time.Duration {
	if len(times) == 0 {
		return 0
	}
	slices.Sort(times)
	rank := int(math.Ceil(share * float64(len(times))))
	return times[min(max(rank, 1), len(times))-1]
}

// openLoop begins n calls at an average rate a second, without waiting for earlier calls to end. The gaps between calls
// are exponential, like those between independent players, and the same in every run. With even gaps, calls would
// hardly overlap. A call's time counts from the moment when the call was due. A call without a response ends openLoop.
func openLoop(ctx context.Context, n int, rate float64, call func(ctx context.Context, i int) (answer, error)) (*answers, error) {
	got, due, chance := &answers{}, time.Now(), rand.New(rand.NewPCG(uint64(n), 0))
	group, inner := errgroup.WithContext(ctx)
	for i := range n {
		due = due.Add(time.Duration(chance.ExpFloat64() / rate * float64(time.Second)))
		select {
		case <-inner.Done():
			return got, errors.Join(group.Wait(), ctx.Err())
		case <-time.After(time.Until(due)):
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
