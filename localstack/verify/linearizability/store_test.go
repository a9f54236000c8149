package linearizability_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/localstack/verify/linearizability"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// now is the time of the tests.
var now = game.InstantOf(time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC))

// TestTheStoreFollowsTheModel checks the model against the real store and an engine. It plays sequential calls, drawn
// at random and mostly sensible. After each call the model must give the same answer and the same stored state.
func TestTheStoreFollowsTheModel(t *testing.T) {
	t.Parallel()
	done := map[string]int{} // how often each was done or refused
	defer func() {
		for _, what := range []string{
			"Register", "Register refused", "Login", "Login refused", "Refresh", "Refresh refused", "Logout", "Enter", "Enter refused", "Judge",
			"Judge refused", "Claim", "Claim refused", "List", "Detail", "Season", "Ban", "Unban", "Revoke", "ChangeAnimal", "Cancel", "Set", "Set refused",
			"Refund", "Refund refused", "Due", "Due refused", "Adjust", "Adjust refused", "Activate", "Delete", "Rename", "Rename refused", "Reset",
		} {
			if done["linearizability."+what] == 0 {
				t.Errorf("never: %s", what)
			}
		}
	}()
	for _, seed := range []uint64{0, 7} {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			p := newPlay(t, seed)
			p.world = p.read(t)
			for i := range 120 {
				op := p.draw()
				if i >= 116 { // at the end, no player comes back
					op = linearizability.Delete{Change: p.change(), User: p.players[i%2].ID}
				}
				c := linearizability.Call{Op: op, Called: int64(2 * i), Returned: int64(2*i + 1)}
				c.Answer, c.Err = linearizability.Ask(t.Context(), p.scene.Rival, c.Op)
				if c.Unknown() && !errors.Is(c.Err, context.DeadlineExceeded) { // it would explain everything
					t.Fatalf("call %d, %T: %v", i, c.Op, c.Err)
				}
				after := p.read(t)
				if err := linearizability.Explain(p.world, []linearizability.Call{c}, after); err != nil {
					t.Fatalf("call %d, %v: %v", i, c.Err, err)
				}
				p.world = after
				done[fmt.Sprintf("%T", c.Op)+map[bool]string{true: " refused", false: ""}[c.Err != nil]]++
			}
			p.scene.Invariants(t)
		})
	}
}

// play is a scene and the state of the random play.
type play struct {
	scene   *storetest.Scene
	rng     *rand.Rand
	of      linearizability.Extent
	players []storetest.Player
	shows   []game.Show
	changes []store.Change
	now     game.Instant
	world   linearizability.World
	tokens  []game.RefreshRecord
}

func newPlay(t *testing.T, seed uint64) *play {
	t.Helper()
	p := &play{scene: storetest.NewFixedScene(t, now), rng: rand.New(rand.NewPCG(seed, 0)), now: now}
	season := p.scene.AddSeason(t)
	p.of.Seasons = []game.ID{season.ID}
	for i, draft := range []func(*storetest.ShowDraft){
		storetest.Fee(50), storetest.Fee(0), storetest.Fee(230), storetest.Tier(game.TierElite), storetest.Fee(20), storetest.Fee(9),
	} {
		show := p.scene.AddShow(t, draft, storetest.Gates(1+i%2))
		p.shows, p.of.Shows = append(p.shows, show), append(p.of.Shows, show.ID)
	}
	for i, who := range []storetest.Who{storetest.Ann, storetest.Bob, storetest.Cid} {
		player := p.scene.NewPlayer(who, 90_00, 50_00, 10_00)
		if i < 2 {
			p.scene.Register(t, player)
		}
		p.players, p.tokens = append(p.players, player), append(p.tokens, player.Refresh)
		p.of.Users, p.of.Digests = append(p.of.Users, player.ID), append(p.of.Digests, player.Refresh.Digest)
	}
	return p
}

// read reads the stored state. If the machine is too busy for the store's time-outs, read tries again.
func (p *play) read(t *testing.T) linearizability.World {
	t.Helper()
	for attempt := 1; ; attempt++ {
		w, err := linearizability.Read(t.Context(), p.scene.Rival, p.of)
		if err == nil {
			return w
		}
		if attempt == 10 {
			t.Fatal(err)
		}
	}
}

func pick[T any](rng *rand.Rand, from []T) T { return from[rng.IntN(len(from))] }

// change returns a new operators' change, or sometimes an earlier one to repeat it.
func (p *play) change() store.Change {
	if len(p.changes) > 0 && p.rng.IntN(12) == 0 {
		return pick(p.rng, p.changes)
	}
	c := store.NewChange("tester", pick(p.rng, []string{"", "a reason"}), p.now)
	p.changes, p.of.Changes = append(p.changes, c), append(p.of.Changes, c.ID)
	return c
}

// draw draws an operation at random. The clock goes on by up to two milliseconds.
func (p *play) draw() linearizability.Op {
	p.now += game.Instant(p.rng.IntN(3))
	player := pick(p.rng, append(p.players[:2:2], p.players...)) // the last of them is not registered at first
	show := pick(p.rng, p.shows).ID
	animal := pick(p.rng, player.Animals).ID
	token := p.scene.AtTime(p.now).NewRefresh(player.ID)
	switch n := p.rng.IntN(122); {
	case n < 28:
		animal := pick(p.rng, []game.ID{animal, animal, animal, animal, p.players[0].Animals[0].ID})
		return linearizability.Enter{Caller: player.ID, Show: p.oneOf(game.ShowOpen, show), Animal: animal, Now: p.now}
	case n < 34:
		return linearizability.Judge{Caller: player.ID, Show: p.oneOf(game.ShowOpen, show), Now: p.now}
	case n < 47:
		show := p.oneOf(game.ShowCompleted, show)
		return linearizability.Claim{Caller: p.entrant(show, player.ID), Show: show, Now: p.now}
	case n < 50:
		return linearizability.Cancel{Change: p.change(), Show: show}
	case n < 54:
		return linearizability.Refund{Change: store.NewChange("tester", "", p.now), Show: p.oneOf(game.ShowCancelled, show)}
	case n < 58:
		return linearizability.Season{User: player.ID, Season: p.of.Seasons[0]}
	case n < 62:
		status := pick(p.rng, []game.ShowStatus{"", game.ShowOpen, game.ShowCompleted, game.ShowCancelled, "other"})
		return linearizability.List{Status: status, Tier: pick(p.rng, []string{"", game.TierRookie, game.TierElite})}
	case n < 66:
		return linearizability.Detail{Show: pick(p.rng, []game.ID{show, show, show, game.NewID()})}
	case n < 69:
		player := pick(p.rng, p.players)
		return linearizability.Register{Account: player.Account, Animals: player.Animals, Ledger: player.Starter, Token: player.Refresh}
	case n < 74:
		p.tokens = append(p.tokens, token)
		p.of.Digests = append(p.of.Digests, token.Digest)
		user := p.world.Users[player.ID]
		return linearizability.Login{
			Email: pick(p.rng, []string{player.Email, cmp.Or(user.Email, player.Email)}), Hash: pick(p.rng, []string{user.Hash, user.Hash, player.PasswordHash}), Token: token, Now: p.now,
		}
	case n < 79:
		token := pick(p.rng, p.tokens)
		return linearizability.Refresh{Digest: token.Digest, User: token.UserID, Now: p.now}
	case n < 81:
		return linearizability.Logout{Digest: pick(p.rng, p.tokens).Digest}
	case n < 83:
		return linearizability.Ban{Change: p.change(), User: player.ID}
	case n < 89:
		return linearizability.Unban{Change: p.change(), User: player.ID}
	case n < 91:
		return linearizability.Revoke{Change: p.change(), User: player.ID}
	case n < 96:
		return linearizability.ChangeAnimal{Change: p.change(), Owner: player.ID, Animal: animal, To: p.animalChange()}
	case n < 103:
		return linearizability.Due{Show: p.oneOf(game.ShowOpen, show), Now: p.now.Add(pick(p.rng, []time.Duration{0, 59 * time.Minute, 61 * time.Minute}))}
	case n < 106:
		c := store.NewChange("tester", "a reason", p.now) // the same id with another amount would not be a repetition
		p.of.Changes = append(p.of.Changes, c.ID)
		return linearizability.Adjust{Change: c, User: player.ID, Amount: pick(p.rng, []int64{-5000, -300, 70})}
	case n < 114:
		return linearizability.Rename{Change: p.change(), User: player.ID, To: p.names()}
	case n < 116:
		return linearizability.Reset{Change: p.change(), User: player.ID, Hash: pick(p.rng, []string{"other", "another"})}
	case n < 119:
		return linearizability.Activate{Change: p.change(), Season: p.of.Seasons[0], Active: p.rng.IntN(2) == 0}
	}
	return linearizability.Set{Change: p.change(), Show: p.oneOf(game.ShowOpen, show), To: p.showChange()}
}

// mostly returns a random element of those, or sometimes another. If those is empty, it always returns another.
func (p *play) mostly(those []game.ID, another game.ID) game.ID {
	if len(those) == 0 || p.rng.IntN(5) == 0 {
		return another
	}
	return pick(p.rng, those)
}

// oneOf returns, mostly, one of the shows with the status.
func (p *play) oneOf(status game.ShowStatus, another game.ID) game.ID {
	those := slices.DeleteFunc(slices.Clone(p.of.Shows), func(id game.ID) bool { return p.world.Shows[id].Status != status })
	return p.mostly(those, another)
}

func (p *play) animalChange() store.AnimalChange {
	status, stage := pick(p.rng, []string{game.StatusPregnant, game.StatusIdle}), pick(p.rng, []string{game.StageCalf, game.StageAdult})
	condition := game.Fixed(p.rng.IntN(100_00))
	return pick(p.rng, []store.AnimalChange{
		{Status: &status}, {Stage: &stage}, {Condition: &condition}, {DiedAt: &p.now}, {Alive: true}, {Alive: true, DropPhenotype: true},
	})
}

// names returns a change of names. Other users have or had some of the names.
func (p *play) names() store.UserChange {
	name, ranch := pick(p.rng, []string{"Ann", "Annie", "Bob", "bob", "Cid"}), pick(p.rng, []string{"Ranch", "Other ranch"})
	email := strings.ToLower(pick(p.rng, []string{"Ann", "Annie", "Bob"})) + "@example.com"
	return pick(p.rng, []store.UserChange{{Username: &name}, {Username: &name}, {Email: &email}, {RanchName: &ranch}, {Username: &name, Email: &email}})
}

func (p *play) showChange() store.ShowChange {
	name, tier := pick(p.rng, []string{"Spring Fair", "Autumn Fair", "Fair of fairs"}), pick(p.rng, []string{game.TierPro, game.TierElite})
	fee, closes := int64(p.rng.IntN(100)), p.now.Add(time.Duration(p.rng.IntN(60)-5)*time.Minute)
	return pick(p.rng, []store.ShowChange{{Name: &name}, {EntryFee: &fee}, {Tier: &tier}, {EntryClosesAt: &closes}, {Name: &name, EntryClosesAt: &closes}})
}

// entrant returns, mostly, a player who has entered the show.
func (p *play) entrant(show, another game.ID) game.ID {
	var entrants []game.ID
	for _, e := range p.world.Shows[show].Entries {
		entrants = append(entrants, e.Player)
	}
	slices.Sort(entrants) // the same for each seed
	return p.mostly(entrants, another)
}
