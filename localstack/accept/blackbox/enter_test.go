package blackbox

import (
	"fmt"
	"strings"
	"testing"
)

func TestEnter(t *testing.T) {
	t.Parallel()
	p := newPlayer(t)
	show := newShow(t, scene{name: `Fair "of" <all> 😀`, fee: 120, tier: "rookie"})
	free := newShow(t, scene{})
	p.enter(t, show.id, p.buck).is(t, 201, entryMade("Buck entered in "+show.name+"!", 120))
	p.has(t, 380)
	p.enter(t, strings.ToUpper(show.id), strings.ToUpper(p.millie)). // ids of any case
										is(t, 201, entryMade("Millie entered in "+show.name+"!", 120))
	p.enter(t, free.id, p.buck).is(t, 201, entryMade("Buck entered in "+free.name+"!", 0))
	p.has(t, 260)

	rows := p.ledger(t)
	if len(rows) != 3 {
		t.Fatalf("%d rows: a free entry leaves none", len(rows))
	}
	for i, row := range rows[1:] {
		want := object{
			"id": anyID, "user_id": p.id, "seq": i + 2, "amount": -120, "currency": "gold", "category": "fee", "balance_after": 380 - 120*i,
			"description": "Show entry: " + show.name, "ref_id": show.id, "created_at": anyTime,
		}
		matches(t, "row", want, row)
		isNow(t, "created_at", row["created_at"])
	}
	got := entries(t, show.id)
	if len(got) != 2 || got[0]["animalId"] != p.buck || got[1]["animalId"] != p.millie || got[0]["id"] == got[1]["id"] {
		t.Errorf("%v", got)
	}
	for _, entry := range append(got, entries(t, free.id)...) {
		if entry["score"] != nil || entry["rank"] != nil || entry["rewardClaimed"] != false {
			t.Errorf("%v", entry)
		}
	}
}

func TestEnter_gold(t *testing.T) {
	t.Parallel()
	p := newPlayer(t)
	tooDear, all := newShow(t, scene{fee: 501}), newShow(t, scene{fee: 500})
	states := func(fee int) object {
		return object{"error": "INSUFFICIENT_GOLD", "message": containing(fmt.Sprint(fee))}
	}
	p.enter(t, tooDear.id, p.buck).is(t, 400, states(501))
	p.has(t, 500)
	p.enter(t, all.id, p.buck).object(t, 201) // the balance may be spent to the last piece
	p.enter(t, all.id, p.bessie).is(t, 400, states(500))
	p.entered(t, newShow(t, scene{}).id, p.bessie)
	p.has(t, 0)
	if got := entries(t, tooDear.id); len(got) != 0 {
		t.Errorf("%v", got)
	}
}

// Every other refusal once, in the order of the rules, and the entry when its reason is gone. Which of several comes
// first, package game says; what else makes a body invalid, package httpapi.
func TestEnter_refusals(t *testing.T) {
	t.Parallel()
	p, other := newPlayer(t), newPlayer(t)
	show, closed, completed := newShow(t, scene{fee: 1}), newShow(t, scene{closesIn: "-1s"}), newShow(t, scene{})
	p.judge(t, completed.id).object(t, 200)
	for _, body := range []any{nil, "{", object{"animalId": nil}, object{"animalId": "buck"}} {
		hostile.Add(1)
		post(t, p.token, "/events/shows/"+show.id+"/enter", body).refuses(t, 400, "VALIDATION_ERROR", "")
	}
	for _, id := range []string{"no-id", newID(), completed.id, closed.id} {
		p.enter(t, id, p.buck).refuses(t, 404, "NOT_FOUND", "Show not found or entry closed")
	}
	for _, animal := range []string{newID(), other.buck} {
		p.enter(t, show.id, animal).refuses(t, 404, "NOT_FOUND", "Animal not found")
	}
	for _, c := range []struct {
		wrong, right  []string
		status        int
		code, message string
	}{
		{[]string{"--dead"}, []string{"--alive"}, 404, "NOT_FOUND", "Animal not found"},
		{[]string{"--status", "pregnant"}, []string{"--status", "idle"}, 400, "INVALID", "Pregnant animals cannot enter shows"},
		{[]string{"--stage", "calf"}, []string{"--stage", "yearling"}, 400, "INVALID", "Calves cannot enter shows"},
	} {
		p.change(t, p.buck, c.wrong...)
		p.enter(t, show.id, p.buck).refuses(t, c.status, c.code, c.message)
		p.change(t, p.buck, c.right...)
	}
	p.has(t, 500)
	if got := entries(t, show.id); len(got) != 0 {
		t.Errorf("%v", got)
	}
	p.entered(t, show.id, p.buck)
	p.enter(t, show.id, p.buck).refuses(t, 409, "DUPLICATE", "Animal already entered")
	p.has(t, 499)
}
