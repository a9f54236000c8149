package main

import (
	"context"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/httpapi"
)

type shows interface {
	Shows(ctx context.Context, status game.ShowStatus, tier string) ([]game.ListedShow, error)
}

func endpoint(shows shows, auth httpapi.Verifier) httpapi.Endpoint {
	return httpapi.Protected("list-shows", handler{shows}.list, auth)
}

type handler struct{ shows shows }

func (h handler) list(ctx context.Context, r *httpapi.Request) (httpapi.Response, error) {
	status, given := r.Query.Get("status")
	if !given {
		status = string(game.ShowOpen)
	}
	tier, _ := r.Query.Get("tier")
	shows, err := h.shows.Shows(ctx, game.ShowStatus(status), tier)
	if err != nil {
		return httpapi.Response{}, err
	}
	return httpapi.OK(shows), nil
}
