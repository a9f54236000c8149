// Package racetest makes races for tests.
package racetest

import "sync"

// AtOnce calls do(0) to do(n-1) concurrently, and returns when all calls have returned.
func AtOnce(n int, do func(i int)) {
	start := make(chan struct{})
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() {
			<-start
			do(i)
		})
	}
	close(start)
	group.Wait()
}
