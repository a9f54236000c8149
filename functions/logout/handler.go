package main

import (
	"context"

	"github.com/ranch-game/ranch/shared/httpapi"
	"github.com/ranch-game/ranch/shared/token"
)

type records interface {
	DeleteRefreshRecord(ctx context.Context, digest string) error
}

type response struct {
	Success bool `json:"success"`
}

// endpoint returns an endpoint whose every answer is a success, unless the API is closed. If the table fails even after
// retries, the endpoint only logs the error.
func endpoint(records records) httpapi.Endpoint {
	return httpapi.Public("logout", handler{records}.logout, httpapi.OK(response{true}))
}

type handler struct{ records records }

func (h handler) logout(ctx context.Context, r *httpapi.Request) (httpapi.Response, error) {
	body, _ := r.Object()
	if presented, state := body.String("refreshToken"); state == httpapi.FieldText && presented != "" {
		if err := h.records.DeleteRefreshRecord(ctx, token.Digest(presented)); err != nil {
			return httpapi.Response{}, err
		}
	}
	return httpapi.OK(response{true}), nil
}
