package storetest

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/ranch-game/ranch/shared/game"
)

// Player is a registered user with its three starters.
type Player struct {
	game.Account
	Animals []game.Animal
	Refresh game.RefreshRecord
}

// Register registers a player as the endpoint does, with random names.
func (t *Table) Register(tb testing.TB, now game.Instant) Player {
	tb.Helper()
	p := NewPlayer(now)
	if err := t.CreateAccount(tb.Context(), p.Account, p.Animals, game.StarterEntry(p.ID, now), p.Refresh); err != nil {
		tb.Fatal(err)
	}
	return p
}

// NewPlayer returns a player that is not registered yet.
func NewPlayer(now game.Instant) Player {
	name := strings.ReplaceAll(string(game.NewID()), "-", "")[:20]
	form := game.Registration{Email: name + "@example.com", Username: name, RanchName: "Ranch of " + name}
	p := Player{Account: game.NewAccount(form, "no hash: nobody logs in", now)}
	p.Animals = game.Starters(rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64())), p.ID, p.Ranch.ID, now)
	p.Refresh = game.RefreshRecord{ID: game.NewID(), UserID: p.ID, Digest: string(game.NewID()), ExpiresAt: now.Add(game.RefreshTokenLifetime)}
	return p
}

// Season creates an active season.
func (t *Table) Season(tb testing.TB, now game.Instant) game.Season {
	tb.Helper()
	s := game.Season{ID: game.NewID(), Name: "Season", StartDate: now.Add(-time.Hour), EndDate: now.Add(30 * 24 * time.Hour), IsActive: true}
	if err := t.CreateSeason(tb.Context(), s); err != nil {
		tb.Fatal(err)
	}
	return s
}

// Show creates an open show of the season that closes in an hour.
func (t *Table) Show(tb testing.TB, season game.Season, now game.Instant, tier string, fee int64, gates int) game.Show {
	tb.Helper()
	s := game.Show{
		ID: game.NewID(), Name: "County Fair", Tier: tier, EntryFee: fee, EntryClosesAt: now.Add(time.Hour), Status: game.ShowOpen, SeasonID: season.ID,
	}
	if err := t.CreateShow(tb.Context(), s, gates); err != nil {
		tb.Fatal(err)
	}
	return s
}
