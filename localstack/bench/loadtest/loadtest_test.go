package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ranch-game/ranch/localstack/bench/loadtest/report"
	"github.com/ranch-game/ranch/localstack/kit/build"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
	"github.com/ranch-game/ranch/shared/client"
)

// programs is where the functions are built, once: a `make run` of the developer's goes on undisturbed.
var programs string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		var err error
		if programs, err = os.MkdirTemp("", "ranch-crowd-test-"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(programs)
		return m.Run()
	}())
}

var built = sync.OnceValue(func() error {
	template, err := samtemplate.LoadRoot()
	if err != nil {
		return err
	}
	folder := filepath.Join(programs, ".build", "functions")
	return build.Make(context.Background(), template.Root, os.Stderr, os.Environ(), "functions", "FUNCTIONS_DIR="+folder)
})

func newBench(t *testing.T) *bench {
	t.Helper()
	template, err := samtemplate.LoadRoot()
	if err := errors.Join(err, built()); err != nil {
		t.Fatal(err)
	}
	template.Root = programs
	return &bench{template: template, tell: t.Logf}
}

// TestScenes plays the smallest of scenes through the real programs: what becomes of calls, never how long they take.
func TestScenes(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	t.Run("arrivals", func(t *testing.T) {
		t.Parallel()
		a, err := b.arrive(t.Context(), 4, 40, 2)
		if err != nil || a.answers.count(entered) != 20 || a.wrong != 0 || a.attempts < 1 || a.written < 2 {
			t.Errorf("%+v, %v: %s", a, err, a.answers)
		}
	})
	t.Run("judges beside readers", func(t *testing.T) {
		t.Parallel()
		j, err := b.judgeAmong(t.Context(), 1, 60, 2, 1)
		if err != nil || j.judges.String() != "1 × 200, 1 × 404" || !j.whole || j.readers.count(http.StatusOK) < 1 {
			t.Fatalf("%+v, %v", j, err)
		}
		if j.judging.Read < float64(j.entries) || j.reading.Read < 1 {
			t.Errorf("%d entries: the judges took %+v, the readers %+v", j.entries, j.judging, j.reading)
		}
	})
	t.Run("behind a seal", func(t *testing.T) {
		t.Parallel()
		found, err := b.behindASeal(t.Context(), 1, 60, 5)
		if err != nil || !strings.HasPrefix(found.goals[0].measured, "1 × 200 after") || !strings.Contains(found.goals[0].measured, "5 × ") {
			t.Errorf("%+v, %v", found, err)
		}
	})
	t.Run("many entries through one gate", func(t *testing.T) {
		t.Parallel()
		found, err := twentyThousandEntries(t.Context(), b, 100)
		if err != nil || !found.goals[0].reached {
			t.Errorf("%+v, %v", found, err)
		}
	})
	t.Run("after a death", func(t *testing.T) {
		t.Parallel()
		waiting, reading, judging, err := b.afterADeath(t.Context(), 1, 60, time.Hour)
		if err != nil || waiting.count(entered) != deathEntrants || reading.count(http.StatusOK) != 1 || judging.count(http.StatusOK) != 1 {
			t.Errorf("%s, %s, %s, %v", waiting, reading, judging, err)
		}
	})
}

// TestFairIsClosed: what is interrupted leaves nothing behind that answers.
func TestFairIsClosed(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ctx, cancel := context.WithCancel(t.Context())
	f, err := b.fair(ctx, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := f.crowded(ctx, 10, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("laid out: %v", err)
	}
	f.close()
	for _, url := range []string{f.stack.API, f.engine.Endpoint()} {
		if answer, err := http.Get(url); err == nil {
			answer.Body.Close()
			t.Errorf("%s answers %s", url, answer.Status)
		}
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

// In an open loop, calls that take long keep no other one from its time.
func TestOpenLoop(t *testing.T) {
	t.Parallel()
	const calls = 50
	var under, most atomic.Int64
	all := make(chan struct{})
	got, err := openLoop(t.Context(), calls, 5_000, func(context.Context, int) (answer, error) {
		if n := under.Add(1); n == calls {
			close(all)
		}
		<-all // until everybody is there
		most.Store(max(most.Load(), under.Load()))
		return answer{Answer: client.Answer{Status: 200}}, nil
	})
	if err != nil || got.count(200) != calls || len(got.late) != calls || most.Load() != calls {
		t.Errorf("%s, %d at once, %v", got, most.Load(), err)
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
		{"million", "2.5", "[million] 2.5"},
		{"million,arrivals", "1", "[million arrivals] 1"},
		{"everything", "", `SCENE=everything: there is no "everything"; there are judge-beside-readers, `},
		{"", "0.5", "SCALE=0.5 is no number from 1 to 100"},
		{"", "NaN", "SCALE=NaN is no number"},
		{"", "101", "SCALE=101 is no number"},
	} {
		s, err := parseSettings(func(name string) string { return map[string]string{"SCENE": c.scene, "SCALE": c.scale}[name] })
		var names []string
		for _, scene := range s.scenes {
			names = append(names, scene.name)
		}
		if got := fmt.Sprint(names, " ", number(s.scale)); err == nil && got != c.want {
			t.Errorf("%+v: got %s", c, got)
		} else if err != nil && !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%+v: got %v", c, err)
		}
	}
}

// A scene writes its goals and its table into its place, and nothing else.
func TestPlaces(t *testing.T) {
	t.Parallel()
	shown := report.Table{Header: []string{"What", "#How much"}}
	shown.Add("a", 2.5)
	r := result{scene{name: "one"}, findings{[]goal{{"many", "few", "some $1", false}}, map[string]report.Table{"one": shown}}, 1}
	const page = "Before\n<!-- one: make it -->\nold\n<!-- end -->\nbetween\n<!-- two: make it -->\n<!-- end -->\n"
	want := strings.Replace(page, "old\n", "| Goal | Wanted | Measured | Reached |\n|---|---|---|---|\n| many | few | some $1 | **no** |\n\n"+
		"| What | How much |\n|---|---:|\n| a | 2.5 |\n", 1)
	for range 2 {
		got, err := report.Replace(page, "one", r.places()["one"])
		if err == nil {
			got, err = report.Replace(got, "one", r.places()["one"])
		}
		if err != nil || got != want {
			t.Errorf("%v\n%s", err, got)
		}
	}
	for _, wrong := range []string{"", "<!-- one: x -->\n", page + page} {
		if got, err := report.Replace(wrong, "one", "x"); err == nil {
			t.Errorf("%q became %q", wrong, got)
		}
	}
}

// The page has a place for every scene, and what it says on paper is what docs/costs.md makes of it.
func TestThePage(t *testing.T) {
	t.Parallel()
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	page := read("scale.md")
	for _, s := range scenes {
		if !strings.Contains(page, "SCENE="+s.name+" -->") {
			t.Errorf("docs/scale.md has no place for %s", s.name)
		}
	}
	found, err := reckon(read("costs.md"), t.Logf)
	if err != nil {
		t.Fatal(err)
	}
	for place, text := range (result{findings: found}).places() {
		if again, err := report.Replace(page, place, text); err != nil || again != page {
			t.Errorf("docs/scale.md does not have the %s of docs/costs.md, %v: make bench-crowd SCENE=million", place, err)
		}
	}
	if got := thousands(1_234_567) + " " + thousands(999.4) + " " + thousands(45_000); got != "1,200,000 1,000 45,000" {
		t.Error(got)
	}
}
