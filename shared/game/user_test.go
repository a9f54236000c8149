package game

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
)

func TestNewAccount(t *testing.T) {
	got := NewAccount(Registration{Email: "Ann@Example.com", Username: "Ann", Password: "secret", RanchName: "Home"}, 1_000)
	want := Account{
		User: User{ID: got.ID, Email: "ann@example.com", Username: "Ann", Status: "active", GoldBalance: 500,
			MarketRestrictedUntil: 1_000 + 7*24*60*60*1000, CreatedAt: 1_000},
		Ranch:     &Ranch{ID: got.Ranch.ID, Name: "Home", PlotCount: 4, MaxPlotCount: 20},
		LedgerSeq: 1,
	}
	assert.Empty(t, cmp.Diff(want, got))
	other := NewAccount(Registration{}, 0)
	checkIDs(t, got.ID, got.Ranch.ID, other.ID, other.Ranch.ID)
}

func TestNewExternalAccount(t *testing.T) {
	got := NewExternalAccount("Ann@Example.com", "Ann", 1_000)
	want := Account{User: User{ID: got.ID, Email: "ann@example.com", Username: "Ann", Status: "active",
		MarketRestrictedUntil: 1_000 + 7*24*60*60*1000, CreatedAt: 1_000}}
	assert.Empty(t, cmp.Diff(want, got))
	checkIDs(t, got.ID, NewExternalAccount("", "", 0).ID)
}

func TestShownName(t *testing.T) {
	for status, want := range map[UserStatus]string{UserActive: "Ann", UserBanned: "Ann", UserDeleted: DeletedPlayer} {
		assert.Equal(t, want, (Account{User: User{Username: "Ann", Status: status}}).ShownName(),
			"a user with the status %s is shown as", status)
	}
}

func TestRefreshRecordIsDeadAtItsVeryExpiry(t *testing.T) {
	record := RefreshRecord{ExpiresAt: 1_000}
	for now, want := range map[Instant]bool{999: true, 1_000: false, 1_001: false} {
		got := record.LiveAt(now)
		assert.Equal(t, want, got, "at %d: %t", now, got)
	}
}

func TestRevocation(t *testing.T) {
	login := Instant(7_000)
	for name, c := range map[string]struct {
		account Account
		now     Instant
		want    Instant
	}{
		"the millisecond after":                    {Account{}, 5_000, 5_001},
		"after the registration":                   {Account{User: User{CreatedAt: 6_000}}, 5_000, 6_001},
		"after the last login":                     {Account{LastLoginAt: &login}, 5_000, 7_001},
		"a login that was long before":             {Account{LastLoginAt: &login}, 9_000, 9_001},
		"after the session that another one began": {Account{LastLoginAt: &login, SessionsFrom: 8_000}, 5_000, 8_001},
	} {
		assert.Equal(t, c.want, c.account.Revocation(c.now), "%s", name)
	}
	account := Account{SessionsFrom: 5_001}
	for issued, want := range map[Instant]bool{4_999: true, 5_000: true, 5_001: false} {
		got := account.Revoked(RefreshRecord{ExpiresAt: issued.Add(RefreshTokenLifetime)})
		assert.Equal(t, want, got, "issued at %d: %t", issued, got)
	}
	assert.False(t, (Account{}).Revoked(RefreshRecord{ExpiresAt: Instant(0).Add(RefreshTokenLifetime)}),
		"without any revocation a session is revoked")
}
