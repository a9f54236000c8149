package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/table"
)

// unfolded returns what the standings of the fair's season lack, as of d after the fair's time.
func (f fair) unfolded(t *testing.T, d time.Duration) store.Unfolded {
	t.Helper()
	all := must(f.Unfolded(t.Context(), f.Now.Add(d)))(t)
	require.Len(t, all, 1, "%v", all)
	return all[0]
}

// fold makes the season's standings current, as of d after the fair's time.
func (f fair) fold(t *testing.T, d time.Duration) error {
	t.Helper()
	return f.Fold(t.Context(), f.unfolded(t, d))
}

// checkStandings compares the season's standings with the season scores of these players, and checks the names.
func (f fair) checkStandings(t *testing.T, names map[game.ID]string) {
	t.Helper()
	page := must(f.Rival.TopStandings(t.Context(), f.Season.ID, 0))(t)
	storetest.Equal(t, "players", page.Players, len(names))
	scores := map[game.ID]int64{}
	for player := range names {
		scores[player] = must(f.Rival.SeasonScore(t.Context(), player, f.Season.ID))(t)
	}
	want := game.RankSeason(scores)
	for i := range want {
		want[i].PlayerUsername = names[want[i].PlayerID]
	}
	storetest.Equal(t, "standings", page.Rows, want)
}

// addJudged adds a show with the first animals of these players, judges it, and returns it.
func (f fair) addJudged(t *testing.T, players ...storetest.Player) game.Show {
	t.Helper()
	show := f.AddShow(t, storetest.Fee(0))
	for _, p := range players {
		f.MustEnter(t, p, show, 0)
	}
	f.MustJudge(t, f.Ann, show)
	return show
}

// rivals is a fair without shows, with three players whose first animals win in the order Ann, Bob, Cid.
func rivals(t *testing.T) (f fair, bob, cid storetest.Player) {
	f = bareFair(t)
	f.Clock.Stop()
	return f, f.AddPlayer(t, storetest.Bob, 70_00, 60_00), f.AddPlayer(t, storetest.Cid, 40_00, storetest.NoPhenotype)
}

// After a deletion, folds write over both snapshots that may have the player's name.
func TestFoldsRemoveADeletedName(t *testing.T) {
	t.Parallel()
	f, bob, _ := rivals(t)
	for range 2 { // one snapshot for each slot
		f.addJudged(t, bob)
		f.MustFold(t)
	}
	must(f.changes().DeleteUser(t.Context(), bob.ID))(t)
	for _, left := range []int{2, 1, 0} { // snapshots with the name
		have := 0
		for key, row := range f.Rows(t) {
			if strings.HasPrefix(key, "STANDINGS#") && strings.Contains(fmt.Sprintf("%s", row), bob.Username) {
				have++
			}
		}
		storetest.Equal(t, "snapshots with the name", have, left)
		f.MustFold(t)
	}
	none := must(f.Unfolded(t.Context(), f.Now))(t)
	assert.Empty(t, none)
}

// Each fold adds the results of the shows that were judged since: of all their entries, whatever became of the players.
// Other seasons and open shows do not count.
func TestFold(t *testing.T) {
	t.Parallel()
	f, bob, cid := rivals(t)
	elsewhere := f.AddSeason(t)
	other := f.AddShow(t, storetest.Fee(0), func(d *storetest.ShowDraft) { d.SeasonID = elsewhere.ID })
	f.MustEnter(t, f.Ann, f.AddShow(t, storetest.Fee(0)), 0)
	f.MustEnter(t, cid, other, 0)
	none := must(f.Unfolded(t.Context(), f.Now))(t)
	assert.Empty(t, none)

	first := f.AddShow(t, storetest.Fee(0))
	f.MustEnter(t, f.Ann, first, 0)
	f.MustEnter(t, cid, first) // the second animal is not ranked
	f.MustJudge(t, f.Ann, first)
	second := f.AddShow(t, storetest.Fee(0))
	f.MustEnter(t, cid, second, 0)
	f.MustEnter(t, bob, second, 0)
	f.Ban(t, cid.ID)
	before := f.unfolded(t, time.Minute)
	storetest.Equal(t, "due since", before.Since, f.Now)
	checkError(t, f.Fold(t.Context(), before), nil)
	names := map[game.ID]string{f.Ann.ID: "Ann", cid.ID: "Cid"}
	f.checkStandings(t, names)
	page := must(f.SeasonStandings(t.Context(), cid.ID, store.StandingsAt{Season: f.Season.ID, Limit: 1}))(t)
	storetest.Equal(t, "page", page, store.StandingsPage{
		Season: f.Season.ID, AsOf: new(f.Now.Add(time.Minute - table.Settling)), Players: 2, Me: &store.StandingsPlace{Rank: 2, Score: 65}, Behind: true,
		Rows: []game.Standing{{Rank: 1, PlayerID: f.Ann.ID, PlayerUsername: "Ann", Score: 100}},
	})
	checkError(t, f.Fold(t.Context(), before), store.ErrOtherFold)
	none = must(f.Unfolded(t.Context(), f.Now.Add(time.Hour)))(t)
	assert.Empty(t, none)

	f.MustJudge(t, f.Ann, second)
	f.addJudged(t, bob)
	f.MustJudge(t, f.Ann, other)
	f.MustFold(t) // two seasons
	names[bob.ID] = "Bob"
	f.checkStandings(t, names)
	page = must(f.SeasonStandings(t.Context(), bob.ID, store.StandingsAt{Season: elsewhere.ID, Limit: 10}))(t)
	assert.True(t, page.Me == nil && page.Players == 1 && page.Rows[0].PlayerID == cid.ID && !page.Behind, "%+v", page)
}

// A season without judged shows has no snapshot. A completed show without entries makes an empty one.
func TestStandingsOfNothing(t *testing.T) {
	t.Parallel()
	f, bob, cid := rivals(t)
	at := store.StandingsAt{Limit: 10}
	f.MustEnter(t, cid, f.AddShow(t, storetest.Fee(0)), 0)
	f.MustRename(t, cid, "Cid_1") // does not make standings
	none := must(f.Unfolded(t.Context(), f.Now))(t)
	assert.Empty(t, none)
	storetest.Equal(t, "before", must(f.SeasonStandings(t.Context(), bob.ID, at))(t), store.StandingsPage{Season: f.Season.ID})
	f.addJudged(t)
	checkError(t, f.fold(t, 0), nil)
	for _, at := range []store.StandingsAt{at, {Limit: 10, Around: true}, {Limit: 10, After: f.Ann.ID}, {Limit: 10, Before: f.Ann.ID}} {
		page := must(f.SeasonStandings(t.Context(), bob.ID, at))(t)
		assert.True(t, page.AsOf != nil && page.Players+len(page.Rows) == 0 && page.Me == nil && !page.Before && !page.Behind, "%+v", page)
	}
	_, err := f.SeasonStandings(t.Context(), bob.ID, store.StandingsAt{Season: game.NewID(), Limit: 10})
	checkError(t, err, game.ErrSeasonUnknown)
	checkError(t, f.Operator().SetSeasonActive(t.Context(), f.Season.ID, false), nil)
	storetest.Equal(t, "no season", must(f.SeasonStandings(t.Context(), bob.ID, at))(t), store.StandingsPage{})
	f.DeleteUser(t, bob.ID)
	for _, season := range []game.ID{"", f.Season.ID, game.NewID()} {
		_, err := f.SeasonStandings(t.Context(), bob.ID, store.StandingsAt{Season: season, Limit: 10})
		checkError(t, err, game.ErrUnauthorized)
	}
}

// Pages continue each other in both directions. Each page says whether there are others before and behind it.
func TestPagesOfStandings(t *testing.T) {
	t.Parallel()
	f := crowded(t)
	f.MustJudge(t, f.Ann, f.Show)
	checkError(t, f.fold(t, 0), nil)
	all := must(f.TopStandings(t.Context(), f.Season.ID, 0))(t).Rows
	assert.True(t, len(all) == 401 && all[0].Score == 100 && all[5].Rank == 6 && all[400].Rank == 6, "%d players", len(all))
	storetest.Equal(t, "top", must(f.TopStandings(t.Context(), f.Season.ID, 150))(t).Rows, all[:150])
	walk := func(at store.StandingsAt) (rows []game.Standing) {
		for {
			page := must(f.SeasonStandings(t.Context(), f.Ann.ID, at))(t)
			if at.Before != "" {
				rows = append(page.Rows, rows...)
			} else {
				rows = append(rows, page.Rows...)
			}
			first, last := slices.Index(all, page.Rows[0]), slices.Index(all, page.Rows[len(page.Rows)-1])
			assert.True(t, page.Before == (first > 0) && page.Behind == (last < 400) && len(page.Rows) <= at.Limit, "%d to %d: %t, %t", first, last, page.Before, page.Behind)
			switch {
			case at.Before != "" && page.Before:
				at.Before = page.Rows[0].PlayerID
			case at.Before == "" && page.Behind:
				at.After, at.Around = page.Rows[len(page.Rows)-1].PlayerID, false
			default:
				return rows
			}
		}
	}
	storetest.Equal(t, "forward", walk(store.StandingsAt{Limit: 70}), all)
	storetest.Equal(t, "backward", walk(store.StandingsAt{Limit: 70, Before: all[400].PlayerID}), all[:400])
	mine := slices.IndexFunc(all, func(row game.Standing) bool { return row.PlayerID == f.Ann.ID })
	around := must(f.SeasonStandings(t.Context(), f.Ann.ID, store.StandingsAt{Limit: 50, Around: true}))(t)
	first := max(mine-25, 0)
	storetest.Equal(t, "around", around.Rows, all[first:min(first+50, 401)])
	storetest.Equal(t, "me", *around.Me, store.StandingsPlace{Rank: all[mine].Rank, Score: all[mine].Score})
	bob := f.AddPlayer(t, storetest.Bob)
	stranger := must(f.SeasonStandings(t.Context(), bob.ID, store.StandingsAt{Limit: 50, Around: true}))(t)
	assert.True(t, stranger.Me == nil && slices.Equal(stranger.Rows, all[:50]), "%+v", stranger)
	for _, at := range []store.StandingsAt{{Limit: 50, After: bob.ID}, {Limit: 50, Before: bob.ID}, {Limit: 50, After: all[400].PlayerID}, {Limit: 50, Before: all[0].PlayerID}} {
		page := must(f.SeasonStandings(t.Context(), f.Ann.ID, at))(t)
		assert.True(t, len(page.Rows) == 0 && page.Players == 401, "%+v: %+v", at, page)
	}
}

// Folds of large standings are rarer. Changed names alone wait for a day in large standings, unless they are many.
func TestWhenAFoldIsDue(t *testing.T) {
	t.Parallel()
	f, bob, _ := rivals(t)
	f.addJudged(t, bob)
	checkError(t, f.fold(t, 0), nil)
	asOf, head := f.Now.Add(-table.Settling), f.At("STANDINGS", "SEASON#"+string(f.Season.ID))
	const minute = time.Minute
	head.Edit(t, "SET py = :py, rd = :rd", map[string]any{":py": 100_000, ":rd": sets(1)})
	storetest.Equal(t, "few names", f.unfolded(t, minute).Since, asOf.Add(24*time.Hour))
	storetest.Equal(t, "names, long ago", f.unfolded(t, 25*time.Hour).Since, f.Now.Add(25*time.Hour))
	head.Edit(t, "SET rd = :rd", map[string]any{":rd": sets(200)})
	storetest.Equal(t, "many names", f.unfolded(t, minute).Since, f.Now.Add(minute))
	head.Edit(t, "REMOVE rd", nil)
	f.addJudged(t)
	storetest.Equal(t, "results", f.unfolded(t, minute).Since, asOf.Add(50*minute))
	head.Edit(t, "SET rd = :rd", map[string]any{":rd": sets(200)})
	storetest.Equal(t, "results and many names", f.unfolded(t, minute).Since, f.Now.Add(minute))
	head.Edit(t, "SET py = :py, rd = :rd", map[string]any{":py": 10_000, ":rd": sets(1)})
	storetest.Equal(t, "results of small standings", f.unfolded(t, minute).Since, f.Now)
}

// sets returns n renamed players.
func sets(n int) (set bytesSet) {
	for i := range n {
		set = append(set, append(slices.Repeat([]byte{byte(i)}, 16), 0, 0, 0, 0))
	}
	return set
}

// bytesSet is a set in the table, instead of a list.
type bytesSet [][]byte

func (s bytesSet) MarshalDynamoDBAttributeValue() (types.AttributeValue, error) {
	return &types.AttributeValueMemberBS{Value: s}, nil
}

// Another fold ends while a fold begins, at the same millisecond, and has another set of shows. The fold that is too
// late writes nothing, and the show that was judged in between is added later.
func TestTwoFoldsBegin(t *testing.T) {
	t.Parallel()
	f, bob, cid := rivals(t)
	f.addJudged(t, bob)
	checkError(t, f.fold(t, 0), nil)
	f.addJudged(t, bob)
	first := f.unfolded(t, time.Minute)
	f.addJudged(t, cid)
	second := f.unfolded(t, time.Minute)
	f.Meanwhile(func() { checkError(t, f.Rival.Fold(t.Context(), first), nil) })
	checkError(t, f.Fold(t.Context(), second), store.ErrOtherFold)
	f.checkStandings(t, map[game.ID]string{bob.ID: "Bob"})
	checkError(t, f.fold(t, time.Minute), nil)
	f.checkStandings(t, map[game.ID]string{bob.ID: "Bob", cid.ID: "Cid"})
}

// A later fold overtakes a fold between its writes and its switch.
func TestAFoldIsOvertaken(t *testing.T) {
	t.Parallel()
	f, bob, cid := rivals(t)
	f.addJudged(t, bob)
	slow := f.unfolded(t, 0)
	f.Wire.Next("TransactWriteItems", storetest.Pass, storetest.Before(func() {
		f.addJudged(t, cid)
		checkError(t, f.Rival.Fold(t.Context(), f.unfolded(t, time.Minute)), nil)
	}))
	checkError(t, f.Fold(t.Context(), slow), store.ErrOtherFold)
	f.checkStandings(t, map[game.ID]string{bob.ID: "Bob", cid.ID: "Cid"})
}

// The switch of a failed fold arrives when the next fold is about to begin, which would write into the live slot.
func TestALateSwitch(t *testing.T) {
	t.Parallel()
	for _, first := range []bool{true, false} {
		f, bob, cid := rivals(t)
		if f.addJudged(t, bob); !first {
			checkError(t, f.fold(t, 0), nil)
			f.addJudged(t, bob)
		}
		late, arrive := storetest.Late(storetest.Denied)
		f.Wire.Next("TransactWriteItems", storetest.Pass, late)
		assert.Error(t, f.fold(t, time.Minute))
		next := f.unfolded(t, 2*time.Minute)
		arrive()
		checkError(t, f.Fold(t.Context(), next), store.ErrOtherFold)
		f.addJudged(t, cid)
		checkError(t, f.fold(t, 3*time.Minute), nil)
		f.checkStandings(t, map[game.ID]string{bob.ID: "Bob", cid.ID: "Cid"})
	}
}

// A write of a failed fold, of a page, an index or the list of folded shows, arrives when a later fold has written the same
// slot and is live, and has not deleted its notes.
func TestALateWriteOfAFold(t *testing.T) {
	t.Parallel()
	f, bob, cid := rivals(t)
	f.addJudged(t, bob)
	late, arrive := storetest.Late(storetest.Denied)
	f.Wire.Next("PutItem", late)
	assert.Error(t, f.fold(t, 0))
	f.addJudged(t, cid)
	f.Wire.Next("DeleteItem", storetest.Denied)
	assert.Error(t, f.fold(t, time.Minute))
	arrive()
	page := must(f.SeasonStandings(t.Context(), cid.ID, store.StandingsAt{Limit: 10}))(t)
	assert.True(t, page.Me != nil && len(page.Rows) == 2, "%+v", page)
	checkError(t, f.fold(t, 2*time.Minute), nil)
	f.checkStandings(t, map[game.ID]string{bob.ID: "Bob", cid.ID: "Cid"})
}

// A fold is interrupted before its switch, or before it has deleted its notes. The next folds count each show once.
func TestAFoldIsInterrupted(t *testing.T) {
	t.Parallel()
	for name, plan := range map[string]func(w *storetest.Wire){
		"at its begin":            func(w *storetest.Wire) { w.Next("TransactWriteItems", storetest.Denied) },
		"before its switch":       func(w *storetest.Wire) { w.Next("TransactWriteItems", storetest.Pass, storetest.Denied) },
		"at a note":               func(w *storetest.Wire) { w.Next("DeleteItem", storetest.Denied) },
		"after a lost begin":      func(w *storetest.Wire) { w.Next("TransactWriteItems", storetest.LoseAnswer, storetest.LoseAnswer) },
		"before and after a note": func(w *storetest.Wire) { w.Next("DeleteItem", storetest.Denied, storetest.Denied) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, bob, cid := rivals(t)
			f.addJudged(t, bob)
			plan(f.Wire)
			names := map[game.ID]string{bob.ID: "Bob"}
			for n := range 4 {
				err := f.fold(t, time.Duration(n)*time.Minute)
				f.addJudged(t, bob, cid)
				assert.True(t, err == nil || n < 2, "fold %d: %v", n, err)
			}
			names[cid.ID] = "Cid"
			checkError(t, f.fold(t, time.Hour), nil)
			f.checkStandings(t, names)
			none := must(f.Unfolded(t.Context(), f.Now.Add(time.Hour)))(t)
			assert.Empty(t, none)
		})
	}
}

// The note of a judging is visible before its show. The fold adds the other shows, and the next one adds this one.
func TestAFoldSeesANoteFirst(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	bob := f.AddPlayer(t, storetest.Bob)
	f.MustEnter(t, f.Ann, f.Show, 0)
	f.addJudged(t, bob)
	held := f.holdJudging(t)
	f.Apply(t, held.Take(func(pk, _ string) bool { return pk == "JUDGED" }))
	checkError(t, f.fold(t, 0), store.ErrNotVisible)
	f.checkStandings(t, map[game.ID]string{bob.ID: "Bob"})
	f.then(t, "GetItem", 2, held.Take(ofAll))
	checkError(t, f.fold(t, time.Minute), nil)
	f.checkStandings(t, map[game.ID]string{bob.ID: "Bob", f.Ann.ID: "Ann"})
	f.Invariants(t)
}

// A damaged show does not stop a fold, which names it. Damaged standings do: an operator has them computed anew.
func TestFoldsOfADamagedTable(t *testing.T) {
	t.Parallel()
	f, bob, cid := rivals(t)
	f.Edited()
	bad := f.addJudged(t, bob)
	page := f.At(store.PageKey(t.Context(), f.Store, bad.ID, 0))
	row := page.Read(t)
	page.Delete(t)
	f.addJudged(t, cid)
	err := f.fold(t, 0)
	checkError(t, err, table.ErrDamaged)
	assert.ErrorContains(t, err, string(bad.ID))
	f.checkStandings(t, map[game.ID]string{cid.ID: "Cid"})
	checkError(t, f.fold(t, time.Second), table.ErrDamaged) // alone, it makes no snapshot
	storetest.Equal(t, "as of", *must(f.TopStandings(t.Context(), f.Season.ID, 0))(t).AsOf, f.Now.Add(-table.Settling))
	page.Restore(t, row)

	standings := f.At("STANDINGS#"+string(f.Season.ID)+"#1#0", "PAGE#000000")
	standings.Delete(t)
	_, err = f.SeasonStandings(t.Context(), bob.ID, store.StandingsAt{Limit: 1})
	assert.ErrorContains(t, err, "recount")
	assert.ErrorContains(t, f.fold(t, time.Minute), "recount")
	checkError(t, f.Operator().RecountStandings(t.Context(), f.Season.ID), nil)
	storetest.Equal(t, "until the next fold", must(f.SeasonStandings(t.Context(), bob.ID, store.StandingsAt{Limit: 1}))(t), store.StandingsPage{Season: f.Season.ID})
	checkError(t, f.fold(t, 2*time.Minute), nil)
	f.checkStandings(t, map[game.ID]string{bob.ID: "Bob", cid.ID: "Cid"})
	f.Invariants(t)
}

// A recount during a fold wins: it also mends what the fold has read.
func TestARecountDuringAFold(t *testing.T) {
	t.Parallel()
	f, bob, cid := rivals(t)
	f.addJudged(t, bob)
	f.Wire.Next("TransactWriteItems", storetest.Pass, storetest.Before(func() {
		checkError(t, f.AtTime(f.Now.Add(time.Minute)).Operator().RecountStandings(t.Context(), f.Season.ID), nil)
	}))
	checkError(t, f.fold(t, 0), store.ErrOtherFold)
	f.addJudged(t, cid)
	checkError(t, f.fold(t, 2*time.Minute), nil)
	f.checkStandings(t, map[game.ID]string{bob.ID: "Bob", cid.ID: "Cid"})
	checkError(t, f.Operator().RecountStandings(t.Context(), f.Season.ID), nil) // without notes
	checkError(t, f.fold(t, time.Hour), nil)
	f.checkStandings(t, map[game.ID]string{bob.ID: "Bob", cid.ID: "Cid"})
	checkError(t, f.Operator().RecountStandings(t.Context(), game.NewID()), operate.ErrUnknownSeason)
}

// The standings have a deletion at once, and a renaming in the next snapshot, whenever during a fold they happen.
func TestNamesChangeDuringAFold(t *testing.T) {
	t.Parallel()
	for name, at := range map[string]struct {
		operation string
		number    int
	}{
		"begin": {"TransactWriteItems", 1}, "live snapshot": {"BatchGetItem", 1}, "results": {"GetItem", 1}, "users": {"BatchGetItem", 2},
		"writes": {"PutItem", 1}, "switch": {"TransactWriteItems", 2}, "notes": {"DeleteItem", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, first := range []bool{true, false} {
				if first && at.operation == "BatchGetItem" {
					continue
				}
				f, bob, cid := rivals(t)
				if f.addJudged(t, f.Ann, bob, cid); !first {
					checkError(t, f.fold(t, 0), nil)
					f.MustRename(t, bob, "Bob_1")
					f.addJudged(t, cid)
				}
				season := f.unfolded(t, time.Minute)
				for range at.number - 1 {
					f.Wire.Next(at.operation, storetest.Pass)
				}
				f.Wire.Next(at.operation, storetest.Before(func() {
					f.MustRename(t, bob, "Bob_2")
					f.DeleteUser(t, cid.ID)
				}))
				checkError(t, f.Fold(t.Context(), season), nil)
				f.CheckFaults(t)
				page := must(f.TopStandings(t.Context(), f.Season.ID, 0))(t)
				hidden := slices.IndexFunc(page.Rows, func(row game.Standing) bool { return row.PlayerID == cid.ID })
				storetest.Equal(t, "at once", page.Rows[hidden].PlayerUsername, game.DeletedPlayer)
				f.MustFold(t)
				f.checkStandings(t, map[game.ID]string{f.Ann.ID: "Ann", bob.ID: "Bob_2", cid.ID: game.DeletedPlayer})
			}
		})
	}
}

// Two folds end while a reader reads: the second has written into the slot that the reader's head names.
func TestFoldsDuringARead(t *testing.T) {
	t.Parallel()
	f, bob, cid := rivals(t)
	f.addJudged(t, bob)
	checkError(t, f.fold(t, 0), nil)
	f.Wire.Next("BatchGetItem", storetest.Pass, storetest.Before(func() {
		for n := range 2 {
			f.addJudged(t, bob, cid)
			checkError(t, f.Rival.Fold(t.Context(), f.unfolded(t, time.Duration(n+1)*time.Minute)), nil)
		}
	}))
	page := must(f.SeasonStandings(t.Context(), cid.ID, store.StandingsAt{Limit: 10}))(t)
	assert.True(t, *page.AsOf == f.Now.Add(2*time.Minute-table.Settling) && page.Me != nil && len(page.Rows) == 2, "%+v", page)
}
