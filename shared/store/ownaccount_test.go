package store_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
	"github.com/ranch-game/ranch/shared/store"
)

// knows returns a proof that succeeds for these hashes of a password.
func knows(hashes ...string) store.Prove {
	return func(hash string) error {
		if !slices.Contains(hashes, hash) {
			return game.ErrWrongPassword
		}
		return nil
	}
}

// changePassword replaces Ann's password by a player who knows it by these hashes.
func (f fair) changePassword(ctx context.Context, newHash string, session game.RefreshRecord, hashes ...string) error {
	return errOf(f.ChangePassword(ctx, f.Ann.ID, knows(hashes...), func() string { return newHash }, session, f.Now))
}

// accepted reports whether a refresh with the session would succeed.
func (f fair) accepted(t *testing.T, session game.RefreshRecord) bool {
	t.Helper()
	record, account, err := f.Rival.RefreshRecord(t.Context(), session.Digest, f.Ann.ID)
	checkError(t, err, nil)
	return record != nil && !account.Revoked(*record)
}

// A change of the password ends all sessions but the one that it begins, and raises the number of the password. This
// holds for two changes in the same millisecond, and after a log-in by a fast clock.
func TestAChangeOfThePasswordEndsSessions(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	sessions := []game.RefreshRecord{f.Ann.Refresh}
	for i, hash := range []string{"first", "second", "third"} {
		before, session := f.HashOf(t, f.Ann.Email), f.NewRefresh(f.Ann.ID)
		user := must(f.ChangePassword(t.Context(), f.Ann.ID, knows(before), func() string { return hash }, session, f.Now))(t)
		storetest.Equal(t, "user", user, f.Ann.User)
		for _, old := range sessions {
			assert.False(t, f.accepted(t, old), "change %d has not ended a session", i)
		}
		assert.True(t, f.accepted(t, session), "change %d has ended its own session", i)
		storetest.Equal(t, "number of the password", f.AccountOf(t, f.Ann.ID).PasswordChanges, int64(i+1))
		account, _, err := f.AccountByEmail(t.Context(), f.Ann.Email)
		checkError(t, err, nil)
		login := f.AtTime(f.Now + 1000).NewRefresh(f.Ann.ID)
		checkError(t, errOf(f.RecordLogin(t.Context(), *account, login, game.Rehash{}, f.Now+1000)), nil)
		sessions = append(sessions, session, login)
	}
}

// A refused change of one's own account changes nothing. Each row breaks all rules from its own on.
func TestRefusedChangesOfOnesAccount(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	ann, bob := s.AddPlayer(t, storetest.Ann), s.AddPlayer(t, storetest.Bob)
	banned, deleted, external := s.AddPlayer(t, storetest.Anybody), s.AddPlayer(t, storetest.Anybody), s.AddExternal(t, storetest.Cid, "")
	s.Ban(t, banned.ID)
	s.DeleteUser(t, deleted.ID)
	for _, c := range []struct {
		name                  string
		user                  game.ID
		prove                 store.Prove
		password, email, gone error
	}{
		{"unknown", game.NewID(), knows(), game.ErrUnauthorized, game.ErrUnauthorized, game.ErrUnauthorized},
		{"banned", banned.ID, knows(), game.ErrUnauthorized, game.ErrUnauthorized, game.ErrUnauthorized},
		{"deleted", deleted.ID, knows(), game.ErrUnauthorized, game.ErrUnauthorized, game.ErrUnauthorized},
		{"wrong password", ann.ID, knows(), game.ErrWrongPassword, game.ErrWrongPassword, game.ErrWrongPassword},
		{"no password", external.ID, knows(), game.ErrOAuthAccount, game.ErrOAuthAccount, nil},
	} {
		check := func() {
			hash := func() string { t.Errorf("%s: a password is hashed before the proof", c.name); return "new" }
			checkError(t, errOf(s.ChangePassword(t.Context(), c.user, c.prove, hash, s.NewRefresh(c.user), s.Now)), c.password)
			checkError(t, errOf(s.ChangeEmail(t.Context(), c.user, c.prove, bob.Email)), c.email)
			if c.gone != nil {
				checkError(t, s.DeleteAccount(t.Context(), c.user, c.prove, s.Now), c.gone)
			}
		}
		s.Unchanged(t, check)
	}
	s.Unchanged(t, func() {
		if _, err := s.ChangeEmail(t.Context(), ann.ID, knows(ann.PasswordHash), bob.Email); err != game.ErrTaken { // itself: clients see it
			t.Errorf("got %v", err)
		}
		same := must(s.ChangeEmail(t.Context(), ann.ID, knows(ann.PasswordHash), ann.Email))(t)
		storetest.Equal(t, "user", same, ann.User)
	})
	checkError(t, s.DeleteAccount(t.Context(), external.ID, knows(), s.Now), nil) // it has no password to prove
}

// After a change of the address, sessions stay, and the old address is free at once.
func TestAChangeOfTheAddress(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	want := f.Ann.User
	want.Email = "new@example.com"
	user := must(f.ChangeEmail(t.Context(), f.Ann.ID, knows(f.Ann.PasswordHash), want.Email))(t)
	storetest.Equal(t, "user", user, want)
	storetest.Equal(t, "account", f.AccountOf(t, f.Ann.ID).User, want)
	assert.True(t, f.accepted(t, f.Ann.Refresh), "the session has ended")
	other := f.NewPlayer(storetest.Bob)
	other.Email = f.Ann.Email
	f.Register(t, other)
}

// Other calls change the account between any two requests of a change of the password. The change succeeds if and only
// if its password is the user's when it commits, and then no session before it is accepted.
func TestAnAccountIsChangedDuringAChangeOfThePassword(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(t *testing.T, f fair)
		want   error
		hash   string
		email  string
	}{
		"an operator resets the password": {func(t *testing.T, f fair) {
			checkError(t, f.Operator().ResetPassword(t.Context(), f.Ann.ID, "reset"), nil)
		}, game.ErrWrongPassword, "reset", ""},
		"the address changes": {func(t *testing.T, f fair) {
			must(f.Rival.ChangeEmail(t.Context(), f.Ann.ID, knows(f.Ann.PasswordHash), "new@example.com"))(t)
		}, nil, "own", "new@example.com"},
		"a log-in renews the hash": {func(t *testing.T, f fair) {
			checkError(t, errOf(f.Rival.RecordLogin(t.Context(), f.Ann.Account, f.NewRefresh(f.Ann.ID), game.Rehash{Old: f.Ann.PasswordHash, New: "renewed"}, f.Now+5)), nil)
		}, nil, "own", ""},
		"an operator revokes the sessions": {func(t *testing.T, f fair) {
			checkError(t, f.Rival.Operator(f.AtTime(f.Now+7).Change()).RevokeSessions(t.Context(), f.Ann.ID), nil)
		}, nil, "own", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			betweenRequests(t, func(t *testing.T, f fair) func(*testing.T) {
				session := f.NewRefresh(f.Ann.ID)
				err := f.changePassword(t.Context(), "own", session, f.Ann.PasswordHash, "renewed")
				return func(t *testing.T) {
					checkError(t, err, c.want)
					account := f.AccountOf(t, f.Ann.ID)
					storetest.Equal(t, "hash", f.HashOf(t, account.Email), c.hash)
					assert.Equal(t, c.want == nil, f.accepted(t, session), "the new session is accepted")
					assert.True(t, account.LastLoginAt == nil || *account.LastLoginAt < account.SessionsFrom, "a log-in's session is accepted")
					assert.True(t, c.email == "" || account.Email == c.email, "the address is %s", account.Email)
					f.Invariants(t)
				}
			}, c.change)
		})
	}
}

// Other calls change the account between any two requests of a change of the address. A log-in's new hash is not lost.
func TestAnAccountIsChangedDuringAChangeOfTheAddress(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(t *testing.T, f fair)
		want   error
		hash   string
	}{
		"the password changes": {func(t *testing.T, f fair) {
			own := func() string { return "own" }
			must(f.Rival.ChangePassword(t.Context(), f.Ann.ID, knows(f.Ann.PasswordHash), own, f.NewRefresh(f.Ann.ID), f.Now))(t)
		}, game.ErrWrongPassword, "own"},
		"a log-in renews the hash": {func(t *testing.T, f fair) {
			checkError(t, errOf(f.Rival.RecordLogin(t.Context(), f.Ann.Account, f.NewRefresh(f.Ann.ID), game.Rehash{Old: f.Ann.PasswordHash, New: "renewed"}, f.Now)), nil)
		}, nil, "renewed"},
		"an operator changes the names": {func(t *testing.T, f fair) {
			must(f.Operator().SetUser(t.Context(), f.Ann.ID, operate.UserChange{Username: new("Annie"), Email: new("annie@example.com")}))(t)
		}, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			betweenRequests(t, func(t *testing.T, f fair) func(*testing.T) {
				_, err := f.ChangeEmail(t.Context(), f.Ann.ID, knows(f.Ann.PasswordHash, "renewed"), "new@example.com")
				return func(t *testing.T) {
					checkError(t, err, c.want)
					account := f.AccountOf(t, f.Ann.ID)
					assert.True(t, (account.Email == "new@example.com") == (c.want == nil), "the address is %s", account.Email)
					assert.True(t, c.hash == "" || f.HashOf(t, account.Email) == c.hash, "the hash is lost")
					f.Invariants(t)
				}
			}, c.change)
		})
	}
}

// If the entries cannot be renamed within the call, the account is deleted all the same, and Finish renames them.
func TestADeletionLeavesNamesToFinish(t *testing.T) {
	t.Parallel()
	f := enteredFair(t)
	f.Wire.Next("UpdateItem", storetest.Denied)
	checkError(t, f.DeleteAccount(t.Context(), f.Ann.ID, knows(f.Ann.PasswordHash), f.Now), nil)
	f.CheckFaults(t)
	storetest.Equal(t, "name", f.names(t, f.Show.ID)[f.Ann.Animals[0].ID], f.Ann.Username)
	noted := must(f.Unfinished(t.Context()))(t)
	storetest.Equal(t, "pending work", noted, []store.PendingWork{{Work: store.WorkNames, User: f.Ann.ID, Since: f.Now}})
	storetest.Equal(t, "finished", must(f.Finish(t.Context(), noted[0], f.Now))(t), true)
	storetest.Equal(t, "name", f.names(t, f.Show.ID)[f.Ann.Animals[0].ID], game.DeletedPlayer)
}

// A change of the password overwrites no other session.
func TestAChangeOfThePasswordOverwritesNothing(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	token := f.NewRefresh(f.Ann.ID)
	token.Digest = f.AddPlayer(t, storetest.Bob).Refresh.Digest
	f.Unchanged(t, func() {
		assert.Error(t, f.changePassword(t.Context(), "own", token, f.Ann.PasswordHash), "want an error")
	})
}
