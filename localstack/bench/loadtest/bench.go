package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ranch-game/ranch/localstack/dynamo/capacity"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
	"github.com/ranch-game/ranch/shared/client"
	"github.com/ranch-game/ranch/shared/game"
)

// What the popular show of the scenes has at full size.
const (
	fullEntries  = 50_000
	fullEntrants = 400
)

// bench is what all scenes have.
type bench struct {
	template *samtemplate.Template
	tell     func(format string, args ...any)
}

var began = time.Now()

func say(format string, args ...any) {
	fmt.Printf("%6.1f s  %s\n", time.Since(began).Seconds(), fmt.Sprintf(format, args...))
}

// warmUp starts so many processes of a function, which are then there when it matters: a start costs this machine what
// it costs Lambda's. The path names nothing, so that the call is refused.
func (f *fair) warmUp(ctx context.Context, p player, processes int, method, path string) error {
	group, ctx := errgroup.WithContext(ctx)
	for range processes {
		group.Go(func() error {
			_, err := f.call(ctx, "warm-up", p, method, path, nil)
			return err
		})
	}
	return group.Wait()
}

// Paths that are refused.
const nothing = "/events/shows/nothing"

func path(show game.Show) string { return "/events/shows/" + string(show.ID) }

// list reads a list of shows.
func (f *fair) list(ctx context.Context, p player, query string) ([]client.ListedShow, answer, error) {
	a, err := f.call(ctx, "list", p, "GET", "/events/shows?"+query, nil)
	if err != nil {
		return nil, a, err
	}
	var shows []client.ListedShow
	err = a.Read(http.StatusOK, &shows)
	return shows, a, err
}

// entriesOf returns how many entries the show has, as a list says and as the show itself does.
func (f *fair) entriesOf(ctx context.Context, p player, show game.Show) (inList, inShow int, err error) {
	shows, _, err := f.list(ctx, p, "status=")
	if err != nil {
		return 0, 0, err
	}
	inList = -1
	for _, s := range shows {
		if s.ID == string(show.ID) {
			inList = int(s.EntryCount)
		}
	}
	_, entries, err := f.store.ShowWithEntries(ctx, show.ID)
	return inList, len(entries), err
}

// of returns what the requests of an asker came to.
func (f *fair) of(asker string) capacity.Counts {
	return f.stack.Limits.Snapshot().Where(func(r capacity.Row) bool { return r.Who == asker })
}

// cost is what requests cost: a write unit as much as five read units.
func cost(c capacity.Counts) float64 { return c.Read + 5*c.Written }

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }
func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%d ms", d.Round(time.Millisecond).Milliseconds())
}
