package blackbox

import (
	"fmt"
	"strings"
	"testing"
)

// badIDs are path segments that name no show: they are no UUIDs, or not spelled as such.
func badIDs(id string) map[string]string {
	return map[string]string{
		"unknown": newID(), "nil": "00000000-0000-0000-0000-000000000000", "all ones": "ffffffff-ffff-ffff-ffff-ffffffffffff", "text": "no-id",
		"braces": "%7B" + id + "%7D", "raw braces": "{" + id + "}", "urn": "urn:uuid:" + id, "no dashes": strings.ReplaceAll(id, "-", ""),
		"a digit short": id[:35], "a digit long": id + "0", "dashes elsewhere": id[:7] + "-" + id[7:8] + id[9:], "no hex": "g" + id[1:], "space after": id + "%20",
		"space before": "%20" + id, "NUL": id + "%00", "line break": id + "%0A", "quote": id + "%27", "hash": id + "%23", "key": "SHOW%23" + id,
		"unicode": "%E2%98%83", "full-width digits": strings.Replace(id, id[:1], "%EF%BC%91", 1), "broken UTF-8": "%FF%FE", "emoji": strings.Repeat("%F0%9F%98%80", 9),
		"very long": strings.Repeat("a", 4_000), "number": "1", "minus": "-1", "null": "null", "comma": id + "," + id, "star": "*", "percent": "%25",
		"template": "%7Bid%7D", "dot": ".%2e", "semicolon": id + ";x=y", "plus": "+" + id, "colon": id + ":enter", "parentheses": "(" + id + ")",
	}
}

// slashed are paths that the router may see in more than one way: 404 of whichever shape.
func slashed(id string) []string {
	return []string{id + "%2Fjudge", "%2F" + id, "..%2F" + id, id + "%5C"}
}

func TestShowDetail_unknown(t *testing.T) {
	t.Parallel()
	show := newShow(t, scene{})
	p := reader(t)
	for name, id := range badIDs(show.id) {
		t.Run(name, func(t *testing.T) {
			hostile.Add(4)
			path := "/events/shows/" + id
			get(t, p.token, path).refuses(t, 404, "NOT_FOUND", "")
			post(t, p.token, path+"/enter", object{"animalId": p.buck}).refuses(t, 404, "NOT_FOUND", "Show not found or entry closed")
			post(t, p.token, path+"/judge", nil).refuses(t, 404, "NOT_FOUND", "Show not open")
			post(t, p.token, path+"/claim-reward", nil).refuses(t, 404, "NOT_FOUND", "")
		})
	}
	for _, id := range slashed(show.id) {
		hostile.Add(1)
		if answer := get(t, p.token, "/events/shows/"+id); answer.status != 404 {
			t.Error(answer)
		}
	}
	want := show.shown()
	want["entries"] = list{}
	for _, id := range []string{show.id, strings.ToUpper(show.id), strings.ToUpper(show.id[:9]) + show.id[9:], "%" + fmt.Sprintf("%02x", show.id[0]) + show.id[1:]} {
		get(t, p.token, "/events/shows/"+id+"?tier=x&id="+newID()).is(t, 200, want)
	}
}

// From the first entry to the last claim.
func TestShowDetail(t *testing.T) {
	t.Parallel()
	p, rival := newPlayer(t), newPlayer(t)
	show := newShow(t, scene{tier: "pro", fee: 3})
	rarities := map[any]any{}
	for _, who := range []*player{p, rival} {
		for _, animal := range herd(t, who.token) {
			rarities[animal["id"]] = animal["rarity_tier"]
		}
	}
	entry := func(who *player, animal, name, breed string) object {
		return object{
			"id": anyID, "playerId": who.id, "playerUsername": who.username, "animalId": animal, "animalName": name, "breed": breed,
			"rarityTier": rarities[animal], "score": nil, "rank": nil, "rewardClaimed": false,
		}
	}
	want := show.shown()
	detail := func() reply { return get(t, p.token, "/events/shows/"+show.id) }
	unjudged := list{}
	for _, step := range []struct {
		who                 *player
		animal, name, breed string
	}{{p, p.millie, "Millie", "Holstein"}, {rival, rival.buck, "Buck", "Angus"}, {p, p.bessie, "Bessie", "Angus"}, {rival, rival.millie, "Millie", "Holstein"}} {
		step.who.entered(t, show.id, step.animal)
		unjudged = append(unjudged, entry(step.who, step.animal, step.name, step.breed)) // by time of entry
		want["entries"] = unjudged
		detail().is(t, 200, want)
	}

	p.change(t, p.millie, "--drop-phenotype") // the first to enter will stay without a rank
	judged := rival.judge(t, show.id).object(t, 200)
	want["status"], want["judgedAt"] = "completed", anyTime
	first := detail()
	got := first.object(t, 200)["entries"].(list)
	if len(got) != 4 {
		t.Fatal(first)
	}
	for i, winner := range judged["topThree"].(list) {
		w, e := winner.(object), got[i].(object)
		if w["rank"] != integer(i+1) || e["rank"] != w["rank"] || e["animalId"] != w["animalId"] || e["playerId"] != w["playerId"] || e["score"] != w["score"] {
			t.Errorf("place %d is %v in the list and %v among the winners", i+1, e, w)
		}
	}
	expected := list{}
	for i, e := range got {
		for _, before := range unjudged {
			if before := before.(object); before["animalId"] == e.(object)["animalId"] {
				if before["animalId"] != p.millie {
					before["rank"], before["score"] = i+1, anyDecimal
				}
				expected = append(expected, before)
			}
		}
	}
	want["entries"] = expected
	first.is(t, 200, want)
	if last := got[3].(object); last["animalId"] != p.millie {
		t.Errorf("the unranked entry is not the last: %v", got)
	}

	// A claim shows on all of the caller's entries, and on no other.
	p.claim(t, show.id).object(t, 200)
	for _, e := range expected {
		e.(object)["rewardClaimed"] = e.(object)["playerId"] == p.id
	}
	detail().is(t, 200, want)
	rival.ban(t) // what was entered stays as it is
	detail().is(t, 200, want)
}
