package store_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
	"github.com/ranch-game/ranch/shared/store"
)

// Random ids do not collide. If they did, no row would be overwritten.
func TestARegistrationOverwritesNothing(t *testing.T) {
	t.Parallel()
	for name, meet := range map[string]func(p *storetest.Player, other storetest.Player){
		"user":   func(p *storetest.Player, other storetest.Player) { p.ID = other.ID },
		"ledger": func(p *storetest.Player, other storetest.Player) { p.Starter.UserID = other.ID },
		"token":  func(p *storetest.Player, other storetest.Player) { p.Refresh.Digest = other.Refresh.Digest },
		"animal": func(p *storetest.Player, other storetest.Player) { p.Animals[1] = other.Animals[1] },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t)
			p, other := s.NewPlayer(storetest.Anybody), s.AddPlayer(t, storetest.Ann)
			meet(&p, other)
			s.Unchanged(t, func() {
				assert.Error(t, p.Create(t.Context(), s.Store), "want an error")
			})
			storetest.Equal(t, "the other account", s.AccountOf(t, other.ID), other.Account)
		})
	}
}

// If a later login has committed, a login does not write the account. It still fails if the user is banned meanwhile.
func TestUserIsBannedDuringALoginThatChangesNothing(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	later := f.AtTime(f.Now + 1000).NewRefresh(f.Ann.ID)
	checkError(t, errOf(f.RecordLogin(t.Context(), f.Ann.Account, later, game.Rehash{}, f.Now+1000)), nil)
	read := must(f.Account(t.Context(), f.Ann.ID))(t)
	token := f.NewRefresh(f.Ann.ID)
	f.Meanwhile(func() { f.Ban(t, f.Ann.ID) })
	checkError(t, errOf(f.RecordLogin(t.Context(), *read, token, game.Rehash{}, f.Now)), game.ErrBanned)
	record, _, err := f.RefreshRecord(t.Context(), token.Digest, f.Ann.ID)
	assert.True(t, err == nil && record == nil, "%v, %v", record, err)
}

// A name leads to no account if its user is deleted between the reads of the name and of the account.
func TestUserIsDeletedBehindAName(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	f.Wire.Next("GetItem", storetest.Pass, storetest.Before(func() { f.DeleteUser(t, f.Ann.ID) }))
	account, _, err := f.AccountByEmail(t.Context(), f.Ann.Email)
	assert.True(t, account == nil && err == nil, "e-mail address: got %v, %v", account, err)
	f = newFair(t, game.TierRookie, 0, 1)
	f.Wire.Next("BatchGetItem", storetest.Before(func() { f.DeleteUser(t, f.Ann.ID) }))
	accounts, err := f.AccountsByUsername(t.Context(), f.Ann.Username)
	assert.True(t, len(accounts) == 0 && err == nil, "username: got %v, %v", accounts, err)
}

// If a login began before a revocation or with it, its session is revoked, whichever commits first. If the login began
// after the revocation, its session is valid, unless the login committed first: then the revocation's clock is slow.
func TestARevocationRacesWithALogin(t *testing.T) {
	t.Parallel()
	for name, later := range map[string]game.Instant{"began before": 0, "began at the same instant": 1000, "began after": 1001} {
		for _, revocationFirst := range []bool{true, false} {
			f := newFair(t, game.TierRookie, 0, 1)
			began := f.Now + later
			token := f.AtTime(began).NewRefresh(f.Ann.ID)
			login := func(s operate.Desk) {
				checkError(t, errOf(s.RecordLogin(t.Context(), f.Ann.Account, token, game.Rehash{}, began)), nil)
			}
			revoke := func(s operate.Desk) {
				checkError(t, s.Operator(f.AtTime(f.Now+1000).Change()).RevokeSessions(t.Context(), f.Ann.ID), nil)
			}
			if revocationFirst {
				f.Meanwhile(func() { revoke(f.Rival) })
				login(f.Desk)
			} else {
				f.Meanwhile(func() { login(f.Rival) })
				revoke(f.Desk)
			}
			record, account, err := f.RefreshRecord(t.Context(), token.Digest, f.Ann.ID)
			checkError(t, err, nil)
			want := later <= 1000 || !revocationFirst
			assert.Equal(t, want, account.Revoked(*record),
				"a login that %s, revocation first %t: revoked %t", name, revocationFirst, !want)
		}
	}
}

// Of two logins, the one that began first commits last. A revocation by a slow clock revokes both.
func TestARevocationAfterLoginsOutOfOrder(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	var tokens []game.RefreshRecord
	for _, began := range []game.Instant{f.Now + 9_000, f.Now + 8_000} {
		token := f.AtTime(began).NewRefresh(f.Ann.ID)
		checkError(t, errOf(f.RecordLogin(t.Context(), f.Ann.Account, token, game.Rehash{}, began)), nil)
		tokens = append(tokens, token)
	}
	checkError(t, f.Desk.Operator(f.AtTime(f.Now+7_500).Change()).RevokeSessions(t.Context(), f.Ann.ID), nil)
	for i, token := range tokens {
		record, account, err := f.RefreshRecord(t.Context(), token.Digest, f.Ann.ID)
		checkError(t, err, nil)
		assert.True(t, account.Revoked(*record) && *account.LastLoginAt == f.Now+9_000,
			"login %d is not revoked; the last one was at %d", i, *account.LastLoginAt-f.Now)
	}
}

// If a fast clock has revoked the sessions of the future, too, the session of the next log-in is valid. That of a log-in
// that began before the revocation is not, and neither are earlier ones.
func TestAFastClockLocksNobodyOut(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	revoke := func() {
		f.Ban(t, f.Ann.ID)
		checkError(t, f.Rival.Operator(f.AtTime(f.Now.Add(time.Hour)).Change()).Unban(t.Context(), f.Ann.ID), nil)
		checkError(t, f.Rival.Operator(f.AtTime(f.Now.Add(time.Hour)).Change()).RevokeSessions(t.Context(), f.Ann.ID), nil)
	}
	login := func(began game.Instant, read game.Account) (revoked bool) {
		token := f.AtTime(began).NewRefresh(f.Ann.ID)
		checkError(t, errOf(f.RecordLogin(t.Context(), read, token, game.Rehash{}, began)), nil)
		record, account, err := f.RefreshRecord(t.Context(), token.Digest, f.Ann.ID)
		checkError(t, err, nil)
		return account.Revoked(*record)
	}
	f.Meanwhile(revoke)
	assert.True(t, login(f.Now+1, f.AccountOf(t, f.Ann.ID)), "a log-in that began before is not revoked")
	assert.False(t, login(f.Now+1000, f.AccountOf(t, f.Ann.ID)), "the next log-in is revoked")
	assert.True(t, f.AccountOf(t, f.Ann.ID).Revoked(f.Ann.Refresh), "an earlier session is not revoked")
}

// A login never overwrites a refresh record.
func TestALoginOverwritesNothing(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	other := f.AddPlayer(t, storetest.Bob)
	token := f.NewRefresh(f.Ann.ID)
	token.Digest = other.Refresh.Digest
	assert.Error(t, errOf(f.RecordLogin(t.Context(), f.Ann.Account, token, game.Rehash{}, f.Now)), "want an error")
	record, account, err := f.RefreshRecord(t.Context(), token.Digest, f.Ann.ID)
	checkError(t, err, nil)
	storetest.Equal(t, "refresh record", record, &other.Refresh)
	storetest.Equal(t, "account", account, &f.Ann.Account)
}

// A log-in does not replace a newer hash, even if its own first attempt was lost.
func TestAPasswordIsChangedDuringALogin(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]storetest.Fault{"at once": storetest.Pass, "after a lost attempt": storetest.Lost} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFair(t, game.TierRookie, 0, 1)
			address := f.At(store.EmailKey(f.Ann.Email))
			f.Wire.Next("TransactWriteItems", func(r *http.Request, pass http.RoundTripper) (*http.Response, error) {
				address.Edit(t, "SET hp = :ph", map[string]any{":ph": "changed"})
				return first(r, pass)
			})
			checkError(t, errOf(f.RecordLogin(t.Context(), f.Ann.Account, f.NewRefresh(f.Ann.ID), game.Rehash{Old: f.Ann.PasswordHash, New: "new"}, f.Now)), nil)
			hash, last := f.HashOf(t, f.Ann.Email), f.AccountOf(t, f.Ann.ID).LastLoginAt
			assert.True(t, hash == "changed" && last != nil, "hash %q, last login %v", hash, last)
			f.Invariants(t)
		})
	}
}

// Operators change a user between any two requests of a log-in, whose clock is ahead of theirs. The log-in succeeds if
// and only if its password is the user's when it commits, and then returns the names of that instant.
func TestAUserIsChangedDuringALogin(t *testing.T) {
	t.Parallel()
	again := func(t *testing.T, f fair) {
		checkError(t, errOf(f.Rival.RecordLogin(t.Context(), f.Ann.Account, f.NewRefresh(f.Ann.ID), game.Rehash{Old: f.Ann.PasswordHash, New: "renewed"}, f.Now)), nil)
	}
	rename := func(t *testing.T, f fair, to operate.UserChange) {
		must(f.Operator().SetUser(t.Context(), f.Ann.ID, to))(t)
	}
	for name, c := range map[string]struct {
		change func(t *testing.T, f fair)
		want   error
		called string
		newer  string // what the log-in makes of the hash
	}{
		"the password is reset": {func(t *testing.T, f fair) {
			checkError(t, f.Operator().ResetPassword(t.Context(), f.Ann.ID, "reset"), nil)
		}, game.ErrInvalidCredentials, "", ""},
		"the password is reset, while the hash is renewed": {func(t *testing.T, f fair) {
			checkError(t, f.Operator().ResetPassword(t.Context(), f.Ann.ID, "reset"), nil)
		}, game.ErrInvalidCredentials, "", "new"},
		"the password is reset and the address changed": {func(t *testing.T, f fair) {
			checkError(t, f.Operator().ResetPassword(t.Context(), f.Ann.ID, "reset"), nil)
			rename(t, f, operate.UserChange{Email: new("new@example.com")})
			rename(t, f, operate.UserChange{Email: &f.Ann.Email})
		}, game.ErrInvalidCredentials, "", ""},
		"the user gets another name": {func(t *testing.T, f fair) { rename(t, f, operate.UserChange{Username: new("Annie")}) }, nil, "Annie", "new"},
		"another log-in renews the hash, and the user gets another name": {func(t *testing.T, f fair) {
			again(t, f)
			rename(t, f, operate.UserChange{Username: new("Annie")})
		}, nil, "Annie", "new"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			betweenRequests(t, func(t *testing.T, f fair) func(*testing.T) {
				later := f.Now + 1000
				token := f.AtTime(later).NewRefresh(f.Ann.ID)
				account, hash, err := f.AccountByEmail(t.Context(), f.Ann.Email)
				checkError(t, err, nil)
				if account == nil || hash == "reset" { // the endpoint refuses the password
					return func(*testing.T) {}
				}
				recorded, err := f.RecordLogin(t.Context(), *account, token, game.Rehash{Old: hash, New: c.newer}, later)
				return func(t *testing.T) {
					checkError(t, err, c.want)
					record, _, err := f.RefreshRecord(t.Context(), token.Digest, f.Ann.ID)
					checkError(t, err, nil)
					assert.Equal(t, c.want == nil, record != nil, "a session")
					assert.True(t, c.want != nil || recorded.Username == c.called, "the user is called %s", recorded.Username)
					f.Invariants(t)
				}
			}, c.change)
		})
	}
}
