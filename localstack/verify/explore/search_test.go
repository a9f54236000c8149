package explore

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// everything is a Search without reductions. It never learns the effects of steps, so it tries every order.
type everything struct{ *Search }

// Did implements Chooser.
func (everything) Did(Step) {}

// TestReductionsLoseNothing checks that Search finds the same answers and records as a search that tries every order.
func TestReductionsLoseNothing(t *testing.T) {
	placeOf := places(t)
	for _, text := range []string{
		"fair/list+enter/-/", "fair/season+judge/-/", "fair/refresh+ban/-/", "fair/show.judged+claim/-/", "fair/enter+ban/gone@0.1/",
		"fair/refresh+ban/lost@1.1/", "fair/set+list/late@0.1/", "fair/refresh+ban/split@0.0/",
	} {
		c, _, err := ParseHistory(text)
		require.NoError(t, err)
		p := placeOf(c)
		all, histories := p.outcomes(c, func(s *Search) Chooser { return everything{s} })
		reduced, fewer := p.outcomes(c, func(s *Search) Chooser { return s })
		if !slices.Equal(all, reduced) {
			t.Errorf("%s: of the %d outcomes of %d histories, %d have %d:\n%s", c, len(all), histories, fewer, len(reduced), cmp.Diff(all, reduced))
		}
		assert.True(t, fewer < histories && len(all) >= 2, "%s: %d histories of %d, %d outcomes", c, fewer, histories, len(all))
	}
}

// outcomes returns the different answers and records of all histories of the case, and the number of the histories.
func (p *place) outcomes(c Case, by func(*Search) Chooser) (outcomes []string, histories int) {
	p.t.Helper()
	found := map[string]bool{}
	search := &Search{strike: c.Strike}
	for again := true; again; again = search.Again() {
		if out, after := p.take(c, by(search)); out.Whole {
			histories++
			text := after.records + "\n"
			for _, e := range out.Endings {
				text += e.text() + "; "
			}
			found[text] = true
		}
	}
	return slices.Sorted(maps.Keys(found)), histories
}
