package blackbox

import (
	"fmt"
	"strings"
	"testing"
)

// What names no show is a 404 of the endpoint, whatever the path has in its place; an id may be of any case, and
// escaped.
func TestShowDetail_unknown(t *testing.T) {
	t.Parallel()
	show, p := newShow(t, scene{}), reader(t)
	for _, id := range []string{newID(), "no-id", "%7B" + show.id + "%7D", show.id + "%00", "%FF%FE", strings.Repeat("a", 4_000)} {
		hostile.Add(4)
		path := "/events/shows/" + id
		get(t, p.token, path).refuses(t, 404, "NOT_FOUND", "")
		post(t, p.token, path+"/enter", object{"animalId": p.buck}).refuses(t, 404, "NOT_FOUND", "Show not found or entry closed")
		post(t, p.token, path+"/judge", nil).refuses(t, 404, "NOT_FOUND", "Show not open")
		p.claim(t, id).refuses(t, 404, "NOT_FOUND", "")
	}
	want := show.shown()
	want["entries"] = list{}
	for _, id := range []string{strings.ToUpper(show.id), fmt.Sprintf("%%%02x", show.id[0]) + show.id[1:]} {
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
