package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ranch-game/ranch/localstack/kit/build"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
	"github.com/ranch-game/ranch/shared/client"
	"github.com/ranch-game/ranch/shared/store"
)

// TestScenes plays the smallest scenes through the real programs. It checks the outcomes of calls, never their times.
// The programs have a folder of their own, so that the developer's `make run` is not disturbed.
func TestScenes(t *testing.T) {
	t.Parallel()
	template, err := samtemplate.LoadRoot()
	if err != nil {
		t.Fatal(err)
	}
	programs := t.TempDir()
	if err := build.Make(t.Context(), template.Root, os.Stderr, os.Environ(), "functions", "FUNCTIONS_DIR="+filepath.Join(programs, ".build", "functions")); err != nil {
		t.Fatal(err)
	}
	template.Root = programs
	b := &bench{template: template, tell: t.Logf}
	for name, play := range map[string]func(t *testing.T){
		"arrivals": func(t *testing.T) {
			a, err := b.arrive(t.Context(), 4, 40, 2)
			if err != nil || a.answers.count(entered) != 20 || a.wrong != 0 || a.attempts < 1 || a.written < 2 {
				t.Errorf("%+v, %v: %s", a, err, a.answers)
			}
		},
		"judges beside readers": func(t *testing.T) {
			j, err := b.judgeAmong(t.Context(), 1, 60, store.DefaultGates, 2, 1)
			if err != nil || j.judges.String() != "1 × 200, 1 × 404" || !j.whole(60) || j.readers.count(http.StatusOK) < 1 || j.judging.Read < 60.0/12 || j.reading.Read < 1 {
				t.Errorf("%+v, %v", j, err)
			}
		},
		"views that the table throttles": func(t *testing.T) {
			v, err := b.view(t.Context(), 100, 10, 2)
			if err != nil || !v.served() || v.failed.count(http.StatusServiceUnavailable) == 0 || !v.undisturbed() {
				t.Errorf("%+v, %v", v, err)
			}
		},
		"behind a lease": func(t *testing.T) {
			found, err := b.behindALease(t.Context(), 20, 2_000, 5) // the fewest that take a lease
			if err != nil || !found.goals[0].reached {
				t.Errorf("%+v, %v", found, err)
			}
		},
		"a large judging": func(t *testing.T) {
			found, err := b.judgeLarge(t.Context(), 1, 1_000)
			if err != nil || !found.goals[1].reached {
				t.Errorf("%+v, %v", found, err)
			}
		},
		"the ceiling": func(t *testing.T) {
			found, err := ceiling(t.Context(), b, 1)
			if err != nil || !found.goals[0].reached || !found.goals[1].reached {
				t.Errorf("%+v, %v", found, err)
			}
		},
		"many entries through one gate": func(t *testing.T) {
			found, err := twentyThousandEntries(t.Context(), b, 100)
			if err != nil || !found.goals[0].reached {
				t.Errorf("%+v, %v", found, err)
			}
		},
		"a fair that is interrupted leaves nothing behind that answers": func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			f, err := b.fair(ctx, plan{scale: 1, processes: 1, gates: 1})
			if err != nil {
				t.Fatal(err)
			}
			cancel()
			if err := f.enterAll(ctx, 10); !errors.Is(err, context.Canceled) {
				t.Errorf("laid out: %v", err)
			}
			f.close()
			for _, url := range []string{f.stack.API, f.engine.Endpoint()} {
				if answer, err := http.Get(url); err == nil {
					answer.Body.Close()
					t.Errorf("%s answers %s", url, answer.Status)
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) { t.Parallel(); play(t) })
	}
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	a := &answers{}
	if a.within(0.99) != 0 || a.String() != "none" {
		t.Errorf("without any: %v, %s", a.within(0.99), a)
	}
	for i := range 200 {
		a.add(200+i%2, time.Duration(200-i)*time.Millisecond)
	}
	for share, want := range map[float64]int{0: 1, 0.5: 100, 0.99: 198, 0.991: 199, 1: 200} {
		if got := a.within(share); got != time.Duration(want)*time.Millisecond {
			t.Errorf("%v within %v, want %d ms", share, got, want)
		}
	}
	if a.String() != "100 × 200, 100 × 201" || a.count(201) != 100 || a.count(500) != 0 {
		t.Error(a)
	}
}

// In an open loop, slow calls do not delay others.
func TestOpenLoop(t *testing.T) {
	t.Parallel()
	const calls = 50
	var under atomic.Int64
	all := make(chan struct{})
	got, err := openLoop(t.Context(), calls, 5_000, func(context.Context, int) (answer, error) {
		if n := under.Add(1); n == calls {
			close(all)
		}
		<-all // until all have arrived
		return answer{Answer: client.Answer{Status: 200}}, nil
	})
	if err != nil || got.count(200) != calls || len(got.late) != calls {
		t.Errorf("%s, %v", got, err)
	}
	broken := errors.New("broken")
	if _, err := openLoop(t.Context(), calls, 5_000, func(context.Context, int) (answer, error) { return answer{}, broken }); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := openLoop(ctx, calls, 1, func(context.Context, int) (answer, error) { return answer{}, nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestParseSettings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ scene, scale, want string }{
		{"", "", fmt.Sprint(sceneNames(), " 0")},
		{"million,arrivals", "2", "[million arrivals] 2"},
		{"everything", "", `SCENE=everything: there is no "everything"; there are judge-beside-readers, `},
		{"", "101", "SCALE=101: it is at most 100"},
	} {
		s, err := parseSettings(func(name string) string { return map[string]string{"SCENE": c.scene, "SCALE": c.scale}[name] })
		var names []string
		for _, scene := range s.scenes {
			names = append(names, scene.name)
		}
		if got := fmt.Sprint(names, " ", s.scale); err == nil && got != c.want {
			t.Errorf("%+v: got %s", c, got)
		} else if err != nil && !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%+v: got %v", c, err)
		}
	}
}

// A scene's results are its goals and its table.
func TestMarkdown(t *testing.T) {
	t.Parallel()
	found := findings{[]goal{{"many", "few", "some", false}}, table{header: []string{"What", "#How much"}}}
	found.table.add("a", 2.5)
	want := "| Goal | Wanted | Measured | Reached |\n|---|---|---|---|\n| many | few | some | **no** |\n\n| What | How much |\n|---|---:|\n| a | 2.5 |\n"
	if got := found.markdown(); got != want {
		t.Error(got)
	}
}

// The page has a place for every scene, and its computed ceilings follow from docs/costs.md.
func TestThePage(t *testing.T) {
	t.Parallel()
	const root = "../../.."
	written := map[string]string{}
	for _, s := range scenes {
		text, err := s.block().Read(root)
		if err != nil {
			t.Error(err)
		}
		written[s.name] = text
	}
	text, err := os.ReadFile(root + "/docs/costs.md")
	if err != nil {
		t.Fatal(err)
	}
	costs := string(text)
	template, err := samtemplate.LoadRoot()
	if err != nil {
		t.Fatal(err)
	}
	found, err := reckon(costs, template)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := reckon(strings.ReplaceAll(costs, "| listAnimals |", "| beasts |"), template); err == nil || !strings.Contains(err.Error(), `"listAnimals"`) {
		t.Errorf("without a call: %v", err)
	}
	if written["million"] != found.markdown() {
		t.Error("docs/scale.md does not have the model of docs/costs.md: make bench-crowd SCENE=million")
	}
	if got := thousands(1_234_567) + " " + thousands(999.4) + " " + thousands(45_000); got != "1,200,000 1,000 45,000" {
		t.Error(got)
	}
}
