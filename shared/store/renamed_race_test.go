package store_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
)

// A judging that has read a player's name does not bring it back after the player was deleted. This holds for the first
// deletion of a player in the show, and for later ones.
func TestAPlayerIsDeletedDuringAJudging(t *testing.T) {
	t.Parallel()
	for _, before := range []bool{false, true} {
		for _, w := range writesOf("judge", "due judging", "operator's judging") {
			t.Run(fmt.Sprint(w.name, "/another before: ", before), func(t *testing.T) {
				t.Parallel()
				f := w.fair(t)
				bob, cid := f.AddPlayer(t, storetest.Bob), f.AddPlayer(t, storetest.Cid)
				f.MustEnter(t, bob, f.Show, 0)
				f.MustEnter(t, cid, f.Show, 0)
				if before {
					f.DeleteUser(t, cid.ID)
				}
				f.Meanwhile(func() { f.DeleteUser(t, bob.ID) })
				checkError(t, w.do(t.Context(), f), nil)
				name := f.names(t, f.Show.ID)[bob.Animals[0].ID]
				assert.Equal(t, game.DeletedPlayer, name, "the results have the name %q", name)
				f.Invariants(t)
			})
		}
	}
}

// If a judging commits during a deletion, the deletion removes the name from the results, too.
func TestAShowIsJudgedDuringADeletion(t *testing.T) {
	t.Parallel()
	for n := range 2 { // before the entry's name is removed, and before the show counts it
		f := newFair(t, game.TierRookie, 0, 1)
		bob := f.AddPlayer(t, storetest.Bob)
		f.MustEnter(t, bob, f.Show, 0)
		held := f.holdJudging(t)
		f.then(t, "UpdateItem", 1+n, held.Take(ofAll))
		must(f.changes().DeleteUser(t.Context(), bob.ID))(t)
		f.CheckFaults(t)
		storetest.Equal(t, "names", f.names(t, f.Show.ID), map[game.ID]string{bob.Animals[0].ID: game.DeletedPlayer})
		f.Invariants(t)
	}
}
