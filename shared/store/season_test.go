package store_test

import (
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ranch-game/ranch/localstack/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// stringSet is a set where a test writes a row itself.
type stringSet []string

func (s stringSet) MarshalDynamoDBAttributeValue() (types.AttributeValue, error) {
	return &types.AttributeValueMemberSS{Value: s}, nil
}

var _ attributevalue.Marshaler = stringSet{}

func newSeason(start game.Instant, active bool) game.Season {
	return game.Season{ID: game.NewID(), Name: "Season", StartDate: start, EndDate: start.Add(24 * time.Hour), IsActive: active}
}

func checkActive(t *testing.T, table *storetest.Table, want *game.Season) {
	t.Helper()
	got, err := table.ActiveSeason(t.Context())
	if err != nil {
		t.Error(err)
	}
	checkEqual(t, "active season", got, want)
}

func TestTheEarliestActiveSeasonCounts(t *testing.T) {
	t.Parallel()
	table := storetest.New(t)
	checkActive(t, table, nil)
	create := func(s game.Season) {
		t.Helper()
		if err := table.CreateSeason(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	create(newSeason(100, false))
	checkActive(t, table, nil)
	seasons := []game.Season{newSeason(5_000, true), newSeason(5_000, true), newSeason(4_999, true), newSeason(5_001, true), newSeason(1, false)}
	if seasons[0].ID > seasons[1].ID {
		seasons[0], seasons[1] = seasons[1], seasons[0]
	}
	for _, i := range []int{3, 1} {
		create(seasons[i])
	}
	checkActive(t, table, &seasons[1])
	create(seasons[0])
	checkActive(t, table, &seasons[0])
	create(seasons[2])
	checkActive(t, table, &seasons[2])
	create(seasons[4])
	checkActive(t, table, &seasons[2])
	for _, c := range []struct{ deactivate, active int }{{2, 0}, {0, 1}, {1, 3}} {
		got, err := table.SetSeasonActive(t.Context(), seasons[c.deactivate].ID, false)
		want := seasons[c.deactivate]
		want.IsActive = false
		if err != nil {
			t.Fatal(err)
		}
		checkEqual(t, "season", got, want)
		checkActive(t, table, &seasons[c.active])
	}
	if _, err := table.SetSeasonActive(t.Context(), seasons[3].ID, false); err != nil {
		t.Fatal(err)
	}
	checkActive(t, table, nil)
	for range 2 { // again changes nothing
		if _, err := table.SetSeasonActive(t.Context(), seasons[4].ID, true); err != nil {
			t.Fatal(err)
		}
		seasons[4].IsActive = true
		checkActive(t, table, &seasons[4])
	}
	all, err := table.Seasons(t.Context())
	if err != nil || len(all) != 6 || !slices.IsSortedFunc(all, func(a, b game.Season) int { return int(a.StartDate - b.StartDate) }) {
		t.Error(all, err)
	}
}

// Seasons from 1970 to 9999 sort by time, not as numbers of several lengths would.
func TestSeasonsSortByTime(t *testing.T) {
	t.Parallel()
	table := storetest.New(t)
	var want game.Season
	for _, start := range []game.Instant{253_000_000_000_000, 9, 10, 5, 1_000_000_000_000, 999_999_999_999} {
		s := newSeason(start, true)
		if err := table.CreateSeason(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		if start == 5 {
			want = s
		}
	}
	checkActive(t, table, &want)
}

func TestUnknownSeason(t *testing.T) {
	t.Parallel()
	table := storetest.New(t)
	_, err := table.SetSeasonActive(t.Context(), game.NewID(), true)
	checkError(t, err, store.ErrUnknownSeason)
	checkEqual(t, "rows", len(table.Scan(t)), 0)
}

func TestSeasonIsDeletedWhileItIsActivated(t *testing.T) {
	t.Parallel()
	table, season := storetest.New(t), newSeason(5, false)
	checkError(t, table.CreateSeason(t.Context(), season), nil)
	table.Wire.Next("TransactWriteItems", storetest.Before(func() { table.At("SEASON", "SEASON#"+string(season.ID)).Delete(t) }))
	_, err := table.SetSeasonActive(t.Context(), season.ID, true)
	checkError(t, err, store.ErrUnknownSeason)
	checkFaults(t, table)
	checkEqual(t, "rows", len(table.Scan(t)), 0)
}

func (f fair) checkScore(t *testing.T, p storetest.Player, want int64) {
	t.Helper()
	got, err := f.SeasonScore(t.Context(), p.ID, f.season.ID)
	if err != nil {
		t.Error(err)
	}
	checkEqual(t, "season score", got, want)
}

// The points of the ranks 1 to 7 and of an unranked entry, each seen by a player of its own and by one who has them all.
func TestSeasonPointsByRank(t *testing.T) {
	t.Parallel()
	for _, gates := range []int{1, 3} {
		f := newFair(t, game.TierRookie, 0, gates)
		want := []int64{100, 60, 30, 15, 10, 5, 5, 5}
		all := storetest.NewPlayer(f.now)
		all.Animals = nil
		second := f.Show(t, f.season, f.now, "exhibition", 0, gates)
		var players []storetest.Player
		for i := range want {
			p := storetest.NewPlayer(f.now)
			storetest.Grade(&p.Animals[0], game.Fixed(95-10*i)*100)
			animal := p.Animals[0]
			animal.ID, animal.Owner = game.NewID(), all.ID
			if i == len(want)-1 {
				p.Animals[0].Phenotype, animal.Phenotype = nil, nil
			}
			all.Animals = append(all.Animals, animal)
			f.Add(t, p, f.now)
			players = append(players, p)
		}
		f.Add(t, all, f.now)
		for i, p := range players {
			f.MustEnter(t, p, f.show, p.Animals[0], f.now)
			f.MustEnter(t, all, second, all.Animals[i], f.now)
			f.checkScore(t, p, 0) // nothing is judged
		}
		f.MustJudge(t, f.player, f.show, f.now)
		f.MustJudge(t, f.player, second, f.now)
		for i, p := range players {
			f.checkScore(t, p, want[i])
		}
		f.checkScore(t, all, 230)
		f.checkScore(t, f.player, 0)
		f.Invariants(t)
	}
}

func TestSeasonScoreCountsItsOwnCompletedShows(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	past := newSeason(f.now-10, false)
	if err := f.CreateSeason(t.Context(), past); err != nil {
		t.Fatal(err)
	}
	elsewhere := f.Show(t, past, f.now, game.TierRookie, 0, 1)
	open := f.Show(t, f.season, f.now, game.TierRookie, 0, 1)
	for _, show := range []game.Show{elsewhere, open, f.show} {
		f.MustEnter(t, f.player, show, f.player.Animals[0], f.now)
	}
	f.MustJudge(t, f.player, elsewhere, f.now)
	f.checkScore(t, f.player, 0)
	f.MustJudge(t, f.player, f.show, f.now)
	f.checkScore(t, f.player, 100) // right away
	f.MustEnter(t, f.player, open, f.player.Animals[1], f.now)
	f.checkScore(t, f.player, 100)
	f.MustJudge(t, f.player, open, f.now)
	f.checkScore(t, f.player, 260)
	if _, err := f.claim(t.Context(), f.player); err != nil {
		t.Fatal(err)
	}
	f.checkScore(t, f.player, 260) // claiming changes nothing
	if score, err := f.SeasonScore(t.Context(), f.player.ID, past.ID); err != nil || score != 100 {
		t.Error(score, err)
	}
	if score, err := f.SeasonScore(t.Context(), f.player.ID, game.NewID()); err != nil || score != 0 {
		t.Error(score, err)
	}
	f.Invariants(t)
}
