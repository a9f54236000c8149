package explore

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
)

// job is what a worker is to do: all histories of a case, a history, or so many random ones, of a case or of any.
type job struct {
	Case   string `json:",omitempty"` // with choices: the one history
	Seed   uint64 `json:",omitempty"`
	Random int    `json:",omitempty"`
	Most   int    `json:",omitempty"` // histories of the case
	Faults bool   `json:",omitempty"` // of the random ones, half have a fault
}

// mostHistories bounds what is tried of a case, unless make explore says otherwise.
const mostHistories = 20_000

// places are those of one test, made when they are needed.
type places struct {
	t  *testing.T
	at map[string]*place
}

func newPlaces(t *testing.T) places { return places{t, map[string]*place{}} }

func (p places) of(c Case) *place {
	if p.at[c.Fixture] == nil {
		p.at[c.Fixture] = newPlace(p.t, c.Fixture)
	}
	return p.at[c.Fixture]
}

// replay plays a history again, and fails where something is wrong with it; where it is another one by now, since the
// calls send other requests; and where its story does not have what it is to show.
func replay(t *testing.T, history string, shows ...string) {
	t.Helper()
	r, story := newPlaces(t).replay(history)
	switch {
	case r.Shortest != nil:
		t.Errorf("%s\n%s%s", history, story, strings.Join(r.Shortest.Problems, "\n"))
	case r.Astray != "":
		t.Errorf("%s goes another way, %s, and is the test of nothing:\n%s", history, r.Astray, story)
	case r.Histories == 0:
		t.Errorf("%s: the fault has no turn\n%s", history, story)
	}
	for _, line := range shows {
		if !strings.Contains(story, line) {
			t.Errorf("%s does not show that %s:\n%s", history, line, story)
		}
	}
}

func (p places) replay(history string) (r Result, story string) {
	p.t.Helper()
	c, choices, err := ParseHistory(history)
	if err != nil {
		p.t.Fatal(err)
	}
	r = Result{Case: c.String(), Faults: map[Fault]int{}}
	out, problems := p.of(c).play(c, NewReplay(choices))
	r.add(c, out, problems)
	if out.Choices != choices {
		r.Astray = out.Choices
	}
	return r, out.Story()
}

// do does a job, until it is interrupted.
func (p places) do(ctx context.Context, j job) Result {
	p.t.Helper()
	if j.Case == "" {
		return p.random(ctx, j, func(seed uint64) Case { return anyCase(seed, j.Faults) })
	}
	c, choices, err := ParseHistory(j.Case)
	switch {
	case err != nil:
		p.t.Fatal(err)
	case choices != "":
		r, _ := p.replay(j.Case)
		return r
	case j.Random > 0:
		return p.random(ctx, j, func(uint64) Case { return c })
	}
	return p.of(c).explore(ctx, c, j.Most, false)
}

// random plays so many random histories.
func (p places) random(ctx context.Context, j job, of func(seed uint64) Case) Result {
	r := Result{Case: j.Case, Faults: map[Fault]int{}}
	for n := range uint64(j.Random) {
		if r.Interrupted = ctx.Err() != nil; r.Interrupted {
			break
		}
		c := of(j.Seed + n)
		out, problems := p.of(c).play(c, NewRandom(j.Seed+n))
		r.add(c, out, problems)
	}
	return r
}

// anyCase is a case of two to four calls that a seed chooses, of those that are there.
func anyCase(seed uint64, faults bool) Case {
	rng := rand.New(rand.NewPCG(seed, 1))
	c := Case{Fixture: []string{"fair", "fair", "poor", "banned"}[rng.IntN(4)]}
	for range 2 + rng.IntN(mostCalls-1) {
		c.Calls = append(c.Calls, callNames[rng.IntN(len(callNames))])
	}
	if faults && rng.IntN(2) == 0 {
		c.Strike = Strike{faultsOfWrites[rng.IntN(len(faultsOfWrites))], rng.IntN(len(c.Calls)), rng.IntN(6)}
	}
	return c
}

// work does the jobs that the coordinator sends, one after the other, until there are no more. A signal interrupts the
// one that is under way, of which it says what it has found out.
func work(t *testing.T, jobs io.Reader, results io.Writer) {
	ctx, stop := signal.NotifyContext(t.Context(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	places, in, out := newPlaces(t), json.NewDecoder(jobs), json.NewEncoder(results)
	for {
		var j job
		if err := in.Decode(&j); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
		if err := out.Encode(places.do(ctx, j)); err != nil {
			t.Fatal(err)
		}
	}
}

// resultsFile is what a worker writes its results to, beside what tests print.
func resultsFile() *os.File { return os.NewFile(3, "results") }
