package storetest

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/ranch-game/ranch/shared/game"
)

// Register registers a player as the endpoint does, with random names and three starters.
func (t *Table) Register(tb testing.TB, now game.Instant) Player {
	tb.Helper()
	p := NewPlayer(now)
	t.Add(tb, p, now)
	return p
}

// RegisterHerd registers a player with so much gold and so many animals, at most 95.
func (t *Table) RegisterHerd(tb testing.TB, now game.Instant, gold int64, animals int) Player {
	tb.Helper()
	p := NewPlayer(now)
	p.GoldBalance, p.Starter.Amount, p.Starter.BalanceAfter = gold, gold, gold
	for len(p.Animals) < animals {
		p.Animals = append(p.Animals, starters(p.ID, p.Ranch.ID, now)...)
	}
	p.Animals = p.Animals[:animals]
	t.Add(tb, p, now)
	return p
}

// Add registers a player as it stands. All of its gold is its starting gold.
func (t *Table) Add(tb testing.TB, p Player, now game.Instant) {
	tb.Helper()
	if err := t.Rival.CreateAccount(tb.Context(), p.Account, p.Animals, p.Starter, p.Refresh); err != nil {
		tb.Fatal(err)
	}
}

// NewPlayer returns a player with random names and three starters that is not registered yet.
func NewPlayer(now game.Instant) Player {
	name := strings.ReplaceAll(string(game.NewID()), "-", "")[:20]
	form := game.Registration{Email: name + "@example.com", Username: name, RanchName: "Ranch of " + name}
	p := Player{Account: game.NewAccount(form, "no hash: nobody logs in", now)}
	p.Animals = starters(p.ID, p.Ranch.ID, now)
	p.Starter, p.Refresh = game.StarterEntry(p.ID, now), NewRefresh(p.ID, now)
	return p
}

func starters(owner, ranch game.ID, now game.Instant) []game.Animal {
	return game.Starters(rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64())), owner, ranch, now)
}

// NewRefresh returns the record of a refresh token that is issued now.
func NewRefresh(user game.ID, now game.Instant) game.RefreshRecord {
	return game.RefreshRecord{ID: game.NewID(), UserID: user, Digest: string(game.NewID()), ExpiresAt: now.Add(game.RefreshTokenLifetime)}
}

// Season creates an active season.
func (t *Table) Season(tb testing.TB, now game.Instant) game.Season {
	tb.Helper()
	s := game.Season{ID: game.NewID(), Name: "Season", StartDate: now.Add(-time.Hour), EndDate: now.Add(30 * 24 * time.Hour), IsActive: true}
	if err := t.Rival.CreateSeason(tb.Context(), s); err != nil {
		tb.Fatal(err)
	}
	return s
}

// Show creates an open show of the season that closes in an hour.
func (t *Table) Show(tb testing.TB, season game.Season, now game.Instant, tier string, fee int64, gates int) game.Show {
	tb.Helper()
	s := NewShow(season.ID, now, tier, fee)
	if err := t.Rival.CreateShow(tb.Context(), s, gates); err != nil {
		tb.Fatal(err)
	}
	return s
}

// NewShow returns an open show that closes in an hour and is not created yet.
func NewShow(season game.ID, now game.Instant, tier string, fee int64) game.Show {
	return game.Show{
		ID: game.NewID(), Name: "County Fair", Tier: tier, EntryFee: fee, EntryClosesAt: now.Add(time.Hour), Status: game.ShowOpen, SeasonID: season,
	}
}

// MustEnter enters an animal of the player in a show.
func (t *Table) MustEnter(tb testing.TB, p Player, show game.Show, animal game.Animal, now game.Instant) {
	tb.Helper()
	if _, _, err := t.Rival.Enter(tb.Context(), p.ID, show.ID, animal.ID, now); err != nil {
		tb.Fatal(err)
	}
}

// MustJudge judges a show for the player.
func (t *Table) MustJudge(tb testing.TB, p Player, show game.Show, now game.Instant) []game.Contestant {
	tb.Helper()
	ranked, err := t.Rival.Judge(tb.Context(), p.ID, show.ID, now)
	if err != nil {
		tb.Fatal(err)
	}
	return ranked
}
