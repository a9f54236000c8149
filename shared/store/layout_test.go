package store_test

import (
	"testing"

	"github.com/ranch-game/ranch/shared/records"
	"github.com/ranch-game/ranch/shared/store"
)

// CheckLayout and CreateSeason refuse a table with another layout's number.
func TestLayout(t *testing.T) {
	t.Parallel()
	f := bareFair(t)
	layout := f.At("LAYOUT", "LAYOUT")
	checkError(t, f.CheckLayout(t.Context()), nil)
	checkError(t, f.changes().CreateSeason(t.Context(), f.NewSeason(starting(1, true))), nil)

	layout.Edit(t, "SET ln = :n", map[string]any{":n": records.Layout + 1})
	checkError(t, f.CheckLayout(t.Context()), store.ErrOtherLayout)
	f.Unchanged(t, func() {
		checkError(t, f.changes().CreateSeason(t.Context(), f.NewSeason(starting(1, true))), store.ErrOtherLayout)
	})
}

// The first season writes the layout's number into a table without it.
func TestLayoutIsSaid(t *testing.T) {
	t.Parallel()
	f := bareFair(t)
	layout := f.At("LAYOUT", "LAYOUT")
	layout.Delete(t)
	checkError(t, f.CheckLayout(t.Context()), nil)
	f.AddSeason(t)
	layout.Edit(t, "SET ln = ln + :n", map[string]any{":n": 1})
	checkError(t, f.CheckLayout(t.Context()), store.ErrOtherLayout)
}
