package main

import (
	"context"
	"sync"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/httpapi"
	"github.com/ranch-game/ranch/shared/password"
	"github.com/ranch-game/ranch/shared/store"
)

type accounts interface {
	ChangePassword(ctx context.Context, user game.ID, prove store.Prove, newHash func() string, session game.RefreshRecord, now game.Instant) (game.User, error)
}

type tokens interface {
	httpapi.Verifier
	IssueRefresh(user game.ID, now game.Instant) (string, game.RefreshRecord, error)
	IssueAccess(u game.User, now game.Instant) (string, error)
}

type response struct {
	Token        string `json:"token"`
	RefreshToken string `json:"refreshToken"`
}

func endpoint(accounts accounts, tokens tokens) httpapi.Endpoint {
	return httpapi.Protected("change-password", handler{accounts, tokens}.change, tokens)
}

type handler struct {
	accounts accounts
	tokens   tokens
}

func (h handler) change(ctx context.Context, r *httpapi.Request) (httpapi.Response, error) {
	var form game.PasswordChange
	err := r.ReadTexts(func() map[string][]string { return form.Problems() },
		httpapi.TextField{Name: game.FieldCurrentPassword, Label: "Current password", Into: &form.Current},
		httpapi.TextField{Name: game.FieldNewPassword, Label: "New password", Into: &form.New})
	if err != nil {
		return httpapi.Response{}, err
	}
	refresh, record, err := h.tokens.IssueRefresh(r.Caller.ID, r.Now)
	if err != nil {
		return httpapi.Response{}, err
	}
	prove := func(hash string) error { return password.Check(hash, form.Current, game.ErrWrongPassword) }
	newHash := sync.OnceValue(func() string { return password.Hash(form.New) }) // after the proof: a wrong password costs one hash
	user, err := h.accounts.ChangePassword(ctx, r.Caller.ID, prove, newHash, record, r.Now)
	if err != nil {
		return httpapi.Response{}, err
	}
	access, err := h.tokens.IssueAccess(user, r.Now)
	if err != nil {
		return httpapi.Response{}, err
	}
	return httpapi.OK(response{access, refresh}), nil
}
