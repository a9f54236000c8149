package main

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// What a run must bring about is what the contract has: the statuses of success, and all codes. What needs more than
// questions is not among it: failures, and API Gateway's own answers.
func TestWanted(t *testing.T) {
	t.Parallel()
	template, err := samtemplate.LoadRoot()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(template.Root, "docs", "openapi.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	type response struct {
		Ref     string `yaml:"$ref"`
		Content map[string]struct {
			Examples map[string]struct {
				Value any
			}
		}
	}
	var contract struct {
		Paths      map[string]map[string]yaml.Node
		Components struct{ Responses map[string]response }
	}
	if err := yaml.Unmarshal(text, &contract); err != nil {
		t.Fatal(err)
	}
	got := map[string][]string{}
	for _, f := range template.Functions {
		if f.Path == "" {
			continue
		}
		var operation struct{ Responses map[string]response }
		node := contract.Paths[f.Path][strings.ToLower(f.Method)]
		if err := node.Decode(&operation); err != nil {
			t.Fatal(err)
		}
		answers := map[string]bool{}
		for status, r := range operation.Responses {
			if r.Ref != "" {
				r = contract.Components.Responses[strings.TrimPrefix(r.Ref, "#/components/responses/")]
			}
			if status < "300" {
				answers[status] = true
			} else if status < "500" {
				for _, x := range r.Content["application/json"].Examples {
					if code, ok := x.Value.(map[string]any)["error"].(string); ok {
						answers[code] = true
					}
				}
			}
		}
		got[f.LogicalID] = slices.Sorted(maps.Keys(answers))
	}
	want := map[string][]string{}
	for function, answers := range wanted {
		want[function] = slices.Sorted(slices.Values(answers))
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("wanted is not what the contract has (-contract +wanted):\n%s", diff)
	}
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	a := newAnswers()
	for function, all := range wanted {
		for _, answer := range all {
			if strings.Trim(answer, "0123456789") == "" {
				a.read(function, `{"level":"INFO","status":`+answer+`}`)
			} else {
				a.read(function, `{"level":"INFO","status":400,"code":"`+answer+`"}`)
			}
		}
	}
	a.read("GetShow", `{"level":"INFO","message":"started"}`)
	a.read("GetShow", `{"level":"INFO","status":200}`)
	if err := a.check(); err != nil {
		t.Errorf("all answers, and still: %v", err)
	}
	var out bytes.Buffer
	a.print(&out)
	if want := "  GetShow      200 2, NOT_FOUND 1, UNAUTHORIZED 1\n"; !strings.Contains(out.String(), want) {
		t.Errorf("%s has no %q", &out, want)
	}

	delete(a.counts["EnterShow"], "INVALID")
	a.read("Login", `{"level":"ERROR","status":500,"error":"gone"}`)
	a.read("Refresh", "panic: no record")
	err := a.check()
	for _, want := range []string{"EnterShow answer INVALID", `Login: {"level":"ERROR"`, "Refresh: panic"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, and not %q", err, want)
		}
	}
}
