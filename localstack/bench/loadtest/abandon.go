package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// end is how a judging ends that does not get to its end.
type end int

const (
	fails end = iota // it goes on to take back its lease, as one does whose time is over
	dies             // it leaves everything behind, as one does whose process is killed
)

// abandon lets a judging of the show end when it has sealed all gates. It is the real one of package store, by a clock
// that is ahead by so much, in this process, past the limits: the program of the function would have to be killed at
// the right moment, and has no clock of its own. It seals because an entry overtakes it: that of a late player.
func (f *fair) abandon(ctx context.Context, show game.Show, judge, late player, ahead time.Duration, how end) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	a := &abandoned{how: how, give: cancel, overtake: func() error {
		_, _, err := f.store.Enter(ctx, late.ID, show.ID, late.animals[0].ID, game.InstantOf(time.Now()))
		return err
	}}
	clock := func() time.Time { return time.Now().Add(ahead) }
	_, err := f.storeWith(clock, a.around).Judge(ctx, judge.ID, show.ID, game.InstantOf(time.Now()))
	if err == nil || !a.over || a.failed != nil {
		return fmt.Errorf("a judging that was to end after %d seals ended with %w, %w", a.seals, err, a.failed)
	}
	return nil
}

// abandoned stands between a judging and the engine.
type abandoned struct {
	how      end
	give     func() // ends the judging
	overtake func() error
	below    http.RoundTripper

	mu        sync.Mutex
	overtaken bool
	seals     int
	over      bool
	failed    error
}

// around puts it below a client.
func (a *abandoned) around(o *dynamodb.Options) {
	client := o.HTTPClient.(*http.Client) // ClientOptions' own
	a.below, client.Transport = client.Transport, a
}

var errAbandoned = errors.New("the judging is given up here")

func (a *abandoned) RoundTrip(r *http.Request) (*http.Response, error) {
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	if err := a.before(operation); err != nil {
		return nil, err
	}
	response, err := a.below.RoundTrip(r)
	if operation == "UpdateItem" && err == nil && response.StatusCode == http.StatusOK {
		a.mu.Lock()
		defer a.mu.Unlock()
		if a.overtaken { // those before it are of its lease
			a.seals++
		}
	}
	return response, err
}

// before overtakes the judging at its first commit, and ends it at the first read behind the seals.
func (a *abandoned) before(operation string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.over && a.how == dies:
		return errAbandoned
	case operation == "TransactWriteItems" && !a.overtaken:
		a.overtaken, a.failed = true, a.overtake()
	case operation == "Query" && a.seals >= store.DefaultGates:
		a.over = true
		a.give()
		return errAbandoned
	}
	return nil
}
