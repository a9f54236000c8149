package explore

import (
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

// places returns a function that returns the place with a case's fixture, and makes it when the test first needs it.
func places(t *testing.T) func(c Case) *place {
	made := map[string]*place{}
	return func(c Case) *place {
		t.Helper()
		if made[c.Fixture] == nil {
			made[c.Fixture] = newPlace(t, c.Fixture)
		}
		return made[c.Fixture]
	}
}

func newPlace(t *testing.T, name string) *place {
	t.Helper()
	engine := &http.Transport{}
	t.Cleanup(engine.CloseIdleConnections)
	p := &place{fixture: newFixture(t, name), t: t, table: newTable(engine), looks: map[string]look{}}
	t.Cleanup(func() { close(p.table.ask) })
	before := p.look()
	require.Empty(t, before.problems, "before any call")
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
func (p *place) serial(path []action) (end serial) {
	for n, a := range path {
		strike := Strike{}
		if a.cut > 0 {
			strike = Strike{Gone, 0, a.cut}
		}
		out := p.run([]Call{parts[a.call].on(p.fixture, a.place)}, strike, NewReplay(""), byte(2+n))
		end.last, end.struck = out.Endings[0], out.Struck
	}
	end.records = p.look().records
	require.NoError(p.t, p.table.front.Undo(p.t.Context()))
	return end
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
