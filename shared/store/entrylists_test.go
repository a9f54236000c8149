package store_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/records"
	"github.com/ranch-game/ranch/shared/store"
)

// ownEntries reads all pages of a player's entries in a season.
func (f fair) ownEntries(t *testing.T, player, season game.ID, limit int) (all []game.OwnEntry) {
	t.Helper()
	return f.ownPages(t, player, store.OwnQuery{Season: season, Limit: limit}, true)
}

// ownPages reads all pages of a list of a player's entries. If located is true, it tells the season of each page's begin.
func (f fair) ownPages(t *testing.T, player game.ID, q store.OwnQuery, located bool) (all []game.OwnEntry) {
	t.Helper()
	for {
		page := must(f.OwnEntries(t.Context(), player, q))(t)
		n := len(page.Entries)
		require.True(t, n <= q.Limit && (q.Unclaimed || (!page.More || n == q.Limit) && (q.After == "" || n > 0)), "a page of %d, %t, has %d entries", q.Limit, page.More, n)
		if all = append(all, page.Entries...); !page.More {
			return all
		}
		if q.After = page.Last.ID; located {
			q.From = page.Last.SeasonID
		}
	}
}

// outcome returns an own entry's result as text.
func outcome(e game.OwnEntry) string {
	text := func(v any) string { return fmt.Sprint(v) }
	rank, reward := "-", "-"
	if e.Rank != nil {
		rank = text(*e.Rank)
	}
	if e.GoldReward != nil {
		reward = text(*e.GoldReward)
	}
	return fmt.Sprintf("%s %s: %s, rank %s, score %t, gold %s, claimed %t", e.ShowName, e.AnimalName, e.ShowStatus, rank, e.Score != nil, reward, e.RewardClaimed)
}

func TestOwnEntries(t *testing.T) {
	t.Parallel()
	f := bareFair(t)
	ann, bob := f.AddPlayer(t, storetest.Cid, 50_00, game.FixedMax, 70_00), f.AddPlayer(t, storetest.Bob, 90_00)
	add := func(name string) game.Show {
		return f.AddShow(t, storetest.Tier(game.TierPro), storetest.Fee(20), func(d *storetest.ShowDraft) { d.Name = name })
	}
	judged, open, cancelled := add("Judged"), add("Open"), add("Cancelled")
	for _, entry := range []struct {
		at     game.Instant
		show   game.Show
		animal int
	}{{3, judged, 2}, {1, judged, 0}, {2, judged, 1}, {5, open, 0}, {4, cancelled, 0}} {
		f.AtTime(f.Now+entry.at).MustEnter(t, ann, entry.show, entry.animal)
	}
	f.MustEnter(t, bob, judged, 0)
	before := []string{
		"Open Buck: open, rank -, score false, gold -, claimed false", "Cancelled Buck: open, rank -, score false, gold -, claimed false",
		"Judged Millie: open, rank -, score false, gold -, claimed false", "Judged Bessie: open, rank -, score false, gold -, claimed false",
		"Judged Buck: open, rank -, score false, gold -, claimed false",
	}
	check := func(want []string) {
		t.Helper()
		for limit := 1; limit <= 6; limit++ {
			var got []string
			for _, e := range f.ownEntries(t, ann.ID, f.Season.ID, limit) {
				got = append(got, outcome(e))
			}
			storetest.Equal(t, fmt.Sprint("entries by pages of ", limit), got, want)
		}
	}
	check(before)
	f.MustJudge(t, bob, judged)
	f.MustCancel(t, cancelled)
	after := []string{
		before[0], "Cancelled Buck: cancelled, rank -, score false, gold -, claimed false", "Judged Millie: completed, rank 3, score true, gold 0, claimed false",
		"Judged Bessie: completed, rank 1, score true, gold 400, claimed false", "Judged Buck: completed, rank 4, score true, gold 0, claimed false",
	}
	check(after)
	f.MustClaim(t, ann, judged)
	claimed := slices.Clone(after)
	for i, rank := range map[int]string{2: "3, score true, gold 0", 3: "1, score true, gold 400", 4: "4, score true, gold 0"} {
		claimed[i] = fmt.Sprintf("Judged %s: completed, rank %s, claimed true", []string{2: "Millie", 3: "Bessie", 4: "Buck"}[i], rank)
	}
	check(claimed)

	page := must(f.OwnEntries(t.Context(), ann.ID, store.OwnQuery{Show: judged.ID, Limit: 2}))(t)
	storetest.Equal(t, "more entries in the show", page.More, true)
	rest := must(f.OwnEntries(t.Context(), ann.ID, store.OwnQuery{Show: judged.ID, After: page.Last.ID, Limit: 2}))(t)
	storetest.Equal(t, "the entries in the show", append(page.Entries, rest.Entries...), f.ownEntries(t, ann.ID, f.Season.ID, 50)[2:])

	theirs := f.ownEntries(t, bob.ID, f.Season.ID, 50)
	storetest.Equal(t, "Bob's entries", len(theirs), 1)
	for label, read := range map[string]func() (store.OwnEntries, error){
		"another season": func() (store.OwnEntries, error) {
			return f.OwnEntries(t.Context(), ann.ID, store.OwnQuery{Season: game.NewID(), Limit: 5})
		},
		"another show": func() (store.OwnEntries, error) {
			return f.OwnEntries(t.Context(), ann.ID, store.OwnQuery{Show: game.NewID(), Limit: 5})
		},
		"behind another's": func() (store.OwnEntries, error) {
			return f.OwnEntries(t.Context(), ann.ID, store.OwnQuery{Season: f.Season.ID, After: theirs[0].ID, Limit: 5})
		},
		"behind the last one": func() (store.OwnEntries, error) {
			return f.OwnEntries(t.Context(), ann.ID, store.OwnQuery{Season: f.Season.ID, After: rest.Last.ID, Limit: 5})
		},
	} {
		page, err := read()
		assert.True(t, err == nil && !page.More && page.Entries != nil && len(page.Entries) == 0, "%s: %+v, %v", label, page, err)
	}
}

// Results by player distinguish animals by the last two bytes of their ids. If these are equal, the pages do.
func TestEntriesOfTheSameMark(t *testing.T) {
	t.Parallel()
	f := bareFair(t)
	ann := f.NewPlayer(storetest.Cid, 10_00, game.FixedMax, 50_00)
	for i := range ann.Animals[:2] {
		ann.Animals[i].ID = ann.Animals[i].ID[:32] + "abcd"
	}
	f.Register(t, ann)
	f.Show = f.AddShow(t, storetest.Tier(game.TierRookie), storetest.Fee(0))
	f.MustEnter(t, ann, f.Show, 0, 1, 2)
	f.MustJudge(t, ann, f.Show)
	ranks, own := f.ranks(t), f.ownEntries(t, ann.ID, f.Season.ID, 10)
	storetest.Equal(t, "entries", len(own), 3)
	for _, e := range own {
		assert.True(t, e.Rank != nil && *e.Rank == ranks[e.AnimalID],
			"%s has another rank than %d: %+v", e.AnimalName, ranks[e.AnimalID], e)
		page, err := f.ShowEntries(t.Context(), f.Ann.ID, f.Show.ID, store.EntriesAt{After: e.ID, Limit: 1})
		if behind := *e.Rank < 3; err != nil || (len(page.Entries) == 1) != behind || behind && *page.Entries[0].Rank != *e.Rank+1 {
			t.Errorf("behind rank %d there is %+v, %v", *e.Rank, page, err)
		}
	}
}

// Among entries with the same time, the one with the higher id is first. Entries in one show need not be adjacent.
func TestOwnEntriesOfOneInstant(t *testing.T) {
	t.Parallel()
	f := bareFair(t)
	one, two := f.AddShow(t, storetest.Fee(0)), f.AddShow(t, storetest.Fee(0))
	for animal := range 3 {
		f.MustEnter(t, f.Ann, one, animal)
		f.MustEnter(t, f.Ann, two, animal)
	}
	own := f.ownEntries(t, f.Ann.ID, f.Season.ID, 50)
	storetest.Equal(t, "entries", len(own), 6)
	assert.True(t, slices.IsSortedFunc(own, func(a, b game.OwnEntry) int { return cmp.Compare(b.ID, a.ID) }), "in the order %+v", own)
}

// The list of all seasons has each entry once, in whichever of ten seasons it is, and whether or not the caller says in
// which season a page begins. A page of unclaimed prizes has those among its entries.
func TestOwnEntriesOfAllSeasons(t *testing.T) {
	t.Parallel()
	f := bareFair(t)
	seasons := []game.Season{f.Season}
	for i := range 9 {
		seasons = append(seasons, f.AddSeason(t, starting(f.Now-game.Instant(i/2), false))) // pairs start at once
	}
	slices.SortFunc(seasons, func(a, b game.Season) int {
		return cmp.Or(cmp.Compare(b.StartDate, a.StartDate), cmp.Compare(a.ID, b.ID))
	})
	check := func(label string, want []game.OwnEntry, q store.OwnQuery) {
		t.Helper()
		for _, located := range []bool{true, false} {
			for _, q.Limit = range []int{1, 2, 7, 50} {
				storetest.Equal(t, fmt.Sprintf("%s by pages of %d, located: %t", label, q.Limit, located), f.ownPages(t, f.Ann.ID, q, located), want)
			}
		}
	}
	var want, unclaimed []game.OwnEntry
	for i, season := range seasons {
		in := func(d *storetest.ShowDraft) { d.SeasonID, d.Tier, d.EntryFee = season.ID, game.TierRookie, 0 }
		show, other := f.AddShow(t, in), f.AddShow(t, in)
		switch i {
		case 0, 4: // the player is not there
		case 1, 6:
			f.MustEnter(t, f.Ann, other, 1)
			f.MustCancel(t, other)
			f.MustEnter(t, f.Ann, show, 0, 1)
		case 2:
			f.MustEnter(t, f.Ann, show, 2)
			f.MustJudge(t, f.Ann, show)
			f.MustClaim(t, f.Ann, show)
		default:
			f.MustEnter(t, f.Ann, show, 0, 2)
			f.MustEnter(t, f.Ann, other, 0)
			f.MustJudge(t, f.Ann, show)
		}
		theirs := f.ownEntries(t, f.Ann.ID, season.ID, 50)
		for _, e := range theirs {
			storetest.Equal(t, "season of an entry", e.SeasonID, season.ID)
			if e.GoldReward != nil && *e.GoldReward > 0 && !e.RewardClaimed {
				unclaimed = append(unclaimed, e)
			}
		}
		want = append(want, theirs...)
	}
	storetest.Equal(t, "entries, and unclaimed prizes", []int{len(want), len(unclaimed)}, []int{22, 5})
	check("all entries", want, store.OwnQuery{All: true})
	check("unclaimed prizes", unclaimed, store.OwnQuery{All: true, Unclaimed: true})
	check("unclaimed prizes of a season", unclaimed[:1], store.OwnQuery{Season: seasons[3].ID, Unclaimed: true})
	check("unclaimed prizes in a show", unclaimed[:1], store.OwnQuery{Show: unclaimed[0].ShowID, Unclaimed: true})
	for label, q := range map[string]store.OwnQuery{
		"from a season that is not there": {From: game.NewID()}, "behind an entry of a season before": {From: seasons[3].ID, After: want[0].ID},
		"behind an entry that is not there": {After: game.NewID()},
	} {
		q.All, q.Limit = true, 50
		page := must(f.OwnEntries(t.Context(), f.Ann.ID, q))(t)
		storetest.Equal(t, label, page, store.OwnEntries{Entries: []game.OwnEntry{}})
	}
	late := f.AddPlayer(t, storetest.Bob)
	show := f.AddShow(t, storetest.Tier(game.TierRookie), storetest.Fee(0), func(d *storetest.ShowDraft) { d.SeasonID = seasons[9].ID })
	f.MustEnter(t, late, show, 0)
	f.MustJudge(t, late, show)
	storetest.Equal(t, "prizes behind nine seasons without an entry", len(f.ownPages(t, late.ID, store.OwnQuery{All: true, Unclaimed: true, Limit: 5}, true)), 1)
	page := must(f.OwnEntries(t.Context(), f.Ann.ID, store.OwnQuery{All: true, Unclaimed: true, Limit: 50}))(t)
	storetest.Equal(t, "the last of seven seasons", []any{page.Last.SeasonID, page.More}, []any{seasons[6].ID, true})
}

// A deleted or unknown caller is refused. If there is no season, a user's list is empty.
func TestListsOfEntriesOfNobody(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	f.MustEnter(t, f.Ann, f.Show, 0)
	f.DeleteUser(t, f.Ann.ID)
	for _, nobody := range []game.ID{f.Ann.ID, game.NewID()} {
		for _, q := range []store.OwnQuery{{Limit: 5}, {Season: f.Season.ID, Limit: 5}, {Show: f.Show.ID, Limit: 5}, {All: true, Limit: 5}} {
			checkError(t, errOf(f.OwnEntries(t.Context(), nobody, q)), game.ErrUnauthorized)
		}
		checkError(t, errOf(f.ShowEntries(t.Context(), nobody, f.Show.ID, store.EntriesAt{Limit: 5})), game.ErrUnauthorized)
	}
	s := newScene(t)
	p := s.AddPlayer(t, storetest.Ann)
	page, err := s.OwnEntries(t.Context(), p.ID, store.OwnQuery{Limit: 5})
	assert.True(t, err == nil && page.Entries != nil && len(page.Entries) == 0, "without a season: %+v, %v", page, err)
}

// In a damaged table, a player's list has only the entries whose records are complete.
func TestOwnEntriesOfADamagedTable(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	other := f.AddShow(t, storetest.Fee(0))
	f.MustEnter(t, f.Ann, other, 0)
	f.judged(t, 0, 1)
	f.Edited()
	after := f.list(t)[0].ID
	f.At("SHOW#"+string(f.Show.ID), "SHOW").Edit(t, "REMOVE re", nil)
	storetest.Equal(t, "entries whose results are there", len(f.ownEntries(t, f.Ann.ID, f.Season.ID, 5)), 1)
	page, err := f.ShowEntries(t.Context(), f.Ann.ID, f.Show.ID, store.EntriesAt{After: after, Limit: 5})
	assert.True(t, err == nil && page.Entries != nil && len(page.Entries) == 0, "behind an entry without a result: %+v, %v", page, err)
	f.At("SHOW#"+string(other.ID), "SHOW").Delete(t)
	if page, err := f.OwnEntries(t.Context(), f.Ann.ID, store.OwnQuery{Limit: 5}); err != nil || len(page.Entries) > 0 {
		t.Errorf("entries whose show is there: %+v, %v", page, err)
	}
}

// pagesFrom returns the entries of all pages of a show from the given page on, forward or backward.
func (f fair) pagesFrom(t *testing.T, at store.EntriesAt, backward bool) (all []game.Entry) {
	t.Helper()
	for {
		page := must(f.ShowEntries(t.Context(), f.Ann.ID, f.Show.ID, at))(t)
		n := len(page.Entries)
		if backward {
			if all = append(page.Entries, all...); n == 0 || !page.Before {
				return all
			}
			at = store.EntriesAt{Before: page.Entries[0].ID, Limit: at.Limit}
		} else {
			if all = append(all, page.Entries...); n == 0 || !page.Behind {
				return all
			}
			at = store.EntriesAt{After: page.Entries[n-1].ID, Limit: at.Limit}
		}
		require.True(t, n <= at.Limit, "a page of %d has %d entries", at.Limit, n)
	}
}

// In every state of the show, at every size and limit, the pages have each entry once, forward and backward.
func TestShowEntries(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 2, 100, 230} {
		for _, gates := range []int{1, records.DefaultGates} {
			for _, status := range []game.ShowStatus{game.ShowOpen, game.ShowCancelled, game.ShowCompleted} {
				t.Run(fmt.Sprintf("%d entries, %d gates, %s", n, gates, status), func(t *testing.T) {
					t.Parallel()
					f := newFair(t, game.TierRookie, 0, gates)
					f.fill(t, f.Show, gates, max(n-5, 0))
					players := f.fillForReal(t, min(n, 5), 1)
					switch status {
					case game.ShowCancelled:
						f.MustCancel(t, f.Show)
					case game.ShowCompleted:
						f.MustJudge(t, f.Ann, f.Show)
						storetest.Equal(t, "entries by rank", f.pagesFrom(t, store.EntriesAt{Limit: 30}, false), f.list(t))
					}
					f.checkPages(t, players)
				})
			}
		}
	}
}

// list returns the entries of the show in the order of its list.
func (f fair) list(t *testing.T) []game.Entry {
	t.Helper()
	_, entries, err := f.ShowWithEntries(t.Context(), f.Show.ID)
	checkError(t, err, nil)
	return append([]game.Entry(nil), entries...) // nil if there are none, as for missing pages
}

func (f fair) checkPages(t *testing.T, players []storetest.Player) {
	t.Helper()
	list := f.pagesFrom(t, store.EntriesAt{Limit: 100}, false)
	byID := func(entries []game.Entry) []game.Entry {
		return slices.SortedFunc(slices.Values(entries), func(a, b game.Entry) int { return cmp.Compare(a.ID, b.ID) })
	}
	storetest.Equal(t, "entries, in any order", byID(list), byID(f.list(t)))
	for _, limit := range []int{1, 7, 50} {
		if len(list) > 100*limit {
			continue
		}
		storetest.Equal(t, fmt.Sprint("entries by pages of ", limit), f.pagesFrom(t, store.EntriesAt{Limit: limit}, false), list)
		if len(list) > 0 {
			back := f.pagesFrom(t, store.EntriesAt{Before: list[len(list)-1].ID, Limit: limit}, true)
			storetest.Equal(t, fmt.Sprint("entries backward by pages of ", limit), append(back, list[len(list)-1]), list)
		}
	}
	for _, at := range []store.EntriesAt{{After: game.NewID(), Limit: 5}, {Before: game.NewID(), Limit: 5}} {
		page, err := f.ShowEntries(t.Context(), f.Ann.ID, f.Show.ID, at)
		assert.True(t, err == nil && page.Entries != nil && len(page.Entries) == 0 && !page.Behind && !page.Before,
			"at an entry that is not there: %+v, %v", page, err)
	}
	if len(list) > 1 {
		first, last := list[0].ID, list[len(list)-1].ID
		for _, c := range []struct {
			at             store.EntriesAt
			n              int
			before, behind bool
		}{
			{store.EntriesAt{After: first, Limit: 100}, min(len(list)-1, 100), true, len(list) > 101},
			{store.EntriesAt{Before: last, Limit: 100}, min(len(list)-1, 100), len(list) > 101, true},
			{store.EntriesAt{After: last, Limit: 100}, 0, true, false}, {store.EntriesAt{Before: first, Limit: 100}, 0, false, true},
		} {
			f.Wire.Reset()
			page := must(f.ShowEntries(t.Context(), f.Ann.ID, f.Show.ID, c.at))(t)
			storetest.Equal(t, fmt.Sprintf("%+v", c.at), []any{len(page.Entries), page.Before, page.Behind}, []any{c.n, c.before, c.behind})
			cost := f.Wire.Cost()
			assert.True(t, c.n != 0 || cost.RCU <= 8 && (list[0].Rank == nil || cost.Requests <= 3), "an empty page costs %+v", cost)
		}
	}
	for _, p := range players {
		place := slices.IndexFunc(list, func(e game.Entry) bool { return e.PlayerID == p.ID })
		for _, limit := range []int{1, 8, 100} {
			page := must(f.ShowEntries(t.Context(), p.ID, f.Show.ID, store.EntriesAt{Around: true, Limit: limit}))(t)
			first := max(place-limit/2, 0)
			storetest.Equal(t, fmt.Sprintf("%d entries around %d", limit, place), page.Entries, list[first:min(first+limit, len(list))])
			storetest.Equal(t, "whether there are others", []bool{page.Before, page.Behind}, []bool{first > 0, first+limit < len(list)})
		}
	}
	page := must(f.ShowEntries(t.Context(), f.Ann.ID, f.Show.ID, store.EntriesAt{Around: true, Limit: 100}))(t)
	storetest.Equal(t, "entries around nobody", len(page.Entries), min(100, len(list)))
	checkError(t, errOf(f.ShowEntries(t.Context(), f.Ann.ID, game.NewID(), store.EntriesAt{Limit: 5})), game.ErrShowUnknown)
	_, _, err := f.ShowWithEntries(t.Context(), game.NewID())
	checkError(t, err, game.ErrShowUnknown)
}

// After a claim, each page and the whole list show all entries of the player as claimed.
func TestClaimsOnPages(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	f.fill(t, f.Show, 1, 180)
	p := f.AddPlayer(t, storetest.Cid, game.FixedMax, 0)
	f.MustEnter(t, p, f.Show, 0, 1)
	f.MustJudge(t, p, f.Show)
	f.MustClaim(t, p, f.Show)
	for _, entries := range [][]game.Entry{f.pagesFrom(t, store.EntriesAt{Limit: 11}, false), f.list(t)} {
		claimed := 0
		for _, e := range entries {
			assert.Equal(t, (e.PlayerID == p.ID), e.RewardClaimed, "claimed: %+v", e)
			if e.RewardClaimed {
				claimed++
			}
		}
		storetest.Equal(t, "claimed entries", claimed, 2)
	}
}

// The pages of a list of shows have each show once, even if some are judged or cancelled between two pages.
func TestPagesOfShows(t *testing.T) {
	t.Parallel()
	f := bareFair(t)
	shows := f.addShows(t, 120, 1, func(i int, d *storetest.ShowDraft) {
		d.Name, d.Tier, d.EntryClosesAt = fmt.Sprint(i), []string{"pro", "elite"}[i%2], f.Now+1+game.Instant(i/4)
	})
	read := func(q store.ShowQuery, between func()) (all []string) {
		t.Helper()
		for {
			page := must(f.Shows(t.Context(), q))(t)
			all = append(all, names(page.Shows)...)
			if !page.More {
				return all
			}
			storetest.Equal(t, "shows of a page", len(page.Shows), 50)
			q.After = page.Shows[49].ID
			between()
		}
	}
	slices.SortFunc(shows, func(a, b game.Show) int {
		return cmp.Or(cmp.Compare(a.EntryClosesAt, b.EntryClosesAt), cmp.Compare(a.ID, b.ID))
	})
	var all, pro []string
	for _, show := range shows {
		all = append(all, show.Name)
		if show.Tier == "pro" {
			pro = append(pro, show.Name)
		}
	}
	nothing := func() {}
	storetest.Equal(t, "all shows", read(store.ShowQuery{}, nothing), all)
	storetest.Equal(t, "open shows of the tier pro", read(store.ShowQuery{Status: game.ShowOpen, Tier: "pro"}, nothing), pro)
	for _, status := range []game.ShowStatus{"", game.ShowOpen} {
		whole := must(f.AllShows(t.Context(), status))(t)
		storetest.Equal(t, "the whole list", names(whole), all)
	}
	storetest.Equal(t, "the last 50", read(store.ShowQuery{Status: game.ShowOpen, After: shows[69].ID}, nothing), all[70:])
	for label, q := range map[string]store.ShowQuery{
		"behind the last one": {After: shows[119].ID}, "behind none": {After: game.NewID()},
		"behind one of another tier": {Tier: "pro", After: shows[slices.IndexFunc(shows, func(s game.Show) bool { return s.Tier == "elite" })].ID},
	} {
		page, err := f.Shows(t.Context(), q)
		assert.True(t, err == nil && !page.More && page.Shows != nil && len(page.Shows) == 0, "%s: %+v, %v", label, page, err)
	}
	changes := []func(){func() { f.MustJudge(t, f.Ann, shows[49]) }, func() { f.MustCancel(t, shows[99]) }}
	storetest.Equal(t, "open shows, of which some go", read(store.ShowQuery{Status: game.ShowOpen}, func() {
		changes[0]()
		changes = changes[1:]
	}), all)
}

// The list of an open show has the order of the entries' times, whatever the order of their keys. For the id "", the
// store reads nothing.
func TestEntriesOfAnOpenShowAreInOrder(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 3)
	herd := f.AddHerd(t, 0, 5)
	slices.SortFunc(herd.Animals, func(a, b game.Animal) int { return strings.Compare(string(b.ID), string(a.ID)) })
	for i, a := range herd.Animals {
		_, _, err := f.Enter(t.Context(), herd.ID, f.Show.ID, a.ID, f.Now.Add(time.Duration(i)*time.Second))
		checkError(t, err, nil)
	}
	_, entries, err := f.ShowWithEntries(t.Context(), f.Show.ID)
	checkError(t, err, nil)
	for i, e := range entries {
		storetest.Equal(t, "animal", e.AnimalID, herd.Animals[i].ID)
	}
	f.Wire.Reset()
	_, _, err = f.ShowWithEntries(t.Context(), "")
	checkError(t, err, game.ErrShowUnknown)
	storetest.Equal(t, "requests for no id", f.Wire.Cost().Requests, 0)
}
