package conformance

import (
	"time"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/token"
)

// What there really is, by the table, and what others than the scenario's clients do.

func (s *play) player() player {
	s.Helper()
	p, err := s.world.register(s.ctx)
	s.must(err)
	return p
}

// expired is an access token of the player's that the service refuses since it is over.
func (s *play) expired(p player) string {
	s.Helper()
	text, err := s.world.issued(p, time.Now().Add(-20*time.Minute))
	s.must(err)
	return text
}

func (s *play) show(tier string, fee int64) game.Show {
	s.Helper()
	show, err := s.world.show(s.ctx, tier, fee)
	s.must(err)
	return show
}

// gold checks what a player has, and that the ledger leads to it.
func (s *play) gold(p player, want int64) {
	s.Helper()
	got, err := s.world.gold(s.ctx, p.ID)
	s.must(err)
	s.equal("gold of "+p.Username, got, want)
}

// detail returns a show with its entries.
func (s *play) detail(show game.Show) (game.Show, []game.Entry) {
	s.Helper()
	found, entries, err := s.world.store.ShowWithEntries(s.ctx, show.ID)
	s.must(err)
	return found, entries
}

// entries checks how many entries a show has.
func (s *play) entries(show game.Show, want int) {
	s.Helper()
	_, entries := s.detail(show)
	s.equal("entries", len(entries), want)
}

// enters has a player enter animals by their numbers, without a client.
func (s *play) enters(p player, show game.Show, animals ...int) {
	s.Helper()
	for _, i := range animals {
		_, _, err := s.world.store.Enter(s.ctx, p.ID, show.ID, p.animals[i].ID, game.InstantOf(time.Now()))
		s.must(err)
	}
}

// judges has a player judge a show, without a client.
func (s *play) judges(p player, show game.Show) {
	s.Helper()
	_, err := s.world.store.Judge(s.ctx, p.ID, show.ID, game.InstantOf(time.Now()))
	s.must(err)
}

// revokes ends all sessions of a player, as an operator does.
func (s *play) revokes(p player) {
	s.Helper()
	s.must(s.world.operator().RevokeSessions(s.ctx, p.ID))
}

func (s *play) bans(p player) {
	s.Helper()
	s.must(s.world.operator().Ban(s.ctx, p.ID))
}

// refreshable checks whether the service still takes a player's refresh token.
func (s *play) refreshable(p player, want bool) {
	s.Helper()
	record, _, err := s.world.store.RefreshRecord(s.ctx, token.Digest(p.refresh), p.ID)
	s.must(err)
	s.equal("the refresh token is good", record != nil, want)
}
