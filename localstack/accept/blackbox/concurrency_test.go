package blackbox

import (
	"encoding/json"
	"testing"
)

func TestConcurrency_entriesOfOneAnimal(t *testing.T) {
	t.Parallel()
	for _, fee := range []int{0, 10} {
		p := newPlayer(t)
		show := newShow(t, scene{fee: fee, gates: 1 + fee})
		answers := together(t, repeated(40, p.entering(show.id, p.buck))...)
		outcome(t, answers, map[int]int{201: 1, 409: 39})
		p.has(t, 500-int64(fee))
		if got := entryCount(t, show.tier); got != integer(1) || len(entries(t, show.id)) != 1 {
			t.Errorf("the count is %v", got)
		}
	}
}

// A balance that affords five entries is spent five times, whatever is tried at once.
func TestConcurrency_entriesOfOneBalance(t *testing.T) {
	t.Parallel()
	p := newPlayer(t)
	var requests []request
	var shows []exhibit
	for i := range 5 {
		show := newShow(t, scene{fee: 100, gates: 1 + i})
		shows = append(shows, show)
		for _, animal := range p.animals() {
			requests = append(requests, p.entering(show.id, animal))
		}
	}
	answers := together(t, requests...)
	outcome(t, answers, map[int]int{201: 5, 400: 10})
	p.has(t, 0)
	if rows := p.ledger(t); len(rows) != 6 {
		t.Errorf("%d rows", len(rows))
	}
	accepted := 0
	for _, show := range shows {
		accepted += len(entries(t, show.id))
	}
	if accepted != 5 {
		t.Errorf("%d entries", accepted)
	}
}

func TestConcurrency_claimsOfOnePrize(t *testing.T) {
	t.Parallel()
	for tier, prize := range map[string]int64{"pro": 400, unique(): 0} {
		p := newPlayer(t)
		show := newShow(t, scene{tier: tier})
		p.entered(t, show.id, p.animals()...)
		p.judge(t, show.id).object(t, 200)
		answers := together(t, repeated(30, p.claiming(show.id))...)
		outcome(t, answers, map[int]int{200: 1, 400: 29})
		for _, answer := range answers {
			if answer.status == 400 {
				answer.refuses(t, 400, "ALREADY_CLAIMED", "")
			}
		}
		p.has(t, 500+prize)
	}
}

// A crowd enters one show through one gate, and everybody gets in; then everybody claims.
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
	outcome(t, together(t, entering...), map[int]int{201: 36})
	reader(t).judge(t, show.id).is(t, 200, showJudged(36, anyList))
	outcome(t, together(t, claiming...), map[int]int{200: 12})
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

// An entry that is accepted while the judging runs is ranked; any other is refused and costs nothing. The moment
// between an entry's reading and its writing is short, hence the many rounds.
func TestConcurrency_entriesAndJudge(t *testing.T) {
	t.Parallel()
	players := newPlayers(t, 8)
	paid := map[string]int64{}
	for round := range 40 {
		show := newShow(t, scene{fee: 1, gates: []int{1, 1, 5, 40}[round%4]})
		var requests []request
		for i, p := range players {
			if i == 1+round%6 {
				requests = append(requests, reader(t).judging(show.id))
			}
			requests = append(requests, p.entering(show.id, p.animals()[round%3]))
		}
		accepted, judged := map[any]bool{}, 0
		for _, answer := range together(t, requests...) {
			switch animal, isEntry := answer.request.body.(object); {
			case !isEntry:
				judged = answer.status
			case answer.status == 201:
				accepted[animal["animalId"]] = true
				paid[answer.token]++
			default:
				answer.refuses(t, 404, "NOT_FOUND", "Show not found or entry closed")
			}
		}
		if judged != 200 {
			t.Fatalf("round %d: the judge got %d", round, judged)
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

func TestConcurrency_judges(t *testing.T) {
	t.Parallel()
	p, rival := newPlayer(t), newPlayer(t)
	for _, gates := range []int{1, 9} {
		show := newShow(t, scene{gates: gates})
		p.entered(t, show.id, p.animals()...)
		requests := append(repeated(6, p.judging(show.id)), repeated(6, rival.judging(show.id))...)
		answers := together(t, requests...)
		outcome(t, answers, map[int]int{200: 1, 404: 11})
		for _, answer := range answers {
			if answer.status == 404 {
				answer.refuses(t, 404, "NOT_FOUND", "Show not open")
			}
		}
		for i, entry := range entries(t, show.id) {
			if entry["rank"] != integer(i+1) {
				t.Errorf("place %d: %v", i+1, entry)
			}
		}
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

// Whoever is banned meanwhile keeps what was accepted before, and nothing is accepted after.
func TestConcurrency_ban(t *testing.T) {
	t.Parallel()
	p := newPlayer(t)
	var requests []request
	var shows []exhibit
	for range 8 {
		show := newShow(t, scene{fee: 3})
		shows = append(shows, show)
		for _, animal := range p.animals() {
			requests = append(requests, p.entering(show.id, animal))
		}
	}
	banned := make(chan error, 1)
	go func() { banned <- ranchctl(new(object), "user", "ban", p.id) }()
	answers := together(t, requests...)
	if err := <-banned; err != nil {
		t.Fatal(err)
	}
	accepted := 0
	for _, answer := range answers {
		if answer.status == 201 {
			accepted++
		} else {
			answer.unauthorized(t, true)
		}
	}
	for _, request := range requests {
		send(t, request).unauthorized(t, true)
	}
	found := 0
	for _, show := range shows {
		found += len(entries(t, show.id))
	}
	if found != accepted {
		t.Errorf("%d entries were accepted, %d are there", accepted, found)
	}
	p.has(t, 500-3*int64(accepted))
}

// One player spends and earns at the same time: the ledger is in order, and the balance is what it must be.
func TestConcurrency_onePlayersGold(t *testing.T) {
	t.Parallel()
	p := newPlayer(t)
	var requests []request
	for range 6 {
		won, open := newShow(t, scene{tier: "pro", fee: 2}), newShow(t, scene{fee: 11})
		p.entered(t, won.id, p.buck)
		p.judge(t, won.id).object(t, 200)
		requests = append(requests, repeated(2, p.claiming(won.id))...)
		requests = append(requests, p.entering(open.id, p.millie), p.entering(open.id, p.bessie))
	}
	outcome(t, together(t, requests...), map[int]int{200: 6, 201: 12, 400: 6})
	p.has(t, 500-6*2+6*400-12*11)
	if rows := p.ledger(t); len(rows) != 1+6+6+12 {
		t.Errorf("%d rows", len(rows))
	}
}
