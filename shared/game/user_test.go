package game

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNewAccount(t *testing.T) {
	got := NewAccount(Registration{Email: "Ann@Example.com", Username: "Ann", Password: "secret", RanchName: "Home"}, 1_000)
	want := Account{
		User: User{ID: got.ID, Email: "ann@example.com", Username: "Ann", Status: "active", GoldBalance: 500,
			MarketRestrictedUntil: 1_000 + 7*24*60*60*1000, CreatedAt: 1_000},
		Ranch:     &Ranch{ID: got.Ranch.ID, Name: "Home", PlotCount: 4, MaxPlotCount: 20},
		LedgerSeq: 1,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if _, ok := ParseID(string(got.ID)); !ok || got.Ranch.ID == got.ID {
		t.Errorf("ids %q and %q", got.ID, got.Ranch.ID)
	}
}

func TestNewExternalAccount(t *testing.T) {
	got := NewExternalAccount("Ann@Example.com", "Ann", 1_000)
	want := Account{User: User{ID: got.ID, Email: "ann@example.com", Username: "Ann", Status: "active",
		MarketRestrictedUntil: 1_000 + 7*24*60*60*1000, CreatedAt: 1_000}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if _, ok := ParseID(string(got.ID)); !ok {
		t.Errorf("id %q", got.ID)
	}
}

func TestShownName(t *testing.T) {
	for status, want := range map[UserStatus]string{UserActive: "Ann", UserBanned: "Ann", UserDeleted: DeletedPlayer} {
		if got := (Account{User: User{Username: "Ann", Status: status}}).ShownName(); got != want {
			t.Errorf("a user with the status %s is shown as %q, want %q", status, got, want)
		}
	}
}

func TestRefreshRecordIsDeadAtItsVeryExpiry(t *testing.T) {
	record := RefreshRecord{ExpiresAt: 1_000}
	for now, want := range map[Instant]bool{999: true, 1_000: false, 1_001: false} {
		if got := record.LiveAt(now); got != want {
			t.Errorf("at %d: %t", now, got)
		}
	}
}

func TestRevocation(t *testing.T) {
	login := Instant(7_000)
	for name, c := range map[string]struct {
		account Account
		now     Instant
		want    Instant
	}{
		"the millisecond after":             {Account{}, 5_000, 5_001},
		"after the registration":            {Account{User: User{CreatedAt: 6_000}}, 5_000, 6_001},
		"after the last login":              {Account{LastLoginAt: &login}, 5_000, 7_001},
		"a login that was long before":      {Account{LastLoginAt: &login}, 9_000, 9_001},
		"never back before another one":     {Account{SessionsFrom: 8_000}, 5_000, 8_000},
		"not further than where it was set": {Account{LastLoginAt: &login, SessionsFrom: 7_001}, 5_000, 7_001},
	} {
		if got := c.account.Revocation(c.now); got != c.want {
			t.Errorf("%s: %d, not %d", name, got, c.want)
		}
	}
	account := Account{SessionsFrom: 5_001}
	for issued, want := range map[Instant]bool{4_999: true, 5_000: true, 5_001: false} {
		if got := account.Revoked(RefreshRecord{ExpiresAt: issued.Add(RefreshTokenLifetime)}); got != want {
			t.Errorf("issued at %d: %t", issued, got)
		}
	}
	if (Account{}).Revoked(RefreshRecord{ExpiresAt: Instant(0).Add(RefreshTokenLifetime)}) {
		t.Error("without any revocation a session is revoked")
	}
}
