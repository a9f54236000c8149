package store_test

import (
	"testing"
	"time"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

func now() game.Instant { return game.InstantOf(time.Now()) }

func TestLoop(t *testing.T) {
	t.Parallel()
	table, now := storetest.New(t), now()
	season := table.Season(t, now)
	show := table.Show(t, season, now, game.TierRookie, 50, 1)
	cost := func(name string) { t.Logf("%-10s %+v", name, table.Wire.Cost()); table.Wire.Reset() }
	table.Wire.Reset()
	p := table.Register(t, now)
	cost("register")
	if _, _, err := table.Enter(t.Context(), p.ID, show.ID, p.Animals[0].ID, now); err != nil {
		t.Fatal(err)
	}
	cost("enter")
	if _, _, err := table.Enter(t.Context(), p.ID, show.ID, p.Animals[0].ID, now); err != game.ErrDuplicateEntry {
		t.Fatal(err)
	}
	cost("duplicate")
	list, err := table.Shows(t.Context(), game.ShowOpen, "")
	if err != nil || len(list) != 1 || list[0].EntryCount != 1 {
		t.Fatal(list, err)
	}
	cost("list")
	ranked, err := table.Judge(t.Context(), p.ID, show.ID, now)
	if err != nil || len(ranked) != 1 {
		t.Fatal(ranked, err)
	}
	cost("judge")
	rank, prize, err := table.Claim(t.Context(), p.ID, show.ID, now)
	if err != nil || rank != 1 || prize != 100 {
		t.Fatal(rank, prize, err)
	}
	cost("claim")
	_, entries, err := table.ShowWithEntries(t.Context(), show.ID)
	if err != nil || len(entries) != 1 || !entries[0].RewardClaimed || *entries[0].Rank != 1 {
		t.Fatal(entries, err)
	}
	cost("detail")
	active, err := table.ActiveSeason(t.Context())
	if err != nil || active.ID != season.ID {
		t.Fatal(active, err)
	}
	score, err := table.SeasonScore(t.Context(), p.ID, season.ID)
	if err != nil || score != 100 {
		t.Fatal(score, err)
	}
	cost("season")
	a, err := table.AccountByEmail(t.Context(), p.Email)
	if err != nil || a.GoldBalance != 550 || a.LedgerSeq != 3 {
		t.Fatal(a, err)
	}
	cost("byemail")
	if animals, err := table.Animals(t.Context(), p.ID); err != nil || len(animals) != 3 {
		t.Fatal(animals, err)
	}
	cost("animals")
}
