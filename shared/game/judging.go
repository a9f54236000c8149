package game

import (
	"cmp"
	"slices"
)

// Contestant is an entry of a show that is being judged.
type Contestant struct {
	Animal  ID
	Player  ID
	Entered Instant
	Score   Fixed
	Rank    int // 1 is best; set by Rank
}

// Rank sorts the contestants from best to last and gives them the ranks 1 to n. The higher score wins, then the earlier
// entry, then the smaller animal id, so that no two contestants share a rank.
func Rank(contestants []Contestant) {
	slices.SortFunc(contestants, func(a, b Contestant) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Entered, b.Entered), cmp.Compare(a.Animal, b.Animal))
	})
	for i := range contestants {
		contestants[i].Rank = i + 1
	}
}

// SortEntries sorts a show's entries into the order in which the API lists them: by rank, then by creation time, then
// by id. Entries without a rank come last.
func SortEntries(entries []Entry) {
	rank := func(e Entry) int {
		if e.Rank == nil {
			return int(^uint(0) >> 1)
		}
		return *e.Rank
	}
	slices.SortFunc(entries, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.CreatedAt, b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
}
