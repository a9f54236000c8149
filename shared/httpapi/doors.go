package httpapi

import (
	"math/rand/v2"
	"net/http"
	"strconv"

	"github.com/aws/aws-lambda-go/events"

	"github.com/ranch-game/ranch/shared/game"
)

// codeClosed is the error of every 503 of closed doors. It is not a refusal: the rules never return it.
const codeClosed game.Code = "CLOSED"

// closed reports whether the API's doors are closed: its stage variable doors, which template.yaml sets to the
// parameter Doors, is "closed". Each event has the variable, so that a change affects the next request, even in running
// processes.
func closed(ev events.APIGatewayV2HTTPRequest) bool { return ev.StageVariables["doors"] == "closed" }

// turnAway is the answer of closed doors: a 503 that asks clients to come back in 10 to 20 seconds, not all at once.
func turnAway() Response {
	return Response{
		Status: http.StatusServiceUnavailable,
		Body:   errorBody{Error: codeClosed, Message: "The game is closed for maintenance. Please come back soon."},
		Header: map[string]string{"Retry-After": strconv.Itoa(10 + rand.IntN(11))},
	}
}
