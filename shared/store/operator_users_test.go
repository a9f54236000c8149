package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
	"github.com/ranch-game/ranch/shared/store"
)

// A change of a user undoes no other change between its read and its write.
func TestChangesDuringAChangeOfAUser(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	revoke := func(o operate.Operator) { checkError(t, o.RevokeSessions(t.Context(), f.Ann.ID), nil) }
	unban := func(o operate.Operator) { checkError(t, o.Unban(t.Context(), f.Ann.ID), nil) }

	// If a user's sessions have never been revoked, an unban does not change SessionsFrom.
	unban(f.changes())
	from := f.At(store.UserKey(f.Ann.ID)).Read(t)["vf"]
	require.True(t, from == nil, "sessions from %v", from)

	f.Ban(t, f.Ann.ID)
	f.Meanwhile(func() { revoke(f.Rival.Operator(f.AtTime(f.Now + 10).Change())) })
	unban(f.changes())
	storetest.Equal(t, "sessions from", f.AccountOf(t, f.Ann.ID).SessionsFrom, f.Now+11)

	f.Ban(t, f.Ann.ID)
	f.Meanwhile(func() { unban(f.Operator()) })
	revoke(f.changes())
	storetest.Equal(t, "status", f.AccountOf(t, f.Ann.ID).Status, game.UserActive)
}

// A registered user has a password, a user who signs in elsewhere has none, and a deleted user is left out.
func TestWithPassword(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	ann, bob := s.AddPlayer(t, storetest.Ann), s.AddPlayer(t, storetest.Bob)
	outsider := s.AddExternal(t, storetest.Anybody, "")
	s.DeleteUser(t, bob.ID)
	with := must(s.WithPassword(t.Context(), s.AccountOf(t, ann.ID), s.AccountOf(t, bob.ID), outsider))(t)
	storetest.Equal(t, "with a password", with, map[game.ID]bool{ann.ID: true, outsider.ID: false})
}
