package linearizability

import (
	"fmt"
	"maps"
	"slices"

	"github.com/ranch-game/ranch/shared/game"
)

// sum is what the parts of a season's score have come to so far.
type sum struct {
	parts int
	score int64
}

// steps are each show of the season, and the sum of all, which is right once they have been added.
func (o Season) steps(c *Call, h *history) []step {
	answer, known := c.Answer.(int64)
	if kind, _ := outcomeOf(c); kind == unknown {
		return nil
	} else if !known {
		return []step{reading(c, "", func(World) string { return "no season's score is refused" })}
	}
	var steps []step
	for _, id := range slices.Sorted(maps.Keys(h.before.Shows)) {
		if h.before.Shows[id].SeasonID != o.Season {
			continue
		}
		steps = append(steps, step{c, "show " + string(id), func(w World) (worlds []World, why string) {
			points, mayMiss := w.Shows[id].points(o.User, c)
			worlds = []World{w.adding(c, points)}
			if points > 0 && mayMiss {
				worlds = append(worlds, w.adding(c, 0))
			}
			return worlds, ""
		}})
	}
	parts := len(steps)
	return append(steps, step{c, "the sum", func(w World) ([]World, string) {
		switch sum := w.sums[c]; {
		case sum.parts < parts:
			return nil, "shows are to be added yet"
		case sum.score != answer:
			return nil, fmt.Sprintf("the sum is %d", sum.score)
		}
		w.sums = maps.Clone(w.sums)
		delete(w.sums, c)
		return []World{w}, ""
	}})
}

func (w World) adding(c *Call, points int64) World {
	s := w.sums[c]
	w.sums = with(w.sums, c, sum{s.parts + 1, s.score + points})
	return w
}

// points returns what a player has of a show for its season. They may be missed while the judging is under way, or all
// of the player's entries are.
func (s Show) points(player game.ID, reader *Call) (points int64, mayMiss bool) {
	if s.Status != game.ShowCompleted {
		return 0, false
	}
	mayMiss = true
	for animal, e := range s.Entries {
		if e.Player == player {
			points += game.SeasonPoints(s.Results[animal].Rank)
			mayMiss = mayMiss && underWay(e.by, reader)
		}
	}
	return points, mayMiss || underWay(s.by, reader)
}
