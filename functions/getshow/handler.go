package main

import (
	"context"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/httpapi"
)

type shows interface {
	ShowWithEntries(ctx context.Context, id game.ID) (game.Show, []game.Entry, error)
}

type response struct {
	game.Show
	Entries []game.Entry `json:"entries"`
}

func endpoint(shows shows, auth httpapi.Verifier) httpapi.Endpoint {
	return httpapi.Protected("get-show", handler{shows}.get, auth)
}

type handler struct{ shows shows }

func (h handler) get(ctx context.Context, r *httpapi.Request) (httpapi.Response, error) {
	id, ok := game.ParseID(r.PathID)
	if !ok {
		return httpapi.Response{}, game.ErrShowUnknown
	}
	show, entries, err := h.shows.ShowWithEntries(ctx, id)
	if err != nil {
		return httpapi.Response{}, err
	}
	return httpapi.OK(response{show, entries}), nil
}
