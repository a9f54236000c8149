package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ranch-game/ranch/infra/logcheck"
	"github.com/ranch-game/ranch/localstack/dynamo"
	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/localstack/run/stack"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

func TestMain(m *testing.M) {
	ctx := context.Background()
	template, err := samtemplate.LoadRoot()
	if err == nil {
		err = stack.Prepare(ctx, template, os.Stderr)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(storetest.Run(m))
}

// stressed plays so many calls on the real functions, and returns what was found and counted.
func stressed(t *testing.T, calls, window int, alter func(http.RoundTripper) http.RoundTripper) ([]violation, *figures) {
	t.Helper()
	template, err := samtemplate.LoadRoot()
	if err != nil {
		t.Fatal(err)
	}
	options, err := dynamo.Parse(standardFaults)
	if err != nil {
		t.Fatal(err)
	}
	f := newFigures()
	found, err := playRound(t.Context(), roundConfig{
		seed: 1, number: 1, calls: calls, window: window, folder: t.TempDir(), figures: f,
		stage: stageConfig{template: template, faults: options, alter: alter},
	})
	if err != nil {
		t.Fatal(err)
	}
	return found, f
}

// The service as it is holds. How long that takes does not matter, nor what becomes of the single calls.
func TestStress(t *testing.T) {
	found, f := stressed(t, 400, 200, nil)
	for _, v := range found {
		t.Error(v)
	}
	for _, counted := range [][2]string{
		{"functions", "requests"}, {"enter-show", "201"}, {"get-me", "200"}, {"effects", "held"}, {"killed", "engines"}, {"all", "rounds"},
	} {
		if f.of(counted[0], counted[1]) == 0 {
			t.Errorf("nothing is counted of %v", counted)
		}
	}
	if f.of("all", "calls") < 400 || f.of("all", "checks") != 2 {
		t.Errorf("%+v", f.Counts)
	}
}

// A guard that is taken away on the way to the engine is missed within a bounded number of calls: that of accounts, by
// which the rows of one ledger follow each other.
func TestAGuardIsMissed(t *testing.T) {
	item := func(pk, sk string) bool { return strings.HasPrefix(pk, "USER#") && sk == "PROFILE" }
	found, f := stressed(t, 3000, 150, func(next http.RoundTripper) http.RoundTripper {
		return storetest.Weakened{RoundTripper: next, Weaker: storetest.Always(item)}
	})
	if len(found) == 0 {
		t.Fatalf("nothing was found in %d calls", f.of("all", "calls"))
	}
	t.Logf("found after %d calls: %s", f.of("all", "calls"), found[0].text)
	if !slices.ContainsFunc(found, func(v violation) bool { return len(v.story) > 0 }) {
		t.Errorf("no violation has a story: %+v", found)
	}
	for _, name := range []string{"calls.jsonl", "functions.jsonl"} {
		if text, err := os.ReadFile(filepath.Join(found[0].folder, name)); err != nil || len(text) == 0 {
			t.Errorf("%s has %d bytes, %v", name, len(text), err)
		}
	}
}

// The same seed plans the same, and another one something else.
func TestAPlanFollowsFromItsSeed(t *testing.T) {
	drawn := func(seed uint64, round int) (all []string) {
		p := newPlan(seed, round, 2000)
		for !p.over() {
			players, shows := p.wanted()
			for _, one := range players {
				all = append(all, "player "+string(one.id))
			}
			for _, o := range append(shows, p.next()...) {
				line := fmt.Sprintf("%d %s %d %d %s %s", o.n, o.kind, o.animal, o.draw, o.name, o.email)
				if o.player != nil {
					line += " by " + string(o.player.id)
				}
				if o.show != nil {
					line += " in " + string(o.show.id)
				}
				all = append(all, line)
			}
		}
		return all
	}
	first := drawn(1, 1)
	if again := drawn(1, 1); !slices.Equal(first, again) {
		t.Error("the same seed plans something else")
	}
	for _, other := range [][]string{drawn(2, 1), drawn(1, 2)} {
		if slices.Equal(first, other) {
			t.Error("another seed or round plans the same")
		}
	}
	text := strings.Join(first, "\n")
	for _, kind := range []logcheck.Kind{
		logcheck.Cancel, logcheck.JudgeShow, logcheck.SetShow, logcheck.AdjustGold, logcheck.ChangeAnimal, logcheck.CreateShow, logcheck.JudgeDue,
		getMe, killFunction, killEngine,
	} {
		if !strings.Contains(text, " "+string(kind)+" ") {
			t.Errorf("the plan never has: %s", kind)
		}
	}
}

func TestRefusalOf(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"error":"NOT_FOUND","message":"Show not open"}`: "NOT_FOUND: Show not open",
		`{"error":"NOT_FOUND"}`:                           "NOT_FOUND",
		`{"message":"Internal Server Error"}`:             "", // of the gateway: no function has answered
		"<html>":                                          "",
	} {
		if got := refusalOf([]byte(body)); got != want {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	from := func(variables map[string]string) (settings, error) {
		return parseSettings(func(name string) string { return variables[name] })
	}
	if s, err := from(nil); err != nil || s.calls != 10_000 || s.seed != 1 || s.faults.Chance[dynamo.Late] == 0 {
		t.Errorf("%+v, %v", s, err)
	}
	s, err := from(map[string]string{"OPS": "7", "SEED": "8", "FAULTS": "all=0"})
	if err != nil || s.calls != 7 || s.seed != 8 || s.faults.Chance[dynamo.Late] != 0 || s.command != "make stress OPS=7 SEED=8 FAULTS=all=0" || s.besides != " FAULTS=all=0" {
		t.Errorf("%+v, %v", s, err)
	}
	if s, err := from(map[string]string{"OPS": "20000", "ROUND": "3"}); err != nil || s.calls != roundCalls {
		t.Errorf("one round is asked for %d calls, %v", s.calls, err)
	}
	_, err = from(map[string]string{"OPS": "0", "SEED": "x", "FAULTS": "rain=1%"})
	for _, wrong := range []string{"OPS=0", "SEED=x", "rain"} {
		if err == nil || !strings.Contains(err.Error(), wrong) {
			t.Errorf("the error is %v, without %s", err, wrong)
		}
	}
}
