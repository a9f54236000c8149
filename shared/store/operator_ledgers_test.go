package store_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/upkeep"
)

// auditAll returns the results of an audit of all ledgers, by user.
func auditAll(ctx context.Context, s operate.Desk) (map[game.ID]upkeep.LedgerAudit, error) {
	all := map[game.ID]upkeep.LedgerAudit{}
	return all, s.AuditLedgers(ctx, func(a upkeep.LedgerAudit) error {
		if _, twice := all[a.User]; twice {
			return fmt.Errorf("%s is visited twice", a.User)
		}
		all[a.User] = a
		return nil
	})
}

// wrong returns the users whose ledgers have differences, with those differences.
func wrong(audits map[game.ID]upkeep.LedgerAudit) map[game.ID]string {
	found := map[game.ID]string{}
	for user, a := range audits {
		if len(a.Differences) > 0 {
			found[user] = strings.Join(a.Differences, "; ")
		}
	}
	return found
}

func TestAuditLedgers(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 20, 2).judged(t, 0)
	_, err := f.claim(t.Context(), f.Ann)
	require.NoError(t, err)
	want := map[game.ID]upkeep.LedgerAudit{f.Ann.ID: {User: f.Ann.ID, Balance: 580, Rows: 3}}
	var players []storetest.Player
	for range 40 { // so that most segments of the scan have one
		p := f.AddPlayer(t, storetest.Anybody)
		players = append(players, p)
		want[p.ID] = upkeep.LedgerAudit{User: p.ID, Balance: 500, Rows: 1}
	}
	outsider := game.NewExternalAccount("out@example.com", "outsider", f.Now)
	checkError(t, f.Operator().CreateExternalAccount(t.Context(), outsider), nil)
	want[outsider.ID] = upkeep.LedgerAudit{User: outsider.ID}
	f.Wire.Reset()
	got := must(auditAll(t.Context(), f.Desk))(t)
	storetest.Equal(t, "audits", got, want)
	storetest.Equal(t, "requests", f.Wire.Cost().Requests, 32) // a page of each segment, and no account by itself
	f.Wire.Reset()
	must(f.AuditLedger(t.Context(), f.Ann.ID))(t)
	storetest.Equal(t, "requests for one that is right", f.Wire.Cost().Requests, 2)

	f.At(store.UserKey(players[0].ID)).Delete(t)
	f.At(store.UserKey(players[1].ID)).Edit(t, "SET g = g + :one", map[string]any{":one": 1})
	f.At(store.LedgerKey(players[2].ID, 1)).Delete(t)
	f.At(store.UserKey(players[3].ID)).Edit(t, "SET g = :damaged", map[string]any{":damaged": "fine"})
	f.At(store.UserKey(outsider.ID)).Edit(t, "SET g = :damaged", map[string]any{":damaged": "fine"})
	f.At(store.LedgerKey(players[4].ID, 1)).Edit(t, "SET am = :one, ca = :damaged", map[string]any{":one": 1, ":damaged": "then"})
	f.At(store.LedgerKey(players[5].ID, 0)).Edit(t, "SET seq = :damaged", map[string]any{":damaged": "none"})
	got = must(auditAll(t.Context(), f.Desk))(t)
	storetest.Equal(t, "visited", len(got), len(want))
	differences := wrong(got)
	// Accounts with and without rows; a row with a wrong sum, and a time that no scan reads; a row beside right ones.
	for user, email := range map[game.ID]string{
		players[3].ID: players[3].Email, outsider.ID: outsider.Email, players[4].ID: players[4].Email, players[5].ID: players[5].Email,
	} {
		damage := differences[user]
		delete(differences, user)
		assert.True(t, strings.Contains(damage, "unmarshal") && !strings.Contains(damage, email), "what is no number is %q", damage)
	}
	storetest.Equal(t, "differences", differences, map[game.ID]string{
		players[0].ID: "there are rows and no account",
		players[1].ID: "the balance is 501, the amounts add up to 500",
		players[2].ID: "the balance is 500, the amounts add up to 0; the account counts 1 rows, but 0 exist",
	})
	delete(differences, players[0].ID)
	for user, text := range differences {
		one := must(f.AuditLedger(t.Context(), user))(t)
		storetest.Equal(t, "one by one", strings.Join(one.Differences, "; "), text)
	}
	checkError(t, errOf(f.AuditLedger(t.Context(), players[0].ID)), store.ErrUnknownUser)
}

// If an audit cannot read some accounts, it still audits the others.
func TestAuditsGoOnAfterAnAccount(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 20, 1)
	bob := f.AddPlayer(t, storetest.Bob)
	cid := f.AddPlayer(t, storetest.Cid)
	for _, user := range []game.ID{f.Ann.ID, cid.ID} {
		f.At(store.UserKey(user)).Edit(t, "SET g = g + :one", map[string]any{":one": 1})
	}
	f.Wire.Next("GetItem", storetest.Denied, storetest.Denied)
	all, err := auditAll(t.Context(), f.Desk)
	var unread *upkeep.UnreadError
	require.True(t, errors.As(err, &unread) && len(all) == 1 && all[bob.ID].Balance == 500, "%v, %v", all, err)
	slices.Sort(unread.Users)
	storetest.Equal(t, "unread", unread.Users, slices.Sorted(slices.Values([]game.ID{f.Ann.ID, cid.ID})))
	assert.Contains(t, err.Error(), "AccessDenied", "no reason: %v", err)
}

// If the context ends, its error is the result, even if some accounts could not be read before. Eight readers work at
// once: when the ninth account is read, one of them has gone on after an account.
func TestAuditsThatEndAfterAnAccount(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	for range 9 {
		s.At(store.UserKey(s.AddPlayer(t, storetest.Anybody).ID)).Edit(t, "SET g = g + :one", map[string]any{":one": 1})
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s.Wire.Next("GetItem", append(slices.Repeat([]storetest.Fault{storetest.Denied}, 8), storetest.Before(cancel))...)
	_, err := auditAll(ctx, s.Desk)
	checkError(t, err, context.Canceled)
	unread := (*upkeep.UnreadError)(nil)
	assert.False(t, errors.As(err, &unread), "got %v", err)
	s.Wire.Forget()
}

// Gold moves during an audit. The audit reads again, and reports no difference.
func TestAuditsMeetGoldThatMoves(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 20, 1)
	// Between the account and its rows.
	f.Wire.Next("Query", storetest.Before(func() { f.MustEnter(t, f.Ann, f.Show, 0) }))
	one := must(f.AuditLedger(t.Context(), f.Ann.ID))(t)
	storetest.Equal(t, "audit", one, upkeep.LedgerAudit{User: f.Ann.ID, Balance: 480, Rows: 2})
	f.CheckFaults(t)

	// The scan misses a row, as eventually consistent reads may. A strong read finds it.
	row := f.At(store.LedgerKey(f.Ann.ID, 1))
	held := row.Read(t)
	row.Delete(t)
	f.Wire.Next("GetItem", storetest.Before(func() { row.Restore(t, held) }))
	all := must(auditAll(t.Context(), f.Desk))(t)
	storetest.Equal(t, "audits", all, map[game.ID]upkeep.LedgerAudit{f.Ann.ID: {User: f.Ann.ID, Balance: 480, Rows: 2}})
	f.CheckFaults(t)

	// A row becomes visible after the balance. The audit waits long enough between its looks.
	row.Delete(t)
	var first time.Time
	f.Wire.Next("GetItem", storetest.Before(func() { first = time.Now() }), storetest.Before(func() {
		assert.True(t, time.Since(first) >= 300*time.Millisecond, "the row is not sure to be visible at the second look")
		row.Restore(t, held)
	}))
	one = must(f.AuditLedger(t.Context(), f.Ann.ID))(t)
	storetest.Equal(t, "audit", one, upkeep.LedgerAudit{User: f.Ann.ID, Balance: 480, Rows: 2})
	f.CheckFaults(t)

	// Neither the scan nor, in the second case, the first strong read finds the account.
	account := f.At(store.UserKey(f.Ann.ID))
	held = account.Read(t)
	for _, looks := range [][]storetest.Fault{{}, {storetest.Pass}} {
		account.Delete(t)
		f.Wire.Next("GetItem", append(looks, storetest.Before(func() { account.Restore(t, held) }))...)
		f.Wire.Reset()
		all = must(auditAll(t.Context(), f.Desk))(t)
		storetest.Equal(t, "audits", all, map[game.ID]upkeep.LedgerAudit{f.Ann.ID: {User: f.Ann.ID, Balance: 480, Rows: 2}})
		storetest.Equal(t, "requests", f.Wire.Cost().Requests, 32+len(looks)+2)
		f.CheckFaults(t)
	}
}

// An audit reads all pages of each segment of its scan. It also joins an account with rows on other pages.
func TestAuditsOfManyPages(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 20, 1)
	f.MustEnter(t, f.Ann, f.Show)
	f.Wire.Next("Scan", slices.Repeat([]storetest.Fault{storetest.Page(3)}, 100)...)
	f.Wire.Reset()
	all := must(auditAll(t.Context(), f.Desk))(t)
	f.Wire.Forget()
	storetest.Equal(t, "audits", all, map[game.ID]upkeep.LedgerAudit{f.Ann.ID: {User: f.Ann.ID, Balance: 440, Rows: 4}})
	if requests := f.Wire.Cost().Requests; requests < 32+2 { // Ann has eight items, all in one segment
		t.Errorf("%d pages", requests)
	}
}

func TestAuditsEndEarly(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	for range 5 {
		s.AddPlayer(t, storetest.Anybody)
	}
	visited, enough := 0, errors.New("enough")
	checkError(t, s.AuditLedgers(t.Context(), func(upkeep.LedgerAudit) error { visited++; return enough }), enough)
	assert.True(t, visited != 0 && visited <= 5, "visited %d", visited)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	checkError(t, errOf(auditAll(ctx, s.Desk)), context.Canceled)
}

// sortedAudits returns audits in the order of their users, so that tests can compare them.
func sortedAudits(ctx context.Context, s operate.Desk) ([]upkeep.LedgerAudit, error) {
	all, err := auditAll(ctx, s)
	return slices.SortedFunc(maps.Values(all), func(a, b upkeep.LedgerAudit) int { return strings.Compare(string(a.User), string(b.User)) }), err
}
