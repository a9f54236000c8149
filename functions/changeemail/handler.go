package main

import (
	"context"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/httpapi"
	"github.com/ranch-game/ranch/shared/password"
	"github.com/ranch-game/ranch/shared/store"
)

type accounts interface {
	ChangeEmail(ctx context.Context, user game.ID, prove store.Prove, email string) (game.User, error)
}

func endpoint(accounts accounts, auth httpapi.Verifier) httpapi.Endpoint {
	return httpapi.Protected("change-email", handler{accounts}.change, auth)
}

type handler struct{ accounts accounts }

func (h handler) change(ctx context.Context, r *httpapi.Request) (httpapi.Response, error) {
	var form game.EmailChange
	err := r.ReadTexts(func() map[string][]string { return form.Problems() },
		httpapi.TextField{Name: game.FieldEmail, Label: "E-mail", Into: &form.Email},
		httpapi.TextField{Name: game.FieldPassword, Label: "Password", Into: &form.Password})
	if err != nil {
		return httpapi.Response{}, err
	}
	prove := func(hash string) error { return password.Check(hash, form.Password, game.ErrWrongPassword) }
	user, err := h.accounts.ChangeEmail(ctx, r.Caller.ID, prove, game.NormalizeEmail(form.Email))
	if err != nil {
		return httpapi.Response{}, err
	}
	return httpapi.OK(user), nil
}
