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
	ShowEntries(ctx context.Context, caller, show game.ID, at store.EntriesAt) (store.ShowEntries, error)
}

func endpoint(entries entries, auth httpapi.Verifier) httpapi.Endpoint {
	return httpapi.Protected("list-show-entries", handler{entries}.list, auth)
}

type handler struct{ entries entries }

// byEntry is the value of the parameter order that keeps the order of an open show's list after a judging. Links have it,
// so that a list that was begun before a judging has each entry once.
const byEntry = "entry"

// list returns a page of a show's entries, with links to the pages before and after, if there are any. A page that was
// asked for with after has no link to the page before.
func (h handler) list(ctx context.Context, r *httpapi.Request) (httpapi.Response, error) {
	p := r.Parameters()
	at := store.EntriesAt{Limit: p.Number("limit", 50, 1, 100)}
	at.After, at.Before, at.Around = p.Place()
	if order, given := r.Query.Get("order"); given {
		if at.ByEntry = order == byEntry; !at.ByEntry {
			p.Refuse("order", `Must be "entry".`)
		}
	}
	show, ok := game.ParseID(r.PathID)
	if err := p.Refusal(); err != nil || !ok {
		return httpapi.Response{}, cmp.Or(h.entries.CheckCaller(ctx, r.Caller.ID), err, error(game.ErrShowUnknown))
	}
	page, err := h.entries.ShowEntries(ctx, r.Caller.ID, show, at)
	if err != nil {
		return httpapi.Response{}, err
	}
	response, n := httpapi.OK(page.Entries), len(page.Entries)
	link := func(rel, name string, id game.ID) {
		values := url.Values{name: {string(id)}}
		if page.ByEntry {
			values.Set("order", byEntry)
		}
		response = response.Linked(r, rel, values, "limit")
	}
	if n > 0 && page.Before && at.After == "" {
		link("prev", "before", page.Entries[0].ID)
	}
	if n > 0 && page.Behind {
		link("next", "after", page.Entries[n-1].ID)
	}
	return response, nil
}
