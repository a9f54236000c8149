package httpapi

import (
	"math/rand/v2"
	"net/http"
	"strconv"

	"github.com/aws/aws-lambda-go/events"

	"github.com/ranch-game/ranch/shared/game"
)

// codeClosed is the error code of every 503 that the API sends while an operator has closed it ("closed doors"). The
// rules never refuse a request with this code.
const codeClosed game.Code = "CLOSED"

// closed reports whether an operator has closed the API: then API Gateway's stage variable doors is "closed".
// template.yaml sets the variable from its parameter Doors. Each event has the variable, so that a change affects the
// next request, even in running processes.
func closed(ev events.APIGatewayV2HTTPRequest) bool { return ev.StageVariables["doors"] == "closed" }

// turnAway returns the answer of a closed API: a 503 that asks the client to repeat the request in 10 to 20 seconds.
// The time is random, so that not all clients repeat at once.
func turnAway() Response {
	return Response{
		Status: http.StatusServiceUnavailable,
		Body:   errorBody{Error: codeClosed, Message: "The game is closed for maintenance. Please come back soon."},
		Header: map[string]string{"Retry-After": strconv.Itoa(10 + rand.IntN(11))},
	}
}
