package explore

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/ranch-game/ranch/localstack/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// The same choices lead to the same history, whatever else the machine does.
func TestASeedIsAHistory(t *testing.T) {
	p := newPlace(t, "fair")
	for seed := range uint64(36) {
		c := parseCase(triples[int(seed)%len(triples)])
		if c.Fixture != "fair" {
			continue
		}
		if seed%3 > 0 {
			c.Strike = Strike{faultsOfWrites[int(seed)%len(faultsOfWrites)], int(seed) % 3, int(seed) % 5}
		}
		first, _ := p.play(c, NewRandom(seed))
		for _, again := range []Chooser{NewRandom(seed), NewReplay(first.Choices)} {
			second, _ := p.play(c, again)
			if a, b := trace(t, first), trace(t, second); a != b {
				t.Fatalf("%s, seed %d:\n%s\nand then\n%s", c, seed, a, b)
			}
		}
	}
}

// trace is all that there is to tell of a history.
func trace(t *testing.T, o Outcome) string {
	t.Helper()
	var text strings.Builder
	for _, step := range o.Steps {
		fmt.Fprintf(&text, "%s %+v\n", step.ID, step.touched)
	}
	calls, err := json.Marshal(o.Calls)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(text.String(), o.Story(), string(calls), o.Choices)
}

func TestPairs(t *testing.T) {
	places := map[string]*place{}
	only := os.Getenv("PAIRS")
	for _, c := range pairs() {
		if only != "" && !strings.Contains(","+only+",", ","+strings.Join(c.Calls, "+")+",") {
			continue
		}
		p := places[c.Fixture]
		if p == nil {
			p = newPlace(t, c.Fixture)
			places[c.Fixture] = p
		}
		start := time.Now()
		f := p.explore(c, 3000, false)
		if len(f.problems) > 0 {
			t.Errorf("%s/%s\n%s%s", c, f.outcome.Choices, f.outcome.Story(), f.problems)
		}
		t.Log(c, f.histories, f.pruned, time.Since(start), f.attempts)
		if os.Getenv("FAULTS") == "1" {
			n, bad := 0, 0
			for _, c := range struck(c, f.attempts) {
				f := p.explore(c, 1000, false)
				if len(f.problems) > 0 {
					t.Errorf("%s/%s\n%s%s", c, f.outcome.Choices, f.outcome.Story(), f.problems)
					bad++
				}
				n += f.histories
			}
			t.Log(c, "faults", n, bad, time.Since(start))
		}
	}
}
