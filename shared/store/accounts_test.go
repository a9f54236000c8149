package store_test

import (
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ranch-game/ranch/localstack/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

func TestRegistrationIsReadBackWhole(t *testing.T) {
	t.Parallel()
	table, now := storetest.New(t), now()
	p := storetest.NewPlayer(now)
	ledger := p.Starter()
	if err := table.CreateAccount(t.Context(), p.Account, p.Animals, ledger, p.Refresh); err != nil {
		t.Fatal(err)
	}
	byEmail, err := table.AccountByEmail(t.Context(), p.Email)
	if err != nil {
		t.Fatal(err)
	}
	checkEqual(t, "account by e-mail", byEmail, &p.Account)
	record, account, err := table.RefreshRecord(t.Context(), p.Refresh.Digest, p.ID)
	if err != nil {
		t.Fatal(err)
	}
	checkEqual(t, "refresh record", record, &p.Refresh)
	checkEqual(t, "account of the refresh record", account, &p.Account)
	rows, err := table.Ledger(t.Context(), p.ID)
	if err != nil {
		t.Fatal(err)
	}
	checkEqual(t, "ledger", rows, []game.LedgerEntry{ledger})
	animals, err := table.Animals(t.Context(), p.ID)
	if err != nil {
		t.Fatal(err)
	}
	checkEqual(t, "animals", byID(animals), byID(p.Animals))
	for i := 1; i < len(animals); i++ {
		if animals[i-1].ID >= animals[i].ID {
			t.Error("the animals are not in the order of their ids")
		}
	}
	checkEqual(t, "rows", len(table.Scan(t)), 8)
	table.Invariants(t)
}

func byID(animals []game.Animal) map[game.ID]game.Animal {
	m := map[game.ID]game.Animal{}
	for _, a := range animals {
		m[a.ID] = a
	}
	return m
}

func TestNamesAreUnique(t *testing.T) {
	t.Parallel()
	for name, steal := range map[string]func(p *storetest.Player, from storetest.Player){
		"e-mail":   func(p *storetest.Player, from storetest.Player) { p.Email = from.Email },
		"username": func(p *storetest.Player, from storetest.Player) { p.Username = from.Username },
		"both":     func(p *storetest.Player, from storetest.Player) { p.Email, p.Username = from.Email, from.Username },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			table, now := storetest.New(t), now()
			first, second := table.Register(t, now), storetest.NewPlayer(now)
			steal(&second, first)
			rows := table.Scan(t)
			err := table.CreateAccount(t.Context(), second.Account, second.Animals, second.Starter(), second.Refresh)
			if err != game.ErrTaken { // itself: it is shown to the client
				t.Errorf("got %v", err)
			}
			external := game.NewExternalAccount(second.Email, second.Username, now)
			if err := table.CreateExternalAccount(t.Context(), external); err != game.ErrTaken {
				t.Errorf("external: got %v", err)
			}
			checkEqual(t, "rows", len(table.Scan(t)), len(rows))
			table.Invariants(t)
		})
	}
}

func TestUsernamesDifferByCase(t *testing.T) {
	t.Parallel()
	table, now := storetest.New(t), now()
	for _, username := range []string{"Rancher", "rancher", "RANCHER"} {
		p := storetest.NewPlayer(now)
		p.Username = username
		table.Add(t, p, now)
	}
	table.Invariants(t)
}

func TestUnknownAccounts(t *testing.T) {
	t.Parallel()
	table, now := storetest.New(t), now()
	if a, err := table.AccountByEmail(t.Context(), "nobody@example.com"); a != nil || err != nil {
		t.Error(a, err)
	}
	if a, err := table.Account(t.Context(), game.NewID()); a != nil || err != nil {
		t.Error(a, err)
	}
	if record, a, err := table.RefreshRecord(t.Context(), "none", game.NewID()); record != nil || a != nil || err != nil {
		t.Error(record, a, err)
	}
	p := table.Register(t, now)
	if record, a, err := table.RefreshRecord(t.Context(), "none", p.ID); record != nil || a == nil || err != nil {
		t.Error(record, a, err)
	}
	if record, a, err := table.RefreshRecord(t.Context(), p.Refresh.Digest, game.NewID()); record == nil || a != nil || err != nil {
		t.Error(record, a, err)
	}
	if animals, err := table.Animals(t.Context(), game.NewID()); animals == nil || len(animals) != 0 || err != nil {
		t.Error(animals, err) // an empty list, which JSON shows as one
	}
	checkError(t, table.SetUserStatus(t.Context(), game.NewID(), game.UserBanned), store.ErrUnknownUser)
	checkError(t, table.RecordLogin(t.Context(), storetest.NewRefresh(game.NewID(), now), now), game.ErrInvalidCredentials)
	table.Invariants(t)
}

func TestExternalAccountHasNoPasswordNoRanchAndNoLedger(t *testing.T) {
	t.Parallel()
	table, now := storetest.New(t), now()
	want := game.NewExternalAccount("out@example.com", "outsider", now)
	if err := table.CreateExternalAccount(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	got, err := table.AccountByEmail(t.Context(), want.Email)
	if err != nil {
		t.Fatal(err)
	}
	checkEqual(t, "account", got, &want)
	if got.Ranch != nil || got.PasswordHash != "" || got.LedgerSeq != 0 {
		t.Errorf("got %+v", got)
	}
	checkEqual(t, "rows", len(table.Scan(t)), 3)
	table.Invariants(t)
}

func TestLoginIsRecorded(t *testing.T) {
	t.Parallel()
	table, now := storetest.New(t), now()
	p := table.Register(t, now)
	for _, later := range []game.Instant{now + 1, now + 5000} {
		token := storetest.NewRefresh(p.ID, later)
		if err := table.RecordLogin(t.Context(), token, later); err != nil {
			t.Fatal(err)
		}
		record, account, err := table.RefreshRecord(t.Context(), token.Digest, p.ID)
		if err != nil {
			t.Fatal(err)
		}
		checkEqual(t, "refresh record", record, &token)
		want := p.Account
		want.LastLoginAt = &later
		checkEqual(t, "account", account, &want)
	}
	table.Invariants(t)
}

func TestBannedUsersDoNotLogIn(t *testing.T) {
	t.Parallel()
	table, now := storetest.New(t), now()
	p := table.Register(t, now)
	if err := table.SetUserStatus(t.Context(), p.ID, game.UserBanned); err != nil {
		t.Fatal(err)
	}
	rows := len(table.Scan(t))
	checkError(t, table.RecordLogin(t.Context(), storetest.NewRefresh(p.ID, now), now), game.ErrBanned)
	checkEqual(t, "rows", len(table.Scan(t)), rows)
	if account, err := table.Account(t.Context(), p.ID); err != nil || account.Status != game.UserBanned || account.LastLoginAt != nil {
		t.Error(account, err)
	}
	if err := table.SetUserStatus(t.Context(), p.ID, game.UserActive); err != nil {
		t.Fatal(err)
	}
	if err := table.RecordLogin(t.Context(), storetest.NewRefresh(p.ID, now), now); err != nil {
		t.Errorf("after the ban: %v", err)
	}
	table.Invariants(t)
}

func TestRefreshRecordIsDeletedOnceAndForAll(t *testing.T) {
	t.Parallel()
	table, now := storetest.New(t), now()
	p := table.Register(t, now)
	for range 2 {
		if err := table.DeleteRefreshRecord(t.Context(), p.Refresh.Digest); err != nil {
			t.Error(err)
		}
		if record, account, err := table.RefreshRecord(t.Context(), p.Refresh.Digest, p.ID); record != nil || account == nil || err != nil {
			t.Error(record, account, err)
		}
	}
	table.Invariants(t)
}

// DynamoDB deletes by whole seconds. A record must not go before its token does.
func TestRefreshRecordsAreNotCollectedEarly(t *testing.T) {
	t.Parallel()
	table, now := storetest.New(t), now()
	for _, millisecond := range []game.Instant{0, 1, 999} {
		p := storetest.NewPlayer(now)
		p.Refresh.ExpiresAt = 2_000_000_000_000 + millisecond
		table.Add(t, p, now)
		ttl, ok := table.At(store.TokenKey(p.Refresh.Digest)).Read(t)["ttl"].(*types.AttributeValueMemberN)
		if !ok || ttl.Value != "2000000001" {
			t.Errorf("a token that expires at %d has the ttl %+v", p.Refresh.ExpiresAt, ttl)
		}
	}
}

func TestEachAccountIsVisitedOnce(t *testing.T) {
	t.Parallel()
	table, now := storetest.New(t), now()
	want := map[game.ID]game.Account{}
	for range 5 {
		p := table.Register(t, now)
		want[p.ID] = p.Account
	}
	got := map[game.ID]game.Account{}
	if err := table.EachAccount(t.Context(), func(a game.Account) error {
		if _, twice := got[a.ID]; twice {
			t.Errorf("%s was visited twice", a.ID)
		}
		got[a.ID] = a
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	checkEqual(t, "accounts", got, want)
	stop := errors.New("enough")
	checkError(t, table.EachAccount(t.Context(), func(game.Account) error { return stop }), stop)
}
