package blackbox

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// TestLoop is the whole game once, as its first player would play it.
func TestLoop(t *testing.T) {
	t.Parallel()
	p := newPlayer(t)
	show := newShow(t, scene{tier: "rookie", fee: 25})

	animal := herd(t, p.token)[0]
	p.enter(t, show.id, animal["id"].(string)).is(t, 201, object{"success": true, "message": fmt.Sprintf("%s entered in %s!", animal["name"], show.name), "entryFee": 25})
	fresh := refresh(t, p.refresh).object(t, 200)["token"].(string)
	p.token = fresh
	p.judge(t, show.id).is(t, 200, showJudged(1))
	p.claim(t, show.id).is(t, 200, prizeClaimed(1, 100))
	season(t, p).is(t, 200, seasonShown(100))
	user := p.account(t)
	if user["goldBalance"] != integer(575) {
		t.Errorf("%v", user)
	}
	p.has(t, 575)
	var story []string
	for _, row := range p.ledger(t) {
		story = append(story, fmt.Sprint(row["category"], " ", row["amount"], " ", row["balance_after"]))
	}
	if want := []string{"starter 500 500", "fee -25 475", "reward 100 575"}; !slices.Equal(story, want) {
		t.Errorf("the ledger says %q", story)
	}
	logout(t, object{"refreshToken": p.refresh})
	refresh(t, p.refresh).refuses(t, 401, "INVALID_TOKEN", "Refresh token invalid or expired")
}

var prizes = map[string][3]int{"rookie": {100, 60, 30}, "pro": {400, 200, 100}, "elite": {1500, 750, 300}}

// seasonShown is the suite's season with a player's score.
func seasonShown(score int) object {
	return object{"id": suite.season["id"], "name": suite.season["name"], "isActive": true, "mySeasonScore": score}
}

// world is a game in the test's own mind: what the answers must be.
type world struct {
	players []*mindPlayer
	shows   []*mindShow
	random  *rand.Rand
}

type mindPlayer struct {
	*player
	gold   int64
	rows   int
	score  int64
	banned bool
	status map[string]string // of animals that are not well: dead, pregnant or calf
}

type mindShow struct {
	exhibit
	closed, completed bool
	entries           map[string]*mindPlayer // by animal
	ranks             map[string]int         // by animal, once completed
	claimed           map[*mindPlayer]bool
}

// TestLoop_model plays at random and knows every answer in advance. A failure names the seed.
func TestLoop_model(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	w := &world{random: rand.New(rand.NewPCG(seed, 0))}
	for _, p := range newPlayers(t, 5) {
		w.players = append(w.players, &mindPlayer{player: p, gold: 500, rows: 1, status: map[string]string{}})
	}
	tiers := []string{"rookie", "pro", "elite", unique()}
	for i := range 16 {
		s := scene{tier: tiers[i%len(tiers)], fee: []int{0, 10, 60, 150}[w.random.IntN(4)], gates: 1 + i%3}
		closed := i%8 == 7
		if closed {
			s.closesIn = "-1m"
		}
		w.shows = append(w.shows, &mindShow{
			exhibit: newShow(t, s), closed: closed, entries: map[string]*mindPlayer{}, ranks: map[string]int{}, claimed: map[*mindPlayer]bool{},
		})
	}
	for range 500 {
		w.step(t)
		if t.Failed() {
			return
		}
	}
	for _, p := range w.players {
		p.has(t, p.gold)
		if rows := p.ledger(t); len(rows) != p.rows {
			t.Errorf("%s has %d rows, not %d", p.username, len(rows), p.rows)
		}
		season(t, p.player).is(t, 200, seasonShown(int(p.score)))
	}
	for _, s := range w.shows {
		w.compare(t, s)
	}
}

func (w *world) step(t *testing.T) {
	t.Helper()
	p, s := w.players[w.random.IntN(len(w.players))], w.shows[w.random.IntN(len(w.shows))]
	switch n := w.random.IntN(100); {
	case n < 55:
		owner := p
		if w.random.IntN(10) == 0 {
			owner = w.players[w.random.IntN(len(w.players))]
		}
		w.enter(t, p, s, owner, owner.animals()[w.random.IntN(3)])
	case n < 65:
		w.judge(t, p, s)
	case n < 85:
		w.claim(t, p, s)
	case n < 91:
		if p.banned = !p.banned; p.banned {
			p.ban(t)
		} else {
			p.unban(t)
		}
	default:
		animal := p.animals()[w.random.IntN(3)]
		flags := map[string][]string{"": {"--alive", "--status", "idle", "--stage", "adult"}, "dead": {"--dead"}, "pregnant": {"--status", "pregnant"}, "calf": {"--stage", "calf"}}
		states := []string{"", "", "dead", "pregnant", "calf"}
		p.change(t, animal, flags[""]...)
		p.status[animal] = states[w.random.IntN(len(states))]
		p.change(t, animal, flags[p.status[animal]]...)
	}
}

func (w *world) enter(t *testing.T, p *mindPlayer, s *mindShow, owner *mindPlayer, animal string) {
	t.Helper()
	answer := p.player.enter(t, s.id, animal)
	switch state := p.status[animal]; {
	case p.banned:
		answer.unauthorized(t, true)
	case s.closed || s.completed:
		answer.refuses(t, 404, "NOT_FOUND", "Show not found or entry closed")
	case owner != p || state == "dead":
		answer.refuses(t, 404, "NOT_FOUND", "Animal not found")
	case state == "pregnant":
		answer.refuses(t, 400, "INVALID", "Pregnant animals cannot enter shows")
	case state == "calf":
		answer.refuses(t, 400, "INVALID", "Calves cannot enter shows")
	case s.entries[animal] != nil:
		answer.refuses(t, 409, "DUPLICATE", "Animal already entered")
	case p.gold < int64(s.fee):
		answer.refuses(t, 400, "INSUFFICIENT_GOLD", fmt.Sprint("Not enough gold: the entry fee is ", s.fee))
	default:
		answer.is(t, 201, entryMade(s.fee))
		s.entries[animal] = p
		p.gold -= int64(s.fee)
		if s.fee > 0 {
			p.rows++
		}
	}
}

func (w *world) judge(t *testing.T, p *mindPlayer, s *mindShow) {
	t.Helper()
	answer := p.player.judge(t, s.id)
	switch {
	case p.banned:
		answer.unauthorized(t, true)
	case s.completed:
		answer.refuses(t, 404, "NOT_FOUND", "Show not open")
	default:
		answer.is(t, 200, showJudged(len(s.entries)))
		s.completed = true
		ranked := entries(t, s.id)
		for i, winner := range objects(answer.object(t, 200)["topThree"]) {
			for _, member := range []string{"rank", "playerId", "animalId", "score"} {
				if winner[member] != ranked[i][member] {
					t.Errorf("%s: %d. is %v, and in the show %v", answer, i+1, winner, ranked[i])
				}
			}
		}
		for i, entry := range ranked {
			animal := entry["animalId"].(string)
			s.ranks[animal] = i + 1
			s.entries[animal].score += []int64{100, 60, 30, 15, 10, 5}[min(i, 5)]
		}
		w.compare(t, s)
	}
}

func (w *world) claim(t *testing.T, p *mindPlayer, s *mindShow) {
	t.Helper()
	best := 0
	for animal, rank := range s.ranks {
		if s.entries[animal] == p && (best == 0 || rank < best) {
			best = rank
		}
	}
	answer := p.player.claim(t, s.id)
	switch {
	case p.banned:
		answer.unauthorized(t, true)
	case best == 0:
		answer.refuses(t, 404, "NOT_FOUND", "")
	case s.claimed[p]:
		answer.refuses(t, 400, "ALREADY_CLAIMED", "")
	default:
		prize := 0
		if best <= 3 {
			prize = prizes[s.tier][best-1]
		}
		answer.is(t, 200, prizeClaimed(best, prize))
		s.claimed[p] = true
		p.gold += int64(prize)
		if prize > 0 {
			p.rows++
		}
	}
}

// compare checks a show's detail against the mind's own.
func (w *world) compare(t *testing.T, s *mindShow) {
	t.Helper()
	got := entries(t, s.id)
	if len(got) != len(s.entries) {
		t.Errorf("%s has %d entries, not %d", s.name, len(got), len(s.entries))
	}
	for i, entry := range got {
		animal := entry["animalId"].(string)
		owner := s.entries[animal]
		if owner == nil || entry["playerId"] != owner.id || entry["rewardClaimed"] != s.claimed[owner] || s.completed != (entry["rank"] == integer(i+1)) {
			t.Errorf("%s, place %d: %v", s.name, i+1, entry)
		}
	}
}
