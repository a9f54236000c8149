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
	CreateAccount(ctx context.Context, a game.Account, passwordHash string, animals []game.Animal, ledger game.LedgerEntry, token game.RefreshRecord) error
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
	return httpapi.Public("register", handler{accounts, tokens}.register, httpapi.Fault("Registration failed"))
}

type handler struct {
	accounts accounts
	tokens   tokens
}

func (h handler) register(ctx context.Context, r *httpapi.Request) (httpapi.Response, error) {
	form, err := readForm(r)
	if err != nil {
		return httpapi.Response{}, err
	}
	account := game.NewAccount(form, r.Now)
	session, err := h.tokens.IssueSession(account.User, r.Now)
	if err != nil {
		return httpapi.Response{}, err
	}
	starters := game.Starters(randomSource(), account.ID, account.Ranch.ID, r.Now)
	if err := h.accounts.CreateAccount(ctx, account, password.Hash(form.Password), starters, game.StarterEntry(account.ID, r.Now), session.Record); err != nil {
		return httpapi.Response{}, err
	}
	r.Account = account.ID
	return httpapi.Created(response{session.Access, session.Refresh, account.User}), nil
}

// readForm returns the registration in the request's body. If any field is missing or wrong, it returns a refusal with
// sentences about each such field.
func readForm(r *httpapi.Request) (game.Registration, error) {
	var form game.Registration
	err := r.ReadTexts(func() map[string][]string { return form.Problems() },
		httpapi.TextField{Name: game.FieldEmail, Label: "E-mail", Into: &form.Email},
		httpapi.TextField{Name: game.FieldUsername, Label: "Username", Into: &form.Username},
		httpapi.TextField{Name: game.FieldPassword, Label: "Password", Into: &form.Password},
		httpapi.TextField{Name: game.FieldRanchName, Label: "Ranch name", Into: &form.RanchName})
	return form, err
}

// randomSource returns a random source with a seed of the operating system: no player can foresee a rare animal.
func randomSource() *rand.Rand {
	var seed [32]byte
	cryptorand.Read(seed[:]) // never fails
	return rand.New(rand.NewChaCha8(seed))
}
