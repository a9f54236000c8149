package linearizability

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/ranch-game/ranch/shared/game"
)

// listLimit is the size of a list of shows (docs/rules.md, S8.2).
const listLimit = 50

// steps are each show's row, and each count.
func (o List) steps(c *Call, h *history) []step {
	list, known := c.Answer.([]game.ListedShow)
	if kind, _ := outcomeOf(c); kind == unknown {
		return nil
	} else if !known {
		return []step{reading(c, "", func(World) string { return "no list is refused" })}
	}
	steps := []step{reading(c, "", func(World) string { return orderOf(list) })}
	rows := map[game.ID]game.ListedShow{}
	for _, row := range list {
		rows[row.ID] = row
	}
	for _, id := range slices.Sorted(maps.Keys(h.before.Shows)) {
		row, listed := rows[id]
		if !listed {
			steps = append(steps, reading(c, "no row of show "+string(id), func(w World) string { return o.mayLack(w.Shows[id], c, list) }))
			continue
		}
		steps = append(steps, reading(c, "the row of show "+string(id), func(w World) string { return o.mayHave(w.Shows[id], c, row) }))
		steps = append(steps, reading(c, "the count of show "+string(id), func(w World) string { return mayCount(w.Shows[id], c, row) }))
	}
	return steps
}

// orderOf returns a flaw of a list that shows without the stored records, such as a wrong order; "" if it finds none.
func orderOf(list []game.ListedShow) string {
	if len(list) > listLimit {
		return fmt.Sprintf("it has %d shows", len(list))
	}
	listed := map[game.ID]bool{}
	for i, row := range list {
		switch {
		case listed[row.ID]:
			return fmt.Sprintf("show %s is listed twice", row.ID)
		case i > 0 && compareRows(list[i-1].Show, row.Show) > 0:
			return fmt.Sprintf("show %s comes after %s", row.ID, list[i-1].ID)
		}
		listed[row.ID] = true
	}
	return ""
}

func compareRows(a, b game.Show) int {
	return cmp.Or(cmp.Compare(a.EntryClosesAt, b.EntryClosesAt), cmp.Compare(a.ID, b.ID))
}

func (o List) asksFor(s game.Show) bool {
	return (o.Status == "" || s.Status == o.Status) && (o.Tier == "" || s.Tier == o.Tier)
}

// mayLack returns why the list must have the show, or "".
func (o List) mayLack(s Show, c *Call, list []game.ListedShow) string {
	records := s.records(c)
	for i, r := range records {
		moved := i > 0 && (r.EntryClosesAt != records[i-1].EntryClosesAt || r.Tier != records[i-1].Tier)
		beyond := len(list) == listLimit && compareRows(r.Show, list[listLimit-1].Show) > 0
		if moved || beyond || !o.asksFor(r.Show) {
			return ""
		}
	}
	return fmt.Sprintf("the show is there: %s", Brief(s.Show))
}

// mayHave returns why the list's answer cannot have this row, or "" if it can. It does not check the row's count.
func (o List) mayHave(s Show, c *Call, row game.ListedShow) string {
	for _, r := range s.records(c) {
		if o.asksFor(r.Show) && equal(r.Show, row.Show) {
			return ""
		}
	}
	return fmt.Sprintf("the show is %s", Brief(s.Show))
}

// mayCount returns why a list's row cannot have its number of entries, or "" if it can. While the show is open, the
// number can lack entries whose calls had not finished. A judging or a cancellation counts all entries.
func mayCount(s Show, c *Call, row game.ListedShow) string {
	most := int64(len(s.Entries))
	least := most
	if row.Status == game.ShowOpen {
		for _, e := range s.Entries {
			if underWay(e.by, c) {
				least--
			}
		}
	}
	if !slices.ContainsFunc(s.records(c), func(r Show) bool { return r.Status == row.Status }) {
		return fmt.Sprintf("the show is %s", s.Status)
	}
	if row.EntryCount < least || row.EntryCount > most {
		return fmt.Sprintf("the show has %d entries", most)
	}
	return ""
}

// steps returns the steps of a show's detail. Before the judging, there is a step for the show's record and for each
// entry; after it, one step for all of these together. After the judging there is also a step for each player's claim.
func (o Detail) steps(c *Call, h *history) []step {
	kind, refusal := outcomeOf(c)
	answer, known := c.Answer.(Details)
	switch {
	case kind == unknown:
		return nil
	case kind == refused && errors.Is(refusal, game.ErrShowUnknown):
		return []step{reading(c, "", func(w World) string {
			if _, there := w.Shows[o.Show]; there {
				return "there is such a show"
			}
			return ""
		})}
	case !known:
		return []step{reading(c, "", func(World) string { return "the rules never say so" })}
	}
	steps := []step{reading(c, "", func(World) string { return inOrder(answer.Entries) })}
	if answer.Show.Status == game.ShowCompleted {
		return append(append(steps, judgedDetail(c, o.Show, answer)), claims(c, o.Show, answer)...)
	}
	steps = append(steps, reading(c, "the show", func(w World) string {
		for _, r := range w.Shows[o.Show].records(c) {
			if equal(r.Show, answer.Show) {
				return ""
			}
		}
		return fmt.Sprintf("the show is %s", Brief(w.Shows[o.Show].Show))
	}))
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
		steps = append(steps, reading(c, "the entry of animal "+string(animal), func(w World) string {
			stored, there := w.Shows[o.Show].Entries[animal]
			switch {
			case listed && !there:
				return "the animal has no entry"
			case !listed && there && !underWay(stored.by, c):
				return "the animal has an entry"
			case listed && !reflect.DeepEqual(shownEntry(stored, animal, e.ID), e):
				return fmt.Sprintf("the entry is %s", Brief(shownEntry(stored, animal, e.ID)))
			}
			return ""
		}))
	}
	return steps
}

// shownEntry is an entry in a detail, unranked.
func shownEntry(e Entry, animal, id game.ID) game.Entry {
	return game.Entry{
		ID: id, PlayerID: e.Player, PlayerUsername: e.Username, AnimalID: animal, AnimalName: e.AnimalName, Breed: e.Breed, RarityTier: e.RarityTier,
		CreatedAt: e.CreatedAt,
	}
}

// inOrder returns a flaw of a detail's entries that shows without the stored records, or "" if it finds none.
func inOrder(entries []game.Entry) string {
	sorted := slices.Clone(entries)
	game.SortEntries(sorted)
	seen := map[game.ID]bool{}
	for i, e := range sorted {
		if e.ID != entries[i].ID {
			return fmt.Sprintf("entry %s is out of order", entries[i].ID)
		}
		if seen[e.ID] || seen[e.AnimalID] {
			return fmt.Sprintf("the entry of animal %s is there twice", e.AnimalID)
		}
		seen[e.ID], seen[e.AnimalID] = true, true
	}
	return ""
}

// judgedDetail returns the step for the detail of a judged show: its record and all entries with their ranks and scores
// are right at one instant.
func judgedDetail(c *Call, id game.ID, answer Details) step {
	return reading(c, "the judging", func(w World) string {
		show := w.Shows[id]
		if !equal(show.Show, answer.Show) {
			return fmt.Sprintf("the show is %s", Brief(show.Show))
		}
		if len(answer.Entries) != len(show.Entries) {
			return fmt.Sprintf("the show has %d entries", len(show.Entries))
		}
		for _, e := range answer.Entries {
			stored, there := show.Entries[e.AnimalID]
			if !there {
				return fmt.Sprintf("animal %s has no entry", e.AnimalID)
			}
			want := shownEntry(stored, e.AnimalID, e.ID)
			want.RewardClaimed = e.RewardClaimed
			if p, ranked := show.Results[e.AnimalID]; ranked {
				want.Rank = &p.Rank
				if p.Score != 0 { // otherwise null: docs/rules.md, S4.6.3
					want.Score = &p.Score
				}
			}
			if !reflect.DeepEqual(want, e) {
				return fmt.Sprintf("the entry is %s", Brief(want))
			}
		}
		return ""
	})
}

// claims are the steps of each player's claim.
func claims(c *Call, show game.ID, answer Details) []step {
	claimed := map[game.ID]bool{}
	for _, e := range answer.Entries {
		claimed[e.PlayerID] = claimed[e.PlayerID] || e.RewardClaimed
	}
	var steps []step
	for _, player := range slices.Sorted(maps.Keys(claimed)) {
		claimed := claimed[player]
		steps = append(steps, reading(c, "what player "+string(player)+" has claimed", func(w World) string {
			receipt, there := w.Shows[show].Receipts[player]
			switch {
			case claimed && !there:
				return "the player has not claimed"
			case !claimed && there && !underWay(receipt.by, c):
				return "the player has claimed"
			case slices.ContainsFunc(answer.Entries, func(e game.Entry) bool { return e.PlayerID == player && e.RewardClaimed != claimed }):
				return "a claim is for all of a player's entries"
			}
			return ""
		}))
	}
	return steps
}

// sum is the sum of a season's score so far.
type sum struct {
	parts int
	score int64
}

// steps returns a step for each show of the season, and one for the sum. The sum is right after all shows have been
// added.
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

// points returns a player's points in a show for its season. mayMiss reports whether the reading call could have missed
// them: the judging, or all entries of the player, had not finished when that call began.
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
