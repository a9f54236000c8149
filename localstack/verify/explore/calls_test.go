package explore

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
	"github.com/ranch-game/ranch/shared/store"
)

// part is a call on any fixture. Its place, the index of the call in its history, determines its ids and its time.
type part struct {
	Call // without Do
	do   does[any]
}

// does makes a call on a fixture.
type does[T any] = func(ctx context.Context, s operate.Desk, f *fixture, place int) (answer T, err error)

// changes makes an operator's change.
type changes = func(ctx context.Context, o operate.Operator, f *fixture) error

// on returns the call on a fixture.
func (p part) on(f *fixture, place int) Call {
	call := p.Call
	call.Do = func(ctx context.Context, s operate.Desk) (any, error) { return p.do(ctx, s, f, place) }
	return call
}

// mostCalls is the largest number of calls of a history.
const mostCalls = 4

// callNames are the sorted names of the parts, without login.cid, which makes sense only after a registration of Cid.
var callNames = slices.DeleteFunc(slices.Sorted(maps.Keys(parts)), func(name string) bool { return name == "login.cid" })

// parts has the calls by name. The part of a name before the point is the operation's kind.
var parts = map[string]part{
	"register": registers("Cid registers", func(*storetest.Player) {}),
	"register.ann": registers(
		"somebody registers with Ann's names",
		func(p *storetest.Player) { p.Email, p.Username = "ann@example.com", "Ann" },
	),
	"register.name": registers(
		"somebody registers with Cid's username",
		func(p *storetest.Player) { p.Email = "other@example.com" },
	),
	"register.email": registers(
		"somebody registers with Cid's address",
		func(p *storetest.Player) { p.Username = "Other" },
	),
	"login":     logsIn("Ann logs in", func(f *fixture) storetest.Player { return f.Ann }),
	"login.cid": logsIn("Cid logs in", func(f *fixture) storetest.Player { return f.cid }),
	"refresh":   player("Ann refreshes", refreshed),
	"logout": player("Ann logs out", func(ctx context.Context, s operate.Desk, f *fixture, _ int) (any, error) {
		return nil, s.DeleteRefreshRecord(ctx, f.Ann.Refresh.Digest)
	}),

	"list":        lists("somebody lists all shows", store.ShowQuery{}),
	"list.open":   lists("somebody lists the open shows", store.ShowQuery{Status: game.ShowOpen}),
	"show":        looks("somebody looks at the open show", func(f *fixture) game.Show { return f.open }),
	"show.judged": looks("somebody looks at the judged show", func(f *fixture) game.Show { return f.judged }),
	"season": reader("Ann looks at her score", func(ctx context.Context, s operate.Desk, f *fixture, _ int) (Parts, error) {
		score, err := s.SeasonScore(ctx, f.Ann.ID, f.Season.ID)
		return Parts{"the score": score}, err
	}),

	"enter":       enters("Ann enters her best animal", func(f *fixture) storetest.Player { return f.Ann }, 0),
	"enter.other": enters("Ann enters another animal", func(f *fixture) storetest.Player { return f.Ann }, 2),
	"enter.bob":   enters("Bob enters an animal", func(f *fixture) storetest.Player { return f.bob }, 0),
	"judge": player("Ann judges", func(ctx context.Context, s operate.Desk, f *fixture, p int) (any, error) {
		return s.Judge(ctx, f.Ann.ID, f.open.ID, at(p))
	}),
	"judge.bob": player("Bob judges", func(ctx context.Context, s operate.Desk, f *fixture, p int) (any, error) {
		return s.Judge(ctx, f.bob.ID, f.open.ID, at(p))
	}),
	"due": player("the schedule judges", func(ctx context.Context, s operate.Desk, f *fixture, _ int) (any, error) {
		return s.JudgeDue(ctx, f.open.ID, f.open.EntryClosesAt)
	}),
	"claim": claims(
		"Ann claims her prize",
		func(f *fixture) (storetest.Player, game.Show) { return f.Ann, f.judged },
	),
	"claim.bob": claims(
		"Bob claims nothing",
		func(f *fixture) (storetest.Player, game.Show) { return f.bob, f.judged },
	),
	"claim.open": claims(
		"Ann claims a prize in the open show",
		func(f *fixture) (storetest.Player, game.Show) { return f.Ann, f.open },
	),

	"ban": operator("an operator bans Ann", func(ctx context.Context, o operate.Operator, f *fixture) error {
		return o.Ban(ctx, f.Ann.ID)
	}),
	"unban": operator("an operator lets Ann in again", func(ctx context.Context, o operate.Operator, f *fixture) error {
		return o.Unban(ctx, f.Ann.ID)
	}),
	"revoke": operator("an operator ends Ann's sessions", func(ctx context.Context, o operate.Operator, f *fixture) error {
		return o.RevokeSessions(ctx, f.Ann.ID)
	}),
	"adjust":       adjusts("an operator gives Ann gold", 70),
	"adjust.down":  adjusts("an operator takes all of Ann's first gold", -350),
	"rename":       renames("an operator calls Ann Annie", operate.UserChange{Username: new("Annie")}),
	"rename.other": renames("an operator calls Ann Anna", operate.UserChange{Username: new("Anna")}),
	"rename.cid": renames(
		"an operator gives Ann the names of Cid",
		operate.UserChange{Username: new("Cid"), Email: new("cid@example.com")},
	),
	"rename.address": renames(
		"an operator gives Ann another address",
		operate.UserChange{Email: new("annie@example.com")},
	),
	"reset": operator("an operator resets Ann's password", func(ctx context.Context, o operate.Operator, f *fixture) error {
		return o.ResetPassword(ctx, f.Ann.ID, "reset")
	}),
	"delete": steps("an operator deletes Ann", func(ctx context.Context, o operate.Operator, f *fixture) error {
		_, err := o.DeleteUser(ctx, f.Ann.ID)
		return err
	}),
	"activate": operator("an operator begins the season", func(ctx context.Context, o operate.Operator, f *fixture) error {
		return o.SetSeasonActive(ctx, f.Season.ID, true)
	}),
	"activate.not": operator("an operator ends the season", func(ctx context.Context, o operate.Operator, f *fixture) error {
		return o.SetSeasonActive(ctx, f.Season.ID, false)
	}),

	"animal": changesAnimal(
		"an operator says that Ann's best animal is pregnant",
		0, operate.AnimalChange{Status: new(game.StatusPregnant)},
	),
	"animal.back": changesAnimal(
		"an operator says that Ann's best animal is idle",
		0, operate.AnimalChange{Status: new(game.StatusIdle)},
	),
	"animal.entered": changesAnimal(
		"an operator says that Ann's entered animal is exhausted",
		1, operate.AnimalChange{Condition: new(game.Fixed(10_00))},
	),
	"cancel": operator("an operator cancels the open show", func(ctx context.Context, o operate.Operator, f *fixture) error {
		return o.CancelShow(ctx, f.open.ID)
	}),
	"set": setsShow(
		"an operator renames the open show",
		func(*fixture) operate.ShowChange { return operate.ShowChange{Name: new("Grand Fair")} },
	),
	"set.later": setsShow("an operator puts off the open show's end", func(f *fixture) operate.ShowChange {
		return operate.ShowChange{EntryClosesAt: new(f.open.EntryClosesAt + 1000)}
	}),
	"set.fee": setsShow(
		"an operator raises the open show's fee",
		func(*fixture) operate.ShowChange { return operate.ShowChange{EntryFee: new(int64(80))} },
	),
	"set.over": setsShow(
		"an operator closes the open show",
		func(*fixture) operate.ShowChange { return operate.ShowChange{EntryClosesAt: new(epoch + 1)} },
	),
	"refund": steps("an operator refunds the cancelled show", func(ctx context.Context, o operate.Operator, f *fixture) error {
		return o.Refund(ctx, f.cancelled.ID, nil)
	}),
	"refund.open": steps("an operator refunds the open show", func(ctx context.Context, o operate.Operator, f *fixture) error {
		return o.Refund(ctx, f.open.ID, nil)
	}),
}

// player returns a player's call, which takes effect at one instant.
func player(name string, do does[any]) part {
	return part{Call{Name: name}, do}
}

// reader returns a call whose answer has parts. They may show the table at different instants.
func reader(name string, do does[Parts]) part {
	return part{
		Call{Name: name, Reads: true},
		func(ctx context.Context, s operate.Desk, f *fixture, place int) (any, error) {
			return do(ctx, s, f, place)
		},
	}
}

// operator returns an operator's change, which takes effect at one instant.
func operator(name string, do changes) part {
	return part{
		Call{Name: name, Operator: true},
		func(ctx context.Context, s operate.Desk, f *fixture, place int) (any, error) {
			return nil, do(ctx, s.Operator(change(place)), f)
		},
	}
}

// steps returns an operator's change that takes effect in several steps.
func steps(name string, do changes) part {
	p := operator(name, do)
	p.Steps = true
	return p
}

func registers(name string, as func(*storetest.Player)) part {
	return player(name, func(ctx context.Context, s operate.Desk, f *fixture, place int) (any, error) {
		p := f.cid
		if place > 0 { // another player, who wants Cid's names
			p.ID, p.Refresh, p.Animals = rival(place), session(rival(place), place), nil
			p.Starter.UserID = p.ID
		}
		as(&p)
		return nil, p.Create(ctx, s.Store)
	})
}

// logsIn returns a log-in, with the checks of the endpoint. It may read before a registration is visible.
func logsIn(name string, who func(f *fixture) storetest.Player) part {
	return reader(name, func(ctx context.Context, s operate.Desk, f *fixture, place int) (Parts, error) {
		p := who(f)
		a, hash, err := s.AccountByEmail(ctx, p.Email)
		switch {
		case err != nil:
			return nil, err
		case a == nil:
			return nil, game.ErrInvalidCredentials
		case a.Status != game.UserActive:
			return nil, game.ErrBanned
		case hash != p.PasswordHash:
			return nil, game.ErrInvalidCredentials
		}
		recorded, err := s.RecordLogin(ctx, *a, session(p.ID, place), game.Rehash{Old: hash}, at(place))
		return Parts{"the user": recorded.User, "the ranch": recorded.Ranch}, err
	})
}

// refreshed does what the endpoint does. It returns what an access token has of the user.
func refreshed(ctx context.Context, s operate.Desk, f *fixture, place int) (any, error) {
	record, a, err := s.RefreshRecord(ctx, f.Ann.Refresh.Digest, f.Ann.ID)
	switch {
	case err != nil:
		return nil, err
	case record == nil || !record.LiveAt(at(place)):
		return nil, game.ErrRefreshTokenDead
	case a == nil || a.Status != game.UserActive:
		return nil, game.ErrUnauthorized
	case a.Revoked(*record):
		return nil, game.ErrRefreshTokenDead
	}
	return []string{a.Username, a.Email}, nil
}

// lists returns a list of shows. Its parts are each row, under the row's closing time since that can change, and its
// count, under the show's status.
func lists(name string, query store.ShowQuery) part {
	return reader(name, func(ctx context.Context, s operate.Desk, f *fixture, _ int) (Parts, error) {
		page, err := s.Shows(ctx, query)
		shown := Parts{"the order": slices.IsSortedFunc(page.Shows, func(a, b game.ListedShow) int {
			return cmp.Or(cmp.Compare(a.EntryClosesAt, b.EntryClosesAt), cmp.Compare(a.ID, b.ID))
		})}
		listed := map[game.ID]bool{}
		for _, row := range page.Shows {
			if listed[row.ID] {
				shown["a repetition"] = row.ID
			}
			listed[row.ID] = true
			shown[fmt.Sprintf("show %s until %d", row.ID, row.EntryClosesAt)] = row.Show
			shown[fmt.Sprintf("the count of %s show %s until %d", row.Status, row.ID, row.EntryClosesAt)] = row.EntryCount
		}
		return shown, err
	})
}

// looks returns a look at a show with its entries. The parts are the show, each entry, and each player's claim. If the
// show is judged, the show and its entries are one part, besides the claims.
func looks(name string, at func(f *fixture) game.Show) part {
	return reader(name, func(ctx context.Context, s operate.Desk, f *fixture, _ int) (Parts, error) {
		show, entries, err := s.ShowWithEntries(ctx, at(f).ID)
		sorted := slices.Clone(entries)
		game.SortEntries(sorted)
		shown := Parts{"the order": slices.EqualFunc(entries, sorted, func(a, b game.Entry) bool { return a.ID == b.ID })}
		for i, e := range entries {
			shown["a claim of "+string(e.PlayerID)] = e.RewardClaimed
			shown["the name in the entry of "+string(e.AnimalID)] = e.PlayerUsername
			entries[i].ID, entries[i].RewardClaimed, entries[i].PlayerUsername = "", false, ""
			if show.Status != game.ShowCompleted {
				shown["the entry of "+string(e.AnimalID)] = entries[i]
			}
		}
		if show.Status == game.ShowCompleted {
			shown["the results"] = []any{show, entries}
		} else {
			shown["the show"] = show
		}
		return shown, err
	})
}

func enters(name string, who func(f *fixture) storetest.Player, animal int) part {
	return player(name, func(ctx context.Context, s operate.Desk, f *fixture, place int) (any, error) {
		show, _, err := s.Enter(ctx, who(f).ID, f.open.ID, who(f).Animals[animal].ID, at(place))
		return show.EntryFee, err
	})
}

func claims(name string, what func(f *fixture) (storetest.Player, game.Show)) part {
	return player(name, func(ctx context.Context, s operate.Desk, f *fixture, place int) (any, error) {
		who, show := what(f)
		rank, prize, err := s.Claim(ctx, who.ID, show.ID, at(place))
		return []int64{int64(rank), prize}, err
	})
}

func adjusts(name string, amount int64) part {
	return operator(name, func(ctx context.Context, o operate.Operator, f *fixture) error {
		return o.AdjustGold(ctx, f.Ann.ID, amount, "a gift")
	})
}

func changesAnimal(name string, animal int, to operate.AnimalChange) part {
	return operator(name, func(ctx context.Context, o operate.Operator, f *fixture) error {
		return o.ChangeAnimal(ctx, f.Ann.ID, f.Ann.Animals[animal].ID, to)
	})
}

func renames(name string, to operate.UserChange) part {
	return steps(name, func(ctx context.Context, o operate.Operator, f *fixture) error {
		_, err := o.SetUser(ctx, f.Ann.ID, to)
		return err
	})
}

func setsShow(name string, to func(*fixture) operate.ShowChange) part {
	return operator(name, func(ctx context.Context, o operate.Operator, f *fixture) error {
		return o.SetShow(ctx, f.open.ID, to(f))
	})
}
