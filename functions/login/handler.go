package main

import (
	"context"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/httpapi"
	"github.com/ranch-game/ranch/shared/password"
)

type accounts interface {
	AccountByEmail(ctx context.Context, email string) (account *game.Account, passwordHash string, err error)
	RecordLogin(ctx context.Context, read game.Account, token game.RefreshRecord, rehash game.Rehash, now game.Instant) (game.Account, error)
}

type tokens interface {
	IssueRefresh(user game.ID, now game.Instant) (string, game.RefreshRecord, error)
	IssueAccess(u game.User, now game.Instant) (string, error)
}

type response struct {
	Token        string       `json:"token"`
	RefreshToken string       `json:"refreshToken"`
	User         loggedInUser `json:"user"`
}

type loggedInUser struct {
	game.User
	LastLoginAt game.Instant `json:"lastLoginAt"`
	Ranch       *game.Ranch  `json:"ranch"`
}

func endpoint(accounts accounts, tokens tokens) httpapi.Endpoint {
	return httpapi.Public("login", handler{accounts, tokens}.login, httpapi.Fault("Login failed"))
}

type handler struct {
	accounts accounts
	tokens   tokens
}

func (h handler) login(ctx context.Context, r *httpapi.Request) (httpapi.Response, error) {
	body, _ := r.Object()
	email, emailState := body.String("email")
	secret, secretState := body.String("password")
	if emailState != httpapi.FieldText || secretState != httpapi.FieldText || !game.ValidEmail(email) {
		return httpapi.Response{}, game.ErrInvalidInput
	}
	account, hash, err := h.accounts.AccountByEmail(ctx, game.NormalizeEmail(email))
	if err != nil {
		return httpapi.Response{}, err
	}
	if account != nil {
		r.Account = account.ID
	}
	if err := authenticate(account, hash, secret); err != nil {
		return httpapi.Response{}, err
	}
	refresh, record, err := h.tokens.IssueRefresh(account.ID, r.Now)
	if err != nil {
		return httpapi.Response{}, err
	}
	recorded, err := h.accounts.RecordLogin(ctx, *account, record, rehash(hash, secret), r.Now)
	if err != nil {
		return httpapi.Response{}, err
	}
	access, err := h.tokens.IssueAccess(recorded.User, r.Now)
	if err != nil {
		return httpapi.Response{}, err
	}
	return httpapi.OK(response{access, refresh, loggedInUser{recorded.User, r.Now, recorded.Ranch}}), nil
}

// authenticate returns a refusal unless the password in secret is the account's. It applies the rules in the order of
// docs/rules.md, S4.2.2 to S4.2.5. If account is nil, because no account has the address, the call takes as long as for
// a wrong password. If hash is malformed, the error is a fault.
func authenticate(account *game.Account, hash, secret string) error {
	switch {
	case account == nil:
		password.VerifyUnknown(secret)
		return game.ErrInvalidCredentials
	case account.Status == game.UserBanned:
		return game.ErrBanned
	case hash == "":
		return game.ErrOAuthAccount
	}
	return password.Check(hash, secret, game.ErrInvalidCredentials)
}

// rehash returns the account's hash, old. If old is outdated (see password.Outdated), it adds a new hash of the
// password. A new hash takes as long as the verification of a password.
func rehash(old, secret string) game.Rehash {
	if !password.Outdated(old) {
		return game.Rehash{Old: old}
	}
	return game.Rehash{Old: old, New: password.Hash(secret)}
}
