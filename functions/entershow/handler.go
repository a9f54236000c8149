package main

import (
	"context"
	"fmt"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/httpapi"
)

type shows interface {
	Enter(ctx context.Context, caller, show, animal game.ID, now game.Instant) (game.Show, game.Animal, error)
}

type response struct {
	Success  bool   `json:"success"`
	Message  string `json:"message"`
	EntryFee int64  `json:"entryFee"`
}

func endpoint(shows shows, auth httpapi.Verifier) httpapi.Endpoint {
	return httpapi.Protected("enter-show", handler{shows}.enter, auth)
}

type handler struct{ shows shows }

func (h handler) enter(ctx context.Context, r *httpapi.Request) (httpapi.Response, error) {
	body, _ := r.Object()
	text, _ := body.String("animalId")
	animalID, ok := game.ParseID(text)
	if !ok {
		return httpapi.Response{}, game.ErrInvalidEntryBody
	}
	showID, _ := game.ParseID(r.PathID) // if PathID is no UUID, the show "" is unknown: Enter checks the caller first
	show, animal, err := h.shows.Enter(ctx, r.Caller.ID, showID, animalID, r.Now)
	if err != nil {
		return httpapi.Response{}, err
	}
	return httpapi.Created(response{true, fmt.Sprintf("%s entered in %s!", animal.Name, show.Name), show.EntryFee}), nil
}
