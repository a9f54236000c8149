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

// list returns a page of the caller's entries in a show, in a season, or in all seasons. If the query names none of
// them, the page has unclaimed prizes of all seasons, or else entries of the active season.
func (h handler) list(ctx context.Context, r *httpapi.Request) (httpapi.Response, error) {
	p := r.Parameters()
	q := store.OwnQuery{
		Show: p.ID("show"), From: p.ID("from"), After: p.ID("after"), Unclaimed: p.Bool("unclaimed"), Limit: p.Number("limit", 20, 1, 50),
	}
	season, given := r.Query.Get("season")
	q.All = season == "all" || q.Unclaimed && !given && q.Show == ""
	if given && !q.All {
		q.Season = p.ID("season")
	}
	if given && q.Show != "" {
		p.Refuse("show", "Cannot be combined with season.")
	}
	if q.From != "" && !q.All {
		p.Refuse("from", "Only for a list of all seasons.")
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
		next := url.Values{"after": {string(page.Last.ID)}}
		if q.All {
			next.Set("from", string(page.Last.SeasonID))
		}
		response = response.Linked(r, "next", next, "season", "show", "unclaimed", "limit")
	}
	return response, nil
}
