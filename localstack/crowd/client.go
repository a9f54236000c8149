package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// client speaks to the API over HTTP.
type client struct {
	api  string
	http *http.Client
}

// connections are kept open: more than any scene has clients.
const connections = 1000

func newClient(api string) *client {
	return &client{api, &http.Client{
		Timeout:   40 * time.Second, // the gateway answers within 30
		Transport: &http.Transport{MaxIdleConnsPerHost: connections, DisableCompression: true},
	}}
}

// answer is what a call got.
type answer struct {
	status int
	body   []byte
	gzip   bool // the body is gzipped
	took   time.Duration
}

// call makes a call as a player. What it takes of the table is counted as the asker's.
func (c *client) call(ctx context.Context, asker string, p player, method, path string, body any) (answer, error) {
	var sent io.Reader
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return answer{}, err
		}
		sent = bytes.NewReader(encoded)
	}
	r, err := http.NewRequestWithContext(ctx, method, c.api+path, sent)
	if err != nil {
		return answer{}, err
	}
	r.Header.Set("Authorization", "Bearer "+p.token)
	r.Header.Set("X-Amzn-Trace-Id", asker) // reaches the function, and with each of its requests the table
	r.Header.Set("Accept-Encoding", "gzip")
	begin := time.Now()
	response, err := c.http.Do(r)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	a := answer{status: response.StatusCode, gzip: response.Header.Get("Content-Encoding") == "gzip"}
	if a.body, err = io.ReadAll(response.Body); err != nil {
		return answer{}, fmt.Errorf("%s %s: %w", method, path, err)
	}
	a.took = time.Since(begin)
	return a, nil
}

// plain returns the body as it was before it was gzipped.
func (a answer) plain() ([]byte, error) {
	if !a.gzip {
		return a.body, nil
	}
	r, err := gzip.NewReader(bytes.NewReader(a.body))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
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
				got.add(a.status, time.Since(wasDue))
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
