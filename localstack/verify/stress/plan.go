package main

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/ranch-game/ranch/localstack/accept/world"
	"github.com/ranch-game/ranch/shared/game"
)

const (
	atPlay     = 12 // players of a round, besides those that register
	showsOpen  = 4  // open shows at a time: few, so that entries conflict
	showsEnded = 6  // the latest ended shows, which calls still claim in and read
)

// step is one planned call.
type step struct {
	kind   *kind
	player *world.Player
	show   *show
	animal game.ID // one of the player's
	draw   uint64
}

// show is a show of the plan.
type show struct {
	game.Show
	gates int
}

// plan draws the calls of a round from a seed. It does not depend on answers, so equal seeds give equal plans, except for
// ids and the traits of animals.
type plan struct {
	*rand.Rand
	season   game.ID
	calls    int // so far
	made     int // players
	players  []*world.Player
	open     []*show
	ended    []*show
	weighted []*kind // each kind as often as its weight says
}

func newPlan(seed uint64) *plan {
	p := &plan{Rand: rand.New(rand.NewPCG(seed, 0)), season: game.NewID()}
	for range atPlay {
		p.players = append(p.players, p.newPlayer())
	}
	for _, k := range kinds {
		p.weighted = append(p.weighted, slices.Repeat([]*kind{k}, k.weight)...)
	}
	return p
}

func (p *plan) newPlayer() *world.Player {
	p.made++
	return new(world.NewPlayer(fmt.Sprint("player-", p.made), world.Now()))
}

func draw[T any](p *plan, from []T) T { return from[p.IntN(len(from))] }

// shows returns the new shows that the next steps need.
func (p *plan) shows() (steps []step) {
	for len(p.open) < showsOpen {
		p.calls++
		s := &show{game.Show{
			ID: game.NewID(), Name: "A show", SeasonID: p.season, Status: game.ShowOpen,
			Tier:     draw(p, []string{game.TierRookie, game.TierPro, game.TierElite, "exhibition"}),
			EntryFee: draw(p, []int64{0, 0, 10, 20, 50, 200}),
		}, draw(p, []int{1, 1, 2, 5, 16})}
		p.open, steps = append(p.open, s), append(steps, step{kind: createShow, show: s, player: p.players[0]})
	}
	return steps
}

// next returns the next concurrent steps: a call, and up to three companions.
func (p *plan) next() []step {
	first := step{kind: draw(p, p.weighted), player: draw(p, p.players), show: draw(p, p.open), draw: p.Uint64()}
	if first.kind.ended && len(p.ended) > 0 {
		first.show = draw(p, p.ended)
	}
	if first.kind == register {
		first.player = p.newPlayer()
	}
	first.animal = draw(p, first.player.Animals).ID
	steps := []step{first}
	for range p.IntN(4) {
		steps = append(steps, p.companion(first))
	}
	p.Shuffle(len(steps), func(i, j int) { steps[i], steps[j] = steps[j], steps[i] })
	for _, s := range steps {
		p.calls++
		if at := slices.Index(p.open, s.show); at >= 0 && s.kind.ends {
			p.open = slices.Delete(p.open, at, at+1)
			p.ended = append(p.ended, s.show)
			p.ended = p.ended[max(0, len(p.ended)-showsEnded):]
		}
	}
	return steps
}

// companion returns a call beside another one. It differs from the other in one respect, or in none.
func (p *plan) companion(s step) step {
	s.draw = p.Uint64()
	switch p.IntN(5) {
	case 0:
		s.animal = draw(p, s.player.Animals).ID
	case 1:
		s.show = draw(p, p.open)
	case 2:
		s.player = draw(p, p.players)
		s.animal = draw(p, s.player.Animals).ID
	case 3:
		s.kind = draw(p, p.weighted)
	}
	return s
}
