package main

import (
	"context"
	"net/url"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/httpapi"
	"github.com/ranch-game/ranch/shared/store"
)

type shows interface {
	Shows(ctx context.Context, q store.ShowQuery) (store.ListedShows, error)
}

func endpoint(shows shows, auth httpapi.Verifier) httpapi.Endpoint {
	return httpapi.Protected("list-shows", handler{shows}.list, auth)
}

type handler struct{ shows shows }

func (h handler) list(ctx context.Context, r *httpapi.Request) (httpapi.Response, error) {
	p := r.Parameters()
	q := store.ShowQuery{Status: game.ShowOpen, After: p.ID("after")}
	if err := p.Refusal(); err != nil {
		return httpapi.Response{}, err
	}
	if status, given := r.Query.Get("status"); given {
		q.Status = game.ShowStatus(status)
	}
	q.Tier, _ = r.Query.Get("tier")
	page, err := h.shows.Shows(ctx, q)
	if err != nil {
		return httpapi.Response{}, err
	}
	response := httpapi.OK(page.Shows)
	if page.More {
		response = response.Linked(r, "next", url.Values{"after": {string(page.Shows[len(page.Shows)-1].ID)}}, "status", "tier")
	}
	return response, nil
}
