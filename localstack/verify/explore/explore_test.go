package explore

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/ranch-game/ranch/localstack/kit/batch"
	"github.com/ranch-game/ranch/localstack/kit/storetest"
)

// TestMain is also what make explore runs.
func TestMain(m *testing.M) {
	if os.Getenv("EXPLORE") != "" && os.Getenv(jobVariable) == "" {
		batch.Main("explore", "the figures are of what was explored before", func(ctx context.Context) error { return coordinate(ctx, os.Getenv) })
		os.Exit(0)
	}
	storetest.Main(m)
}

// The same choices lead to the same history, whatever else the machine does, and whether the engine is asked or has
// been asked before.
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
		first, after := p.take(c, NewRandom(seed))
		for n, again := range []Chooser{NewRandom(seed), NewReplay(first.Choices)} {
			if n == 1 {
				clear(p.table.memory.known)
				clear(p.written)
			}
			second, then := p.take(c, again)
			if a, b := trace(t, first)+after.rows, trace(t, second)+then.rows; a != b {
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

// What make explore does, in short: all histories of some pairs. A process that make explore has started does what it
// is told instead.
func TestExplore(t *testing.T) {
	if job := os.Getenv(jobVariable); job != "" {
		obey(t, job)
		return
	}
	places := newPlaces(t)
	for _, c := range []string{
		"fair/register+register.email", "fair/login+refresh", "fair/list+judge", "fair/show+judge", "fair/judge+season", "fair/judge+claim.open",
		"fair/enter+enter", "poor/enter+enter.other", "fair/enter+ban", "fair/enter+animal", "fair/claim+ban", "fair/cancel+refund.open",
	} {
		c := parseCase(c)
		r := places.of(c).explore(t.Context(), c, mostHistories, false)
		if r.Shortest != nil {
			t.Error(r.Shortest)
		}
		if r.Unfinished || r.Histories == 0 {
			t.Errorf("%s: %d histories were tried, and not all", c, r.Histories)
		}
	}
}

// replay plays a history again, and fails where something is wrong with it; where it is another one by now, since the
// calls send other requests; and where its story does not have what it is to show.
func replay(t *testing.T, history string, shows ...string) {
	t.Helper()
	r, story, astray := newPlaces(t).replay(history)
	switch {
	case r.Shortest != nil:
		t.Error(r.Shortest)
	case astray:
		t.Errorf("%s goes another way, and is the test of nothing:\n%s", history, story)
	case r.Histories == 0:
		t.Errorf("%s: the fault has no turn\n%s", history, story)
	}
	for _, line := range shows {
		if !strings.Contains(story, line) {
			t.Errorf("%s does not show that %s:\n%s", history, line, story)
		}
	}
}

// Entries that a cancellation has counted become visible while their fees are being given back.
func TestRefundsWaitForEntries(t *testing.T) {
	replay(t, "fair/enter+cancel+refund.open/-/000000002100000010010010000000000",
		"an operator refunds the open show: reads entry; does not see yet what is new of entry")
}

// An operator's time is over while the change becomes visible: it is done once all of it is.
func TestAChangeIsDoneOnceItIsVisible(t *testing.T) {
	replay(t, "fair/list.open+set.later/overdue@1.3/11112010010")
}

// While a change has not been answered, one item of it may be seen and another not, also by a call that begins after
// somebody was told of the first. These are the histories in which that shows, and is nobody's fault: the address is
// seen after the username, and the gold after the gate.
func TestSeenInPart(t *testing.T) {
	for history, shows := range map[string]string{
		"fair/register+register.name+login.cid/-/0010000":  "Cid logs in: reads address; does not see yet what is new of address",
		"fair/enter+list+cancel+login/-/11000001000001210": "Ann logs in: reads user; does not see yet what is new of user",
		"fair/register+refresh+enter+list/-/0311000010":    "Ann refreshes: reads refresh record, user; does not see yet what is new of user",
	} {
		replay(t, history, shows)
	}
}
