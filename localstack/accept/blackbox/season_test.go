package blackbox

import (
	"os"
	"testing"
)

// TestSeason gives points for ranks 1 to 9 right after the judging: in a show of the season, and not in one of another.
func TestSeason(t *testing.T) {
	t.Parallel()
	points := []int{100, 60, 30, 15, 10, 5, 5, 5, 5}
	players, scores := newPlayers(t, 3), map[any]int{}
	elsewhere := newSeason(t, "-1h", "+1h")["id"].(string)
	for _, s := range []scene{{gates: 5, fee: 2}, {season: elsewhere}} {
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
	p := players[0]
	p.change(t, p.buck, "--drop-phenotype")
	show := newShow(t, scene{})
	p.entered(t, show.id, p.buck)
	p.judge(t, show.id).object(t, 200)
	p.claim(t, show.id).object(t, 200)                                   // claims make no difference
	season(t, p).is(t, 200, shown(suite.season, scores[p.id]+points[8])) // an entry without a rank is worth 5, too
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
	for _, s := range before {
		set(t, "season", "deactivate", s["id"].(string))
	}
	season(t, p).is(t, 200, object{"active": false})
	create := func(start string) object {
		s := newSeason(t, start, "+90d", "--activate")
		t.Cleanup(func() { set(t, "season", "deactivate", s["id"].(string)) })
		return s
	}
	later := create("2026-02-01T00:00:00Z")
	season(t, p).is(t, 200, shown(later, 0))
	earlier := create("2026-01-01T00:00:00.000Z")
	season(t, p).is(t, 200, shown(earlier, 0))
	for _, s := range []object{earlier, later} {
		set(t, "season", "deactivate", s["id"].(string))
	}
	season(t, p).is(t, 200, object{"active": false})
}
