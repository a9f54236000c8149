package explore

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/localstack/verify/linearizability"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// epoch is the time at which every synctest bubble begins.
var epoch = game.InstantOf(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC))

// fixture is a stored state from which histories start. It has an open, a judged and a cancelled show, and two players,
// Ann and Bob, with an animal in each show. In "alone", only Ann is in the cancelled show. In "empty", no player is in
// the open show. In the judged show Ann is first and Bob has no rank. No prize was claimed.
type fixture struct {
	*storetest.Scene
	open, judged, cancelled game.Show
	bob, cid                storetest.Player // cid is not registered
}

// fixtures has functions that make the fixtures, by name. The records of a fixture are the same in every run.
var fixtures = map[string]func(t testing.TB) *fixture{
	"fair":  func(t testing.TB) *fixture { return newFixture(t, 50, true, true) },
	"alone": func(t testing.TB) *fixture { return newFixture(t, 50, true, false) },
	"empty": func(t testing.TB) *fixture { return newFixture(t, 50, false, true) },
	// After three fees of 125, Ann has 125 gold: enough for one more fee.
	"poor":   func(t testing.TB) *fixture { return newFixture(t, 125, true, true) },
	"banned": func(t testing.TB) *fixture { f := newFixture(t, 50, true, true); f.Ban(t, f.Ann.ID); return f },
}

func newFixture(t testing.TB, fee int64, anyInOpen, bothInCancelled bool) *fixture {
	t.Helper()
	uuid.SetRand(newIDs(1))
	defer uuid.SetRand(nil)
	f := &fixture{Scene: storetest.NewFixedScene(t, epoch)}
	f.AddSeason(t)
	f.open, f.judged, f.cancelled = f.AddShow(t, storetest.Fee(fee)), f.AddShow(t, storetest.Fee(fee)), f.AddShow(t, storetest.Fee(fee))
	f.Ann, f.bob = f.AddPlayer(t, storetest.Ann), f.AddPlayer(t, storetest.Bob, 80_00, 40_00, storetest.NoPhenotype)
	f.cid = f.NewPlayer(storetest.Cid)
	if anyInOpen {
		f.MustEnter(t, f.Ann, f.open, 1)
	}
	f.MustEnter(t, f.Ann, f.judged, 1)
	f.MustEnter(t, f.Ann, f.cancelled, 1)
	if anyInOpen {
		f.MustEnter(t, f.bob, f.open, 1)
	}
	f.MustEnter(t, f.bob, f.judged, 2)
	if bothInCancelled {
		f.MustEnter(t, f.bob, f.cancelled, 1)
	}
	f.MustJudge(t, f.bob, f.judged)
	require.NoError(t, f.Operator().CancelShow(t.Context(), f.cancelled.ID))
	return f
}

// part makes a call on a fixture. place is the index of the call in its history, from which the call draws its ids and
// its time.
type part struct {
	name string
	op   func(f *fixture, place int) linearizability.Op
}

// at returns the time of the call with this index in its history: the operation's time for the rules.
func at(place int) game.Instant { return epoch.Add(time.Duration(place+1) * time.Second) }

// change returns the operator's change of the call with this index.
func change(place int) store.Change {
	var id [16]byte
	ms := uint64(at(place))
	for i := range 6 {
		id[i] = byte(ms >> (8 * (5 - i)))
	}
	id[6], id[8], id[15] = 0x70, 0x80, byte(place)
	return store.Change{ID: game.ID(uuid.UUID(id).String()), By: "tester", Reason: "a gift", At: at(place)}
}

func session(user game.ID, place int) game.RefreshRecord {
	return game.RefreshRecord{
		ID: storetest.ID(5000 + place), UserID: user, Digest: fmt.Sprintf("digest%d", place), ExpiresAt: at(place).Add(game.RefreshTokenLifetime),
	}
}

// mostCalls is the largest number of calls of a history.
const mostCalls = 4

// callNames are the sorted names of the parts, without login.cid, which makes sense only after a registration of Cid.
var callNames = slices.DeleteFunc(slices.Sorted(maps.Keys(parts)), func(name string) bool { return name == "login.cid" })

// parts has the calls by name. The part of a name before the point is the operation's kind.
var parts = map[string]part{
	"register":       registers("Cid registers", func(*storetest.Player) {}),
	"register.ann":   registers("somebody registers with Ann's names", func(p *storetest.Player) { p.Email, p.Username = "ann@example.com", "Ann" }),
	"register.name":  registers("somebody registers with Cid's username", func(p *storetest.Player) { p.Email = "other@example.com" }),
	"register.email": registers("somebody registers with Cid's address", func(p *storetest.Player) { p.Username = "Other" }),
	"login":          {"Ann logs in", func(f *fixture, p int) linearizability.Op { return logsIn(f.Ann, p) }},
	"login.cid":      {"Cid logs in", func(f *fixture, p int) linearizability.Op { return logsIn(f.cid, p) }},
	"refresh": {"Ann refreshes", func(f *fixture, p int) linearizability.Op {
		return linearizability.Refresh{Digest: f.Ann.Refresh.Digest, User: f.Ann.ID, Now: at(p)}
	}},
	"logout": {"Ann logs out", func(f *fixture, _ int) linearizability.Op {
		return linearizability.Logout{Digest: f.Ann.Refresh.Digest}
	}},
	"list":        {"somebody lists all shows", func(*fixture, int) linearizability.Op { return linearizability.List{} }},
	"list.open":   {"somebody lists the open shows", func(*fixture, int) linearizability.Op { return linearizability.List{Status: game.ShowOpen} }},
	"show":        {"somebody looks at the open show", func(f *fixture, _ int) linearizability.Op { return linearizability.Detail{Show: f.open.ID} }},
	"show.judged": {"somebody looks at the judged show", func(f *fixture, _ int) linearizability.Op { return linearizability.Detail{Show: f.judged.ID} }},
	"enter":       {"Ann enters her best animal", func(f *fixture, p int) linearizability.Op { return enters(f, f.Ann, 0, p) }},
	"enter.other": {"Ann enters another animal", func(f *fixture, p int) linearizability.Op { return enters(f, f.Ann, 2, p) }},
	"enter.bob":   {"Bob enters an animal", func(f *fixture, p int) linearizability.Op { return enters(f, f.bob, 0, p) }},
	"judge": {"Ann judges", func(f *fixture, p int) linearizability.Op {
		return linearizability.Judge{Caller: f.Ann.ID, Show: f.open.ID, Now: at(p)}
	}},
	"judge.bob": {"Bob judges", func(f *fixture, p int) linearizability.Op {
		return linearizability.Judge{Caller: f.bob.ID, Show: f.open.ID, Now: at(p)}
	}},
	"due": {"the schedule judges", func(f *fixture, _ int) linearizability.Op {
		return linearizability.Due{Show: f.open.ID, Now: f.open.EntryClosesAt}
	}},
	"claim":      {"Ann claims her prize", func(f *fixture, p int) linearizability.Op { return claims(f.Ann, f.judged, p) }},
	"claim.bob":  {"Bob claims nothing", func(f *fixture, p int) linearizability.Op { return claims(f.bob, f.judged, p) }},
	"claim.open": {"Ann claims a prize in the open show", func(f *fixture, p int) linearizability.Op { return claims(f.Ann, f.open, p) }},
	"season": {"Ann looks at her score", func(f *fixture, _ int) linearizability.Op {
		return linearizability.Season{User: f.Ann.ID, Season: f.Season.ID}
	}},
	"ban":    changes("an operator bans Ann", func(f *fixture, c store.Change) linearizability.Op { return linearizability.Ban(c, f.Ann.ID) }),
	"unban":  changes("an operator lets Ann in again", func(f *fixture, c store.Change) linearizability.Op { return linearizability.Unban(c, f.Ann.ID) }),
	"revoke": changes("an operator ends Ann's sessions", func(f *fixture, c store.Change) linearizability.Op { return linearizability.Revoke(c, f.Ann.ID) }),

	"adjust":         changes("an operator gives Ann gold", func(f *fixture, c store.Change) linearizability.Op { return linearizability.Adjust(c, f.Ann.ID, 70) }),
	"adjust.down":    changes("an operator takes all of Ann's first gold", func(f *fixture, c store.Change) linearizability.Op { return linearizability.Adjust(c, f.Ann.ID, -350) }),
	"rename":         renames("an operator calls Ann Annie", store.UserChange{Username: new("Annie")}),
	"rename.other":   renames("an operator calls Ann Anna", store.UserChange{Username: new("Anna")}),
	"rename.cid":     renames("an operator gives Ann the names of Cid", store.UserChange{Username: new("Cid"), Email: new("cid@example.com")}),
	"rename.address": renames("an operator gives Ann another address", store.UserChange{Email: new("annie@example.com")}),
	"reset": changes("an operator resets Ann's password", func(f *fixture, c store.Change) linearizability.Op {
		return linearizability.Reset(c, f.Ann.ID, fmt.Sprint("reset ", c.At))
	}),
	"delete": changes("an operator deletes Ann", func(f *fixture, c store.Change) linearizability.Op { return linearizability.Delete(c, f.Ann.ID) }),
	"activate": changes("an operator begins the season", func(f *fixture, c store.Change) linearizability.Op {
		return linearizability.Activate(c, f.Season.ID, true)
	}),
	"activate.not": changes("an operator ends the season", func(f *fixture, c store.Change) linearizability.Op {
		return linearizability.Activate(c, f.Season.ID, false)
	}),

	"animal":         changesAnimal("an operator says that Ann's best animal is pregnant", 0, store.AnimalChange{Status: new(game.StatusPregnant)}),
	"animal.back":    changesAnimal("an operator says that Ann's best animal is idle", 0, store.AnimalChange{Status: new(game.StatusIdle)}),
	"animal.entered": changesAnimal("an operator says that Ann's entered animal is exhausted", 1, store.AnimalChange{Condition: new(game.Fixed(10_00))}),
	"cancel":         changes("an operator cancels the open show", func(f *fixture, c store.Change) linearizability.Op { return linearizability.Cancel(c, f.open.ID) }),
	"set":            setsShow("an operator renames the open show", func(*fixture) store.ShowChange { return store.ShowChange{Name: new("Grand Fair")} }),
	"set.later": setsShow("an operator puts off the open show's end", func(f *fixture) store.ShowChange {
		return store.ShowChange{EntryClosesAt: new(f.open.EntryClosesAt + 1000)}
	}),
	"set.fee":  setsShow("an operator raises the open show's fee", func(*fixture) store.ShowChange { return store.ShowChange{EntryFee: new(int64(80))} }),
	"set.over": setsShow("an operator closes the open show", func(*fixture) store.ShowChange { return store.ShowChange{EntryClosesAt: new(epoch + 1)} }),
	"refund": {"an operator refunds the cancelled show", func(f *fixture, p int) linearizability.Op {
		return linearizability.Refund{Change: change(p), Show: f.cancelled.ID}
	}},
	"refund.open": {"an operator refunds the open show", func(f *fixture, p int) linearizability.Op {
		return linearizability.Refund{Change: change(p), Show: f.open.ID}
	}},
}

func registers(name string, as func(*storetest.Player)) part {
	return part{name, func(f *fixture, place int) linearizability.Op {
		p := f.cid
		if place > 0 { // another player, who wants Cid's names
			p.ID, p.Refresh, p.Animals = rival(place), session(rival(place), place), nil
			p.Starter.UserID = p.ID
		}
		as(&p)
		return linearizability.Register{Account: p.Account, Animals: p.Animals, Ledger: p.Starter, Token: p.Refresh}
	}}
}

func logsIn(who storetest.Player, place int) linearizability.Op {
	return linearizability.Login{Email: who.Email, Hash: hashOf(who), Token: session(who.ID, place), Now: at(place)}
}

// hashOf returns the hash of a player's password. Cid has a fixed hash, because histories register this player.
func hashOf(who storetest.Player) string {
	if who.ID == storetest.ID(int(storetest.Cid)) {
		return "a hash"
	}
	return who.PasswordHash
}

func enters(f *fixture, who storetest.Player, animal, place int) linearizability.Op {
	return linearizability.Enter{Caller: who.ID, Show: f.open.ID, Animal: who.Animals[animal].ID, Now: at(place)}
}

func claims(who storetest.Player, show game.Show, place int) linearizability.Op {
	return linearizability.Claim{Caller: who.ID, Show: show.ID, Now: at(place)}
}

func changes(name string, op func(f *fixture, c store.Change) linearizability.Op) part {
	return part{name, func(f *fixture, place int) linearizability.Op { return op(f, change(place)) }}
}

func changesAnimal(name string, animal int, to store.AnimalChange) part {
	return changes(name, func(f *fixture, c store.Change) linearizability.Op {
		return linearizability.ChangeAnimal(c, f.Ann.ID, f.Ann.Animals[animal].ID, to)
	})
}

func renames(name string, to store.UserChange) part {
	return changes(name, func(f *fixture, c store.Change) linearizability.Op { return linearizability.Rename(c, f.Ann.ID, to) })
}

func setsShow(name string, to func(*fixture) store.ShowChange) part {
	return changes(name, func(f *fixture, c store.Change) linearizability.Op { return linearizability.Set(c, f.open.ID, to(f)) })
}

// rival returns the id of the player who registers in this place, besides Cid.
func rival(place int) game.ID { return storetest.ID(600 + 100*place) }
