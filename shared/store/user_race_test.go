package store_test

import (
	"testing"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
)

// If a ban or a deletion commits during a user's call, the call is refused and writes nothing.
func TestUserIsBannedOrDeletedDuringAChange(t *testing.T) {
	t.Parallel()
	banned := func(t *testing.T, f fair) { f.Ban(t, f.Ann.ID) }
	deleted := func(t *testing.T, f fair) { f.DeleteUser(t, f.Ann.ID) }
	for _, c := range []struct {
		name      string
		meanwhile func(t *testing.T, f fair)
		writes    []write
		want      error
	}{
		{"banned", banned, writesOf("enter", "judge", "claim", "own"), game.ErrUnauthorized},
		{"banned", banned, writesOf("login"), game.ErrBanned},
		{"deleted", deleted, writesOf("enter", "judge", "claim", "own"), game.ErrUnauthorized},
		{"deleted", deleted, writesOf("login"), game.ErrInvalidCredentials},
		{"deleted", deleted, writesOf("ban", "unban", "revocation", "adjustment"), operate.ErrDeletedUser},
	} {
		for _, w := range c.writes {
			t.Run(w.name+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				f := w.fair(t)
				checkError(t, f.comesToNothing(t, w, func() { c.meanwhile(t, f) }), c.want)
			})
		}
	}
}
