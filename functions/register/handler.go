package main

import (
	"context"
	cryptorand "crypto/rand"
	"math/rand/v2"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/httpapi"
	"github.com/ranch-game/ranch/shared/password"
	"github.com/ranch-game/ranch/shared/token"
)

type accounts interface {
	CreateAccount(ctx context.Context, a game.Account, animals []game.Animal, ledger game.LedgerEntry, token game.RefreshRecord) error
}

type tokens interface {
	IssueSession(u game.User, now game.Instant) (token.Session, error)
}

type response struct {
	Token        string    `json:"token"`
	RefreshToken string    `json:"refreshToken"`
	User         game.User `json:"user"`
}

func endpoint(accounts accounts, tokens tokens) httpapi.Endpoint {
	return httpapi.Endpoint{
		Name: "register", Handle: handler{accounts, tokens}.register, Failure: httpapi.Refuse(game.ErrRegistrationFailed),
	}
}

type handler struct {
	accounts accounts
	tokens   tokens
}

func (h handler) register(ctx context.Context, r *httpapi.Request) (httpapi.Response, error) {
	body, _ := r.Object() // no object has none of the fields
	form, err := game.ParseRegistration(body.String)
	if err != nil {
		return httpapi.Response{}, err
	}
	account := game.NewAccount(form, password.Hash(form.Password), r.Now)
	session, err := h.tokens.IssueSession(account.User, r.Now)
	if err != nil {
		return httpapi.Response{}, err
	}
	starters := game.Starters(randomSource(), account.ID, account.Ranch.ID, r.Now)
	if err := h.accounts.CreateAccount(ctx, account, starters, game.StarterEntry(account.ID, r.Now), session.Record); err != nil {
		return httpapi.Response{}, err
	}
	return httpapi.Created(response{session.Access, session.Refresh, account.User}), nil
}

// randomSource draws from the operating system's randomness, so that nobody can foresee a rare animal.
func randomSource() *rand.Rand {
	var seed [32]byte
	cryptorand.Read(seed[:]) // never fails
	return rand.New(rand.NewChaCha8(seed))
}
