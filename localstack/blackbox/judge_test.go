package blackbox

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// hundredths reads a decimal of at most two places.
func hundredths(t testing.TB, v any) int64 {
	t.Helper()
	n, ok := v.(json.Number)
	f, err := n.Float64()
	if !ok || err != nil {
		t.Fatalf("%v is no decimal", v)
	}
	return int64(math.Round(f * 100))
}

// score computes what docs/scoring.md says, from an animal as GET /animals shows it.
func score(t testing.TB, showID string, animal object) int64 {
	t.Helper()
	h := sha256.Sum256([]byte("ranch/score/1/weights/" + showID))
	a := int(h[8] % 8)
	favourites := []int{a, (a + 1 + int(h[9]%7)) % 8}
	var weights, weighted int64
	for i, name := range phenotypeNames {
		w := 1 + int64(h[i]%4)
		if slices.Contains(favourites, i) {
			w *= 4
		}
		weights += w
		weighted += w * hundredths(t, animal["phenotype"].(object)[name])
	}
	s := sha256.Sum256([]byte("ranch/score/1/spread/" + showID + "/" + animal["id"].(string)))
	spread := int64(binary.BigEndian.Uint64(s[:8])%601) - 300
	numerator, denominator := weighted*(70_000+3*hundredths(t, animal["condition"])), weights*100_000
	return min(max((2*numerator+denominator)/(2*denominator)+spread, 0), 10_000)
}

// TestJudge compares a judging with scores computed here: from the animals as they are when the show is judged.
func TestJudge(t *testing.T) {
	t.Parallel()
	for _, gates := range []int{1, 7} {
		t.Run(fmt.Sprintf("%d gates", gates), func(t *testing.T) {
			show := newShow(t, scene{gates: gates, closesIn: "-1s"}) // the closing time is not checked…
			open := newShow(t, scene{gates: gates})
			players := newPlayers(t, 4)
			for _, p := range players {
				p.entered(t, open.id, p.animals()...)
			}
			// …and what happens to animals and owners after the entry keeps nobody from a rank.
			players[0].change(t, players[0].buck, "--dead")
			players[1].change(t, players[1].buck, "--status", "pregnant")
			players[2].change(t, players[2].buck, "--stage", "calf", "--condition", "0")
			players[2].change(t, players[2].millie, "--condition", "99.99")
			players[3].ban(t)
			type ranked struct {
				score         int64
				animal, owner string
			}
			var want []ranked
			for _, p := range players {
				for _, animal := range herd(t, p.token) {
					want = append(want, ranked{score(t, open.id, animal), animal["id"].(string), p.id})
				}
			}
			judge := reader(t) // has no part in the show
			answer := judge.judge(t, open.id)
			answer.is(t, 200, showJudged(12, anyList))
			got := entries(t, open.id)
			if len(got) != len(want) {
				t.Fatalf("%d entries", len(got))
			}
			slices.SortStableFunc(want, func(a, b ranked) int { return cmp.Compare(b.score, a.score) })
			top := answer.object(t, 200)["topThree"].(list)
			if len(top) != 3 {
				t.Fatal(answer)
			}
			for i, w := range want {
				entry := got[i]
				if entry["rank"] != integer(i+1) || hundredths(t, entry["score"]) != w.score {
					t.Errorf("place %d: %v, want %+v", i+1, entry, w)
				}
				tied := i > 0 && want[i-1].score == w.score || i < len(want)-1 && want[i+1].score == w.score
				if !tied && (entry["animalId"] != w.animal || entry["playerId"] != w.owner) {
					t.Errorf("place %d: %v, want %+v", i+1, entry, w)
				}
				if i < 3 {
					winner := object{"rank": i + 1, "playerId": entry["playerId"], "animalId": entry["animalId"], "score": entry["score"]}
					matches(t, "winner", winner, top[i])
				}
			}
			detail := detail(t, open.id)
			isNow(t, "judgedAt", detail["judgedAt"])
			if detail["status"] != "completed" {
				t.Errorf("%v", detail["status"])
			}
			judge.judge(t, show.id).is(t, 200, showJudged(0, list{}))
		})
	}
}

func TestJudge_fewEntries(t *testing.T) {
	t.Parallel()
	p := newPlayer(t)
	for n := range 4 {
		show := newShow(t, scene{})
		p.entered(t, show.id, p.animals()[:n]...)
		top := list{}
		answer := p.judge(t, show.id)
		for i := range n {
			top = append(top, winner(i+1, p.id, anyID))
		}
		answer.is(t, 200, showJudged(n, top))
	}
	// Judging moves no gold.
	p.has(t, 500)
}

// Entries without a phenotype stay in the list, count for nothing, and do not stand in the way of the others.
func TestJudge_withoutPhenotype(t *testing.T) {
	t.Parallel()
	p := newPlayer(t)
	for n := 1; n <= 3; n++ {
		show := newShow(t, scene{})
		p.entered(t, show.id, p.animals()...)
		p.change(t, p.animals()[n-1], "--drop-phenotype")
		top := list{}
		for i := range 3 - n {
			top = append(top, winner(i+1, p.id, anyID))
		}
		p.judge(t, show.id).is(t, 200, showJudged(3-n, top))
		for i, entry := range entries(t, show.id) {
			if ranked := i < 3-n; (entry["rank"] != nil) != ranked || (entry["score"] != nil) != ranked {
				t.Errorf("place %d of %d: %v", i+1, 3-n, entry)
			}
		}
		if got := entryCount(t, show.tier); got != integer(3) {
			t.Errorf("the count is %v", got)
		}
	}
}

func TestJudge_notOpen(t *testing.T) {
	t.Parallel()
	p := newPlayer(t)
	show := newShow(t, scene{tier: "rookie", fee: 1})
	p.entered(t, show.id, p.buck)
	p.judge(t, show.id).object(t, 200)
	before := entries(t, show.id)
	// Ids that are no UUIDs: TestShowDetail_unknown.
	for _, id := range []string{show.id, strings.ToUpper(show.id), newID()} {
		p.judge(t, id).refuses(t, 404, "NOT_FOUND", "Show not open")
	}
	p.enter(t, show.id, p.millie).refuses(t, 404, "NOT_FOUND", "Show not found or entry closed")
	p.claim(t, show.id).object(t, 200)
	p.judge(t, show.id).refuses(t, 404, "NOT_FOUND", "Show not open")
	after := entries(t, show.id)
	if before[0]["rewardClaimed"] = true; len(differences("", before[0], after[0])) > 0 {
		t.Errorf("judged twice: %v, then %v", before, after)
	}
}

// Endpoints without a body ignore whatever is sent.
func TestJudge_ignoresBodies(t *testing.T) {
	t.Parallel()
	p := newPlayer(t)
	bodies := noObject()
	for _, name := range []string{"empty", "null", "broken", "deep", "too large", "not UTF-8", "raw NUL", "list"} {
		hostile.Add(2)
		show := newShow(t, scene{tier: "pro"})
		p.entered(t, show.id, p.buck)
		judging, claiming := p.judging(show.id), p.claiming(show.id)
		judging.body, claiming.body = bodies[name], bodies[name]
		if answer := send(t, judging); answer.status != 200 {
			t.Errorf("%s: %s", name, answer)
		}
		if answer := send(t, claiming); answer.status != 200 {
			t.Errorf("%s: %s", name, answer)
		}
	}
	show := newShow(t, scene{})
	p.entered(t, show.id, p.buck)
	judging := p.judging(show.id)
	judging.body = object{"topThree": list{}, "scores": object{p.buck: 100}, "winner": p.id}
	send(t, judging).is(t, 200, showJudged(1, list{winner(1, p.id, p.buck)}))
}
