package store_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
	"github.com/ranch-game/ranch/shared/store"
)

// username returns a change of only the username.
func username(name string) operate.UserChange { return operate.UserChange{Username: &name} }

// New names lead to the user, and the old ones lead nowhere. The password and the number of items stay. Every entry
// shows the new username, in open, completed and cancelled shows. The record has no names.
func TestNewNames(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 2)
	bob := f.AddPlayer(t, storetest.Bob)
	open, cancelled := f.AddShow(t, storetest.Fee(0), storetest.Gates(5)), f.AddShow(t, storetest.Fee(0))
	f.MustEnter(t, bob, f.Show, 0)
	for _, show := range []game.Show{open, cancelled} {
		f.MustEnter(t, f.Ann, show, 0)
	}
	f.judged(t, 0, 1)
	checkError(t, f.Operator().CancelShow(t.Context(), cancelled.ID), nil)
	rows := len(f.Scan(t))

	change := f.Change()
	names := operate.UserChange{Email: new("new@example.com"), Username: new("Annie"), RanchName: new("New Ranch")}
	entries := must(f.Desk.Operator(change).SetUser(t.Context(), f.Ann.ID, names))(t)
	storetest.Equal(t, "entries", entries, 4)
	storetest.Equal(t, "rows", len(f.Scan(t)), rows+1) // the record
	account, hash, err := f.AccountByEmail(t.Context(), "new@example.com")
	checkError(t, err, nil)
	storetest.Equal(t, "hash", hash, f.Ann.PasswordHash)
	storetest.Equal(t, "names", []string{account.Email, account.Username, account.Ranch.Name}, []string{"new@example.com", "Annie", "New Ranch"})
	old, _, err := f.AccountByEmail(t.Context(), f.Ann.Email)
	assert.True(t, old == nil && err == nil, "%v, %v", old, err)
	record := must(f.AuditRecord(t.Context(), change.ID))(t)
	storetest.Equal(t, "record", []string{record.Action, record.Subject, string(record.Before), string(record.After)},
		[]string{"set user", "user " + string(f.Ann.ID), "", `{"set":["email","username","ranchName"]}`})
	for _, show := range []game.ID{f.Show.ID, open.ID, cancelled.ID} {
		for animal, name := range f.names(t, show) {
			assert.True(t, animal == bob.Animals[0].ID == (name == bob.Username) && (animal == bob.Animals[0].ID || name == "Annie"),
				"an entry is under the name %q", name)
		}
	}
	again := f.AddPlayer(t, storetest.Ann) // the names are free
	f.Unchanged(t, func() {
		for _, taken := range []operate.UserChange{{Email: &again.Email}, {Username: &again.Username}, {Email: &again.Email, Username: &again.Username}} {
			// The error names the reason once.
			assert.Equal(t, error(game.ErrTaken), errOf(f.changes().SetUser(t.Context(), f.Ann.ID, taken)))
		}
	})
}

// A change that sets the current names leaves no record. Changes of missing users, ranches and passwords are refused.
func TestNamesThatAreNotChanged(t *testing.T) {
	t.Parallel()
	f := bareFair(t)
	gone, outsider := f.AddPlayer(t, storetest.Bob), f.AddExternal(t, storetest.Anybody, "")
	f.DeleteUser(t, gone.ID)
	f.Unchanged(t, func() {
		must(f.changes().SetUser(t.Context(), f.Ann.ID, operate.UserChange{Email: &f.Ann.Email, Username: &f.Ann.Username, RanchName: &f.Ann.Ranch.Name}))(t)
		for user, want := range map[game.ID]error{gone.ID: operate.ErrDeletedUser, game.NewID(): store.ErrUnknownUser} {
			checkError(t, errOf(f.changes().SetUser(t.Context(), user, username("Annie"))), want)
			checkError(t, f.changes().ResetPassword(t.Context(), user, "new"), want)
		}
		checkError(t, errOf(f.changes().SetUser(t.Context(), outsider.ID, operate.UserChange{RanchName: new("Ranch")})), operate.ErrNoRanch)
		checkError(t, f.changes().ResetPassword(t.Context(), outsider.ID, "new"), operate.ErrNoPassword)
	})
}

// A user who signs in elsewhere can get another address, and still has no password.
func TestANewAddressWithoutAPassword(t *testing.T) {
	t.Parallel()
	f := bareFair(t)
	outsider := f.AddExternal(t, storetest.Anybody, "")
	must(f.changes().SetUser(t.Context(), outsider.ID, operate.UserChange{Email: new("new@example.com")}))(t)
	account, hash, err := f.AccountByEmail(t.Context(), "new@example.com")
	assert.True(t, err == nil && account != nil && account.ID == outsider.ID && hash == "", "%v has the hash %q: %v", account, hash, err)
}

// A change of names undoes nothing that came between its read and its write: no hash, gold or other name.
func TestChangesDuringAChangeOfNames(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		meanwhile func(t *testing.T, f fair)
		check     func(t *testing.T, f fair, a game.Account)
	}{
		"a log-in brings a hash": {func(t *testing.T, f fair) {
			checkError(t, errOf(f.Rival.RecordLogin(t.Context(), f.Ann.Account, f.NewRefresh(f.Ann.ID), game.Rehash{Old: f.Ann.PasswordHash, New: "risen"}, f.Now)), nil)
		}, func(t *testing.T, f fair, a game.Account) { storetest.Equal(t, "hash", f.HashOf(t, a.Email), "risen") }},
		"a reset": {func(t *testing.T, f fair) {
			checkError(t, f.Operator().ResetPassword(t.Context(), f.Ann.ID, "reset"), nil)
		},
			func(t *testing.T, f fair, a game.Account) { storetest.Equal(t, "hash", f.HashOf(t, a.Email), "reset") }},
		"an entry": {func(t *testing.T, f fair) { f.MustEnter(t, f.Ann, f.Show, 0) }, func(t *testing.T, f fair, a game.Account) {
			storetest.Equal(t, "name", f.names(t, f.Show.ID)[f.Ann.Animals[0].ID], "Annie")
			storetest.Equal(t, "gold", a.GoldBalance, 450)
		}},
		"a ban": {func(t *testing.T, f fair) { f.Ban(t, f.Ann.ID) }, func(t *testing.T, f fair, a game.Account) {
			storetest.Equal(t, "status", a.Status, game.UserBanned)
		}},
		"another username": {func(t *testing.T, f fair) { f.MustRename(t, f.Ann, "Other") }, func(t *testing.T, f fair, a game.Account) {
			found, err := f.AccountsByUsername(t.Context(), "Other")
			assert.True(t, len(found) == 0 && err == nil, "%v, %v", found, err)
		}},
		"another address": {func(t *testing.T, f fair) {
			must(f.Operator().SetUser(t.Context(), f.Ann.ID, operate.UserChange{Email: new("other@example.com")}))(t)
		}, func(t *testing.T, f fair, _ game.Account) {
			found, _, err := f.AccountByEmail(t.Context(), "other@example.com")
			assert.True(t, found == nil && err == nil, "%v, %v", found, err)
		}},
		"the ranch": {func(t *testing.T, f fair) {
			must(f.Operator().SetUser(t.Context(), f.Ann.ID, operate.UserChange{RanchName: new("New Ranch")}))(t)
		}, func(t *testing.T, f fair, a game.Account) { storetest.Equal(t, "ranch", a.Ranch.Name, "New Ranch") }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFair(t, game.TierRookie, 50, 1)
			f.Meanwhile(func() { c.meanwhile(t, f) })
			must(f.changes().SetUser(t.Context(), f.Ann.ID, operate.UserChange{Email: new("new@example.com"), Username: new("Annie")}))(t)
			a := f.AccountOf(t, f.Ann.ID)
			storetest.Equal(t, "names", []string{a.Email, a.Username}, []string{"new@example.com", "Annie"})
			c.check(t, f, a)
			f.Invariants(t)
		})
	}
}

// The user's address changes between the two reads of AccountByEmail. The old address then leads nowhere.
func TestAnAddressIsSetBehindAName(t *testing.T) {
	t.Parallel()
	f := bareFair(t)
	f.Wire.Next("GetItem", storetest.Pass, storetest.Before(func() {
		must(f.Operator().SetUser(t.Context(), f.Ann.ID, operate.UserChange{Email: new("new@example.com")}))(t)
	}))
	account, _, err := f.AccountByEmail(t.Context(), f.Ann.Email)
	assert.True(t, account == nil && err == nil, "got %v, %v", account, err)
}

// If the user changes between a reset's reads of the user and the address, the reset reads both again.
func TestAnAddressIsSetBehindAReset(t *testing.T) {
	t.Parallel()
	for want, meanwhile := range map[error]func(f fair){
		nil: func(f fair) {
			must(f.Operator().SetUser(t.Context(), f.Ann.ID, operate.UserChange{Email: new("new@example.com")}))(t)
		},
		store.ErrUnknownUser: func(f fair) { // only a damaged table loses a user
			f.At(store.EmailKey(f.Ann.Email)).Delete(t)
			f.At(store.UserKey(f.Ann.ID)).Delete(t)
		},
	} {
		f := bareFair(t)
		f.Wire.Next("TransactGetItems", storetest.Before(func() { meanwhile(f) }))
		checkError(t, f.changes().ResetPassword(t.Context(), f.Ann.ID, "reset"), want)
	}
}

// If another user takes the name in between, or the user is deleted in between, SetUser fails.
func TestNamesAreTakenDuringAChange(t *testing.T) {
	t.Parallel()
	f := bareFair(t)
	bob := f.NewPlayer(storetest.Bob)
	f.Meanwhile(func() { f.Register(t, bob) })
	checkError(t, errOf(f.changes().SetUser(t.Context(), f.Ann.ID, username(bob.Username))), game.ErrTaken)
	f.Meanwhile(func() { f.DeleteUser(t, f.Ann.ID) })
	checkError(t, errOf(f.changes().SetUser(t.Context(), f.Ann.ID, username("Annie"))), operate.ErrDeletedUser)
}

// If the user gets another username while an entry is under way, the entry gets the new one.
func TestAPlayerIsRenamedDuringAnEntry(t *testing.T) {
	t.Parallel()
	for _, fee := range []int64{0, 50} {
		f := newFair(t, game.TierRookie, fee, 1)
		f.Meanwhile(func() { f.MustRename(t, f.Ann, "Annie") })
		checkError(t, enterFirst(t.Context(), f), nil)
		storetest.Equal(t, "name", f.names(t, f.Show.ID)[f.Ann.Animals[0].ID], "Annie")
	}
}

// A judging that has read the old name does not complete the show with it. If a show is completed while entries are
// renamed, its results get the new name, too.
func TestAPlayerIsRenamedDuringAJudging(t *testing.T) {
	t.Parallel()
	for _, w := range writesOf("judge", "due judging", "operator's judging") {
		f := w.fair(t)
		f.MustEnter(t, f.Ann, f.Show, 0)
		f.Meanwhile(func() { f.MustRename(t, f.Ann, "Annie") })
		checkError(t, w.do(t.Context(), f), nil)
		storetest.Equal(t, w.name, f.names(t, f.Show.ID)[f.Ann.Animals[0].ID], "Annie")
		f.Invariants(t)
	}
	for n := range 2 { // before the entry is renamed, and before the show's number of renamings
		f := newFair(t, game.TierRookie, 0, 1)
		bob := f.AddPlayer(t, storetest.Bob)
		f.MustEnter(t, bob, f.Show, 0)
		held := f.holdJudging(t) // by Ann
		f.then(t, []string{"TransactWriteItems", "UpdateItem"}[n], 2-n, held.Take(ofAll))
		must(f.changes().SetUser(t.Context(), bob.ID, username("Bobby")))(t)
		f.CheckFaults(t)
		storetest.Equal(t, "name", f.names(t, f.Show.ID)[bob.Animals[0].ID], "Bobby")
		f.Invariants(t)
	}
}

// Entries and results show the later one of two new usernames, or a deletion, even if the first change still has some
// to rename.
func TestEntriesShowTheLastName(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		meanwhile func(t *testing.T, f fair)
		want      string
	}{
		"another username": {func(t *testing.T, f fair) { f.MustRename(t, f.Ann, "Second") }, "Second"},
		"a deletion":       {func(t *testing.T, f fair) { f.DeleteUser(t, f.Ann.ID) }, game.DeletedPlayer},
	} {
		for n, f := range []fair{enteredFair(t), judgedFair(game.TierRookie, 1)(t)} { // before the entry or the results
			f.Wire.Next("TransactWriteItems", slices.Repeat([]storetest.Fault{storetest.Pass}, 1+n)...)
			f.Meanwhile(func() { c.meanwhile(t, f) })
			entries := must(f.changes().SetUser(t.Context(), f.Ann.ID, username("First")))(t)
			storetest.Equal(t, "entries", entries, 0)
			storetest.Equal(t, name, f.names(t, f.Show.ID)[f.Ann.Animals[0].ID], c.want)
			f.Invariants(t)
		}
	}
}

// A log-in fails if an operator meanwhile replaces the address or password that it has read, but not after an unban.
func TestALoginRacesWithItsUsersChange(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		meanwhile func(t *testing.T, f fair)
		want      error
	}{
		"another address": {func(t *testing.T, f fair) {
			must(f.Operator().SetUser(t.Context(), f.Ann.ID, operate.UserChange{Email: new("new@example.com")}))(t)
		}, game.ErrInvalidCredentials},
		"an address that is somebody else's by now": {func(t *testing.T, f fair) {
			must(f.Operator().SetUser(t.Context(), f.Ann.ID, operate.UserChange{Email: new("new@example.com"), Username: new("Annie")}))(t)
			f.AddPlayer(t, storetest.Ann)
		}, game.ErrInvalidCredentials},
		"another password": {func(t *testing.T, f fair) {
			checkError(t, f.Operator().ResetPassword(t.Context(), f.Ann.ID, "reset"), nil)
		}, game.ErrInvalidCredentials},
		"a ban and an unban": {func(t *testing.T, f fair) {
			f.Ban(t, f.Ann.ID)
			checkError(t, f.Operator().Unban(t.Context(), f.Ann.ID), nil)
		}, nil},
		"another username": {func(t *testing.T, f fair) { f.MustRename(t, f.Ann, "Annie") }, nil},
	} {
		for _, hash := range []string{"", "risen"} {
			t.Run(fmt.Sprint(name, hash), func(t *testing.T) {
				t.Parallel()
				f := bareFair(t)
				later := f.Now + 60_000 // so that a reset does not revoke this session
				token := f.AtTime(later).NewRefresh(f.Ann.ID)
				f.Meanwhile(func() { c.meanwhile(t, f) })
				err := errOf(f.RecordLogin(t.Context(), f.Ann.Account, token, game.Rehash{Old: f.Ann.PasswordHash, New: hash}, later))
				checkError(t, err, c.want)
				record, _, err := f.RefreshRecord(t.Context(), token.Digest, f.Ann.ID)
				checkError(t, err, nil)
				storetest.Equal(t, "there is a session", record != nil, c.want == nil)
			})
		}
	}
}

// A reset replaces the hash and ends sessions. A log-in cannot bring back a hash of the old password. Of two
// simultaneous resets the last one to commit counts.
func TestResetPassword(t *testing.T) {
	t.Parallel()
	for name, meanwhile := range map[string]func(t *testing.T, f fair){
		"nothing": func(*testing.T, fair) {},
		"a log-in with a new hash": func(t *testing.T, f fair) {
			checkError(t, errOf(f.Rival.RecordLogin(t.Context(), f.Ann.Account, f.NewRefresh(f.Ann.ID), game.Rehash{Old: f.Ann.PasswordHash, New: "risen"}, f.Now)), nil)
		},
		"another reset": func(t *testing.T, f fair) {
			checkError(t, f.Operator().ResetPassword(t.Context(), f.Ann.ID, "other"), nil)
		},
		"another address": func(t *testing.T, f fair) {
			must(f.Operator().SetUser(t.Context(), f.Ann.ID, operate.UserChange{Email: new("new@example.com")}))(t)
		},
		"a ban": func(t *testing.T, f fair) { f.Ban(t, f.Ann.ID) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := bareFair(t)
			change := f.Change()
			f.Meanwhile(func() { meanwhile(t, f) })
			checkError(t, f.Desk.Operator(change).ResetPassword(t.Context(), f.Ann.ID, "reset"), nil)
			a := f.AccountOf(t, f.Ann.ID)
			storetest.Equal(t, "hash", f.HashOf(t, a.Email), "reset")
			record, account, err := f.RefreshRecord(t.Context(), f.Ann.Refresh.Digest, f.Ann.ID)
			checkError(t, err, nil)
			storetest.Equal(t, "revoked", account.Revoked(*record), true)
			checkError(t, f.Desk.Operator(change).ResetPassword(t.Context(), f.Ann.ID, "again"), nil)
			storetest.Equal(t, "hash after the same change", f.HashOf(t, a.Email), "reset")
		})
	}
}

// If the reservation of an address or username is another user's, no change of a user changes anything. This also holds
// if it becomes another user's between the reads and the write.
func TestNewNamesInADamagedTable(t *testing.T) {
	t.Parallel()
	for _, do := range []func(ctx context.Context, f fair) error{
		func(ctx context.Context, f fair) error {
			return errOf(f.changes().SetUser(ctx, f.Ann.ID, operate.UserChange{Email: new("new@example.com")}))
		},
		func(ctx context.Context, f fair) error {
			return errOf(f.changes().SetUser(ctx, f.Ann.ID, username("Annie")))
		},
		func(ctx context.Context, f fair) error { return f.changes().ResetPassword(ctx, f.Ann.ID, "new") },
	} {
		f := bareFair(t)
		errs := []error{f.comesToNothing(t, write{do: do}, func() {
			f.At(store.EmailKey(f.Ann.Email)).Edit(t, "SET u = :other", map[string]any{":other": string(game.NewID())})
			f.At(store.UsernameKey(f.Ann.Username)).Edit(t, "SET u = :other", map[string]any{":other": string(game.NewID())})
		})}
		f.Unchanged(t, func() { errs = append(errs, do(t.Context(), f)) })
		for _, err := range errs {
			assert.True(t, err != nil && strings.Contains(err.Error(), "damaged"), "got %v", err)
		}
	}
}

// If the table lacks an entry, renaming the user does not create it.
func TestNewNamesMakeNoEntries(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	f.MustEnter(t, f.Ann, f.Show, 0)
	entry := f.At(store.EntryKey(f.Show.ID, f.Ann.Animals[0].ID, 1))
	entry.Delete(t)
	_, err := f.changes().SetUser(t.Context(), f.Ann.ID, username("Annie"))
	row := entry.Read(t)
	assert.True(t, row == nil && err != nil && strings.Contains(err.Error(), "an entry may still have the old name"),
		"it made %v, and says %v", row, err)
}
