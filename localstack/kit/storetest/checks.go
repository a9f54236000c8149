package storetest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/infra/invariants"
	"github.com/ranch-game/ranch/shared/game"
)

// Equal fails the test if got and want differ. Nil and empty lists and maps count as equal.
func Equal[T any](t testing.TB, what string, got, want T) {
	t.Helper()
	assert.Empty(t, cmp.Diff(want, got, cmpopts.EquateEmpty()), "%s (-want +got)", what)
}

// CheckFaults fails the test if a planned fault has met no request, because then the case of the test did not occur.
func (t *Table) CheckFaults(tb testing.TB) {
	tb.Helper()
	assert.True(tb, t.Wire.Played(), "the test planned faults that no request met")
}

// Invariants reads the whole table, and fails the test for each violation of an invariant (package invariants).
func (t *Table) Invariants(tb testing.TB) {
	tb.Helper()
	problems := t.Problems(tb)
	for _, problem := range problems[:min(len(problems), 20)] {
		tb.Errorf("invariant: %s", problem)
	}
	assert.True(tb, len(problems) <= 20, "and %d more", len(problems)-20)
}

// Problems reads the whole table and returns the violations of invariants.
func (t *Table) Problems(tb testing.TB) []invariants.Problem {
	tb.Helper()
	return invariants.Problems(t.Scan(tb))
}

// AccountOf returns a stored account.
func (s *Scene) AccountOf(t testing.TB, user game.ID) game.Account {
	t.Helper()
	a, err := s.Rival.Account(t.Context(), user)
	require.True(t, err == nil && a != nil, "user %s: %v, %v", user, a, err)
	return *a
}

// HashOf returns the stored password hash of the user with this e-mail address.
func (s *Scene) HashOf(t testing.TB, email string) string {
	t.Helper()
	_, hash, err := s.Rival.AccountByEmail(t.Context(), email)
	require.NoError(t, err)
	return hash
}

// LedgerOf returns the rows of a user's ledger.
func (s *Scene) LedgerOf(t testing.TB, user game.ID) []game.LedgerEntry {
	t.Helper()
	rows, err := s.Rival.Ledger(t.Context(), user)
	require.NoError(t, err)
	return rows
}

// CheckGold fails the test unless the user has this balance, and the rows of the user's ledger these amounts.
func (s *Scene) CheckGold(t testing.TB, user game.ID, balance int64, amounts ...int64) {
	t.Helper()
	var got []int64
	for _, row := range s.LedgerOf(t, user) {
		got = append(got, row.Amount)
	}
	gold := s.AccountOf(t, user).GoldBalance
	assert.True(t, gold == balance && slices.Equal(got, amounts), "balance %d, ledger %v, want %d, %v", gold, got, balance, amounts)
}

// Rows returns all rows (items of the table), decoded and by their keys (see Decode).
func (t *Table) Rows(tb testing.TB) map[string]map[string]any {
	tb.Helper()
	return Decode(tb, t.Scan(tb))
}

// Decode returns rows by their keys ("PK SK"). A number is a text with the stored digits.
func Decode(tb testing.TB, stored []map[string]types.AttributeValue) map[string]map[string]any {
	tb.Helper()
	rows := map[string]map[string]any{}
	for _, av := range stored {
		var row map[string]any
		exact := func(o *attributevalue.DecoderOptions) { o.UseNumber = true }
		require.NoError(tb, attributevalue.UnmarshalMapWithOptions(av, &row, exact))
		rows[fmt.Sprint(row["PK"], " ", row["SK"])] = row
	}
	return rows
}

// Unchanged fails the test if the function do changes any row.
func (t *Table) Unchanged(tb testing.TB, do func()) {
	tb.Helper()
	before := t.Rows(tb)
	do()
	Equal(tb, "the table", t.Rows(tb), before)
}

// Changed returns the sorted keys of the rows that the function do has added, changed or deleted. It leaves out the
// audit records of operators' changes.
func (t *Table) Changed(tb testing.TB, do func()) []string {
	tb.Helper()
	before := t.Rows(tb)
	do()
	after := t.Rows(tb)
	changed := map[string]bool{}
	for _, rows := range []map[string]map[string]any{before, after} {
		for key := range rows {
			if !strings.HasPrefix(key, "AUDIT#") && !cmp.Equal(before[key], after[key]) {
				changed[key] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(changed))
}
