package explore

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
)

// place is a fixture, its table, on which one history runs at a time, and the judge of its histories.
type place struct {
	*fixture
	t     *testing.T
	table *table
	judge *Judge
	looks map[string]look // by their rows, because many histories end with the same rows
}

// look has the records after a history, for the judge, and the broken invariants.
type look struct {
	records  string
	problems []string
}

// mostLooks is the largest number of looks in memory. A look has about 20 KB with its rows.
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
	p.judge = NewJudge(before.records, p.serial)
	return p
}

func (p *place) look() look {
	p.t.Helper()
	rows := p.Rows(p.t)
	stored := fmt.Sprint(rows)
	known, is := p.looks[stored]
	if !is {
		known.records = recordsOf(rows)
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

// serial plays actions one after the other, and restores the table. Each action draws other ids.
func (p *place) serial(path []action) (last Ending, struck bool, records string) {
	for n, a := range path {
		strike := Strike{}
		if a.cut > 0 {
			strike = Strike{Gone, 0, a.cut}
		}
		out := p.run([]Call{parts[a.call].on(p.fixture, a.place)}, strike, NewReplay(""), byte(2+n))
		last, struck = out.Endings[0], out.Struck
	}
	records = p.look().records
	require.NoError(p.t, p.table.front.Undo(p.t.Context()))
	return last, struck, records
}

// run runs the calls on the table as it is.
func (p *place) run(calls []Call, strike Strike, chooser Chooser, ids byte) Outcome {
	bubble := func(do func()) { synctest.Test(p.t, func(*testing.T) { do() }) }
	return play(p.table, bubble, storetest.Endpoint(), p.Name, calls, strike, chooser, ids)
}

// play runs a history of the case, and returns its flaws. It returns no flaws for an abandoned history.
func (p *place) play(c Case, chooser Chooser) (Outcome, []string) {
	p.t.Helper()
	out, after := p.take(c, chooser)
	if !out.Whole {
		return out, nil
	}
	problems := out.Failures()
	if !out.Unfinished() {
		problems = append(problems, after.problems...)
	}
	return out, append(problems, p.judge.Flaws(c.Calls, out.Calls, out.Endings, after.records)...)
}

// take runs a history of the case, reads the stored rows unless the history is abandoned, and restores the table.
func (p *place) take(c Case, chooser Chooser) (out Outcome, after look) {
	p.t.Helper()
	calls := make([]Call, len(c.Calls))
	for i, name := range c.Calls {
		calls[i] = parts[name].on(p.fixture, i)
	}
	if out = p.run(calls, c.Strike, chooser, 0); out.Whole {
		after = p.look()
	}
	require.NoError(p.t, p.table.front.Undo(p.t.Context()))
	return out, after
}

// explore tries at most most histories of a case. The limit also counts histories that are abandoned or in which the
// fault does not strike. The end of ctx interrupts explore.
func (p *place) explore(ctx context.Context, c Case, most int) (r Result) {
	p.t.Helper()
	search := &Search{strike: c.Strike}
	for tried, again := 0, true; again; tried, again = tried+1, search.Again() {
		if tried >= most || ctx.Err() != nil {
			r.Unfinished = []string{c.String()}
			break
		}
		out, problems := p.play(c, search)
		r.add(c, out, problems)
	}
	return r
}
