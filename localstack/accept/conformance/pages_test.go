package conformance

import (
	"fmt"

	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/localstack/accept/world"
	"github.com/ranch-game/ranch/shared/game"
)

// listed has the fields of a listed show or entry that the scenarios check.
type listed struct {
	ID, AnimalID, ShowID game.ID
	Rank                 *int
	GoldReward           *int64
	RewardClaimed        bool
}

// place is a player's place in standings. The own one has no id.
type place struct {
	Rank     int
	Score    int64
	PlayerID game.ID
}

// list makes a call that returns a list, and returns its items.
func (c *client) list(op string, a args) (items []listed) {
	c.s.ok(c.call(op, a), &items)
	return items
}

// ids returns the ids of shows or entries.
func ids(items []listed) (all []game.ID) {
	for _, item := range items {
		all = append(all, item.ID)
	}
	return all
}

var pages = []scenario{
	{"pages-of-shows", func(s *play) {
		tier := "t" + world.NewName()
		var want []game.ID
		for range 53 {
			want = append(want, s.show(tier, 0).ID)
		}
		c := s.anybody()
		s.equal("shows of the first page", len(c.list("shows", args{"tier": tier})), 50)
		assert.ElementsMatch(s, want, ids(c.list("eachShow", args{"tier": tier})))
		s.came(3, getShows)
	}},
	{"pages-of-own-entries", func(s *play) {
		p, show, a := s.judgedPodium()
		c := s.playing(p)
		s.ok(c.call("claim", a), nil)
		gold := int64(0)
		own := c.list("eachOwnEntry", args{"limit": 2})
		for _, e := range own {
			s.equal("claimed", e.RewardClaimed, true)
			gold += *e.GoldReward
		}
		s.equal("entries, and their gold", []int64{int64(len(own)), gold}, []int64{3, 100})
		s.came(2, getOwn)
		s.equal("entries in the show", len(c.list("eachOwnEntry", args{"show": show.ID})), 3)
		s.equal("entries in another show", len(c.list("eachOwnEntry", args{"show": game.NewID()})), 0)
	}},
	{"pages-without-items", func(s *play) {
		p, show, _ := s.judgedPodium()
		s.enters(p, s.show("rookie", 0), 0)
		won := s.playing(p).list("eachOwnEntry", args{"unclaimed": true, "limit": 1})
		s.equal("prizes", len(won), 1)
		s.equal("the entry, and its gold", []any{won[0].ShowID, *won[0].GoldReward}, []any{show.ID, int64(100)})
		s.came(4, getOwn)
	}},
	{"pages-of-a-show", func(s *play) {
		p, other, show := s.player(), s.player(), s.show("rookie", 0)
		s.enters(p, show, 0)
		s.enters(other, show, 0, 1, 2)
		s.judges(p, show)
		c := s.playing(p)
		for i, e := range c.list("eachEntry", args{"show": show.ID, "limit": 3}) {
			s.equal("rank", *e.Rank, i+1)
		}
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
	{"pages-of-standings", func(s *play) {
		p, _, _ := s.judgedPodium()
		other := s.player()
		show := s.show("rookie", 0)
		s.enters(other, show, 0)
		s.judges(other, show)
		s.must(s.stage.Fold(s.ctx))
		c := s.playing(p)
		var page struct {
			Me         *place
			Standings  []place
			Next, Prev bool
		}
		s.ok(c.call("standings", args{"limit": 1, "around": "me"}), &page)
		s.equal("the players around one's own place", len(page.Standings), 1)
		s.equal("the player, and the place", page.Standings[0], place{page.Me.Rank, page.Me.Score, p.ID})
		s.equal("there are others before or behind", page.Next || page.Prev, true)
		s.came(1, getStandings)
	}},
	{"pages-to-an-end", func(s *play) {
		c := s.anybody()
		s.refused(c.call("eachEntry", args{"show": game.NewID()}), 404, "NOT_FOUND", "")
		f := s.fails(c.call("eachEntry", args{"show": game.NewID(), "limit": 101}), refusedByAPI)
		s.equal("what is refused", fmt.Sprintf("%d %s %v", f.Status, f.Code, f.Details),
			"400 VALIDATION_ERROR map[limit:[Must be a whole number from 1 to 100.]]")
		s.came(2, getEntries)
	}},
}
