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
	if _, err := f.crowded(ctx, 10); !errors.Is(err, context.Canceled) {
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

// At its own scale a scene writes its table; at any scale it has rows among the goals, which replace those of the same
// command.
func TestResultOnThePage(t *testing.T) {
	t.Parallel()
	empty := "Text.\n<!-- goals: make bench-crowd -->\n<!-- end -->\n<!-- arrivals: x -->\n<!-- end -->\n"
	table := report.Table{Header: []string{"A"}, Rows: [][]string{{"first"}}}
	r := result{scenes[3], findings{goals: []goal{{"many", "few", "some", true}}, tables: map[string]report.Table{"arrivals": table}}, scenes[3].scale}
	page, err := r.on(empty)
	if err != nil {
		t.Fatal(err)
	}
	own := "| many | few | some | yes | 4 | `make bench-crowd SCENE=arrivals` | " + r.tests + " |\n"
	if !strings.HasPrefix(page, "Text.\n") || !strings.Contains(page, own) || !strings.Contains(page, "| first |") {
		t.Errorf("got\n%s", page)
	}
	full := r
	full.scaled, full.goals, full.tables = 1, []goal{{"many", "few", "more", false}}, map[string]report.Table{"arrivals": {Header: []string{"B"}}}
	if page, err = full.on(page); err != nil {
		t.Fatal(err)
	}
	other := "| many | few | more | **no** | 1 | `make bench-crowd SCENE=arrivals SCALE=1` | " + r.tests + " |\n"
	if !strings.Contains(page, own+other) || !strings.Contains(page, "| first |") {
		t.Errorf("got\n%s", page)
	}
	r.goals[0].measured = "others"
	if page, err = r.on(page); err != nil || strings.Contains(page, own) || strings.Count(page, "| others |") != 1 || !strings.Contains(page, other) {
		t.Errorf("%v\n%s", err, page)
	}
	for i, s := range scenes {
		r := result{scene: s, scaled: s.scale}
		if got := orderOf(r.command()); got != i {
			t.Errorf("%s is at %d, want %d", r.command(), got, i)
		}
		r.scaled = 77
		if got := orderOf(r.command()); got != i {
			t.Errorf("%s is at %d, want %d", r.command(), got, i)
		}
	}
}

// The page has every scene's places, and what it says on paper is what docs/costs.md makes of it.
func TestThePage(t *testing.T) {
	t.Parallel()
	docs := filepath.Join("..", "..", "..", "docs")
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(docs, name))
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
	for name, table := range found.tables {
		if got, err := report.Find(page, name); err != nil || got != table.Markdown() {
			t.Errorf("docs/scale.md does not have the %s of docs/costs.md, %v: make bench-crowd SCENE=million", name, err)
		}
	}
	for name, chart := range found.charts {
		if read(filepath.Join("scale", name+".svg")) != string(chart.SVG()) {
			t.Errorf("docs/scale/%s.svg is not the one of docs/costs.md: make bench-crowd SCENE=million", name)
		}
	}
	if got := thousands(1_234_567) + " " + thousands(999.4) + " " + thousands(45_000); got != "1,200,000 1,000 45,000" {
		t.Error(got)
	}
}
