package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
)

const (
	// fullViewed is the number of entries of the viewed show at full size.
	fullViewed = 10_000
	// fullViews is the most concurrent views at full size, ten times the ViewConcurrency of prod (samconfig.toml).
	fullViews = 100
	// playing is the number of calls of each kind that the other players make in each second, at any scale.
	playing = 2
)

// views lets one player read a popular show so often that the table throttles these reads, but not other players.
func views(ctx context.Context, b *bench) (string, error) {
	const scale, rate, seconds = 20, 200, 10
	v, err := b.view(ctx, scale, rate/scale, seconds)
	if err != nil {
		return "", err
	}
	var table strings.Builder
	table.WriteString("| Call | Answers | half within | 99 % within | the last after | Goal reached |\n" +
		"|---|---|---:|---:|---:|---|\n")
	for _, row := range []struct {
		call    string
		got     *answers
		reached bool
	}{
		{"a view of the show", v.views, v.served()},
		{"of these, each 503", &v.refused, v.refused.within(1) < 4*time.Second},
		{"refresh", v.refresh, v.refresh.all(http.StatusOK)},
		{"enter, in the same show", v.entries, v.entries.all(http.StatusCreated)},
	} {
		fmt.Fprintf(&table, "| %s | %s | %v | %v | %v | %s |\n",
			row.call, row.got, row.got.within(0.5), row.got.within(0.99), row.got.within(1), reached(row.reached))
	}
	return table.String(), nil
}

// viewed has the responses to views of one show, and to the calls that other players make at the same time.
type viewed struct {
	views            *answers
	refused          answers // the views that got 503
	refresh, entries *answers
}

// served reports whether each view got 200 or 503.
func (v *viewed) served() bool {
	return v.views.statuses[http.StatusOK]+v.refused.statuses[http.StatusServiceUnavailable] == len(v.views.took)
}

func (v *viewed) undisturbed() bool {
	return v.refresh.all(http.StatusOK) && v.entries.all(http.StatusCreated)
}

// view lets one player read a show at the given rate a second. Meanwhile other players refresh their tokens and
// enter the same show.
func (b *bench) view(ctx context.Context, scale, rate, seconds float64) (*viewed, error) {
	n := int(playing * seconds)
	f, err := b.fair(ctx, plan{
		scale: scale, processes: 16, gates: 1, entries: int(fullViewed / scale), players: n + 1,
		warm: map[string]int{"": 16, "/enter": 2},
	})
	if err != nil {
		return nil, err
	}
	defer f.close()
	if err := f.Stack.Reserve("GetShow", max(1, int(fullViews/scale))); err != nil {
		return nil, err
	}
	players, viewer := f.players[:n], f.players[n]
	v := &viewed{}
	group, inner := errgroup.WithContext(ctx)
	among := func(into **answers, n int, rate float64, call func(ctx context.Context, i int) (answer, error)) {
		group.Go(func() (err error) {
			*into, err = openLoop(inner, n, rate, call)
			return err
		})
	}
	among(&v.views, int(rate*seconds), rate, func(ctx context.Context, _ int) (answer, error) {
		a, err := f.detail(ctx, viewer)
		if err == nil && a.status == http.StatusServiceUnavailable {
			v.refused.add(a)
		}
		return a, err
	})
	among(&v.entries, n, playing, func(ctx context.Context, i int) (answer, error) { return f.enter(ctx, players[i]) })
	among(&v.refresh, n, playing, func(ctx context.Context, i int) (answer, error) {
		body := map[string]string{"refreshToken": players[i].Refresh}
		return f.call(ctx, "other", players[i], http.MethodPost, "/auth/refresh", body)
	})
	return v, group.Wait()
}
