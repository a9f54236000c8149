package blackbox

import (
	"fmt"
	"testing"
)

var prizes = map[string][3]int{"rookie": {100, 60, 30}, "pro": {400, 200, 100}, "elite": {1500, 750, 300}}

// TestClaim has four players in a show with prizes, so that the last one's rank has none, and in one without. Each has
// a second animal that is not ranked, and whose entry is claimed with the other.
func TestClaim(t *testing.T) {
	t.Parallel()
	players, gold, rows := map[any]*player{}, map[any]int64{}, map[any]int{}
	for _, p := range newPlayers(t, 4) {
		players[p.id], gold[p.id], rows[p.id] = p, 500, 1
		p.change(t, p.millie, "--drop-phenotype")
	}
	for _, tier := range []string{"pro", unique()} {
		show := newShow(t, scene{tier: tier, gates: 3})
		for _, p := range players {
			p.entered(t, show.id, p.millie, p.buck)
		}
		reader(t).judge(t, show.id).object(t, 200)
		for i, entry := range entries(t, show.id)[:4] {
			p, rank, prize := players[entry["playerId"]], i+1, 0
			if rank <= 3 {
				prize = prizes[tier][i]
			}
			message := matcher{"a text without digits", func(v any) bool { s, ok := v.(string); return ok && !matching("", `\d`).ok(v) && s != "" }}
			if prize > 0 {
				message = containing(fmt.Sprint(prize), fmt.Sprint(rank))
			}
			t.Run(fmt.Sprintf("%s, rank %d", tier, rank), func(t *testing.T) {
				p.claim(t, show.id).is(t, 200, prizeClaimed(rank, prize, message))
				p.claim(t, show.id).refuses(t, 400, "ALREADY_CLAIMED", "")
				gold[p.id] += int64(prize)
				p.has(t, gold[p.id])
				claimed := 0
				for _, e := range entries(t, show.id) {
					if e["playerId"] == p.id && e["rewardClaimed"] == true {
						claimed++
					}
				}
				if claimed != 2 {
					t.Errorf("%d entries are claimed", claimed)
				}
				if prize > 0 {
					rows[p.id]++
				}
				ledger := p.ledger(t)
				if len(ledger) != rows[p.id] {
					t.Fatalf("%d rows", len(ledger))
				}
				if prize == 0 {
					return
				}
				want := object{
					"id": anyID, "user_id": p.id, "seq": rows[p.id], "amount": prize, "currency": "gold", "category": "reward", "balance_after": gold[p.id],
					"description": fmt.Sprintf("%s - Rank %d", show.name, rank), "ref_id": show.id, "created_at": anyTime,
				}
				matches(t, "row", want, ledger[len(ledger)-1])
			})
		}
	}
}

func TestClaim_nothingToClaim(t *testing.T) {
	t.Parallel()
	p, absent := newPlayer(t), newPlayer(t)
	show := newShow(t, scene{tier: "rookie"})
	p.entered(t, show.id, p.buck)
	p.claim(t, show.id).refuses(t, 404, "NOT_FOUND", "") // not completed yet
	absent.judge(t, show.id).object(t, 200)
	absent.claim(t, show.id).refuses(t, 404, "NOT_FOUND", "")
	p.claim(t, newID()).refuses(t, 404, "NOT_FOUND", "")
	if got := entries(t, show.id); got[0]["rewardClaimed"] != false {
		t.Errorf("%v", got)
	}
	absent.has(t, 500)
}
