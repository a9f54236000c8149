package linearizability

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/ranch-game/ranch/shared/game"
)

// listLimit is the size of a list of shows (docs/rules.md, S8.9).
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

// orderOf says what is wrong with a list whatever is stored.
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

// mayLack reports why the list cannot be without the show.
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

// mayHave reports why the list cannot have the row, but for its count.
func (o List) mayHave(s Show, c *Call, row game.ListedShow) string {
	for _, r := range s.records(c) {
		if o.asksFor(r.Show) && equal(r.Show, row.Show) {
			return ""
		}
	}
	return fmt.Sprintf("the show is %s", Brief(s.Show))
}

// mayCount reports why the row cannot have its count. Entries of an open show that are under way may not be counted
// yet; once it is judged or cancelled, all are.
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
