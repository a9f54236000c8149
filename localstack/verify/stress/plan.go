package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"

	"github.com/google/uuid"

	"github.com/ranch-game/ranch/infra/logcheck"
	"github.com/ranch-game/ranch/shared/game"
)

const (
	playersAtPlay = 24 // players at a time
	showsOpen     = 4  // open shows at a time: few, so that entries conflict
	showsEnded    = 6  // the latest ended shows, which calls still claim in and read
	retiresAfter  = 250
)

// operation is one planned step: a call, or the kill of a process.
type operation struct {
	n      int // number of the call in its round, from 1; 0 for a kill
	kind   logcheck.Kind
	player *player
	show   *show
	animal int // the index of the player's animal
	draw   uint64
	name   string // of a registration
	email  string

	closing bool // SetShow sets a closing time within half a second
}

// These are the kinds of steps that are not calls.
const (
	killFunction logcheck.Kind = "kill a function"
	killEngine   logcheck.Kind = "kill the engine"
)

// player is a simulated player.
type player struct {
	id              game.ID
	email, username string
	animals         [3]game.ID
	seed            uint64 // for the animals' traits

	session atomic.Pointer[string] // the latest refresh token
}

// show is a show of the plan.
type show struct {
	id       game.ID
	number   int
	tier     string
	fee      int64
	gates    int
	entrants []*player // the player of each planned entry
}

// plan makes the steps of a round from a seed. It does not depend on answers, so equal seeds give equal plans.
type plan struct {
	rng     *rand.Rand
	calls   int // so far
	of      int
	players []*player
	open    []*show
	ended   []*show
	season  game.ID
	made    struct{ players, shows, names int }
	later   []later
	last    *player // the latest caller
}

// later has steps that come when the round has after calls.
type later struct {
	after int
	plan  func() []operation
}

// newPlan returns the plan of a round with a number of calls.
func newPlan(seed uint64, round, calls int) *plan {
	p := &plan{rng: rand.New(rand.NewPCG(seed, uint64(round))), of: calls}
	p.season = p.id()
	p.in(100+p.rng.IntN(250), p.killingEngine)
	return p
}

// in adds steps that come after a number of further calls.
func (p *plan) in(calls int, plan func() []operation) {
	p.later = append(p.later, later{p.calls + calls, plan})
}

func (p *plan) killingEngine() []operation {
	p.in(1000+p.rng.IntN(3000), p.killingEngine)
	return []operation{{kind: killEngine}}
}

func (p *plan) id() game.ID {
	var b [16]byte
	for i := range b {
		b[i] = byte(p.rng.Uint32())
	}
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return game.ID(uuid.UUID(b).String())
}

func (p *plan) newPlayer() *player {
	p.made.players++
	n := &player{id: p.id(), username: fmt.Sprintf("player-%d", p.made.players), seed: p.rng.Uint64()}
	n.email = n.username + "@example.com"
	for i := range n.animals {
		n.animals[i] = p.id()
	}
	return n
}

// newShow draws a show, and plans its end after 80 to 479 further calls.
func (p *plan) newShow() *show {
	p.made.shows++
	s := &show{
		id: p.id(), number: p.made.shows,
		gates: draw(p, []int{1, 1, 2, 5, 16}), fee: draw(p, []int64{0, 0, 10, 20, 50, 200}),
		tier: draw(p, []string{game.TierRookie, game.TierPro, game.TierElite, "exhibition"}),
	}
	p.in(80+p.rng.IntN(400), func() []operation { return p.ending(s) })
	return s
}

func draw[T any](p *plan, from []T) T { return from[p.rng.IntN(len(from))] }

// over reports whether all calls are planned.
func (p *plan) over() bool { return p.calls >= p.of }

// next returns the next concurrent steps.
func (p *plan) next() []operation {
	if i := slices.IndexFunc(p.later, func(l later) bool { return l.after <= p.calls }); i >= 0 {
		l := p.later[i]
		p.later = slices.Delete(p.later, i, i+1)
		return l.plan()
	}
	one := func(kind logcheck.Kind) func() []operation {
		return func() []operation { return p.at(p.op(kind, p.anybody())) }
	}
	comingBack := func(kind logcheck.Kind) func() []operation { // after kind, the player logs in again
		return func() []operation {
			o := p.op(kind, p.anybody())
			return p.at(o, p.op(logcheck.Refresh, o.player), p.op(logcheck.Login, o.player))
		}
	}
	all := []struct {
		weight int
		plan   func() []operation
	}{
		{9, func() []operation { return []operation{{kind: killFunction, draw: p.rng.Uint64()}} }},
		{410, p.entering}, {200, p.claiming}, {8, p.registering}, {24, p.banning},
		{50, one(logcheck.List)}, {70, one(logcheck.Detail)}, {20, one(logcheck.Animals)}, {80, one(logcheck.Season)}, {20, one(logcheck.Me)},
		{40, one(logcheck.Refresh)}, {3, one(logcheck.Login)}, {5, comingBack(logcheck.Logout)}, {4, comingBack(logcheck.Revoke)},
		{4, comingBack(logcheck.ResetPassword)}, {6, p.renaming},
		{6, one(logcheck.Judge)}, {8, one(logcheck.JudgeDue)}, {16, one(logcheck.SetShow)}, {16, one(logcheck.ChangeAnimal)},
		{14, one(logcheck.AdjustGold)}, {14, one(logcheck.Refund)},
	}
	total := 0
	for _, one := range all {
		total += one.weight
	}
	n := p.rng.IntN(total)
	for _, one := range all {
		if n -= one.weight; n < 0 {
			return one.plan()
		}
	}
	panic("stress: the weights do not add up")
}

// at shuffles concurrent calls, and numbers them.
func (p *plan) at(ops ...operation) []operation {
	p.rng.Shuffle(len(ops), func(i, j int) { ops[i], ops[j] = ops[j], ops[i] })
	for i := range ops {
		p.calls++
		ops[i].n = p.calls
		if o := ops[i]; o.kind == logcheck.Enter {
			o.show.entrants = append(o.show.entrants, o.player)
		}
	}
	return ops
}

// op draws the show, the animal and the random number of a call.
func (p *plan) op(kind logcheck.Kind, who *player) operation {
	o := operation{kind: kind, player: who, animal: p.rng.IntN(3), draw: p.rng.Uint64(), show: draw(p, p.open)}
	past := len(p.ended) > 0 && (kind == logcheck.Claim || kind == logcheck.Refund || p.rng.IntN(8) == 0)
	if past && kind != logcheck.SetShow {
		o.show = draw(p, p.ended)
	}
	p.last = who
	return o
}

// anybody returns a random player. In 35% of the cases, it is the latest caller, so that a player's calls overlap.
func (p *plan) anybody() *player {
	if p.last != nil && p.rng.IntN(100) < 35 {
		return p.last
	}
	return draw(p, p.players)
}

func (p *plan) entering() []operation {
	o := p.op(logcheck.Enter, p.anybody())
	ops := []operation{o}
	switch n := p.rng.IntN(100); {
	case n < 15: // one animal twice
		ops = append(ops, o)
	case n < 30: // all open shows, for which the gold may not suffice
		for _, o.show = range p.open {
			o.animal = p.rng.IntN(3)
			ops = append(ops, o)
		}
	case n < 45: // several players at one show
		for range 3 {
			other := p.op(logcheck.Enter, draw(p, p.players))
			other.show = o.show
			ops = append(ops, other)
		}
	}
	return p.at(ops...)
}

func (p *plan) claiming() []operation {
	o := p.op(logcheck.Claim, p.anybody())
	if len(o.show.entrants) > 0 && p.rng.IntN(10) > 0 {
		o.player = draw(p, o.show.entrants)
		p.last = o.player
	}
	switch n := p.rng.IntN(100); {
	case n < 25:
		return p.at(o, o)
	case n < 35:
		return p.at(o, o, o, p.op(logcheck.Enter, o.player))
	}
	return p.at(o)
}

func (p *plan) registering() []operation {
	p.made.names++
	o := p.op(logcheck.Register, nil)
	o.name = fmt.Sprintf("newcomer-%d", p.made.names)
	o.email = o.name + "@example.com"
	other := o
	switch p.rng.IntN(3) {
	case 0:
		return p.at(o)
	case 1:
		other.email = "other-" + o.email
	default:
		other.name = "other-" + fmt.Sprint(p.made.names)
	}
	return p.at(o, other)
}

// banning bans a player, with calls that a banned player must not make. Later it unbans the player, who then logs in.
func (p *plan) banning() []operation {
	who := p.anybody()
	p.in(10+p.rng.IntN(20), func() []operation {
		p.in(5+p.rng.IntN(10), func() []operation { return p.at(p.op(logcheck.Refresh, who), p.op(logcheck.Login, who)) })
		return p.at(p.op(logcheck.Unban, who), p.op(logcheck.Enter, who))
	})
	claim := p.op(logcheck.Claim, who)
	return p.at(p.op(logcheck.Ban, who), p.op(logcheck.Enter, who), claim, claim, p.op(logcheck.Season, who))
}

// renaming gives a player another username while the player enters a show.
func (p *plan) renaming() []operation {
	who := p.anybody()
	return p.at(p.op(logcheck.SetUser, who), p.op(logcheck.Enter, who), p.op(logcheck.Enter, who), p.op(logcheck.Detail, who))
}

// ending judges, cancels or closes a show while other calls enter, judge and read it.
func (p *plan) ending(s *show) []operation {
	var ops []operation
	add := func(kind logcheck.Kind) {
		o := p.op(kind, draw(p, p.players))
		o.show = s
		ops = append(ops, o)
	}
	switch n := p.rng.IntN(100); {
	case n < 55:
		add(logcheck.Judge)
	case n < 70:
		add(logcheck.Cancel)
	case n < 85:
		add(logcheck.JudgeShow)
	default:
		add(logcheck.SetShow)
		ops[0].closing = true
	}
	for range 2 + p.rng.IntN(3) {
		add(logcheck.Enter)
	}
	if ops[0].kind == logcheck.Judge || p.rng.IntN(4) == 0 {
		for range p.rng.IntN(3) {
			add(logcheck.Judge)
		}
	}
	add(draw(p, []logcheck.Kind{logcheck.Detail, logcheck.List, logcheck.Season, logcheck.SetShow}))
	p.open = slices.DeleteFunc(p.open, func(other *show) bool { return other == s })
	p.ended = append(p.ended, s)
	if len(p.ended) > showsEnded {
		p.ended = p.ended[1:]
	}
	return p.at(ops...)
}

// wanted returns the new players and shows for the next steps. After every 250 calls, a new player replaces another.
func (p *plan) wanted() (players []*player, shows []operation) {
	if p.calls/retiresAfter > p.made.players-playersAtPlay && len(p.players) == playersAtPlay {
		i := p.rng.IntN(len(p.players))
		p.players = slices.Delete(p.players, i, i+1)
	}
	for len(p.players) < playersAtPlay {
		n := p.newPlayer()
		p.players, players = append(p.players, n), append(players, n)
	}
	for len(p.open) < showsOpen {
		s := p.newShow()
		p.open = append(p.open, s)
		shows = append(shows, p.at(operation{kind: logcheck.CreateShow, show: s, draw: p.rng.Uint64()})...)
	}
	return players, shows
}
