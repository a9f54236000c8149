package main

import (
	"cmp"
	"context"
	"net/url"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/httpapi"
	"github.com/ranch-game/ranch/shared/store"
)

type entries interface {
	CheckCaller(ctx context.Context, caller game.ID) error
	OwnEntries(ctx context.Context, user game.ID, q store.OwnQuery) (store.OwnEntries, error)
}

func endpoint(entries entries, auth httpapi.Verifier) httpapi.Endpoint {
	return httpapi.Protected("list-own-entries", handler{entries}.list, auth)
}

type handler struct{ entries entries }

// list returns a page of the caller's entries in a show or in a season. If the query names no show and no season, the
// page has entries of the active season.
func (h handler) list(ctx context.Context, r *httpapi.Request) (httpapi.Response, error) {
	p := r.Parameters()
	q := store.OwnQuery{Season: p.ID("season"), Show: p.ID("show"), After: p.ID("after"), Limit: p.Number("limit", 20, 1, 50)}
	if q.Season != "" && q.Show != "" {
		p.Refuse("show", "Cannot be combined with season.")
	}
	if err := p.Refusal(); err != nil {
		return httpapi.Response{}, cmp.Or(h.entries.CheckCaller(ctx, r.Caller.ID), err)
	}
	page, err := h.entries.OwnEntries(ctx, r.Caller.ID, q)
	if err != nil {
		return httpapi.Response{}, err
	}
	response := httpapi.OK(page.Entries)
	if page.More {
		response = response.Linked(r, "next", url.Values{"after": {string(page.Last)}}, "season", "show", "limit")
	}
	return response, nil
}
