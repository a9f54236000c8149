package explore

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/localstack/verify/linearizability"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// epoch is when bubbles begin.
var epoch = game.InstantOf(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC))

// fixture is what all histories of a kind begin with: three shows, one open, one judged and one cancelled, and two
// players who have an animal in each of them, or one who is alone in the cancelled one. Nobody has claimed anything of
// the judged one: Ann is its first, and Bob is not ranked.
type fixture struct {
	*storetest.Scene
	open, judged, cancelled game.Show
	bob, cid                storetest.Player // cid is not registered
}

// fixtures are all kinds. What they have is the same in every run.
var fixtures = map[string]func(t testing.TB) *fixture{
	"fair":   func(t testing.TB) *fixture { return newFixture(t, 50, true) },
	"alone":  func(t testing.TB) *fixture { return newFixture(t, 50, false) },
	"poor":   func(t testing.TB) *fixture { return newFixture(t, 125, true) }, // after three fees Ann has just one more
	"banned": func(t testing.TB) *fixture { f := newFixture(t, 50, true); f.Ban(t, f.Ann.ID); return f },
}

func newFixture(t testing.TB, fee int64, bothInCancelled bool) *fixture {
	t.Helper()
	uuid.SetRand(newIDs(1))
	defer uuid.SetRand(nil)
	f := &fixture{Scene: storetest.NewFixedScene(t, epoch)}
	f.AddSeason(t)
	f.open, f.judged, f.cancelled = f.AddShow(t, storetest.Fee(fee)), f.AddShow(t, storetest.Fee(fee)), f.AddShow(t, storetest.Fee(fee))
	f.Ann, f.bob = f.AddPlayer(t, storetest.Ann), f.AddPlayer(t, storetest.Bob, 80_00, 40_00, storetest.NoPhenotype)
	f.cid = f.NewPlayer(storetest.Cid)
	for _, show := range []game.Show{f.open, f.judged, f.cancelled} {
		f.MustEnter(t, f.Ann, show, 1)
	}
	f.MustEnter(t, f.bob, f.open, 1)
	f.MustEnter(t, f.bob, f.judged, 2)
	if bothInCancelled {
		f.MustEnter(t, f.bob, f.cancelled, 1)
	}
	f.MustJudge(t, f.bob, f.judged)
	if err := f.Operator().CancelShow(t.Context(), f.cancelled.ID); err != nil {
		t.Fatal(err)
	}
	return f
}

// part makes a call of a fixture. It is told its place among the calls of a history, for what only one of them can
// have.
type part func(f *fixture, place int) Call

// at is when the call in that place takes place, by the rules' clock.
func at(place int) game.Instant { return epoch.Add(time.Duration(place+1) * time.Second) }

// change is that of the operator in that place.
func change(place int) store.Change {
	var id [16]byte
	ms := uint64(at(place))
	for i := range 6 {
		id[i] = byte(ms >> (8 * (5 - i)))
	}
	id[6], id[8], id[15] = 0x70, 0x80, byte(place)
	return store.Change{ID: game.ID(uuid.UUID(id).String()), By: "tester", At: at(place)}
}

func session(user game.ID, place int) game.RefreshRecord {
	return game.RefreshRecord{
		ID: storetest.ID(5000 + place), UserID: user, Digest: fmt.Sprintf("digest%d", place), ExpiresAt: at(place).Add(game.RefreshTokenLifetime),
	}
}

func ptr[T any](v T) *T { return &v }

// mostCalls is how many calls a history has at most.
const mostCalls = 4

// callNames are the names of parts, in their order, but for those that go with one other alone.
var callNames = slices.DeleteFunc(slices.Sorted(maps.Keys(parts)), func(name string) bool { return name == "login.cid" })

// parts are the calls by their names. What is before the point is the kind of the operation.
var parts = map[string]part{
	"register":       registers("Cid registers", func(*storetest.Player) {}),
	"register.name":  registers("somebody registers with Cid's username", func(p *storetest.Player) { p.Email = "other@example.com" }),
	"register.email": registers("somebody registers with Cid's address", func(p *storetest.Player) { p.Username = "Other" }),
	"login":          logsIn("Ann", func(f *fixture) game.Account { return f.Ann.Account }),
	"login.cid":      logsIn("Cid", func(f *fixture) game.Account { return f.cid.Account }),
	"refresh":        refreshes("Ann", func(f *fixture) game.RefreshRecord { return f.Ann.Refresh }),
	"logout": func(f *fixture, _ int) Call {
		return Call{"Ann logs out", linearizability.Logout{Digest: f.Ann.Refresh.Digest}}
	},
	"list": func(*fixture, int) Call { return Call{"somebody lists all shows", linearizability.List{}} },
	"list.open": func(*fixture, int) Call {
		return Call{"somebody lists the open shows", linearizability.List{Status: game.ShowOpen}}
	},
	"show": func(f *fixture, _ int) Call {
		return Call{"somebody looks at the open show", linearizability.Detail{Show: f.open.ID}}
	},
	"show.judged": func(f *fixture, _ int) Call {
		return Call{"somebody looks at the judged show", linearizability.Detail{Show: f.judged.ID}}
	},
	"enter":       enters("Ann enters her best animal", func(f *fixture) (storetest.Player, int) { return f.Ann, 0 }),
	"enter.other": enters("Ann enters another animal", func(f *fixture) (storetest.Player, int) { return f.Ann, 2 }),
	"enter.bob":   enters("Bob enters an animal", func(f *fixture) (storetest.Player, int) { return f.bob, 0 }),
	"judge": func(f *fixture, p int) Call {
		return Call{"Ann judges", linearizability.Judge{Caller: f.Ann.ID, Show: f.open.ID, Now: at(p)}}
	},
	"judge.bob": func(f *fixture, p int) Call {
		return Call{"Bob judges", linearizability.Judge{Caller: f.bob.ID, Show: f.open.ID, Now: at(p)}}
	},
	"claim": func(f *fixture, p int) Call {
		return Call{"Ann claims her prize", linearizability.Claim{Caller: f.Ann.ID, Show: f.judged.ID, Now: at(p)}}
	},
	"claim.bob": func(f *fixture, p int) Call {
		return Call{"Bob claims nothing", linearizability.Claim{Caller: f.bob.ID, Show: f.judged.ID, Now: at(p)}}
	},
	"claim.open": func(f *fixture, p int) Call {
		return Call{"Ann claims a prize in the open show", linearizability.Claim{Caller: f.Ann.ID, Show: f.open.ID, Now: at(p)}}
	},
	"season": func(f *fixture, _ int) Call {
		return Call{"Ann looks at her score", linearizability.Season{User: f.Ann.ID, Season: f.Season.ID}}
	},
	"ban": func(f *fixture, p int) Call {
		return Call{"an operator bans Ann", linearizability.Ban{Change: change(p), User: f.Ann.ID}}
	},
	"unban": func(f *fixture, p int) Call {
		return Call{"an operator lets Ann in again", linearizability.Unban{Change: change(p), User: f.Ann.ID}}
	},
	"revoke": func(f *fixture, p int) Call {
		return Call{"an operator ends Ann's sessions", linearizability.Revoke{Change: change(p), User: f.Ann.ID}}
	},
	"animal":         changesAnimal("an operator says that Ann's best animal is pregnant", 0, store.AnimalChange{Status: ptr(game.StatusPregnant)}),
	"animal.back":    changesAnimal("an operator says that Ann's best animal is idle", 0, store.AnimalChange{Status: ptr(game.StatusIdle)}),
	"animal.entered": changesAnimal("an operator says that Ann's entered animal is exhausted", 1, store.AnimalChange{Condition: ptr(game.Fixed(10_00))}),
	"cancel": func(f *fixture, p int) Call {
		return Call{"an operator cancels the open show", linearizability.Cancel{Change: change(p), Show: f.open.ID}}
	},
	"set": setsShow("an operator renames the open show", func(*fixture) store.ShowChange { return store.ShowChange{Name: ptr("Grand Fair")} }),
	"set.later": setsShow("an operator puts off the open show's end", func(f *fixture) store.ShowChange {
		return store.ShowChange{EntryClosesAt: ptr(f.open.EntryClosesAt + 1000)}
	}),
	"set.over": setsShow("an operator closes the open show", func(*fixture) store.ShowChange { return store.ShowChange{EntryClosesAt: ptr(epoch + 1)} }),
	"refund": func(f *fixture, p int) Call {
		return Call{"an operator refunds the cancelled show", linearizability.Refund{Change: change(p), Show: f.cancelled.ID}}
	},
	"refund.open": func(f *fixture, p int) Call {
		return Call{"an operator refunds the open show", linearizability.Refund{Change: change(p), Show: f.open.ID}}
	},
}

func registers(name string, as func(*storetest.Player)) part {
	return func(f *fixture, place int) Call {
		p := f.cid
		if place > 0 { // somebody else, who wants the same
			p.ID, p.Refresh, p.Animals = rival(place), session(rival(place), place), nil
			p.Starter.UserID = p.ID
		}
		as(&p)
		return Call{name, linearizability.Register{Account: p.Account, Animals: p.Animals, Ledger: p.Starter, Token: p.Refresh}}
	}
}

func logsIn(name string, who func(*fixture) game.Account) part {
	return func(f *fixture, p int) Call {
		a := who(f)
		return Call{name + " logs in", linearizability.Login{Email: a.Email, Token: session(a.ID, p), Now: at(p)}}
	}
}

func refreshes(name string, with func(*fixture) game.RefreshRecord) part {
	return func(f *fixture, p int) Call {
		token := with(f)
		return Call{name + " refreshes", linearizability.Refresh{Digest: token.Digest, User: token.UserID, Now: at(p)}}
	}
}

func enters(name string, who func(*fixture) (storetest.Player, int)) part {
	return func(f *fixture, p int) Call {
		player, animal := who(f)
		return Call{name, linearizability.Enter{Caller: player.ID, Show: f.open.ID, Animal: player.Animals[animal].ID, Now: at(p)}}
	}
}

func changesAnimal(name string, animal int, to store.AnimalChange) part {
	return func(f *fixture, p int) Call {
		return Call{name, linearizability.ChangeAnimal{Change: change(p), Owner: f.Ann.ID, Animal: f.Ann.Animals[animal].ID, To: to}}
	}
}

func setsShow(name string, to func(*fixture) store.ShowChange) part {
	return func(f *fixture, p int) Call {
		return Call{name, linearizability.Set{Change: change(p), Show: f.open.ID, To: to(f)}}
	}
}

// rival is who registers in that place, beside Cid.
func rival(place int) game.ID { return storetest.ID(600 + 100*place) }
