package main

import (
	"context"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/httpapi"
)

type seasons interface {
	LatestSeasons(ctx context.Context, caller game.ID) ([]game.Season, error)
}

func endpoint(seasons seasons, auth httpapi.Verifier) httpapi.Endpoint {
	return httpapi.Protected("list-seasons", handler{seasons}.list, auth)
}

type handler struct{ seasons seasons }

func (h handler) list(ctx context.Context, r *httpapi.Request) (httpapi.Response, error) {
	seasons, err := h.seasons.LatestSeasons(ctx, r.Caller.ID)
	if err != nil {
		return httpapi.Response{}, err
	}
	return httpapi.OK(seasons), nil
}
