package main

import (
	"context"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/httpapi"
	"github.com/ranch-game/ranch/shared/password"
	"github.com/ranch-game/ranch/shared/store"
)

type accounts interface {
	DeleteAccount(ctx context.Context, user game.ID, prove store.Prove, now game.Instant) error
}

type response struct {
	Success bool `json:"success"`
}

func endpoint(accounts accounts, auth httpapi.Verifier) httpapi.Endpoint {
	return httpapi.Protected("delete-account", handler{accounts}.delete, auth)
}

type handler struct{ accounts accounts }

func (h handler) delete(ctx context.Context, r *httpapi.Request) (httpapi.Response, error) {
	secret, err := readPassword(r)
	if err != nil {
		return httpapi.Response{}, err
	}
	prove := func(hash string) error { return password.Check(hash, secret, game.ErrWrongPassword) }
	if err := h.accounts.DeleteAccount(ctx, r.Caller.ID, prove, r.Now); err != nil {
		return httpapi.Response{}, err
	}
	return httpapi.OK(response{true}), nil
}

// readPassword returns the password in the request's body, or "" without one. Accounts without a password need none, so
// the body may be empty.
func readPassword(r *httpapi.Request) (string, error) {
	body, isObject := r.Object()
	secret, state := body.String(game.FieldPassword)
	switch empty := r.Body != nil && len(r.Body) == 0; {
	case !isObject && !empty:
		return "", game.InvalidInput(map[string][]string{game.FieldPassword: {"The body must be a JSON object with the password, or empty."}})
	case state == httpapi.FieldNotText:
		return "", game.InvalidInput(map[string][]string{game.FieldPassword: {"Password must be a string."}})
	}
	return secret, nil
}
