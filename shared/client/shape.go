package client

import (
	"errors"
	"regexp"
)

// shaped is an answer that must have certain fields to be a success. Another server in place of the API, such as the
// log-in page of a hotel's network, may answer 200 with another content.
type shaped interface {
	check() error // an error that names the missing field, or nil
}

// token matches three parts of base64url.
var token = regexp.MustCompile(`^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$`)

var (
	errNoToken   = errors.New("a token is missing or malformed")
	errNoUser    = errors.New("there is no user in it")
	errNoSuccess = errors.New("its field success is not true")
	errNoGold    = errors.New("it does not say how much gold it is about")
	errNoList    = errors.New("there is no list in it")
	errNoShow    = errors.New("there is no show in it")
	errNoSeason  = errors.New("there is no season in it")
	errNoID      = errors.New("there is no id in it")
)

// sessionAnswer is the answer to a registration or a log-in. Fields that only a log-in returns are zero otherwise.
type sessionAnswer struct {
	Tokens
	User Account `json:"user"`
}

func (a *sessionAnswer) check() error {
	switch {
	case !token.MatchString(a.Token), !token.MatchString(a.RefreshToken):
		return errNoToken
	case a.User.ID == "":
		return errNoUser
	}
	return nil
}

// user returns the account as a registration returns it.
func (a *sessionAnswer) user() User {
	u := a.User
	return User{u.ID, u.Email, u.Username, u.Status, u.GoldBalance, u.PremiumBalance, u.PrestigePoints, u.MarketRestrictedUntil, u.CreatedAt}
}

// tokenAnswer is the answer to a refresh.
type tokenAnswer struct {
	Token string `json:"token"`
}

func (a *tokenAnswer) check() error {
	if !token.MatchString(a.Token) {
		return errNoToken
	}
	return nil
}

// doneAnswer is the answer to a log-out.
type doneAnswer struct {
	Success bool `json:"success"`
}

func (a *doneAnswer) check() error {
	if !a.Success {
		return errNoSuccess
	}
	return nil
}

// enteredAnswer is the answer to an entry, with a fee that may be missing.
type enteredAnswer struct {
	Entered
	EntryFee *int64 `json:"entryFee"`
}

func (a *enteredAnswer) check() error {
	switch {
	case !a.Success:
		return errNoSuccess
	case a.EntryFee == nil:
		return errNoGold
	}
	a.Entered.EntryFee = *a.EntryFee
	return nil
}

type claimedAnswer struct {
	Claimed
	GoldReward *int64 `json:"goldReward"`
}

func (a *claimedAnswer) check() error {
	switch {
	case !a.Success:
		return errNoSuccess
	case a.GoldReward == nil:
		return errNoGold
	}
	a.Claimed.GoldReward = *a.GoldReward
	return nil
}

func (j *Judged) check() error {
	switch {
	case !j.Success:
		return errNoSuccess
	case j.TopThree == nil:
		return errNoList
	}
	return nil
}

func (d *ShowDetail) check() error {
	switch {
	case d.ID == "":
		return errNoShow
	case d.Entries == nil:
		return errNoList
	}
	return nil
}

// identified returns an error if an object has no id.
func identified(id string) error {
	if id == "" {
		return errNoID
	}
	return nil
}

// seasonAnswer is the answer with the active season.
type seasonAnswer struct {
	Active *bool `json:"active"` // false if no season is active, otherwise absent
	Season
}

func (a *seasonAnswer) none() bool { return a.Active != nil && !*a.Active }

func (a *seasonAnswer) check() error {
	if !a.none() && a.ID == "" {
		return errNoSeason
	}
	return nil
}
