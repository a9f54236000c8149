package main

import (
	"cmp"
	"context"
	"net/url"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/httpapi"
	"github.com/ranch-game/ranch/shared/store"
)

type standings interface {
	CheckCaller(ctx context.Context, caller game.ID) error
	SeasonStandings(ctx context.Context, caller game.ID, at store.StandingsAt) (store.StandingsPage, error)
}

type place struct {
	Rank  int   `json:"rank"`
	Score int64 `json:"score"`
}

type response struct {
	SeasonID  *game.ID        `json:"seasonId"` // null without a season
	AsOf      *game.Instant   `json:"asOf"`     // null without a snapshot
	Players   int             `json:"players"`
	Me        *place          `json:"me"` // null if the caller is not in the snapshot
	Standings []game.Standing `json:"standings"`
}

func endpoint(standings standings, auth httpapi.Verifier) httpapi.Endpoint {
	return httpapi.Protected("get-standings", handler{standings}.get, auth)
}

type handler struct{ standings standings }

// get returns a page of a season's standings, with links to the pages before and after, if there are any. A page that was
// asked for with after has no link to the page before. Links name the season: another one may be active by then.
func (h handler) get(ctx context.Context, r *httpapi.Request) (httpapi.Response, error) {
	p := r.Parameters()
	at := store.StandingsAt{Season: p.ID("season"), Limit: p.Number("limit", 50, 1, 100)}
	at.After, at.Before, at.Around = p.Place()
	if err := p.Refusal(); err != nil {
		return httpapi.Response{}, cmp.Or(h.standings.CheckCaller(ctx, r.Caller.ID), err)
	}
	page, err := h.standings.SeasonStandings(ctx, r.Caller.ID, at)
	if err != nil {
		return httpapi.Response{}, err
	}
	body := response{AsOf: page.AsOf, Players: page.Players, Me: (*place)(page.Me), Standings: page.Rows}
	if page.Season != "" {
		body.SeasonID = &page.Season
	}
	n := len(page.Rows)
	if n == 0 {
		body.Standings = []game.Standing{}
		return httpapi.OK(body), nil
	}
	response := httpapi.OK(body)
	link := func(rel, name string, player game.ID) {
		response = response.Linked(r, rel, url.Values{"season": {string(page.Season)}, name: {string(player)}}, "limit")
	}
	if page.Before && at.After == "" {
		link("prev", "before", page.Rows[0].PlayerID)
	}
	if page.Behind {
		link("next", "after", page.Rows[n-1].PlayerID)
	}
	return response, nil
}
