package store_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// PlayedShows returns the same entries as the shows' own lists.
func TestPlayedShows(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 3)
	bob := f.AddPlayer(t, storetest.Bob)
	later := f.AddShow(t, storetest.Fee(0), func(d *storetest.ShowDraft) { d.EntryClosesAt++ })
	unranked := f.AddShow(t, storetest.Fee(0), func(d *storetest.ShowDraft) { d.EntryClosesAt += 2 })
	f.MustEnter(t, f.Ann, later, 1)
	f.MustEnter(t, bob, later, 0)
	f.MustEnter(t, bob, f.Show, 0, 1)
	f.MustEnter(t, bob, f.AddShow(t), 0)
	f.judged(t, 0, 2)
	f.MustClaim(t, f.Ann, f.Show)

	for user, want := range map[game.ID]int{f.Ann.ID: 3, bob.ID: 4, game.NewID(): 0} {
		entries := must(f.EntryCount(t.Context(), user))(t)
		storetest.Equal(t, "entries", entries, want)
	}
	played := must(f.PlayedShows(t.Context(), f.Ann.ID))(t)
	storetest.Equal(t, "shows", len(played), 2)
	for i, want := range []game.ID{f.Show.ID, later.ID} {
		show, entries, err := f.ShowWithEntries(t.Context(), want)
		checkError(t, err, nil)
		storetest.Equal(t, "show", played[i].Show, show)
		storetest.Equal(t, "entries", played[i].Entries, slices.DeleteFunc(entries, func(e game.Entry) bool { return e.PlayerID != f.Ann.ID }))
	}
	r := played[0].Receipt
	assert.True(t, r != nil && *r.Rank == *played[0].Entries[0].Rank && r.Prize == game.Prize(game.TierRookie, *r.Rank) && r.ClaimedAt == f.Now,
		"receipt %+v", r)
	storetest.Equal(t, "receipt", played[1].Receipt, nil)
	if none, err := f.PlayedShows(t.Context(), game.NewID()); err != nil || len(none) != 0 {
		t.Error(none, err)
	}

	horse := f.AddPlayer(t, storetest.Cid, storetest.NoPhenotype)
	f.MustEnter(t, horse, unranked, 0)
	f.MustJudge(t, horse, unranked)
	f.MustClaim(t, horse, unranked)
	played, err := f.PlayedShows(t.Context(), horse.ID)
	assert.True(t, err == nil && len(played) == 1 && played[0].Receipt != nil && played[0].Receipt.Rank == nil && played[0].Receipt.Prize == 0,
		"%v, %v", played, err)
}

// Shows are sorted by closing time, then id. Entries have the order of the show's list.
func TestPlayedShowsAreSorted(t *testing.T) {
	t.Parallel()
	f := bareFair(t)
	herd := f.AddHerd(t, 0, 2)
	slices.SortFunc(herd.Animals, func(a, b game.Animal) int { return strings.Compare(string(b.ID), string(a.ID)) })
	var want []game.ID
	for _, d := range []struct {
		id     int
		closes game.Instant
	}{{3, 0}, {4, 0}, {5, 0}, {1, 1}, {2, 1}} {
		show := f.AddShow(t, storetest.Fee(0), func(draft *storetest.ShowDraft) {
			draft.ID, draft.EntryClosesAt = storetest.ID(d.id), draft.EntryClosesAt+d.closes
		})
		want = append(want, show.ID)
		f.MustEnter(t, herd, show) // the last by id first
	}
	for range 10 { // a map's order could be right by chance
		played := must(f.PlayedShows(t.Context(), herd.ID))(t)
		var got []game.ID
		for _, p := range played {
			got = append(got, p.Show.ID)
			assert.True(t, len(p.Entries) == 2 && p.Entries[0].AnimalID == herd.Animals[0].ID, "entries %+v", p.Entries)
		}
		storetest.Equal(t, "shows", got, want)
	}
}

// PlayedShows waits for entries and results that are only partly visible.
func TestPlayedShowsWait(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	held := f.holdEntry(t, 0)
	f.Apply(t, held.Take(func(_, sk string) bool { return strings.HasPrefix(sk, "SEASON#") }))
	f.then(t, "Query", 2, held.Take(ofAll))
	played, err := f.PlayedShows(t.Context(), f.Ann.ID)
	assert.True(t, err == nil && len(played) == 1 && len(played[0].Entries) == 1, "%v, %v", played, err)
	f.CheckFaults(t)
	judging := f.holdJudging(t)
	f.Apply(t, judging.Take(ofShow))
	played, err = f.PlayedShows(t.Context(), f.Ann.ID)
	assert.True(t, err == nil && len(played) == 1 && played[0].Entries[0].Rank != nil, "%v, %v", played, err)
	f.Apply(t, judging.Take(ofAll))
}

// If an entry, show, result or receipt is missing or damaged, PlayedShows names the record, and returns the rest.
func TestPlayedShowsOfADamagedTable(t *testing.T) {
	t.Parallel()
	lacks := func(f fair, record string, shows, entries int) {
		t.Helper()
		played, err := f.PlayedShows(t.Context(), f.Ann.ID)
		damaged, _ := errors.AsType[store.DamagedShow](err)
		assert.True(t, damaged.Show == f.Show.ID && strings.Contains(damaged.What, "the record "+record+" of the show"),
			"got %v, want that %s is missing", err, record)
		read := 0
		for _, p := range played {
			read += len(p.Entries)
		}
		storetest.Equal(t, "shows and entries", [2]int{len(played), read}, [2]int{shows, entries})
	}
	f := newFair(t, game.TierRookie, 0, 1)
	held := f.holdEntry(t, 0)
	f.Apply(t, held.Take(func(_, sk string) bool { return strings.HasPrefix(sk, "SEASON#") }))
	other := f.AddShow(t, storetest.Fee(0))
	f.MustEnter(t, f.Ann, other, 1)
	f.Wire.Reset()
	lacks(f, f.At(store.EntryKey(f.Show.ID, f.Ann.Animals[0].ID, 1)).Key(), 2, 1)
	storetest.Equal(t, "requests", f.Wire.Cost().Requests, 3*3) // participations, shows and entries, three times
	_, err := f.deleteAnn(t)
	assert.True(t, err != nil && strings.Contains(err.Error(), "delete the user again"), "got %v", err)
	show := f.At(store.ShowKey(f.Show.ID))
	show.Delete(t)
	lacks(f, show.Key(), 1, 1)

	f = newFair(t, game.TierRookie, 0, 1)
	held = f.holdEntry(t, 0)
	f.MustJudge(t, f.Ann, f.Show)
	f.Apply(t, held.Take(func(_, sk string) bool { return strings.HasPrefix(sk, "SEASON#") || strings.HasPrefix(sk, "ENTRY#") }))
	lacks(f, f.At(store.ShowKey(f.Show.ID)).Key(), 1, 0) // the show has the results

	f = newFair(t, game.TierRookie, 0, 1)
	f.judged(t, 0, 2)
	f.MustClaim(t, f.Ann, f.Show)
	page, receipt := f.Result(t, f.Show, "PAGE#"), f.Result(t, f.Show, "CLAIM#")
	receipt.Edit(t, "SET pr = :text", map[string]any{":text": "much"})
	lacks(f, page.Key(), 1, 0) // the page is read with its receipts
	receipt.Delete(t)
	f.Wire.Next("GetItem", storetest.Denied) // of the receipt
	_, err = f.PlayedShows(t.Context(), f.Ann.ID)
	assert.True(t, err != nil && !errors.As(err, new(store.DamagedShow)), "a receipt that could not be read: %v", err)
	page.Delete(t)
	lacks(f, page.Key(), 1, 0)
	f.At(store.ShowKey(f.Show.ID)).Edit(t, "SET re = :re", map[string]any{":re": []byte("no results")})
	lacks(f, f.At(store.ShowKey(f.Show.ID)).Key(), 1, 0)

	f = newFair(t, game.TierRookie, 0, 1)
	f.fill(t, f.Show, 1, 150)
	f.MustEnter(t, f.Ann, f.Show)
	f.MustJudge(t, f.Ann, f.Show)
	sheet := f.Result(t, f.Show, "SHEET")
	sheet.Delete(t)
	lacks(f, sheet.Key(), 1, 0)
}

// A player wins one prize in a show, with the best entry, until it is claimed.
func TestUnclaimedPrizes(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1).judged(t, 0, 1, 2)
	other := f.AddSeason(t)
	for _, c := range []struct {
		season       game.ID
		prizes, gold int64
	}{{f.Season.ID, 1, 100}, {other.ID, 0, 0}} {
		prizes, gold, err := f.UnclaimedPrizes(t.Context(), c.season)
		assert.True(t, err == nil && int64(prizes) == c.prizes && gold == c.gold, "%d prizes, %d gold, %v", prizes, gold, err)
	}
	f.MustClaim(t, f.Ann, f.Show)
	prizes, gold, err := f.UnclaimedPrizes(t.Context(), f.Season.ID)
	assert.True(t, err == nil && prizes == 0 && gold == 0, "claimed: %d prizes, %d gold, %v", prizes, gold, err)
}
