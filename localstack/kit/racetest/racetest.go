// Package racetest makes races for tests.
package racetest

import "sync"

// AtOnce calls do(0) to do(n-1) at the same time, and returns when all of them have.
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
