package linearizability_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ranch-game/ranch/localstack/verify/linearizability"
)

// Calls at once, on the real store and an engine: there is an order that explains them. One of them may be cut off.
func TestAnOrderIsFoundOfCallsAtOnce(t *testing.T) {
	t.Parallel()
	for seed := range uint64(2) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			p := newPlay(t, 100+seed)
			p.world = p.read(t)
			for round := range 12 {
				calls := make([]linearizability.Call, 4)
				for i := range calls {
					calls[i].Op = p.draw()
				}
				var clock atomic.Int64
				var group sync.WaitGroup
				for i := range calls {
					group.Go(func() {
						c := &calls[i]
						c.Called = clock.Add(1)
						c.Answer, c.Err = linearizability.Ask(t.Context(), p.scene.Rival, c.Op)
						c.Returned = clock.Add(1)
					})
				}
				group.Wait()
				if round%3 == 0 { // the first one has no answer
					calls[0].Answer, calls[0].Returned = nil, linearizability.Never
				}
				after := p.read(t)
				if err := linearizability.Explain(p.world, calls, after); err != nil {
					t.Fatalf("round %d: %v", round, err)
				}
				p.world = after
			}
		})
	}
}
