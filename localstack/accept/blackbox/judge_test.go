package blackbox

import (
	"encoding/json"
	"testing"
)

// TestJudge has somebody judge who has no part in the show: the ranks go by the scores, and the answer and the show
// tell the same. What happens to animals and owners after the entry keeps nobody from a rank, but for the loss of the
// phenotype.
func TestJudge(t *testing.T) {
	t.Parallel()
	closed := newShow(t, scene{closesIn: "-1s"}) // the closing time is not checked
	open := newShow(t, scene{gates: 7})
	players := newPlayers(t, 2)
	for _, p := range players {
		p.entered(t, open.id, p.animals()...)
	}
	players[0].change(t, players[0].buck, "--dead")
	players[0].change(t, players[0].millie, "--drop-phenotype")
	players[1].ban(t)
	judge := reader(t)
	answer := judge.judge(t, open.id)
	answer.is(t, 200, showJudged(5, anyList))
	got, top := entries(t, open.id), answer.object(t, 200)["topThree"].(list)
	if len(got) != 6 || len(top) != 3 {
		t.Fatalf("%d entries: %s", len(got), answer)
	}
	best := 100.0
	for i, entry := range got[:5] {
		score, ok := entry["score"].(json.Number)
		f, err := score.Float64()
		if !ok || err != nil || f > best || entry["rank"] != integer(i+1) {
			t.Errorf("place %d: %v", i+1, entry)
		}
		best = f
		if i < 3 {
			winner := object{"rank": i + 1, "playerId": entry["playerId"], "animalId": entry["animalId"], "score": entry["score"]}
			matches(t, "winner", winner, top[i])
		}
	}
	if last := got[5]; last["animalId"] != players[0].millie || last["rank"] != nil || last["score"] != nil {
		t.Errorf("%v", last)
	}
	detail := detail(t, open.id)
	isNow(t, "judgedAt", detail["judgedAt"])
	if detail["status"] != "completed" {
		t.Errorf("%v", detail["status"])
	}
	judge.judge(t, closed.id).is(t, 200, showJudged(0, list{}))
	for _, id := range []string{open.id, newID(), "no-id"} {
		judge.judge(t, id).refuses(t, 404, "NOT_FOUND", "Show not open")
	}
}
