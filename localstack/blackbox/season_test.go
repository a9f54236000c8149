package blackbox

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// TestSeason gives points for ranks 1 to 9 right after the judging; ranks from the sixth on, and none, are worth 5.
func TestSeason(t *testing.T) {
	t.Parallel()
	points := []int{100, 60, 30, 15, 10, 5, 5, 5, 5}
	players := map[any]*player{}
	scores := map[any]int{}
	for _, p := range newPlayers(t, 3) {
		players[p.id] = p
		season(t, p).is(t, 200, shown(suite.season, 0))
	}
	elsewhere := newSeason(t, "-1h", "+1h")["id"].(string)
	for _, s := range []scene{{gates: 1, tier: "rookie"}, {gates: 5, fee: 2}, {gates: 1, season: elsewhere}} {
		show := newShow(t, s)
		for _, p := range players {
			p.entered(t, show.id, p.animals()...)
			season(t, p).is(t, 200, shown(suite.season, scores[p.id])) // an open show gives none
		}
		reader(t).judge(t, show.id).object(t, 200)
		for i, entry := range entries(t, show.id) {
			if s.season != elsewhere {
				scores[entry["playerId"]] += points[i]
			}
		}
		for _, p := range players {
			season(t, p).is(t, 200, shown(suite.season, scores[p.id]))
		}
	}
	for _, p := range players {
		p.change(t, p.buck, "--drop-phenotype")
		show := newShow(t, scene{})
		p.entered(t, show.id, p.buck)
		p.judge(t, show.id).object(t, 200)
		p.claim(t, show.id).object(t, 200) // claims make no difference
		season(t, p).is(t, 200, shown(suite.season, scores[p.id]+5))
	}
}

// TestSeasons_activation switches seasons off and on, so that no other test may run at the same time: it is not
// parallel.
func TestSeasons_activation(t *testing.T) {
	if suite.own == nil && os.Getenv("RANCH_EXCLUSIVE") != "1" {
		t.Skip("NOT TESTED with RANCH_URL: it deactivates all seasons for a while, which RANCH_EXCLUSIVE=1 allows")
	}
	p := newPlayer(t)
	before, err := activeSeasons()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, s := range before {
			set(t, "season", "activate", s["id"].(string))
		}
	})
	old := newShow(t, scene{})
	p.entered(t, old.id, p.buck)
	p.judge(t, old.id).object(t, 200)
	for _, s := range before {
		set(t, "season", "deactivate", s["id"].(string))
	}
	season(t, p).is(t, 200, object{"active": false})
	if _, stderr, exit, err := suite.operator.run("show", "create", "--name", "N", "--tier", "t", "--fee", "0", "--closes-in", "1h", "--force"); err != nil || exit != 1 || !strings.Contains(stderr, "season") {
		t.Errorf("a show without a season: %d, %s, %v", exit, stderr, err)
	}

	create := func(start string) object {
		s := newSeason(t, start, "+90d", "--activate")
		t.Cleanup(func() { set(t, "season", "deactivate", s["id"].(string)) })
		return s
	}
	later := create("2026-02-01T00:00:00Z")
	season(t, p).is(t, 200, shown(later, 0))
	earlier := create("2026-01-01T00:00:00.000Z")
	season(t, p).is(t, 200, shown(earlier, 0))
	// A show is of the season that counts, unless another is named.
	show := set(t, "show", "create", "--name", "N", "--tier", unique(), "--fee", "0", "--closes-in", "1h", "--force")
	if show["seasonId"] != earlier["id"] {
		t.Errorf("%v", show)
	}
	id := show["id"].(string)
	p.entered(t, id, p.millie)
	p.judge(t, id).object(t, 200)
	season(t, p).is(t, 200, shown(earlier, 100))

	// Of several that start together, the lowest id counts.
	same := []object{earlier, create("2025-12-31T23:00:00-01:00"), create("2026-01-01T00:00:00Z")}
	slices.SortFunc(same, func(a, b object) int { return strings.Compare(a["id"].(string), b["id"].(string)) })
	for i, s := range same {
		want := 0
		if s["id"] == earlier["id"] {
			want = 100
		}
		season(t, p).is(t, 200, shown(s, want))
		set(t, "season", "deactivate", s["id"].(string))
		if i == len(same)-1 {
			season(t, p).is(t, 200, shown(later, 0))
		}
	}
	set(t, "season", "deactivate", later["id"].(string))
	season(t, p).is(t, 200, object{"active": false})
	// What was won in a season is there again with it.
	set(t, "season", "activate", earlier["id"].(string))
	season(t, p).is(t, 200, shown(earlier, 100))
}

// Seasons are counted by the show's season, so that many shows of one player add up.
func TestSeason_manyShows(t *testing.T) {
	t.Parallel()
	p := newPlayer(t)
	const shows = 12
	for i := range shows {
		show := newShow(t, scene{gates: 1 + i%3})
		p.entered(t, show.id, p.buck)
		p.judge(t, show.id).object(t, 200)
	}
	if got := season(t, p).object(t, 200)["mySeasonScore"]; got != integer(100*shows) {
		t.Errorf("%d shows won are worth %v", shows, got)
	}
}
