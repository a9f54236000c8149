package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/aws/aws-lambda-go/events"
)

// What runs the functions elsewhere gets the event, and its answer is the client's.
func TestInvokeInstead(t *testing.T) {
	invoke := func(_ context.Context, logicalID string, event []byte) ([]byte, error) {
		var request events.APIGatewayV2HTTPRequest
		if err := json.Unmarshal(event, &request); err != nil {
			return nil, err
		}
		if request.Body == "fail" {
			return nil, errors.New("the function has failed")
		}
		return json.Marshal(events.APIGatewayV2HTTPResponse{StatusCode: 201, Body: logicalID + " " + request.RouteKey + " " + request.Body})
	}
	s := serveOne(t, func(cfg *Config, f *FunctionConfig) { cfg.Invoke, f.Binary = invoke, "" })
	s.do("", "a body").want(t, 201, "Do POST /do a body")
	s.do("", "fail").want(t, 500, internalError)
	s.send("GET", "/do", "").want(t, 404, notFound)
}

// A function for another processor runs as the last word of the emulator's command.
func TestEmulator(t *testing.T) {
	emulator := filepath.Join(t.TempDir(), "emulator")
	if err := os.WriteFile(emulator, []byte("#!/bin/sh\nEMULATED=yes exec \"$@\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	s := serveOne(t, func(cfg *Config, _ *FunctionConfig) { cfg.Emulator = emulator })
	if environment := s.do("instance", "").instance(t).Environment; !slices.Contains(environment, "EMULATED=yes") {
		t.Errorf("the environment is %q", environment)
	}
}
