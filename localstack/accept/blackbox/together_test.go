package blackbox

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ranch-game/ranch/localstack/kit/racetest"
)

// together sends all requests at once, and returns the answers in the order of the requests.
func together(t testing.TB, requests ...request) []reply {
	t.Helper()
	answers := make([]reply, len(requests))
	racetest.AtOnce(len(requests), func(i int) { answers[i] = try(t.Context(), requests[i]) })
	for _, answer := range answers {
		answer.sound(t)
	}
	return answers
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
	got := map[int]int{}
	for _, answer := range answers {
		got[answer.status]++
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("statuses (-want +got):\n%s", diff)
	}
}
