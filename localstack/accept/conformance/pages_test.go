package conformance

import (
	"fmt"
	"strings"

	"github.com/ranch-game/ranch/localstack/accept/world"
	"github.com/ranch-game/ranch/shared/game"
)

// listed has the fields of a listed show or entry that the scenarios check.
type listed struct {
	ID            game.ID
	AnimalID      game.ID
	Rank          *int
	GoldReward    *int64
	RewardClaimed bool
}

// ranks returns the ranks of entries, "-" for no rank.
func ranks(entries []listed) string {
	var all []string
	for _, e := range entries {
		rank := "-"
		if e.Rank != nil {
			rank = fmt.Sprint(*e.Rank)
		}
		all = append(all, rank)
	}
	return strings.Join(all, " ")
}

var pages = []scenario{
	{"pages-of-shows", func(s *play) {
		tier := "t" + world.NewName()
		want := map[game.ID]bool{}
		for range 53 {
			want[s.show(tier, 0).ID] = true
		}
		c := s.anybody()
		var first, all []listed
		s.ok(c.call("shows", args{"tier": tier}), &first)
		s.equal("shows of the first page", len(first), 50)
		s.ok(c.call("eachShow", args{"tier": tier}), &all)
		for _, show := range all {
			delete(want, show.ID)
		}
		s.equal("all shows, and those that are missing", []int{len(all), len(want)}, []int{53, 0})
		s.came(3, getShows)
	}},
	{"pages-of-own-entries", func(s *play) {
		p, show := s.player(), s.show("rookie", 0)
		s.enters(p, show, 0)
		s.enters(p, show, 1)
		s.enters(p, show, 2)
		s.judges(p, show)
		c := s.playing(p)
		s.ok(c.call("claim", args{"show": show.ID}), nil)
		var all []listed
		s.ok(c.call("eachOwnEntry", args{"limit": 2}), &all)
		s.came(2, getOwn)
		gold := int64(0)
		for _, e := range all {
			s.equal("claimed", e.RewardClaimed, true)
			gold += *e.GoldReward
		}
		s.equal("entries, and their gold", []int64{int64(len(all)), gold}, []int64{3, 100})
		s.ok(c.call("eachOwnEntry", args{"show": game.NewID()}), &all)
		s.equal("entries in another show", len(all), 0)
	}},
	{"pages-of-a-show", func(s *play) {
		p, other, show := s.player(), s.player(), s.show("rookie", 0)
		s.enters(p, show, 0)
		s.enters(other, show, 0, 1, 2)
		s.judges(p, show)
		c := s.playing(p)
		var all []listed
		s.ok(c.call("eachEntry", args{"show": show.ID, "limit": 3}), &all)
		s.equal("ranks", ranks(all), "1 2 3 4")
		s.came(2, getEntries)
		var page struct {
			Items      []listed
			Next, Prev bool
		}
		s.ok(c.call("showEntries", args{"show": show.ID, "limit": 1, "around": "me"}), &page)
		s.equal("entries around one's own", len(page.Items), 1)
		s.equal("the animal", page.Items[0].AnimalID, p.Animals[0].ID)
		rank := *page.Items[0].Rank
		s.equal("there are others before and behind", []bool{page.Prev, page.Next}, []bool{rank > 1, rank < 4})
	}},
	{"pages-to-an-end", func(s *play) {
		c := s.anybody()
		s.refused(c.call("eachEntry", args{"show": game.NewID()}), 404, "NOT_FOUND", "")
		f := s.fails(c.call("eachEntry", args{"show": game.NewID(), "limit": 101}), refusedByAPI)
		s.equal("what is refused", fmt.Sprintf("%d %s %v", f.Status, f.Code, f.Details), "400 VALIDATION_ERROR map[limit:[Must be a whole number from 1 to 100.]]")
		s.came(2, getEntries)
	}},
}
