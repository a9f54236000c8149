package main

import (
	"context"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/httpapi"
)

type accounts interface {
	Account(ctx context.Context, id game.ID) (*game.Account, error)
}

func endpoint(accounts accounts, auth httpapi.Verifier) httpapi.Endpoint {
	return httpapi.Protected("get-me", handler{accounts}.get, auth)
}

type handler struct{ accounts accounts }

// get returns the caller's user, even if the user is banned. It refuses the token of a deleted user.
func (h handler) get(ctx context.Context, r *httpapi.Request) (httpapi.Response, error) {
	account, err := h.accounts.Account(ctx, r.Caller.ID)
	if err != nil {
		return httpapi.Response{}, err
	}
	if account == nil || account.Status == game.UserDeleted {
		return httpapi.Response{}, game.ErrUnauthorized
	}
	return httpapi.OK(account.User), nil
}
