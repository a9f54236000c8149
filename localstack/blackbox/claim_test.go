package blackbox

import (
	"fmt"
	"testing"
)

var prizes = map[string][3]int{"rookie": {100, 60, 30}, "pro": {400, 200, 100}, "elite": {1500, 750, 300}}

// TestClaim has four players in a show of each tier, so that every cell of the prize table is paid once, and what is
// not in it pays nothing.
func TestClaim(t *testing.T) {
	t.Parallel()
	players, gold, rows := map[any]*player{}, map[any]int64{}, map[any]int{}
	for _, p := range newPlayers(t, 4) {
		players[p.id], gold[p.id], rows[p.id] = p, 500, 1
	}
	for _, tier := range []string{"rookie", "pro", "elite", "Rookie", unique()} {
		show := newShow(t, scene{tier: tier})
		for _, p := range players {
			p.entered(t, show.id, p.buck)
		}
		reader(t).judge(t, show.id).object(t, 200)
		for i, entry := range entries(t, show.id) {
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
	absent.claim(t, show.id).refuses(t, 404, "NOT_FOUND", "")
	absent.judge(t, show.id).object(t, 200)
	absent.claim(t, show.id).refuses(t, 404, "NOT_FOUND", "")
	p.claim(t, newID()).refuses(t, 404, "NOT_FOUND", "") // ids that are no UUIDs: TestShowDetail_unknown
	if got := entries(t, show.id); got[0]["rewardClaimed"] != false {
		t.Errorf("%v", got)
	}
	p.claim(t, show.id).object(t, 200)
	absent.claim(t, show.id).refuses(t, 404, "NOT_FOUND", "")
	absent.has(t, 500)
	p.has(t, 600)
}

// Of several entries the best-ranked one counts, and all of them are claimed.
func TestClaim_severalEntries(t *testing.T) {
	t.Parallel()
	for _, gates := range []int{1, 16} {
		p, rival := newPlayer(t), newPlayer(t)
		show := newShow(t, scene{tier: "elite", gates: gates})
		p.entered(t, show.id, p.animals()...)
		rival.entered(t, show.id, rival.animals()...)
		p.change(t, p.buck, "--condition", "0")
		p.change(t, p.millie, "--drop-phenotype")
		reader(t).judge(t, show.id).object(t, 200)
		best := map[any]int{}
		for i, entry := range entries(t, show.id) {
			if _, known := best[entry["playerId"]]; !known {
				best[entry["playerId"]] = i + 1
			}
		}
		for _, who := range []*player{rival, p} {
			rank, prize := best[who.id], 0
			if rank <= 3 {
				prize = prizes["elite"][rank-1]
			}
			who.claim(t, show.id).is(t, 200, prizeClaimed(rank, prize, anyText))
			who.has(t, 500+int64(prize))
			for _, entry := range entries(t, show.id) {
				if want := entry["playerId"] == who.id || who == p; entry["rewardClaimed"] != want {
					t.Errorf("after %s's claim: %v", who.username, entry)
				}
			}
			who.claim(t, show.id).refuses(t, 400, "ALREADY_CLAIMED", "")
			who.has(t, 500+int64(prize))
		}
	}
}

// An entry that was not ranked is claimed like any other, and pays nothing.
func TestClaim_unranked(t *testing.T) {
	t.Parallel()
	p := newPlayer(t)
	show := newShow(t, scene{tier: "elite"})
	p.change(t, p.buck, "--drop-phenotype")
	p.entered(t, show.id, p.buck)
	p.judge(t, show.id).object(t, 200)
	p.claim(t, show.id).is(t, 200, prizeClaimed(nil, 0, anyText))
	p.claim(t, show.id).refuses(t, 400, "ALREADY_CLAIMED", "")
	p.has(t, 500)
	if got := entries(t, show.id); got[0]["rewardClaimed"] != true || len(p.ledger(t)) != 1 {
		t.Errorf("%v", got)
	}
}
