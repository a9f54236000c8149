package blackbox

import (
	"fmt"
	"slices"
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
	tooDear, all, one, free := newShow(t, scene{fee: 501}), newShow(t, scene{fee: 500}), newShow(t, scene{fee: 1}), newShow(t, scene{})
	huge := newShow(t, scene{fee: 1 << 40})
	states := func(fee int) object {
		return object{"error": "INSUFFICIENT_GOLD", "message": containing(fmt.Sprint(fee))}
	}
	p.enter(t, tooDear.id, p.buck).is(t, 400, states(501))
	p.enter(t, huge.id, p.buck).is(t, 400, states(1<<40))
	p.has(t, 500)
	p.enter(t, all.id, p.buck).object(t, 201) // the balance may be spent to the last piece
	p.has(t, 0)
	p.enter(t, one.id, p.buck).is(t, 400, states(1))
	p.entered(t, free.id, p.animals()...)
	p.has(t, 0)
	if rows := p.ledger(t); len(rows) != 2 {
		t.Errorf("%d rows", len(rows))
	}
	for _, show := range []exhibit{tooDear, huge, one} {
		if got := entries(t, show.id); len(got) != 0 {
			t.Errorf("%v", got)
		}
	}
}

// badEntryBodies are invalid bodies of the endpoint; those made from the animal would enter it, were they read with
// more patience.
func badEntryBodies(animal string) map[string]any {
	return withNoObject(map[string]any{
		"no member": object{}, "null": object{"animalId": nil}, "empty": object{"animalId": ""}, "number": object{"animalId": 7}, "boolean": object{"animalId": true},
		"list": object{"animalId": list{animal}}, "object": object{"animalId": object{"id": animal}}, "no UUID": object{"animalId": "buck"},
		"keys' case": object{"animalid": animal, "AnimalId": animal, "ANIMALID": animal}, "other names": object{"animal_id": animal, "id": animal},
		"braces": object{"animalId": "{" + animal + "}"}, "urn": object{"animalId": "urn:uuid:" + animal}, "no dashes": object{"animalId": strings.ReplaceAll(animal, "-", "")},
		"space": object{"animalId": " " + animal}, "space after": object{"animalId": animal + " "}, "NUL": object{"animalId": animal + "\u0000"},
		"short": object{"animalId": animal[:35]}, "long": object{"animalId": animal + "0"}, "no hex": object{"animalId": "g" + animal[1:]},
		"60,000 bytes": object{"animalId": strings.Repeat("0", 60_000)}, "unicode": object{"animalId": "１" + animal[1:]}, "key": object{"animalId": "ANIMAL#" + animal},
		"surrogate": `{"animalId":"\ud800"}`, "the id alone": `"` + animal + `"`, "trailing": `{"animalId":"` + animal + `"}{}`, "in a list": `[{"animalId":"` + animal + `"}]`,
	})
}

func TestEnter_invalidBody(t *testing.T) {
	t.Parallel()
	p := newPlayer(t)
	show := newShow(t, scene{fee: 10})
	for name, body := range badEntryBodies(p.buck) {
		t.Run(name, func(t *testing.T) {
			// The body comes before the show, whether there is one or not.
			for _, id := range []string{show.id, newID(), "no-id"} {
				hostile.Add(1)
				post(t, p.token, "/events/shows/"+id+"/enter", body).refuses(t, 400, "VALIDATION_ERROR", "")
			}
		})
	}
	post(t, p.token, "/events/shows/"+show.id+"/enter", nil).refuses(t, 400, "VALIDATION_ERROR", "")
	p.has(t, 500)
	if got := entries(t, show.id); len(got) != 0 {
		t.Errorf("%v", got)
	}
	post(t, p.token, "/events/shows/"+show.id+"/enter", object{"animalId": p.buck, "entryFee": 0, "playerId": newID(), "score": 100}).object(t, 201)
	p.has(t, 490)
}

// TestEnter_order sets up every pair of reasons to refuse an entry: the answer is the one that is checked first
// (docs/rules.md, S4.7.9).
func TestEnter_order(t *testing.T) {
	t.Parallel()
	// In the order of the rules.
	reasons := []struct {
		name          string
		status        int
		code, message string
	}{
		{"unknown show", 404, "NOT_FOUND", "Show not found or entry closed"},
		{"completed show", 404, "NOT_FOUND", "Show not found or entry closed"},
		{"closed show", 404, "NOT_FOUND", "Show not found or entry closed"},
		{"unknown animal", 404, "NOT_FOUND", "Animal not found"},
		{"another's animal", 404, "NOT_FOUND", "Animal not found"},
		{"dead animal", 404, "NOT_FOUND", "Animal not found"},
		{"pregnant", 400, "INVALID", "Pregnant animals cannot enter shows"},
		{"calf", 400, "INVALID", "Calves cannot enter shows"},
		{"duplicate", 409, "DUPLICATE", "Animal already entered"},
		{"gold", 400, "INSUFFICIENT_GOLD", ""},
	}
	never := map[string]bool{ // what cannot be at once
		"unknown show+completed show": true, "unknown show+closed show": true, "unknown show+duplicate": true, "closed show+duplicate": true,
		"unknown animal+another's animal": true, "unknown animal+dead animal": true, "unknown animal+pregnant": true, "unknown animal+calf": true,
		"unknown animal+duplicate": true, "another's animal+duplicate": true,
	}
	for i, first := range reasons {
		for _, second := range reasons[i:] {
			pair := first.name + "+" + second.name
			if never[pair] || first.name == second.name && first.name == "duplicate" {
				continue
			}
			t.Run(pair, func(t *testing.T) {
				p := newPlayer(t)
				is := func(name string) bool { return first.name == name || second.name == name }
				s, animal := scene{fee: 300}, p.buck
				if is("closed show") {
					s.closesIn = "-1s"
				}
				show := newShow(t, s)
				id := show.id
				if is("duplicate") {
					p.entered(t, id, animal)
				} else if is("gold") {
					p.entered(t, newShow(t, scene{fee: 201}).id, p.millie)
				}
				owner := p
				if is("another's animal") {
					owner = newPlayer(t)
					animal = owner.buck
				}
				for reason, flags := range map[string][]string{"dead animal": {"--dead"}, "pregnant": {"--status", "pregnant"}, "calf": {"--stage", "calf"}} {
					if is(reason) {
						owner.change(t, animal, flags...)
					}
				}
				if is("unknown animal") {
					animal = newID()
				}
				if is("unknown show") {
					id = newID()
				}
				if is("completed show") {
					p.judge(t, id).object(t, 200)
				}
				gold, rows := p.audit(t)
				entered := len(entries(t, show.id))
				want := object{"error": first.code, "message": first.message}
				if first.name == "gold" {
					want["message"] = containing("300")
				}
				p.enter(t, id, animal).is(t, first.status, want)
				if nowGold, nowRows := p.audit(t); nowGold != gold || nowRows != rows {
					t.Errorf("%d gold and %d rows, after %d and %d", nowGold, nowRows, gold, rows)
				}
				if got := len(entries(t, show.id)); got != entered {
					t.Errorf("%d entries after %d", got, entered)
				}
			})
		}
	}
}

// Once the reason is gone, the entry is accepted.
func TestEnter_afterARefusal(t *testing.T) {
	t.Parallel()
	p := newPlayer(t)
	show := newShow(t, scene{fee: 1})
	for _, change := range [][2][]string{
		{{"--dead"}, {"--alive"}}, {{"--status", "pregnant"}, {"--status", "idle"}}, {{"--stage", "calf"}, {"--stage", "adult"}},
	} {
		p.change(t, p.buck, change[0]...)
		if answer := p.enter(t, show.id, p.buck); answer.status < 400 {
			t.Error(answer)
		}
		p.change(t, p.buck, change[1]...)
	}
	// Other stages and states mean nothing.
	p.change(t, p.buck, "--stage", "yearling", "--status", "Pregnant")
	p.change(t, p.bessie, "--stage", "Calf", "--status", "resting")
	p.entered(t, show.id, p.buck, p.bessie)
	p.has(t, 498)
}

// An entry belongs to one show: the same animal may enter others, also of another season, and the fee is each show's
// own.
func TestEnter_severalShows(t *testing.T) {
	t.Parallel()
	p := newPlayer(t)
	season := newSeason(t, "-2d", "-1d")["id"].(string)
	for _, fee := range []int{0, 1, 99} {
		show := newShow(t, scene{fee: fee, season: season, gates: min(fee+1, 40), closesIn: "1m"})
		p.entered(t, show.id, p.buck, p.bessie)
	}
	p.has(t, 300)
	var balances []string
	for _, row := range p.ledger(t) {
		balances = append(balances, show(row["balance_after"]))
	}
	if want := []string{"500", "499", "498", "399", "300"}; !slices.Equal(balances, want) {
		t.Errorf("%v", balances)
	}
}
