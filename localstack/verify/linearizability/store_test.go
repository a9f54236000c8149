package linearizability_test

import (
	stdcmp "cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/localstack/verify/linearizability"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// now is the time of the tests.
var now = game.InstantOf(time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC))

// TestTheStoreFollowsTheModel checks the model against the real store and an engine. It plays sequential calls, drawn
// at random and mostly sensible. After each call the model must explain the answer and the stored state, and must not
// explain another answer or state (falsify). A read before and after the call shows the same for the order of two calls
// (reorder). explore finds histories of more calls that the model should explain and does not.
func TestTheStoreFollowsTheModel(t *testing.T) {
	t.Parallel()
	done := map[string]int{} // how often each was done or refused
	defer func() {
		for _, what := range []string{
			"Register", "Register refused", "Login", "Login refused", "Refresh", "Refresh refused", "Logout", "Enter", "Enter refused", "Judge",
			"Judge refused", "Claim", "Claim refused", "List", "Detail", "Season", "Ban", "Unban", "Revoke", "ChangeAnimal", "Cancel", "Set", "Set refused",
			"Refund", "Refund refused", "Due", "Due refused", "Adjust", "Adjust refused", "Activate", "Delete", "Rename", "Rename refused", "Reset", "another order",
		} {
			if done["linearizability."+what]+done[what] == 0 {
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
				read := p.drawRead()
				old := p.ask(t, read)
				c := p.ask(t, op)
				after := p.read(t)
				if err := linearizability.Explain(p.world, []linearizability.Call{c}, after); err != nil {
					t.Fatalf("call %d, %v: %v", i, c.Err, err)
				}
				if i%2 == 0 { // a search takes some milliseconds
					p.falsify(t, c, after)
				}
				again := p.ask(t, read)
				if p.reorder(t, c, old, again, after) {
					done["another order"]++
				}
				p.world = after
				if i%2 == 1 {
					p.falsify(t, again, after)
				}
				done[fmt.Sprintf("%T", c.Op)+map[bool]string{true: " refused", false: ""}[c.Err != nil]]++
			}
			p.scene.Invariants(t)
		})
	}
}

// ask calls the store, from the time 0 to the time 1 of a history.
func (p *play) ask(t *testing.T, op linearizability.Op) linearizability.Call {
	t.Helper()
	c := linearizability.Call{Op: op, Returned: 1}
	if c.Answer, c.Err = linearizability.Ask(t.Context(), p.scene.Rival, op); c.Unknown() && !errors.Is(c.Err, context.DeadlineExceeded) {
		t.Fatalf("%+v: %v", op, c.Err) // it would explain everything
	}
	return c
}

// reorder checks histories of a call and a read, whose answer before the call was old and after it new. It returns
// false if these answers are equal.
func (p *play) reorder(t *testing.T, c, old, new linearizability.Call, after linearizability.World) bool {
	t.Helper()
	if c.Unknown() || old.Unknown() || new.Unknown() || reflect.DeepEqual(old.Answer, new.Answer) {
		return false
	}
	later := func(c linearizability.Call) linearizability.Call { c.Called, c.Returned = 2, 3; return c }
	lost := c
	lost.Answer, lost.Err, lost.Returned = nil, errors.New("the answer was lost"), linearizability.Never
	over := lost
	over.Over = 1
	_, deletion := c.Op.(linearizability.Delete)
	_, renaming := c.Op.(linearizability.Rename)
	parts := deletion || renaming // of a lost call have too many orders
	mixed := old
	before, isDetail := old.Answer.(linearizability.Details)
	answer, _ := new.Answer.(linearizability.Details)
	mixed.Answer = linearizability.Details{Show: before.Show, Entries: answer.Entries}
	judged := isDetail && before.Show.Status == game.ShowOpen && answer.Show.Status == game.ShowCompleted && !reflect.DeepEqual(before.Entries, answer.Entries)
	for name, h := range map[string]struct {
		calls     []linearizability.Call
		explained bool
		skip      bool
	}{
		"the old answer before the call":    {calls: []linearizability.Call{old, later(c)}, explained: true},
		"the new answer before the call":    {calls: []linearizability.Call{new, later(c)}},
		"the old answer after the call":     {calls: []linearizability.Call{c, later(old)}},
		"the new answer after the call":     {calls: []linearizability.Call{c, later(new)}, explained: true},
		"the old answer during the call":    {calls: []linearizability.Call{c, old}, explained: true},
		"the new answer during the call":    {calls: []linearizability.Call{c, new}, explained: true},
		"the old answer during a lost call": {calls: []linearizability.Call{lost, later(old)}, explained: true, skip: parts},
		"the old answer after a lost call":  {calls: []linearizability.Call{over, later(old)}, skip: parts},
		"half a judging":                    {calls: []linearizability.Call{c, mixed}, skip: !judged},
	} {
		if h.skip {
			continue
		}
		var found *linearizability.Violation
		if err := linearizability.Explain(p.world, h.calls, after); h.explained && err != nil || !h.explained && !errors.As(err, &found) {
			t.Errorf("%+v, %+v: %s: %v", c.Op, old.Op, name, err)
		}
	}
	return true
}

// falsify changes what a call has answered or stored, one thing at a time. The model must explain none of that.
func (p *play) falsify(t *testing.T, c linearizability.Call, after linearizability.World) {
	t.Helper()
	reject := func(what string, c linearizability.Call, after linearizability.World) {
		var found *linearizability.Violation
		if err := linearizability.Explain(p.world, []linearizability.Call{c}, after); !errors.As(err, &found) {
			t.Errorf("%+v -> %+v, %v: %s is explained: %v", c.Op, c.Answer, c.Err, what, err)
		}
	}
	if w, changed := p.changed(reflect.ValueOf(after)); changed {
		reject("another stored state", c, w.Interface().(linearizability.World))
	}
	if !cmp.Equal(p.world, after, cmpopts.IgnoreUnexported(linearizability.World{}, linearizability.Row{}, linearizability.Animal{}, linearizability.Show{}, linearizability.Entry{}, linearizability.Receipt{})) {
		reject("no effect", c, p.world)
	}
	wrong := c
	if c.Err != nil {
		wrong.Err, wrong.Answer = nil, p.answers[reflect.TypeOf(c.Op)]
		reject("success", wrong, after)
		wrong.Err = pick(p.rng, slices.DeleteFunc([]error{game.ErrUnauthorized, game.ErrDuplicateEntry, store.ErrNotDue}, func(err error) bool { return errors.Is(c.Err, err) }))
		reject("another refusal", wrong, after)
		return
	}
	wrong.Err, wrong.Answer = game.ErrDuplicateEntry, nil
	reject("a refusal", wrong, after)
	p.answers[reflect.TypeOf(c.Op)] = c.Answer
	for range 3 {
		if answer, changed := p.changed(reflect.ValueOf(c.Answer)); changed {
			wrong.Err, wrong.Answer = nil, answer.Interface()
			reject("another answer", wrong, after)
		}
	}
}

// unchecked are the fields of answers that the model does not compare.
var unchecked = map[reflect.Type][]string{
	reflect.TypeFor[game.Entry]():   {"ID"},
	reflect.TypeFor[game.Account](): {"Ranch", "LedgerSeq", "StatusChanges", "LastLoginAt", "SessionsFrom"},
	reflect.TypeFor[game.User]():    {"GoldBalance", "PremiumBalance", "PrestigePoints", "MarketRestrictedUntil", "CreatedAt"},
}

// changed returns a copy of a value with one change at random: another number or text, or an element less or twice. It
// returns false if it finds nothing to change.
func (p *play) changed(v reflect.Value) (reflect.Value, bool) {
	if !v.IsValid() {
		return v, false
	}
	c := reflect.New(v.Type()).Elem()
	c.Set(v)
	switch v.Kind() {
	case reflect.Int, reflect.Int64:
		c.SetInt(v.Int() + 1)
	case reflect.String:
		c.SetString(v.String() + "x")
	case reflect.Bool:
		c.SetBool(!v.Bool())
	case reflect.Pointer:
		inner, ok := p.changed(v.Elem())
		if ok {
			c.Set(reflect.New(v.Type().Elem()))
			c.Elem().Set(inner)
		}
		return c, ok
	case reflect.Slice:
		if v.Len() == 0 {
			return v, false
		}
		c.Set(reflect.AppendSlice(reflect.MakeSlice(v.Type(), 0, v.Len()), v))
		i := p.rng.IntN(v.Len())
		inner, ok := p.changed(v.Index(i))
		switch n := p.rng.IntN(4); {
		case n == 0:
			c.Set(reflect.Append(c, v.Index(i)))
		case n == 1 || !ok:
			c.Set(reflect.AppendSlice(c.Slice(0, i), v.Slice(i+1, v.Len())))
		default:
			c.Index(i).Set(inner)
		}
	case reflect.Map:
		keys := v.MapKeys()
		if len(keys) == 0 {
			return v, false
		}
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		key := pick(p.rng, keys)
		c.Set(reflect.MakeMap(v.Type()))
		for _, k := range keys {
			c.SetMapIndex(k, v.MapIndex(k))
		}
		inner, ok := p.changed(v.MapIndex(key))
		if !ok || p.rng.IntN(3) == 0 {
			inner = reflect.Value{} // deletes it
		}
		c.SetMapIndex(key, inner)
	case reflect.Struct:
		for _, i := range p.rng.Perm(v.NumField()) {
			f := v.Type().Field(i)
			if !f.IsExported() || slices.Contains(unchecked[v.Type()], f.Name) {
				continue
			}
			if inner, ok := p.changed(v.Field(i)); ok {
				c.Field(i).Set(inner)
				return c, true
			}
		}
		return v, false
	default:
		return v, false
	}
	return c, true
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
	answers map[reflect.Type]any // the last answer to each operation
}

func newPlay(t *testing.T, seed uint64) *play {
	t.Helper()
	p := &play{scene: storetest.NewFixedScene(t, now), rng: rand.New(rand.NewPCG(seed, 0)), now: now, answers: map[reflect.Type]any{}}
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
		if now, is := p.world.Users[player.ID]; is && now.Email != player.Email && now.Username != player.Username {
			return p.drawRead() // its names are free, but its id is not
		}
		return linearizability.Register{Account: player.Account, Animals: player.Animals, Ledger: player.Starter, Token: player.Refresh}
	case n < 74:
		p.tokens = append(p.tokens, token)
		p.of.Digests = append(p.of.Digests, token.Digest)
		user := p.world.Users[player.ID]
		return linearizability.Login{
			Email: pick(p.rng, []string{player.Email, stdcmp.Or(user.Email, player.Email)}), Hash: pick(p.rng, []string{user.Hash, user.Hash, player.PasswordHash}), Token: token, Now: p.now,
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

// drawRead draws an operation that changes nothing.
func (p *play) drawRead() linearizability.Op {
	switch p.rng.IntN(4) {
	case 0:
		return linearizability.List{Status: pick(p.rng, []game.ShowStatus{"", game.ShowOpen})}
	case 1:
		return linearizability.Season{User: pick(p.rng, p.players[:2]).ID, Season: p.of.Seasons[0]}
	}
	return linearizability.Detail{Show: pick(p.rng, p.of.Shows)}
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
