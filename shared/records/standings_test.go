package records

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/table"
)

func TestPackedStandingsArePinned(t *testing.T) {
	t.Parallel()
	s := Snapshot{someSeason, 1, 5}
	items, err := s.Items([]game.Standing{{Rank: 1, PlayerID: someUser, PlayerUsername: "Ann", Score: 300}, {Rank: 2, PlayerID: someAnimal, Score: 5}}, []game.ID{someShow})
	want := []any{
		StandingsPageItem{s.PageKey(0), 5, 1, packedStandings("\x11\x11\x11\x11\x11\x11\x41\x11\x81\x11\x11\x11\x11\x11\x11\x11" + "\xac\x02" + "\x03Ann" +
			"\x22\x22\x22\x22\x22\x22\x42\x22\x82\x22\x22\x22\x22\x22\x22\x22" + "\x05" + "\x00")},
		StandingsIndexItem{s.IndexKey(0), 5, []byte("\x11\x11\x11\x11\x11\x00" + "\x22\x22\x22\x22\x22\x01")},
		FoldedItem{s.FoldedKey(0), 5, []byte("\x33\x33\x33\x33\x33\x33\x43\x33\x83\x33\x33\x33\x33\x33\x33\x33")},
	}
	assert.True(t, err == nil && cmp.Equal(want, items), "%v, %s", err, cmp.Diff(want, items))
	for _, row := range []game.Standing{{PlayerID: "no id"}, {PlayerID: someUser, Score: -1}} {
		_, err := s.Items([]game.Standing{row}, nil)
		assert.Error(t, err, "packed %+v", row)
	}
	_, err = s.Items(nil, []game.ID{"no id"})
	assert.Error(t, err, "packed a show that has no id")
}

// Standings of many players are unpacked as they were, with ranks that several players share across pages. The indexes
// have each player's place.
func TestStandingsAreFoundAgain(t *testing.T) {
	t.Parallel()
	scores := map[game.ID]int64{}
	for i := range 1050 {
		scores[game.NewID()] = int64(i / 170)
	}
	all, s, players := game.RankSeason(scores), Snapshot{someSeason, 0, 7}, len(scores)
	for i := range all {
		all[i].PlayerUsername = fmt.Sprint("player", i)
	}
	shows := []game.ID{someShow, someAnimal}
	items, err := s.Items(all, shows)
	require.NoError(t, err)
	require.Len(t, items, s.Pages(players)+s.Indexes(players)+1)
	var unpacked []game.Standing
	for n, item := range items[:s.Pages(players)] {
		page := item.(StandingsPageItem)
		rows, err := page.Unpack()
		assert.True(t, err == nil && page.Key == s.PageKey(n) && page.Number == 7, "page %d: %v, %v", n, page.Key, err)
		unpacked = append(unpacked, rows...)
	}
	assert.Empty(t, cmp.Diff(all, unpacked))
	for place, row := range all {
		index := items[s.Pages(players)+IndexOf(row.PlayerID, s.Indexes(players))].(StandingsIndexItem)
		places, err := index.Of(row.PlayerID)
		assert.True(t, err == nil && len(places) == 1 && places[0] == place, "%d: %v, %v", place, places, err)
	}
	lists := items[len(items)-1].(FoldedItem)
	folded, err := lists.FoldedShows()
	assert.True(t, err == nil && cmp.Equal(folded, shows), "%v, %v", folded, err)
}

// Damaged bytes are an error, at whatever byte they end.
func TestDamagedStandings(t *testing.T) {
	t.Parallel()
	s := Snapshot{someSeason, 0, 7}
	items, err := s.Items([]game.Standing{{Rank: 1, PlayerID: someUser, PlayerUsername: "Ann", Score: 300}}, []game.ID{someShow})
	require.NoError(t, err)
	page, index, list := items[0].(StandingsPageItem), items[1].(StandingsIndexItem), items[2].(FoldedItem)
	for whole, n := page.Rows, 1; n < len(whole); n++ {
		page.Rows = whole[:n]
		_, err := page.Unpack()
		assert.ErrorIs(t, err, table.ErrDamaged, "a page of %d bytes", n)
	}
	index.Places = index.Places[:indexedBytes]
	_, err = index.Of(someUser)
	assert.ErrorIs(t, err, table.ErrDamaged)
	list.Shows = list.Shows[1:]
	_, err = list.FoldedShows()
	assert.ErrorIs(t, err, table.ErrDamaged)
}

// A page of the standings costs 2 RCU at most, an index 1 in most cases, and the notes of a judging 2 WCU.
func TestStandingsAreSmall(t *testing.T) {
	t.Parallel()
	scores := map[game.ID]int64{}
	for range 250_000 {
		scores[game.NewID()] = 1 << 40
	}
	all := game.RankSeason(scores)
	for i := range all {
		all[i].PlayerUsername = strings.Repeat("u", 24)
	}
	items, err := Snapshot{someSeason, 0, int64(furthest)}.Items(all, make([]game.ID, 0))
	require.NoError(t, err)
	large, indexes := 0, 0
	for _, item := range items {
		size := sizeOf(t, item)
		_, isIndex := item.(StandingsIndexItem)
		assert.LessOrEqual(t, size, 8<<10)
		if isIndex {
			indexes++
		}
		if isIndex && size > 4<<10 {
			large++
		}
	}
	assert.Less(t, large, indexes/20, "%d of %d indexes are larger than 4 KB", large, indexes)
	note := NewJudgedItem(game.Show{ID: someShow, SeasonID: someSeason, JudgedAt: &furthest})
	assert.LessOrEqual(t, sizeOf(t, note), 1024)
	storedSeason, storedShow := note.Season(), note.Show()
	assert.True(t, storedSeason == someSeason && storedShow == someShow, "%s, %s", storedSeason, storedShow)
	damaged := JudgedItem{Key: table.Key{SK: SeasonPrefix}}
	assert.Empty(t, damaged.Season())
}
