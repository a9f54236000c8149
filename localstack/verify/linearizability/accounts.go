package linearizability

import (
	"errors"
	"maps"
	"slices"

	"github.com/ranch-game/ranch/shared/game"
)

func (o Register) steps(c *Call, _ *history) []step {
	return whole(c, c.Answer, func(w World) ([]result, error) {
		for _, u := range w.Users {
			if u.hasNameOf(o.Account) {
				return nil, game.ErrTaken
			}
		}
		w.Users = with(w.Users, o.Account.ID, User{Account: o.Account, Hash: registeredHash, Ledger: []Row{newRow(o.Ledger)}})
		for _, a := range o.Animals {
			w.Animals = with(w.Animals, a.ID, Animal{Animal: a})
		}
		w.Tokens = with(w.Tokens, o.Token.Digest, o.Token)
		return only(w, nil)
	})
}

// registeredHash is the password hash of every player who registers.
const registeredHash = "a hash"

// hashOf returns the hash of the account's password, or "".
func (w World) hashOf(a *game.Account) string {
	if a == nil {
		return ""
	}
	return w.Users[a.ID].Hash
}

// shown is the part of an account that the answer to a log-in has.
type shown struct {
	User  game.User
	Ranch *game.Ranch
}

// balances returns the balances of the user that a reading call could have seen: the newest, and the balances before
// changes that were under way when the call began.
func (u User) balances(reader *Call) []int64 {
	balances := []int64{u.GoldBalance}
	for i := len(u.Ledger) - 1; i > 0 && underWay(u.Ledger[i].by, reader); i-- {
		balances = append(balances, u.Ledger[i-1].BalanceAfter)
	}
	return balances
}

// steps returns a step for the log-in itself, and, if it was done, a step for the account in its answer.
func (o Login) steps(c *Call, h *history) []step {
	login := whole(c, nil, func(w World) ([]result, error) {
		a := w.byEmail(o.Email)
		if a != nil && errors.Is(c.Err, game.ErrInvalidCredentials) && h.registering(c, a.ID) {
			a = nil
		}
		if err := o.may(a, w.hashOf(a)); err != nil {
			return nil, err
		}
		if a.LastLoginAt == nil || *a.LastLoginAt <= o.Now { // the stored time is of the log-in that began last
			a.LastLoginAt = &o.Now
		}
		w = w.withAccount(*a)
		w.Tokens = with(w.Tokens, o.Token.Digest, o.Token)
		return only(w, nil)
	})
	if kind, _ := outcomeOf(c); kind != done {
		return login
	}
	seen := c.Answer
	if a, is := seen.(game.Account); is {
		seen = shown{a.User, a.Ranch}
	}
	look := whole(c, seen, func(w World) ([]result, error) {
		a := w.byEmail(o.Email)
		if err := o.may(a, w.hashOf(a)); err != nil {
			return nil, err
		}
		var results []result
		for _, gold := range w.Users[a.ID].balances(c) {
			a.GoldBalance = gold
			results = append(results, result{w, shown{a.User, a.Ranch}})
		}
		return results, nil
	})
	look[0].part = "the account"
	return append(look, login...)
}

// registering reports whether the account's registration was under way when the log-in began. The e-mail address may
// then have been invisible although the username was visible.
func (h *history) registering(login *Call, account game.ID) bool {
	return slices.ContainsFunc(h.calls, func(c *Call) bool {
		o, is := c.Op.(Register)
		return is && o.Account.ID == account && underWay(c, login)
	})
}

// may returns the rules' refusal of a log-in, or nil. It checks in the rules' order.
func (o Login) may(a *game.Account, hash string) error {
	switch {
	case a == nil:
		return game.ErrInvalidCredentials
	case a.Status != game.UserActive:
		return game.ErrBanned
	case hash != o.Hash:
		return game.ErrInvalidCredentials
	}
	return nil
}

// named has the fields of a user that an access token contains. Gold is not compared, since a refresh can read the gold
// before a change that is becoming visible.
type named struct {
	ID              game.ID
	Username, Email string
	Status          game.UserStatus
}

func namedBy(a game.Account) named { return named{a.ID, a.Username, a.Email, a.Status} }

func (o Refresh) steps(c *Call, _ *history) []step {
	seen := c.Answer
	if a, answered := seen.(game.Account); answered {
		seen = namedBy(a)
	}
	return whole(c, seen, func(w World) ([]result, error) {
		var record *game.RefreshRecord
		if r, there := w.Tokens[o.Digest]; there {
			record = &r
		}
		a := w.user(o.User)
		if err := o.may(record, a); err != nil {
			return nil, err
		}
		return only(w, namedBy(*a))
	})
}

// may returns the rules' refusal of a refresh of a session, or nil. It checks in the rules' order.
func (o Refresh) may(record *game.RefreshRecord, a *game.Account) error {
	switch {
	case record == nil || record.UserID != o.User || !record.LiveAt(o.Now):
		return game.ErrRefreshTokenDead
	case a == nil || a.Status != game.UserActive:
		return game.ErrUnauthorized
	case a.Revoked(*record):
		return game.ErrRefreshTokenDead
	}
	return nil
}

func (o Logout) steps(c *Call, _ *history) []step {
	return whole(c, c.Answer, func(w World) ([]result, error) {
		w.Tokens = maps.Clone(w.Tokens)
		delete(w.Tokens, o.Digest)
		return only(w, nil)
	})
}
