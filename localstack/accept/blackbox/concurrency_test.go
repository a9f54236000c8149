package blackbox

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ranch-game/ranch/localstack/kit/racetest"
)

// A crowd enters one show through one gate, and everybody gets in; then everybody claims. Each asks twice, and gets it
// once. What stops every race, package store holds.
func TestConcurrency_crowd(t *testing.T) {
	t.Parallel()
	players := newPlayers(t, 12)
	show := newShow(t, scene{fee: 7, tier: "elite"})
	var entering, claiming []request
	for _, p := range players {
		for _, animal := range p.animals() {
			entering = append(entering, p.entering(show.id, animal))
		}
		claiming = append(claiming, p.claiming(show.id))
	}
	outcome(t, together(t, append(entering, entering...)...), map[int]int{201: 36, 409: 36})
	reader(t).judge(t, show.id).is(t, 200, showJudged(36))
	outcome(t, together(t, append(claiming, claiming...)...), map[int]int{200: 12, 400: 12})
	gold := map[any]int64{}
	for i, entry := range entries(t, show.id) {
		if _, known := gold[entry["playerId"]]; !known && i < 3 {
			gold[entry["playerId"]] = int64(prizes["elite"][i])
		}
		if entry["rank"] != integer(i+1) || entry["rewardClaimed"] != true {
			t.Errorf("place %d: %v", i+1, entry)
		}
	}
	for _, p := range players {
		p.has(t, 500-3*7+gold[p.id])
	}
}

// An entry that is accepted while the judging runs is ranked; any other is refused and costs nothing. Of two judges one
// judges. The moment between an entry's reading and its writing is short, hence the many rounds.
func TestConcurrency_entriesAndJudge(t *testing.T) {
	t.Parallel()
	players := newPlayers(t, 8)
	paid := map[string]int64{}
	for round := range 40 {
		show := newShow(t, scene{fee: 1, gates: []int{1, 1, 5, 40}[round%4]})
		var requests []request
		for i, p := range players {
			if i == 1+round%6 {
				requests = append(requests, repeated(2, reader(t).judging(show.id))...)
			}
			requests = append(requests, p.entering(show.id, p.animals()[round%3]))
		}
		accepted, judged := map[any]bool{}, map[int]int{}
		for _, answer := range together(t, requests...) {
			switch animal, isEntry := answer.request.body.(object); {
			case !isEntry:
				judged[answer.status]++
			case answer.status == 201:
				accepted[animal["animalId"]] = true
				paid[answer.token]++
			default:
				answer.refuses(t, 404, "NOT_FOUND", "Show not found or entry closed")
			}
		}
		if judged[200] != 1 || judged[404] != 1 {
			t.Fatalf("round %d: the judges got %v", round, judged)
		}
		got := entries(t, show.id)
		for i, entry := range got {
			if entry["rank"] != integer(i+1) || !accepted[entry["animalId"]] {
				t.Errorf("round %d, place %d: %v, accepted: %t", round, i+1, entry, accepted[entry["animalId"]])
			}
		}
		if len(got) != len(accepted) {
			t.Errorf("round %d: %d entries were accepted, %d are there", round, len(accepted), len(got))
		}
	}
	for _, p := range players {
		p.has(t, 500-paid[p.token])
	}
}

// No answer shows part of a judging: readers see all of it or nothing, in the list, in the detail and in their score.
func TestConcurrency_readersOfAJudging(t *testing.T) {
	t.Parallel()
	p := newPlayer(t)
	for _, gates := range []int{1, 32} {
		show := newShow(t, scene{gates: gates})
		p.entered(t, show.id, p.animals()...)
		score := season(t, p).object(t, 200)["mySeasonScore"]
		n, err := score.(json.Number).Int64()
		if err != nil {
			t.Fatal(err)
		}
		after := integer(n + 190)
		detail := request{method: "GET", path: "/events/shows/" + show.id, token: p.token}
		requests := append(repeated(15, detail), p.judging(show.id), p.claiming(show.id))
		requests = append(requests, repeated(15, request{method: "GET", path: "/events/season", token: p.token})...)
		requests = append(requests, repeated(15, request{method: "GET", path: "/events/shows?status=&tier=" + show.tier, token: p.token})...)
		requests = append(requests, repeated(15, detail)...)
		for _, answer := range together(t, requests...) {
			switch answer.operation().ID {
			case "getShow":
				o := answer.object(t, 200)
				ranked := 0
				for _, entry := range o["entries"].(list) {
					if e := entry.(object); e["rank"] != nil && e["score"] != nil {
						ranked++
					}
				}
				if completed := o["status"] == "completed"; completed != (ranked == 3) || !completed && ranked != 0 || completed != (o["judgedAt"] != nil) {
					t.Errorf("%s: part of a judging", answer)
				}
			case "getSeason":
				if got := answer.object(t, 200)["mySeasonScore"]; got != score && got != after {
					t.Errorf("the score is %v, neither %v nor %v", got, score, after)
				}
			case "listShows":
				for _, o := range answer.list(t) {
					if o["entryCount"] != integer(3) || (o["status"] == "completed") != (o["judgedAt"] != nil) {
						t.Errorf("%s: %v", answer, o)
					}
				}
			case "claimReward":
				if answer.status != 200 {
					answer.refuses(t, 404, "NOT_FOUND", "")
				}
			}
		}
		if got := season(t, p).object(t, 200)["mySeasonScore"]; got != after {
			t.Errorf("once judged, the score is %v, not %v", got, after)
		}
	}
}

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
func repeated(n int, r request) []request { return slices.Repeat([]request{r}, n) }

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
