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

// A function without a route is nobody's to call over HTTP. Whoever has the gateway can have it run by its name, with
// an event of their own; so can whoever has it run functions elsewhere.
func TestInvoke(t *testing.T) {
	for name, elsewhere := range map[string]bool{"here": false, "elsewhere": true} {
		s := serveOne(t, func(cfg *Config, f *FunctionConfig) {
			f.LogicalID, f.Method, f.Path = "Daily", "", ""
			if elsewhere {
				cfg.Invoke = func(_ context.Context, logicalID string, event []byte) ([]byte, error) {
					return append([]byte(logicalID+" "), event...), nil
				}
			}
		})
		s.do("", "").want(t, 404, notFound)
		s.send("GET", "/", "").want(t, 404, notFound)
		output, err := s.Invoke(t.Context(), "Daily", []byte(`{"body":"good"}`))
		if err != nil || len(output) == 0 || elsewhere && string(output) != `Daily {"body":"good"}` {
			t.Errorf("%s: %q, %v", name, output, err)
		}
		if _, err := s.Invoke(t.Context(), "Nobody", []byte("{}")); err == nil {
			t.Errorf("%s: nobody answers", name)
		}
	}
}
