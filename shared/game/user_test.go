package game

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNewAccount(t *testing.T) {
	got := NewAccount(Registration{Email: "Ann@Example.com", Username: "Ann", Password: "secret", RanchName: "Home"}, "$hash", 1_000)
	want := Account{
		User: User{ID: got.ID, Email: "ann@example.com", Username: "Ann", Status: "active", GoldBalance: 500,
			MarketRestrictedUntil: 1_000 + 7*24*60*60*1000, CreatedAt: 1_000},
		Ranch:        &Ranch{ID: got.Ranch.ID, Name: "Home", PlotCount: 4, MaxPlotCount: 20},
		PasswordHash: "$hash",
		LedgerSeq:    1,
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

func TestRefreshRecordIsDeadAtItsVeryExpiry(t *testing.T) {
	record := RefreshRecord{ExpiresAt: 1_000}
	for now, want := range map[Instant]bool{999: true, 1_000: false, 1_001: false} {
		if got := record.LiveAt(now); got != want {
			t.Errorf("at %d: %t", now, got)
		}
	}
}
