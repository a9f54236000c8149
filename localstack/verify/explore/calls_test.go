package explore

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
	"github.com/ranch-game/ranch/shared/store"
)

// turn is what a call works with: a store on a fixture, and the call's index in its history, which determines its ids
// and its time.
type turn struct {
	*fixture
	ctx   context.Context
	store operate.Desk
	place int
}

func (t turn) now() game.Instant    { return at(t.place) }
func (t turn) op() operate.Operator { return t.store.Operator(change(t.place)) }

// knows is Ann's proof that she knows her first password.
func (t turn) knows(hash string) error {
	if hash != t.Ann.PasswordHash {
		return game.ErrWrongPassword
	}
	return nil
}

// part is a call on any fixture.
type part struct {
	Call // without Do
	do   func(t turn) (any, error)
}

// on returns the call on a fixture.
func (p part) on(f *fixture, place int) Call {
	call := p.Call
	call.Do = func(ctx context.Context, s operate.Desk) (any, error) { return p.do(turn{f, ctx, s, place}) }
	return call
}

// parts has the calls by name. The part of a name before the point is the operation's kind.
var parts = map[string]part{
	"register":       registers("Cid registers", "cid@example.com", "Cid"),
	"register.ann":   registers("a stranger registers with Ann's names", "ann@example.com", "Ann"),
	"register.name":  registers("a stranger registers with Cid's username", "other@example.com", "Cid"),
	"register.email": registers("a stranger registers with Cid's address", "cid@example.com", "Other"),
	"login":          logsIn("Ann logs in", ann),
	"login.cid":      logsIn("Cid logs in", func(f *fixture) storetest.Player { return f.cid }),
	"refresh":        player("Ann refreshes", refreshes),
	"logout": player("Ann logs out", func(t turn) (any, error) {
		return nil, t.store.DeleteRefreshRecord(t.ctx, t.Ann.Refresh.Digest)
	}),

	"list":        lists("a stranger lists all shows", store.ShowQuery{}),
	"list.open":   lists("a stranger lists the open shows", store.ShowQuery{Status: game.ShowOpen}),
	"show":        looks("a stranger looks at the open show", open),
	"show.judged": looks("a stranger looks at the judged show", judged),
	"season": reader("Ann looks at her score", func(t turn) (Parts, error) {
		score, err := t.store.SeasonScore(t.ctx, t.Ann.ID, t.Season.ID)
		return Parts{"the score": score}, err
	}),

	"enter":       enters("Ann enters her best animal", ann, 0),
	"enter.other": enters("Ann enters another animal", ann, 2),
	"enter.bob":   enters("Bob enters an animal", bob, 0),
	"judge":       judges("Ann judges", ann),
	"judge.bob":   judges("Bob judges", bob),
	"due": player("the schedule judges", func(t turn) (any, error) {
		return t.store.JudgeDue(t.ctx, t.open.ID, t.open.EntryClosesAt)
	}),
	"claim":      claims("Ann claims her prize", judged),
	"claim.open": claims("Ann claims a prize in the open show", open),

	"ban":   operator("an operator bans Ann", func(t turn) error { return t.op().Ban(t.ctx, t.Ann.ID) }),
	"unban": operator("an operator lets Ann in again", func(t turn) error { return t.op().Unban(t.ctx, t.Ann.ID) }),
	"revoke": operator("an operator ends Ann's sessions", func(t turn) error {
		return t.op().RevokeSessions(t.ctx, t.Ann.ID)
	}),
	"reset": operator("an operator resets Ann's password", func(t turn) error {
		return t.op().ResetPassword(t.ctx, t.Ann.ID, "reset")
	}),
	"adjust":       adjusts("an operator gives Ann gold", 70),
	"adjust.down":  adjusts("an operator takes all of Ann's first gold", -350),
	"rename":       renames("an operator calls Ann Annie", operate.UserChange{Username: new("Annie")}),
	"rename.other": renames("an operator calls Ann Anna", operate.UserChange{Username: new("Anna")}),
	"rename.cid": renames("an operator gives Ann the names of Cid", operate.UserChange{
		Username: new("Cid"), Email: new("cid@example.com"),
	}),
	"rename.address": renames("an operator gives Ann another address", operate.UserChange{Email: new("annie@example.com")}),
	"delete": steps("an operator deletes Ann", func(t turn) error {
		_, err := t.op().DeleteUser(t.ctx, t.Ann.ID)
		return err
	}),
	"reset.own": own("Ann changes her password", func(t turn) error {
		_, err := t.store.ChangePassword(t.ctx, t.Ann.ID, t.knows, func() string { return "own" }, session(t.Ann.ID, t.place), t.now())
		return err
	}),
	"rename.own": own("Ann takes Cid's address", func(t turn) error {
		_, err := t.store.ChangeEmail(t.ctx, t.Ann.ID, t.knows, "cid@example.com")
		return err
	}),
	"delete.own":   leaves("Ann deletes her account"),
	"activate":     activates("an operator begins the season", true),
	"activate.not": activates("an operator ends the season", false),

	"animal": changes("an operator says that Ann's best animal is pregnant", 0, operate.AnimalChange{
		Status: new(game.StatusPregnant),
	}),
	"animal.back": changes("an operator says that Ann's best animal is idle", 0, operate.AnimalChange{
		Status: new(game.StatusIdle),
	}),
	"animal.entered": changes("an operator says that Ann's entered animal is exhausted", 1, operate.AnimalChange{
		Condition: new(game.Fixed(10_00)),
	}),

	"cancel": operator("an operator cancels the open show", func(t turn) error {
		return t.op().CancelShow(t.ctx, t.open.ID)
	}),
	"set":         sets("an operator renames the open show", operate.ShowChange{Name: new("Grand Fair")}),
	"set.later":   sets("an operator puts off the open show's end", operate.ShowChange{EntryClosesAt: new(later)}),
	"set.fee":     sets("an operator raises the open show's fee", operate.ShowChange{EntryFee: new(int64(80))}),
	"set.over":    sets("an operator closes the open show", operate.ShowChange{EntryClosesAt: new(epoch + 1)}),
	"refund":      refunds("an operator refunds the cancelled show", func(f *fixture) game.Show { return f.cancelled }),
	"refund.open": refunds("an operator refunds the open show", open),
}

func ann(f *fixture) storetest.Player { return f.Ann }
func bob(f *fixture) storetest.Player { return f.bob }
func open(f *fixture) game.Show       { return f.open }
func judged(f *fixture) game.Show     { return f.judged }

// player returns a player's call, which takes effect at one instant.
func player(name string, do func(turn) (any, error)) part { return part{Call{Name: name}, do} }

// reader returns a call whose answer has parts. They may show the table at different instants.
func reader(name string, do func(turn) (Parts, error)) part {
	return part{Call{Name: name, Reads: true}, func(t turn) (any, error) { return do(t) }}
}

// operator returns an operator's change, which takes effect at one instant.
func operator(name string, do func(turn) error) part {
	return part{Call{Name: name, Operator: true}, func(t turn) (any, error) { return nil, do(t) }}
}

// own returns a player's change of their own account.
func own(name string, do func(turn) error) part {
	return player(name, func(t turn) (any, error) { return nil, do(t) })
}

// leaves returns Ann's deletion of her account, which takes effect in several steps.
func leaves(name string) part {
	p := own(name, func(t turn) error { return t.store.DeleteAccount(t.ctx, t.Ann.ID, t.knows, t.now()) })
	p.Steps = true
	return p
}

// steps returns an operator's change that takes effect in several steps.
func steps(name string, do func(turn) error) part {
	p := operator(name, do)
	p.Steps = true
	return p
}

// registers returns a registration of Cid or, as the second or a later call, of another player.
func registers(name, email, username string) part {
	return player(name, func(t turn) (any, error) {
		p := t.cid
		if t.place > 0 {
			p.ID, p.Refresh, p.Animals = rival(t.place), session(rival(t.place), t.place), nil
			p.Starter.UserID = p.ID
		}
		p.Email, p.Username = email, username
		return nil, p.Create(t.ctx, t.store.Store)
	})
}

// logsIn returns a log-in, with the checks of the endpoint. It may read before a registration is visible.
func logsIn(name string, who func(*fixture) storetest.Player) part {
	return reader(name, func(t turn) (Parts, error) {
		p := who(t.fixture)
		a, hash, err := t.store.AccountByEmail(t.ctx, p.Email)
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
		recorded, err := t.store.RecordLogin(t.ctx, *a, session(p.ID, t.place), game.Rehash{Old: hash}, t.now())
		return Parts{"the user": recorded.User, "the ranch": recorded.Ranch}, err
	})
}

// refreshes does what the endpoint does. It returns what an access token has of the user.
func refreshes(t turn) (any, error) {
	record, a, err := t.store.RefreshRecord(t.ctx, t.Ann.Refresh.Digest, t.Ann.ID)
	switch {
	case err != nil:
		return nil, err
	case record == nil || !record.LiveAt(t.now()):
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
	return reader(name, func(t turn) (Parts, error) {
		page, err := t.store.Shows(t.ctx, query)
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
func looks(name string, at func(*fixture) game.Show) part {
	return reader(name, func(t turn) (Parts, error) {
		show, entries, err := t.store.ShowWithEntries(t.ctx, at(t.fixture).ID)
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

func enters(name string, who func(*fixture) storetest.Player, animal int) part {
	return player(name, func(t turn) (any, error) {
		p := who(t.fixture)
		show, _, err := t.store.Enter(t.ctx, p.ID, t.open.ID, p.Animals[animal].ID, t.now())
		return show.EntryFee, err
	})
}

func judges(name string, who func(*fixture) storetest.Player) part {
	return player(name, func(t turn) (any, error) { return t.store.Judge(t.ctx, who(t.fixture).ID, t.open.ID, t.now()) })
}

func claims(name string, at func(*fixture) game.Show) part {
	return player(name, func(t turn) (any, error) {
		rank, prize, err := t.store.Claim(t.ctx, t.Ann.ID, at(t.fixture).ID, t.now())
		return []int64{int64(rank), prize}, err
	})
}

func adjusts(name string, amount int64) part {
	return operator(name, func(t turn) error { return t.op().AdjustGold(t.ctx, t.Ann.ID, amount, "a gift") })
}

func changes(name string, animal int, to operate.AnimalChange) part {
	return operator(name, func(t turn) error { return t.op().ChangeAnimal(t.ctx, t.Ann.ID, t.Ann.Animals[animal].ID, to) })
}

func activates(name string, active bool) part {
	return operator(name, func(t turn) error { return t.op().SetSeasonActive(t.ctx, t.Season.ID, active) })
}

func sets(name string, to operate.ShowChange) part {
	return operator(name, func(t turn) error { return t.op().SetShow(t.ctx, t.open.ID, to) })
}

func renames(name string, to operate.UserChange) part {
	return steps(name, func(t turn) error {
		_, err := t.op().SetUser(t.ctx, t.Ann.ID, to)
		return err
	})
}

func refunds(name string, at func(*fixture) game.Show) part {
	return steps(name, func(t turn) error { return t.op().Refund(t.ctx, at(t.fixture).ID, nil) })
}
