package storetest

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
	"github.com/ranch-game/ranch/shared/store"
)

// Who identifies a player of a scene. In a fixed scene (NewFixedScene), this number makes the player's id, the next one
// makes the ranch's id, and those after it make the animals' ids.
type Who int

// These are the players of scenes. A scene can have each player once. Only Anybody can occur several times: its names
// and ids are random, even in a fixed scene.
const (
	Anybody Who = 0
	Ann     Who = 100
	Bob     Who = 200
	Cid     Who = 300
)

func (w Who) name() string {
	if w == Anybody {
		return strings.ReplaceAll(string(game.NewID()), "-", "")[:20]
	}
	return map[Who]string{Ann: "Ann", Bob: "Bob", Cid: "Cid"}[w]
}

func addressOf(name string) string { return game.NormalizeEmail(name + "@example.com") }

// Player is a user with a ranch and animals.
type Player struct {
	game.Account
	PasswordHash string
	Animals      []game.Animal
	Starter      game.LedgerEntry // the player's first gold
	Refresh      game.RefreshRecord
}

// Create registers the player in the store s, as the endpoint does.
func (p Player) Create(ctx context.Context, s *store.Store) error {
	return s.CreateAccount(ctx, p.Account, p.PasswordHash, p.Animals, p.Starter, p.Refresh)
}

// Register registers the player p.
func (s *Scene) Register(t testing.TB, p Player) {
	t.Helper()
	require.NoError(t, p.Create(t.Context(), s.Rival.Store))
}

// NewPlayer returns a player with 500 gold who is not registered yet. The player has one animal for each grade (the
// value of all of its traits). Without grades, the player has three animals, with 90.00, 50.00 and 10.00. If two grades
// differ by at least 7.00, the higher grade wins in every show.
func (s *Scene) NewPlayer(who Who, grades ...game.Fixed) Player {
	if len(grades) == 0 {
		grades = []game.Fixed{90_00, 50_00, 10_00}
	}
	p := s.newborn(who, len(grades))
	for i, grade := range grades {
		Grade(&p.Animals[i], grade)
	}
	return p
}

// AddPlayer registers a player as NewPlayer returns it.
func (s *Scene) AddPlayer(t testing.TB, who Who, grades ...game.Fixed) Player {
	t.Helper()
	p := s.NewPlayer(who, grades...)
	s.Register(t, p)
	return p
}

// NewHerd returns a player, not registered yet, with the given gold and number of animals. The animals have random
// traits. Their number is at most 95, because a registration is one transaction with at most 100 items.
func (s *Scene) NewHerd(gold int64, animals int) Player {
	p := s.newborn(Anybody, animals)
	p.GoldBalance, p.Starter.Amount, p.Starter.BalanceAfter = gold, gold, gold
	return p
}

// AddHerd registers a player as NewHerd returns it.
func (s *Scene) AddHerd(t testing.TB, gold int64, animals int) Player {
	t.Helper()
	p := s.NewHerd(gold, animals)
	s.Register(t, p)
	return p
}

// AddExternal registers a user as an external sign-in does: without a ranch, gold and animals. If passwordHash is not
// "", the user can also log in with that password.
func (s *Scene) AddExternal(t testing.TB, who Who, passwordHash string) game.Account {
	t.Helper()
	name := who.name()
	a := game.NewExternalAccount(addressOf(name), name, s.Now)
	if s.fixed && who != Anybody {
		a.ID = ID(int(who))
	}
	require.NoError(t, s.Operator().CreateExternalAccount(t.Context(), a))
	if passwordHash != "" {
		s.Address(a.Email).Edit(t, "SET hp = :hash", map[string]any{":hash": passwordHash})
	}
	return a
}

// newborn returns a player whose animals have no traits yet.
func (s *Scene) newborn(who Who, animals int) Player {
	name := who.name()
	form := game.Registration{Email: addressOf(name), Username: name, RanchName: "Ranch of " + name}
	p := Player{Account: game.NewAccount(form, s.Now), PasswordHash: "no hash: no log-in"}
	rng := rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))
	fixed := s.fixed && who != Anybody
	if fixed {
		p.ID, p.Ranch.ID = ID(int(who)), ID(int(who)+1)
		rng = rand.New(rand.NewPCG(uint64(who), 0))
	}
	for len(p.Animals) < animals {
		p.Animals = append(p.Animals, game.Starters(rng, p.ID, p.Ranch.ID, s.Now)...)
	}
	p.Animals = p.Animals[:animals]
	if fixed {
		for i := range p.Animals {
			p.Animals[i].ID = ID(int(who) + 2 + i)
		}
	}
	p.Starter, p.Refresh = game.StarterEntry(p.ID, s.Now), s.NewRefresh(p.ID)
	return p
}

// NewRefresh returns the record of a refresh token that is issued at the scene's time.
func (s *Scene) NewRefresh(user game.ID) game.RefreshRecord {
	return game.RefreshRecord{ID: game.NewID(), UserID: user, Digest: string(game.NewID()), ExpiresAt: s.Now.Add(game.RefreshTokenLifetime)}
}

// NoPhenotype is the grade of an animal without traits, which cannot be ranked.
const NoPhenotype game.Fixed = -1

// Grade gives an animal the same value in all traits, and full condition. The animal's score then differs from this
// value by at most 3.00 in any show. With NoPhenotype, the animal has no traits.
func Grade(a *game.Animal, grade game.Fixed) {
	a.Condition, a.Phenotype = game.FixedMax, nil
	if grade == NoPhenotype {
		return
	}
	a.Phenotype = &game.Phenotype{}
	for trait := range a.Phenotype {
		a.Phenotype[trait] = grade
	}
}

// Worthless returns a new animal id with which an animal of grade 0 scores exactly 0 in the show.
func Worthless(show game.Show) game.ID {
	for {
		if id := game.NewID(); game.NewScorer(show.ID).Score(id, game.Phenotype{}, game.FixedMax) == 0 {
			return id
		}
	}
}

// MustChange changes one of the player's animals as an operator. The parameter animal is an index.
func (s *Scene) MustChange(t testing.TB, p Player, animal int, change operate.AnimalChange) {
	t.Helper()
	require.NoError(t, s.Operator().ChangeAnimal(t.Context(), p.ID, p.Animals[animal].ID, change))
}

// Ban bans a user now.
func (s *Scene) Ban(t testing.TB, user game.ID) {
	t.Helper()
	assert.NoError(t, s.Operator().Ban(t.Context(), user))
}

// Unban makes a banned user active again.
func (s *Scene) Unban(t testing.TB, user game.ID) {
	t.Helper()
	assert.NoError(t, s.Operator().Unban(t.Context(), user))
}

// MustRename gives a player another username.
func (s *Scene) MustRename(t testing.TB, p Player, name string) {
	t.Helper()
	_, err := s.Operator().SetUser(t.Context(), p.ID, operate.UserChange{Username: &name})
	require.NoError(t, err)
}

// DeleteUser deletes a user now.
func (s *Scene) DeleteUser(t testing.TB, user game.ID) {
	t.Helper()
	_, err := s.Operator().DeleteUser(t.Context(), user)
	assert.NoError(t, err)
}
