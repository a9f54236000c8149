package store_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/records"
	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/tally"
)

// checkList compares the names of the listed shows.
func (f fair) checkList(t *testing.T, status game.ShowStatus, tier string, want ...string) {
	t.Helper()
	list, err := firstPage(t.Context(), f, status, tier)
	assert.True(t, err == nil && list != nil, "list of %q %q: %v, %v", status, tier, list, err)
	storetest.Equal(t, fmt.Sprintf("list of %q %q", status, tier), names(list), want)
}

// firstPage returns the first page of a list.
func firstPage(ctx context.Context, s lister, status game.ShowStatus, tier string) ([]game.ListedShow, error) {
	page, err := s.Shows(ctx, store.ShowQuery{Status: status, Tier: tier})
	return page.Shows, err
}

type lister interface {
	Shows(ctx context.Context, q store.ShowQuery) (store.ListedShows, error)
}

func names(list []game.ListedShow) []string {
	var names []string
	for _, s := range list {
		names = append(names, s.Name)
	}
	return names
}

// addShow creates a show that closes this many milliseconds from now.
func (f fair) addShow(t *testing.T, name, tier string, closes game.Instant, gates int) game.Show {
	t.Helper()
	return f.AddShow(t, storetest.Tier(tier), storetest.Gates(gates), func(d *storetest.ShowDraft) { d.Name, d.EntryClosesAt = name, f.Now+closes })
}

// addShows creates n shows, several at once.
func (f fair) addShows(t *testing.T, n, gates int, draft func(i int, d *storetest.ShowDraft)) []game.Show {
	t.Helper()
	shows := make([]game.Show, n)
	for i := range shows {
		shows[i] = f.NewShow(func(d *storetest.ShowDraft) { draft(i, d) })
	}
	each(n, func(i int) { checkError(t, f.Operator().CreateShow(t.Context(), shows[i], gates), nil) })
	return shows
}

// Impossible values of a filter cause no request.
func TestImpossibleFiltersMakeNoRequest(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	f.Wire.Reset()
	for _, status := range []game.ShowStatus{"closed", "Open", "OPEN", "all", "open#rookie", " ", "\xff", "draft"} {
		f.checkList(t, status, "")
		f.checkList(t, status, game.TierRookie)
	}
	for _, tier := range []string{strings.Repeat("x", 65), strings.Repeat("🐄", 17), strings.Repeat("\xff", 100_000)} {
		f.checkList(t, game.ShowOpen, tier)
		f.checkList(t, "", tier)
	}
	storetest.Equal(t, "requests", f.Wire.Cost().Requests, 0)
}

// If a show is judged between two slow reads of a list, the list has it as judged, with its count.
func TestShowIsJudgedDuringASlowList(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	f.MustEnter(t, f.Ann, f.Show, 0)
	f.Wire.Next("Query", storetest.Pass, storetest.Throttle, storetest.Before(func() { // the gates
		f.Clock.Move(store.ListPatience)
		f.MustJudge(t, f.Ann, f.Show)
	}))
	list, err := firstPage(t.Context(), f, "", "")
	assert.True(t, err == nil && len(list) == 1 && list[0].Status == game.ShowCompleted && list[0].EntryCount == 1, "%+v, %v", list, err)
}

// If a list looks twice at a judging that is still becoming visible, with one slow read in between, it does not treat
// the show as damaged.
func TestShowIsTornDuringASlowList(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	f.MustEnter(t, f.Ann, f.Show, 0)
	held := f.holdJudging(t)
	f.Apply(t, held.Take(ofGates))
	f.Wire.Next("Query", storetest.Pass, storetest.Pass, // the board, the gates
		storetest.Before(func() { f.Clock.Move(store.ListPatience) }), storetest.Pass,
		storetest.Before(func() { f.Apply(t, held.Take(ofAll)) }))
	list, err := firstPage(t.Context(), f, "", "")
	assert.True(t, err == nil && len(list) == 1 && list[0].Status == game.ShowCompleted && list[0].EntryCount == 1, "%+v, %v", list, err)
}

// A show that has lost a gate is listed after a wait, and counted as damaged. If another show becomes incomplete
// meanwhile, the wait begins again.
func TestADamagedShowIsListed(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	f.MustEnter(t, f.Ann, f.Show, 0)
	damaged := f.AddShow(t, func(d *storetest.ShowDraft) { d.EntryClosesAt++ })
	f.Gate(t, damaged).Delete(t)
	held := f.holdJudging(t)
	var first time.Time
	look := storetest.Before(func() {
		switch {
		case first.IsZero():
			first = f.Clock.Now()
		case f.Clock.Now().Sub(first) < store.ListPatience:
			f.Clock.Move(store.ListPatience * 6 / 10)
		case len(held.Items) > 0: // torn, and later whole
			if gates := held.Take(ofGates); len(gates) > 0 {
				f.Apply(t, gates)
			} else {
				f.Apply(t, held.Take(ofAll))
			}
		}
	})
	f.Wire.Next("Query", slices.Repeat([]storetest.Fault{ofTheBoard(look)}, 100)...)
	ctx, took := tally.New(t.Context())
	list, err := firstPage(ctx, f, "", "")
	assert.True(t, err == nil && len(list) == 2 && list[0].Status == game.ShowCompleted && list[0].EntryCount == 1 && list[1].ID == damaged.ID,
		"%+v, %v", list, err)
	storetest.Equal(t, "damaged shows", took.Get(tally.DamagedShows), 1)
	f.Wire.Forget()
}

// ofTheBoard applies a fault to queries of a board only.
func ofTheBoard(fault storetest.Fault) storetest.Fault {
	return func(r *http.Request, pass http.RoundTripper) (*http.Response, error) {
		text, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		r = r.Clone(r.Context())
		if r.Body = io.NopCloser(bytes.NewReader(text)); bytes.Contains(text, []byte("BOARD#")) {
			return fault(r, pass)
		}
		return pass.RoundTrip(r)
	}
}

func TestEntryCountIsRightAtOnce(t *testing.T) {
	t.Parallel()
	for _, gates := range []int{1, 5, records.MaxGates} {
		f := newFair(t, game.TierRookie, 0, gates)
		other := f.AddShow(t, storetest.Fee(0))
		p := f.AddPlayer(t, storetest.Bob, 90_00, 50_00, storetest.NoPhenotype)
		check := func(status game.ShowStatus, want int64) {
			t.Helper()
			for _, tier := range []string{"", game.TierRookie} {
				for _, status := range []game.ShowStatus{status, ""} {
					list, err := firstPage(t.Context(), f, status, tier)
					at := slices.IndexFunc(list, func(s game.ListedShow) bool { return s.ID == f.Show.ID })
					assert.True(t, err == nil && at >= 0 && list[at].EntryCount == want && list[at].Status != "",
						"%d gates, list of %q %q: got %+v, %v, want a count of %d", gates, status, tier, list, err, want)
				}
			}
		}
		check(game.ShowOpen, 0)
		for i := range p.Animals {
			checkError(t, f.enter(t.Context(), p, i), nil)
			check(game.ShowOpen, int64(i+1))
		}
		f.MustEnter(t, p, other, 0)
		check(game.ShowOpen, 3)
		f.MustJudge(t, p, f.Show)
		check(game.ShowCompleted, 3) // one of them is not ranked
	}
}

func TestDueShows(t *testing.T) {
	t.Parallel()
	f := bareFair(t)
	at := f.Now.Add(time.Hour)
	closing := func(offset game.Instant, changes ...func(*storetest.ShowDraft)) game.Show {
		return f.AddShow(t, append(changes, func(d *storetest.ShowDraft) { d.EntryClosesAt = at + offset })...)
	}
	later := closing(1)
	first, second := closing(-2, storetest.Tier("pro"), storetest.Gates(3)), closing(-1)
	judged := closing(-1)
	last := []game.ID{closing(0).ID, closing(0, storetest.Tier("elite")).ID}
	slices.Sort(last)
	f.MustJudge(t, f.Ann, judged)
	want := append([]game.ID{first.ID, second.ID}, last...)
	for now, due := range map[game.Instant][]game.ID{at - 3: want[:0], at - 2: want[:1], at - 1: want[:2], at: want, at + 1: append(slices.Clone(want), later.ID)} {
		for limit := range 6 {
			got := must(f.DueShows(t.Context(), now, limit+1))(t)
			var ids []game.ID
			for _, show := range got {
				ids = append(ids, show.ID)
				assert.True(t, show.ID != first.ID || show.ClosedAt == at-2, "it closed at %v", show.ClosedAt)
			}
			n := min(limit+1, len(due))
			assert.True(t, slices.Equal(ids, due[:n]), "%d ms past: %v, want %v", now-at, ids, due[:n])
		}
	}
}
