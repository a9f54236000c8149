package history

import (
	"maps"

	"github.com/ranch-game/ranch/shared/game"
)

func (o Register) steps(c *Call, _ *history) []step {
	return whole(c, c.Answer, func(w World) ([]result, error) {
		for _, u := range w.Users {
			if u.Status != game.UserDeleted && (u.Email == o.Account.Email || u.Username == o.Account.Username) {
				return nil, game.ErrTaken
			}
		}
		w.Users = with(w.Users, o.Account.ID, User{Account: o.Account, Ledger: []Row{newRow(o.Ledger)}})
		for _, a := range o.Animals {
			w.Animals = with(w.Animals, a.ID, Animal{Animal: a})
		}
		w.Tokens = with(w.Tokens, o.Token.Digest, o.Token)
		return only(w, nil)
	})
}

// shown is what answers show of an account.
type shown struct {
	User  game.User
	Ranch *game.Ranch
}

func shownOf(answer any) any {
	a, ok := answer.(game.Account)
	if !ok {
		return answer
	}
	return shown{a.User, a.Ranch}
}

// steps are the look at the account, and the log-in itself.
func (o Login) steps(c *Call, _ *history) []step {
	login := whole(c, nil, func(w World) ([]result, error) {
		a := w.byEmail(o.Email)
		if err := mayLogIn(a); err != nil {
			return nil, err
		}
		if a.LastLoginAt == nil || *a.LastLoginAt <= o.Now { // the log-in that began last is the last one
			a.LastLoginAt = &o.Now
		}
		w = w.withAccount(*a)
		w.Tokens = with(w.Tokens, o.Token.Digest, o.Token)
		return only(w, nil)
	})
	if kind, _ := outcomeOf(c); kind != done {
		return login
	}
	look := whole(c, shownOf(c.Answer), func(w World) ([]result, error) {
		a := w.byEmail(o.Email)
		if err := mayLogIn(a); err != nil {
			return nil, err
		}
		return only(w, shown{a.User, a.Ranch})
	})
	look[0].part = "the account"
	return append(look, login...)
}

// mayLogIn is why somebody with the right password cannot log in, in the rules' order.
func mayLogIn(a *game.Account) error {
	switch {
	case a == nil:
		return game.ErrInvalidCredentials
	case a.Status != game.UserActive:
		return game.ErrBanned
	case a.PasswordHash == "":
		return game.ErrOAuthAccount
	}
	return nil
}

func (o Refresh) steps(c *Call, _ *history) []step {
	return whole(c, shownOf(c.Answer), func(w World) ([]result, error) {
		var record *game.RefreshRecord
		if r, there := w.Tokens[o.Digest]; there {
			record = &r
		}
		a := w.user(o.User)
		if err := o.may(record, a); err != nil {
			return nil, err
		}
		return only(w, shown{a.User, a.Ranch})
	})
}

// may is why the session cannot be refreshed, in the rules' order.
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
