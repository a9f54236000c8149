package main

import (
	"context"
	"errors"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/httpapi"
	"github.com/ranch-game/ranch/shared/tally"
	"github.com/ranch-game/ranch/shared/token"
)

type records interface {
	RefreshRecord(ctx context.Context, digest string, user game.ID) (*game.RefreshRecord, *game.Account, error)
}

type tokens interface {
	VerifyRefresh(token string, now game.Instant) (game.ID, error)
	IssueAccess(u game.User, now game.Instant) (string, error)
}

type response struct {
	Token string `json:"token"`
}

func endpoint(records records, tokens tokens) httpapi.Endpoint {
	return httpapi.Public("refresh", handler{records, tokens}.refresh, httpapi.Refuse(game.ErrRefreshTokenBad))
}

type handler struct {
	records records
	tokens  tokens
}

func (h handler) refresh(ctx context.Context, r *httpapi.Request) (httpapi.Response, error) {
	account, err := h.account(ctx, r)
	if _, refused := errors.AsType[*game.Refusal](err); refused && !errors.Is(err, game.ErrMissingToken) {
		tally.Add(ctx, tally.RefreshRefusals, 1)
	}
	if err != nil {
		return httpapi.Response{}, err
	}
	access, err := h.tokens.IssueAccess(account.User, r.Now) // the claims come from storage, not from the old token
	if err != nil {
		return httpapi.Response{}, err
	}
	return httpapi.OK(response{access}), nil
}

// account returns the account of the refresh token in the request's body. If the token, its record or the account is
// not valid, or if the session has been revoked, account returns a refusal.
func (h handler) account(ctx context.Context, r *httpapi.Request) (*game.Account, error) {
	body, _ := r.Object()
	presented, state := body.String("refreshToken")
	switch {
	case state == httpapi.FieldMissing, state == httpapi.FieldText && presented == "":
		return nil, game.ErrMissingToken
	case state == httpapi.FieldNotText:
		return nil, game.ErrRefreshTokenBad
	}
	user, err := h.tokens.VerifyRefresh(presented, r.Now)
	switch {
	case errors.Is(err, token.ErrExpired):
		return nil, game.ErrRefreshTokenDead
	case err != nil:
		return nil, game.ErrRefreshTokenBad
	}
	r.Account = user
	record, account, err := h.records.RefreshRecord(ctx, token.Digest(presented), user)
	switch {
	case err != nil:
		return nil, err
	case record == nil || record.UserID != user || !record.LiveAt(r.Now):
		return nil, game.ErrRefreshTokenDead
	case account == nil || account.Status != game.UserActive:
		return nil, game.ErrUnauthorized
	case account.Revoked(*record):
		return nil, game.ErrRefreshTokenDead
	}
	return account, nil
}
