package main

import (
	"context"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/httpapi"
)

type animals interface {
	Animals(ctx context.Context, owner game.ID) ([]game.Animal, error)
}

func endpoint(animals animals, auth httpapi.Verifier) httpapi.Endpoint {
	return httpapi.Protected("list-animals", handler{animals}.list, auth)
}

type handler struct{ animals animals }

func (h handler) list(ctx context.Context, r *httpapi.Request) (httpapi.Response, error) {
	animals, err := h.animals.Animals(ctx, r.Caller.ID)
	if err != nil {
		return httpapi.Response{}, err
	}
	return httpapi.OK(animals), nil
}
