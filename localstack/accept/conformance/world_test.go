package conformance

import (
	"context"
	"sync"

	"github.com/ranch-game/ranch/localstack/accept/world"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/password"
	"github.com/ranch-game/ranch/shared/token"
)

// stage is the real service for all scenarios, with direct access to its table, past the proxy.
type stage struct {
	*world.World
	season game.Season
	hash   string // of all players' password
}

const everybodysPassword = "a long password"

// folder has the built programs. TestMain makes and removes it.
var folder string

// opened is the stage, or nil if no test has needed it yet. TestMain closes it.
var opened *stage

// theStage opens the stage at the first call, and returns it.
var theStage = sync.OnceValues(func() (*stage, error) {
	ctx := context.Background()
	w, err := world.Open(ctx, world.Config{Folder: folder})
	if err != nil {
		return nil, err
	}
	opened = &stage{World: w, hash: password.Hash(everybodysPassword)}
	opened.season, err = w.NewSeason(ctx, game.NewID())
	return opened, err
})

// player is a registered player, with a session that no client uses yet.
type player = world.Player

// player registers a player with 500 gold and three animals. In every show, the first animal wins and the last one
// loses.
func (s *play) player() player {
	p := world.NewPlayer(world.NewName(), world.Now())
	for i := range p.Animals {
		p.Animals[i].Condition, p.Animals[i].Phenotype = game.FixedMax, &game.Phenotype{}
		for trait := range p.Animals[i].Phenotype {
			p.Animals[i].Phenotype[trait] = game.Fixed(90_00 - 40_00*i)
		}
	}
	p, err := s.stage.Register(s.ctx, p, s.stage.hash)
	s.must(err)
	return p
}

func (s *play) show(tier string, fee int64) game.Show {
	show, err := s.stage.NewShow(s.ctx, game.Show{Name: "County Fair", Tier: tier, EntryFee: fee, SeasonID: s.stage.season.ID}, 1)
	s.must(err)
	return show
}

// gold checks a player's balance, and that the sum of the ledger is the same.
func (s *play) gold(p player, want int64) {
	got, err := s.stage.Gold(s.ctx, p.ID)
	s.must(err)
	s.equal("gold of "+p.Username, got, want)
}

// entries checks the number of entries of a show, and returns the show.
func (s *play) entries(show game.Show, want int) game.Show {
	found, entries, err := s.stage.Store.ShowWithEntries(s.ctx, show.ID)
	s.must(err)
	s.equal("entries", len(entries), want)
	return found
}

// enters enters animals of a player, by their indices, directly in the table, without a client.
func (s *play) enters(p player, show game.Show, animals ...int) {
	for _, i := range animals {
		_, _, err := s.stage.Store.Enter(s.ctx, p.ID, show.ID, p.Animals[i].ID, world.Now())
		s.must(err)
	}
}

// judges judges a show as a player, without a client.
func (s *play) judges(p player, show game.Show) {
	_, err := s.stage.Store.Judge(s.ctx, p.ID, show.ID, world.Now())
	s.must(err)
}

// revokes ends all sessions of a player, as an operator does.
func (s *play) revokes(p player) { s.must(s.stage.Operator().RevokeSessions(s.ctx, p.ID)) }

func (s *play) bans(p player) { s.must(s.stage.Operator().Ban(s.ctx, p.ID)) }

// refreshable checks whether the service still accepts a player's refresh token.
func (s *play) refreshable(p player, want bool) {
	record, account, err := s.stage.Store.RefreshRecord(s.ctx, token.Digest(p.Refresh), p.ID)
	s.must(err)
	s.equal("the refresh token is good", record != nil && !account.Revoked(*record), want)
}
