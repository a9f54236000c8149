package main

import (
	"context"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/httpapi"
)

type seasons interface {
	ActiveSeason(ctx context.Context) (*game.Season, error)
	SeasonScore(ctx context.Context, user, season game.ID) (int64, error)
}

type noSeason struct {
	Active bool `json:"active"`
}

type response struct {
	game.Season
	MySeasonScore int64 `json:"mySeasonScore"`
}

func endpoint(seasons seasons, auth httpapi.Verifier) httpapi.Endpoint {
	return httpapi.Protected("get-season", handler{seasons}.get, auth)
}

type handler struct{ seasons seasons }

func (h handler) get(ctx context.Context, r *httpapi.Request) (httpapi.Response, error) {
	season, err := h.seasons.ActiveSeason(ctx)
	if err != nil {
		return httpapi.Response{}, err
	}
	if season == nil {
		return httpapi.OK(noSeason{}), nil
	}
	score, err := h.seasons.SeasonScore(ctx, r.Caller.ID, season.ID)
	if err != nil {
		return httpapi.Response{}, err
	}
	return httpapi.OK(response{*season, score}), nil
}
