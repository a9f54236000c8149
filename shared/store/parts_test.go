package store_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
)

// A read of many pages returns the same answer as a read of one page. The store reads a large partition of entries in
// concurrent ranges, one for each first digit of an id.
func TestReadsOfManyPages(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 1)
	bob := f.AddPlayer(t, storetest.Bob)
	f.MustEnter(t, bob, f.Show)
	f.judged(t, 0, 1, 2)
	f.MustClaim(t, bob, f.Show)
	f.MustClaim(t, f.Ann, f.Show)
	f.MustEnter(t, f.Ann, f.AddShow(t, storetest.Tier("pro"), storetest.Fee(10), storetest.Gates(5)), 0, 1)
	f.AddSeason(t, starting(1, true))
	for name, read := range reads {
		want, err := read(t.Context(), f)
		require.NoError(t, err, name)
		f.Wire.Reset()
		f.Wire.Next("Query", slices.Repeat([]storetest.Fault{storetest.Page(1)}, 1_000)...)
		answer, err := read(t.Context(), f)
		f.Wire.Forget()
		assert.NoError(t, err, name)
		storetest.Equal(t, name+" page by page", answer, want)
	}
	open := f.AddShow(t, storetest.Fee(0))
	f.MustEnter(t, f.Ann, open, 0, 1, 2)
	f.Wire.Reset()
	f.Wire.Next("Query", slices.Repeat([]storetest.Fault{storetest.Page(1)}, 1_000)...)
	_, entries, err := f.ShowWithEntries(t.Context(), open.ID)
	f.Wire.Forget()
	// The show, the first page, and the ranges after that.
	requests := f.Wire.Cost().Requests
	assert.True(t, err == nil && len(entries) == 3 && requests >= 2+2 && requests <= 2+16+3,
		"%d entries in %d requests, %v", len(entries), requests, err)
}
