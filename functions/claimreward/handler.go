package main

import (
	"context"
	"fmt"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/httpapi"
)

type shows interface {
	Claim(ctx context.Context, caller, show game.ID, now game.Instant) (rank int, prize int64, err error)
}

type response struct {
	Success    bool   `json:"success"`
	Rank       *int   `json:"rank"` // null for an unranked entry
	GoldReward int64  `json:"goldReward"`
	Message    string `json:"message"`
}

func endpoint(shows shows, auth httpapi.Verifier) httpapi.Endpoint {
	return httpapi.Protected("claim-reward", handler{shows}.claim, auth)
}

type handler struct{ shows shows }

func (h handler) claim(ctx context.Context, r *httpapi.Request) (httpapi.Response, error) {
	showID, _ := game.ParseID(r.PathID) // if PathID is no UUID, the show "" is unknown: Claim checks the caller first
	rank, prize, err := h.shows.Claim(ctx, r.Caller.ID, showID, r.Now)
	if err != nil {
		return httpapi.Response{}, err
	}
	claimed := response{Success: true, GoldReward: prize, Message: "No reward for this placement."}
	if rank > 0 {
		claimed.Rank = &rank
	}
	if prize > 0 {
		claimed.Message = fmt.Sprintf("You received %d gold for rank %d!", prize, rank)
	}
	return httpapi.OK(claimed), nil
}
