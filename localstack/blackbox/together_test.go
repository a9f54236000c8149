package blackbox

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// together sends all requests at once, and returns the answers in the order of the requests.
func together(t testing.TB, requests ...request) []reply {
	t.Helper()
	answers := make([]reply, len(requests))
	start, done := make(chan struct{}), make(chan struct{})
	for i, r := range requests {
		go func() {
			<-start
			answers[i] = try(t.Context(), r)
			done <- struct{}{}
		}()
	}
	close(start)
	for range requests {
		<-done
	}
	for _, answer := range answers {
		if answer.err != nil {
			t.Fatal(answer)
		}
		if answer.status >= 500 {
			t.Errorf("%s: a server error", answer)
		}
	}
	return answers
}

// statuses counts the answers by status.
func statuses(answers []reply) map[int]int {
	counts := map[int]int{}
	for _, answer := range answers {
		counts[answer.status]++
	}
	return counts
}

// repeated is n times the same request.
func repeated(n int, r request) []request {
	all := make([]request, n)
	for i := range all {
		all[i] = r
	}
	return all
}

// outcome checks how many answers have which status.
func outcome(t testing.TB, answers []reply, want map[int]int) {
	t.Helper()
	if diff := cmp.Diff(want, statuses(answers)); diff != "" {
		t.Errorf("statuses (-want +got):\n%s", diff)
	}
}
