package main

import (
	"context"
	cryptorand "crypto/rand"
	"maps"
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
	body, _ := r.Object() // anything but an object has no fields
	var form game.Registration
	unread := map[string][]string{}
	for _, field := range []struct {
		name, label string
		into        *string
	}{
		{game.FieldEmail, "E-mail", &form.Email},
		{game.FieldUsername, "Username", &form.Username},
		{game.FieldPassword, "Password", &form.Password},
		{game.FieldRanchName, "Ranch name", &form.RanchName},
	} {
		text, state := body.String(field.name)
		switch state {
		case httpapi.FieldMissing:
			unread[field.name] = []string{field.label + " is required."}
		case httpapi.FieldNotText:
			unread[field.name] = []string{field.label + " must be a string."}
		case httpapi.FieldText:
			*field.into = text
		}
	}
	problems := form.Problems()
	maps.Copy(problems, unread)
	if len(problems) > 0 {
		return game.Registration{}, game.InvalidInput(problems)
	}
	return form, nil
}

// randomSource returns a random source with a seed of the operating system: no player can foresee a rare animal.
func randomSource() *rand.Rand {
	var seed [32]byte
	cryptorand.Read(seed[:]) // never fails
	return rand.New(rand.NewChaCha8(seed))
}
