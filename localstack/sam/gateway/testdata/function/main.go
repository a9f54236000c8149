// Command function is a Lambda function for tests of the gateway: each event tells it what to do.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-lambda-go/lambdacontext"
)

// build distinguishes builds of this program; the linker sets it.
var build string

// instance is a process's data about itself and its invocation.
type instance struct {
	PID         int      `json:"pid"`
	Build       string   `json:"build"`
	Environment []string `json:"environment"`
	RequestID   string   `json:"requestId"`
	Trace       string   `json:"trace"`
	RemainingMS int64    `json:"remainingMs"`
}

func main() {
	switch command := os.Getenv("AT_START"); command {
	case "":
	case "exit":
		fmt.Println("a line before")
		fmt.Println("cannot read the configuration")
		os.Exit(7)
	case "hang":
		<-time.After(time.Hour)
	case "stubborn":
		signal.Ignore(syscall.SIGTERM)
	}
	lambda.Start(handle)
}

func handle(ctx context.Context, event json.RawMessage) (any, error) {
	var request events.APIGatewayV2HTTPRequest
	if err := json.Unmarshal(event, &request); err != nil {
		return nil, err
	}
	switch command := request.Headers["x-do"]; command {
	case "", "echo":
		return event, nil
	case "as-is":
		return json.RawMessage(request.Body), nil
	case "instance":
		return describe(ctx), nil
	case "print":
		fmt.Println(request.Body)
		fmt.Fprintln(os.Stderr, "to stderr")
		return "printed", nil
	case "wait": // until the test answers
		return describe(ctx), get(ctx, request.Body)
	case "large":
		var size int
		if err := json.Unmarshal([]byte(request.Body), &size); err != nil {
			return nil, err
		}
		return strings.Repeat("x", size-2), nil // as JSON it has two quotation marks
	case "error":
		return nil, errors.New("told to fail")
	case "exit":
		os.Exit(3)
	case "hang":
		<-time.After(time.Hour)
	default:
		return nil, fmt.Errorf("unknown command %q", command)
	}
	return nil, nil
}

func describe(ctx context.Context) instance {
	lc, _ := lambdacontext.FromContext(ctx)
	deadline, _ := ctx.Deadline()
	trace, _ := ctx.Value("x-amzn-trace-id").(string)
	return instance{
		PID:         os.Getpid(),
		Build:       build,
		Environment: os.Environ(),
		RequestID:   lc.AwsRequestID,
		Trace:       trace,
		RemainingMS: time.Until(deadline).Milliseconds(),
	}
}

func get(ctx context.Context, url string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	return response.Body.Close()
}
