package explore

import (
	"strings"
	"testing"
)

// An attempt that arrives late, when what stood in its way has been taken back, does not do what was refused.
func TestLateAttempts(t *testing.T) {
	places := newPlaces(t)
	for _, c := range lateTriples {
		r := places.do(job{Case: c, Seed: 1, Random: 400})
		if r.Shortest != nil {
			t.Errorf("%d of %d: %s\n%s%s", r.Violations, r.Histories, r.Shortest.History, r.Shortest.Story, strings.Join(r.Shortest.Problems, "\n"))
		}
		if r.Faults[Late] < 20 {
			t.Errorf("%s: an attempt was late in %d of %d histories alone", c, r.Faults[Late], r.Histories)
		}
	}
}
