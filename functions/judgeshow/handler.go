package main

import (
	"context"
	"fmt"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/httpapi"
)

type shows interface {
	Judge(ctx context.Context, caller, show game.ID, now game.Instant) ([]game.Contestant, error)
}

type response struct {
	Success  bool     `json:"success"`
	Message  string   `json:"message"`
	TopThree []winner `json:"topThree"`
}

type winner struct {
	Rank     int        `json:"rank"`
	PlayerID game.ID    `json:"playerId"`
	AnimalID game.ID    `json:"animalId"`
	Score    game.Fixed `json:"score"`
}

func endpoint(shows shows, auth httpapi.Verifier) httpapi.Endpoint {
	return httpapi.Protected("judge-show", handler{shows}.judge, auth)
}

type handler struct{ shows shows }

func (h handler) judge(ctx context.Context, r *httpapi.Request) (httpapi.Response, error) {
	showID, _ := game.ParseID(r.PathID) // if PathID is no UUID, the show "" is unknown: Judge checks the caller first
	ranked, err := h.shows.Judge(ctx, r.Caller.ID, showID, r.Now)
	if err != nil {
		return httpapi.Response{}, err
	}
	topThree := []winner{}
	for _, c := range ranked[:min(3, len(ranked))] {
		topThree = append(topThree, winner{c.Rank, c.Player, c.Animal, c.Score})
	}
	return httpapi.OK(response{true, fmt.Sprintf("Show judged. %d entries.", len(ranked)), topThree}), nil
}
