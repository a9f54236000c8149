package linearizability

import (
	"cmp"
	"maps"
	"reflect"
	"slices"

	"github.com/ranch-game/ranch/shared/game"
)

// steps returns a step for each show of the World: for its row and its count, or for its absence.
func (o List) steps(c *Call, h *history) []step {
	list, known := c.Answer.([]game.ListedShow)
	if kind, _ := outcomeOf(c); kind == unknown {
		return nil
	} else if !known || !sorted(list) {
		return never(c)
	}
	var steps []step
	rows := map[game.ID]game.ListedShow{}
	for _, row := range list {
		rows[row.ID] = row
	}
	for _, id := range slices.Sorted(maps.Keys(h.before.Shows)) {
		row, listed := rows[id]
		if !listed {
			steps = append(steps, reading(c, "no row of show "+string(id), func(w World) bool { return o.mayLack(w.Shows[id], c) }))
			continue
		}
		steps = append(steps, reading(c, "the row of show "+string(id), func(w World) bool { return o.mayHave(w.Shows[id], c, row) }))
		steps = append(steps, reading(c, "the count of show "+string(id), func(w World) bool { return mayCount(w.Shows[id], c, row) }))
	}
	return steps
}

// sorted reports whether a list has each show once and in order.
func sorted(list []game.ListedShow) bool {
	for i := range list[min(1, len(list)):] {
		a, b := list[i], list[i+1]
		if cmp.Or(cmp.Compare(a.EntryClosesAt, b.EntryClosesAt), cmp.Compare(a.ID, b.ID)) >= 0 {
			return false
		}
	}
	return true
}

func (o List) asksFor(s game.Show) bool {
	return (o.Status == "" || s.Status == o.Status) && (o.Tier == "" || s.Tier == o.Tier)
}

// mayLack reports whether the show can be missing in the list.
func (o List) mayLack(s Show, c *Call) bool {
	records := s.records(c)
	for i, r := range records {
		moved := i > 0 && (r.EntryClosesAt != records[i-1].EntryClosesAt || r.Tier != records[i-1].Tier)
		if moved || !o.asksFor(r.Show) {
			return true
		}
	}
	return false
}

// mayHave reports whether the list can have this row. It does not check the row's count.
func (o List) mayHave(s Show, c *Call, row game.ListedShow) bool {
	return slices.ContainsFunc(s.records(c), func(r Show) bool { return o.asksFor(r.Show) && equal(r.Show, row.Show) })
}

// mayCount reports whether a list's row can have its number of entries. While the show is open, the number may leave
// out entries whose calls were under way. A judging or a cancellation counts all entries.
func mayCount(s Show, c *Call, row game.ListedShow) bool {
	most := int64(len(s.Entries))
	least := most
	if row.Status == game.ShowOpen {
		for _, e := range s.Entries {
			if underWay(e.by, c) {
				least--
			}
		}
	}
	is := slices.ContainsFunc(s.records(c), func(r Show) bool { return r.Status == row.Status })
	return is && least <= row.EntryCount && row.EntryCount <= most
}

// steps returns the steps of a show's detail. If the detail shows a judged show, there is one step for the record and
// all entries, and a step for each player's claim. Otherwise there is a step for the record, and a step for each entry.
func (o Detail) steps(c *Call, h *history) []step {
	kind, _ := outcomeOf(c)
	answer, known := c.Answer.(Details)
	switch {
	case kind == unknown:
		return nil
	case !known || !inOrder(answer.Entries):
		return never(c)
	case answer.Show.Status == game.ShowCompleted:
		return append(claims(c, o.Show, answer), judgedDetail(c, o.Show, answer))
	}
	steps := []step{reading(c, "the show", func(w World) bool {
		return slices.ContainsFunc(w.Shows[o.Show].records(c), func(r Show) bool { return equal(r.Show, answer.Show) })
	})}
	entries := map[game.ID]game.Entry{}
	animals := map[game.ID]bool{}
	for _, e := range answer.Entries {
		entries[e.AnimalID], animals[e.AnimalID] = e, true
	}
	for _, e := range h.entries(o.Show) {
		animals[e.animal] = true
	}
	for _, animal := range slices.Sorted(maps.Keys(animals)) {
		e, listed := entries[animal]
		steps = append(steps, reading(c, "the entry of animal "+string(animal), func(w World) bool {
			stored, there := w.Shows[o.Show].Entries[animal]
			if listed {
				return there && reflect.DeepEqual(shownEntry(stored, animal, e.ID), e)
			}
			return !there || underWay(stored.by, c)
		}))
	}
	return steps
}

// shownEntry returns an entry as an unjudged show's detail has it.
func shownEntry(e Entry, animal, id game.ID) game.Entry {
	return game.Entry{
		ID: id, PlayerID: e.Player, PlayerUsername: e.Username, AnimalID: animal, AnimalName: e.AnimalName, Breed: e.Breed, RarityTier: e.RarityTier,
		CreatedAt: e.CreatedAt,
	}
}

// inOrder reports whether a detail's entries are sorted, with each id and each animal once.
func inOrder(entries []game.Entry) bool {
	sorted := slices.Clone(entries)
	game.SortEntries(sorted)
	seen := map[game.ID]bool{}
	for i, e := range sorted {
		if e.ID != entries[i].ID || seen[e.ID] || seen[e.AnimalID] {
			return false
		}
		seen[e.ID], seen[e.AnimalID] = true, true
	}
	return true
}

// judgedDetail returns the step for the record of a judged show and all its entries with their ranks and scores.
func judgedDetail(c *Call, id game.ID, answer Details) step {
	return reading(c, "the judging", func(w World) bool {
		show := w.Shows[id]
		if !equal(show.Show, answer.Show) || len(answer.Entries) != len(show.Entries) {
			return false
		}
		for _, e := range answer.Entries {
			stored, there := show.Entries[e.AnimalID]
			want := shownEntry(stored, e.AnimalID, e.ID)
			want.RewardClaimed = e.RewardClaimed
			if p, ranked := show.Results[e.AnimalID]; ranked {
				want.Rank = &p.Rank
				if p.Score != 0 { // otherwise null: docs/rules.md, S4.6.3
					want.Score = &p.Score
				}
			}
			if !there || !reflect.DeepEqual(want, e) {
				return false
			}
		}
		return true
	})
}

// claims returns a step for each player in the detail, about the player's claim.
func claims(c *Call, show game.ID, answer Details) []step {
	claimed := map[game.ID]bool{}
	for _, e := range answer.Entries {
		claimed[e.PlayerID] = claimed[e.PlayerID] || e.RewardClaimed
	}
	var steps []step
	for _, player := range slices.Sorted(maps.Keys(claimed)) {
		claimed := claimed[player]
		steps = append(steps, reading(c, "what player "+string(player)+" has claimed", func(w World) bool {
			receipt, there := w.Shows[show].Receipts[player]
			if claimed && !there || !claimed && there && !underWay(receipt.by, c) {
				return false
			}
			// A claim marks all of a player's entries.
			return !slices.ContainsFunc(answer.Entries, func(e game.Entry) bool { return e.PlayerID == player && e.RewardClaimed != claimed })
		}))
	}
	return steps
}

// sum is the sum of the shows that a call for a season's score has added so far, and their number.
type sum struct {
	parts int
	score int64
}

// steps returns a step for each show of the World, which adds the show's points, and a last one that compares the sum.
func (o Season) steps(c *Call, h *history) []step {
	answer, known := c.Answer.(int64)
	if kind, _ := outcomeOf(c); kind == unknown {
		return nil
	} else if !known {
		return never(c)
	}
	var steps []step
	for _, id := range slices.Sorted(maps.Keys(h.before.Shows)) {
		steps = append(steps, step{c, "show " + string(id), func(w World) []World {
			points, mayMiss := w.Shows[id].points(o.User, c)
			worlds := []World{w.adding(c, points)}
			if points > 0 && mayMiss {
				worlds = append(worlds, w.adding(c, 0))
			}
			return worlds
		}})
	}
	parts := len(steps)
	return append(steps, step{c, "the sum", func(w World) []World {
		if sum := w.sums[c]; sum.parts < parts || sum.score != answer {
			return nil
		}
		w.sums = maps.Clone(w.sums)
		delete(w.sums, c)
		return []World{w}
	}})
}

func (w World) adding(c *Call, points int64) World {
	s := w.sums[c]
	w.sums = with(w.sums, c, sum{s.parts + 1, s.score + points})
	return w
}

// points returns a player's points in a show for its season. mayMiss reports whether the reading call could have missed
// them: when that call began, the judging, or the calls of all entries of the player, were under way.
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
