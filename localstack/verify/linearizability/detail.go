package linearizability

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/ranch-game/ranch/shared/game"
)

// steps are, before a judging, the show's record and each entry; after it, these together; and what each player has
// claimed.
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

// shownEntry is an entry as a detail shows it, unranked.
func shownEntry(e Entry, animal, id game.ID) game.Entry {
	return game.Entry{
		ID: id, PlayerID: e.Player, PlayerUsername: e.Username, AnimalID: animal, AnimalName: e.AnimalName, Breed: e.Breed, RarityTier: e.RarityTier,
		CreatedAt: e.CreatedAt,
	}
}

// inOrder reports what is wrong with the entries of a detail whatever is stored.
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

// judgedDetail is the step of a judging: the show's record and all entries with their places, at one instant.
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
				if p.Score != 0 { // else null: docs/rules.md, S4.6.5
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

// claims are the steps of what each player has claimed.
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
