package game

import (
	"cmp"
	"slices"
)

// Contestant is an entry while its show is judged.
type Contestant struct {
	Animal  ID
	Player  ID
	Entered Instant
	Score   Fixed
	Rank    int // 1 is best; set by Rank
}

// Rank sorts the contestants from best to last and gives them the ranks 1 to n, each once: by score descending, then by
// the time of entry, then by animal id.
func Rank(contestants []Contestant) {
	slices.SortFunc(contestants, func(a, b Contestant) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Entered, b.Entered), cmp.Compare(a.Animal, b.Animal))
	})
	for i := range contestants {
		contestants[i].Rank = i + 1
	}
}

// SortEntries puts a show's entries in the order of its list: by rank with the unranked last, then by creation time,
// then by id.
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
