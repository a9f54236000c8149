package explore

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/localstack/verify/linearizability"
	"github.com/ranch-game/ranch/shared/game"
)

// place is a fixture and its table, on which one history runs at a time.
type place struct {
	*fixture
	t      *testing.T
	table  *table
	before linearizability.World
	looks  map[string]look // by their rows, because many histories end with the same rows
}

// look has the stored rows after a history, and the flaws of the rows alone, such as broken invariants.
type look struct {
	rows     string
	world    linearizability.World
	problems []string
}

// mostLooks is the largest number of looks in memory. A look has about 10 KB.
const mostLooks = 5_000

// newPlace returns a place with the named fixture. between are transports to the engine, the nearest to the engine
// first.
func newPlace(t *testing.T, name string, between ...func(next http.RoundTripper) http.RoundTripper) *place {
	t.Helper()
	p := &place{fixture: fixtures[name](t), t: t, looks: map[string]look{}}
	engine := &http.Transport{}
	t.Cleanup(engine.CloseIdleConnections)
	var way http.RoundTripper = engine
	for _, b := range between {
		way = b(way)
	}
	p.table = newTable(way)
	t.Cleanup(p.table.close)
	before := p.look()
	require.True(t, len(before.problems) == 0, "before any call: %v", before.problems)
	p.before = before.world
	return p
}

// extent returns the ids of everything that the calls may touch.
func (p *place) extent() linearizability.Extent {
	e := linearizability.Extent{
		Users: []game.ID{p.Ann.ID, p.bob.ID, p.cid.ID}, Shows: []game.ID{p.open.ID, p.judged.ID, p.cancelled.ID}, Seasons: []game.ID{p.Season.ID},
		Digests: []string{p.Ann.Refresh.Digest, p.bob.Refresh.Digest, p.cid.Refresh.Digest},
	}
	for call := range mostCalls {
		e.Users = append(e.Users, rival(call))
		e.Digests = append(e.Digests, session("", call).Digest)
		e.Changes = append(e.Changes, change(call).ID)
	}
	return e
}

func (p *place) look() look {
	p.t.Helper()
	stored := fmt.Sprint(p.Rows(p.t))
	known, is := p.looks[stored]
	if !is {
		known.rows = stored
		err := context.DeadlineExceeded // means that the machine is slow, not that the table is wrong
		for tries := 0; tries < 5 && errors.Is(err, context.DeadlineExceeded); tries++ {
			known.world, err = linearizability.Read(p.t.Context(), p.Rival, p.extent())
		}
		if err != nil {
			known.problems = append(known.problems, err.Error())
		}
		for _, problem := range p.Problems(p.t) {
			known.problems = append(known.problems, problem.String())
		}
		if len(p.looks) >= mostLooks {
			clear(p.looks)
		}
		p.looks[stored] = known
	}
	return known
}

// play runs a history of the case, and returns its flaws. It returns no flaws for an abandoned history.
func (p *place) play(c Case, chooser Chooser) (Outcome, []string) {
	p.t.Helper()
	out, after := p.take(c, chooser)
	if !out.Whole {
		return out, nil
	}
	return out, append(out.Problems(p.before, after.world), after.problems...)
}

// take runs a history of the case, reads the stored rows unless the history is abandoned, and restores the table.
func (p *place) take(c Case, chooser Chooser) (out Outcome, after look) {
	p.t.Helper()
	calls := make([]Call, len(c.Calls))
	for i, name := range c.Calls {
		calls[i] = Call{parts[name].name, parts[name].op(p.fixture, i)}
	}
	bubble := func(do func()) { synctest.Test(p.t, func(*testing.T) { do() }) }
	if out = play(p.table, bubble, storetest.Endpoint(), p.Name, calls, c.Strike, chooser); out.Whole {
		after = p.look()
	}
	require.NoError(p.t, p.table.journal.Undo(p.t.Context()))
	return out, after
}

// explore tries at most most histories of a case, or fewer if untilFirst is true and a history has a flaw. The limit
// also counts histories that are abandoned or in which the fault does not strike. The end of ctx interrupts explore.
func (p *place) explore(ctx context.Context, c Case, most int, untilFirst bool) Result {
	p.t.Helper()
	r, search := Result{Case: c}, &Search{strike: c.Strike}
	for tried, again := 0, true; again; tried, again = tried+1, search.Again() {
		if tried >= most || untilFirst && r.Violations > 0 {
			r.Unfinished = true
			break
		}
		if r.Interrupted = ctx.Err() != nil; r.Interrupted {
			break
		}
		out, problems := p.play(c, search)
		r.add(c, out, problems)
	}
	return r
}
