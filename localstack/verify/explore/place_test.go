package explore

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/localstack/verify/linearizability"
	"github.com/ranch-game/ranch/shared/game"
)

// place is a fixture on a stage, and what is stored there.
type place struct {
	*fixture
	t       *testing.T
	stage   *Stage
	before  linearizability.World
	looks   map[string]look   // by what is stored: many histories lead to the same
	written map[[32]byte]look // by what was written
}

// look is what is stored after a history, and what is wrong with it by itself.
type look struct {
	rows     string
	world    linearizability.World
	problems []string
}

// mostLooks bounds what is kept of looks: each has some ten kilobytes.
const mostLooks = 5_000

// newPlace returns a place with a fixture. Its way to the engine is that through all of between.
func newPlace(t *testing.T, name string, between ...func(next http.RoundTripper) http.RoundTripper) *place {
	t.Helper()
	p := &place{fixture: fixtures[name](t), t: t, looks: map[string]look{}, written: map[[32]byte]look{}}
	engine := &http.Transport{}
	t.Cleanup(engine.CloseIdleConnections)
	var way http.RoundTripper = engine
	for _, b := range between {
		way = b(way)
	}
	p.stage = NewStage(way, storetest.Endpoint(), p.Name, func(do func()) { synctest.Test(t, func(*testing.T) { do() }) })
	t.Cleanup(p.stage.Close)
	before := p.look()
	if len(before.problems) > 0 {
		t.Fatal("before any call: ", before.problems)
	}
	p.before = before.world
	return p
}

// extent is all that the calls may have to do with.
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
	if known, is := p.written[p.stage.Stored()]; is {
		return known
	}
	if err := p.stage.Store(); err != nil {
		p.t.Fatal(err)
	}
	stored := fmt.Sprint(p.Rows(p.t))
	known, is := p.looks[stored]
	if !is {
		known.rows = stored
		err := context.DeadlineExceeded // which says that the machine is slow, and nothing of the table
		for tries := 0; tries < 5 && errors.Is(err, context.DeadlineExceeded); tries++ {
			known.world, err = linearizability.Read(p.t.Context(), p.Rival, p.extent())
		}
		if err != nil {
			known.problems = append(known.problems, err.Error())
		}
		for _, problem := range p.Problems(p.t) {
			known.problems = append(known.problems, problem.String())
		}
		p.looks[stored] = known
	}
	if len(p.written) >= mostLooks {
		clear(p.written)
		clear(p.looks)
	}
	p.written[p.stage.Stored()] = known
	return known
}

// play lets a history of the case take place, and says what is wrong with it.
func (p *place) play(c Case, chooser Chooser) (Outcome, []string) {
	p.t.Helper()
	out, after := p.take(c, chooser)
	if !out.Whole {
		return out, nil
	}
	return out, append(out.Problems(p.before, after.world), after.problems...)
}

// take lets a history of the case take place, and looks at what is stored then.
func (p *place) take(c Case, chooser Chooser) (out Outcome, after look) {
	p.t.Helper()
	calls := make([]Call, len(c.Calls))
	for i, name := range c.Calls {
		calls[i] = parts[name](p.fixture, i)
	}
	if out = p.stage.Play(calls, c.Strike, chooser); out.Whole {
		after = p.look()
	}
	if err := p.stage.Reset(p.t.Context()); err != nil {
		p.t.Fatal(err)
	}
	return out, after
}
