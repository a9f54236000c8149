package records

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/table"
)

const (
	someUser   game.ID = "11111111-1111-4111-8111-111111111111"
	someAnimal game.ID = "22222222-2222-4222-8222-222222222222"
	someShow   game.ID = "33333333-3333-4333-8333-333333333333"
	someSeason game.ID = "44444444-4444-4444-8444-444444444444"
)

// Records in tables have these keys: a change of a key needs a migration.
func TestKeysArePinned(t *testing.T) {
	t.Parallel()
	closes, err := game.ParseInstant("2026-11-20T09:30:00.007Z")
	require.NoError(t, err)
	show := game.Show{ID: someShow, EntryClosesAt: closes, Tier: "a b/c"}
	season := game.Season{ID: someSeason, StartDate: closes}
	longest := show
	longest.Tier = strings.Repeat("a b", 20)
	for _, c := range []struct {
		key    table.Key
		pk, sk string
	}{
		{EmailKey("jo+x@example.com"), "EMAIL#jo+", "jo+x@example.com"},
		{UsernameKey("Jo_1"), "USERNAME#jo_", "jo_1#Jo_1"},
		{UserKey(someUser), "USER#11111111-1111-4111-8111-111111111111", "PROFILE"},
		{AnimalKey(someUser, someAnimal), "USER#11111111-1111-4111-8111-111111111111", "ANIMAL#22222222-2222-4222-8222-222222222222"},
		{LedgerKey(someUser, 7), "USER#11111111-1111-4111-8111-111111111111", "LEDGER#000000000007"},
		{LedgerKey(someUser, 999999999999), "USER#11111111-1111-4111-8111-111111111111", "LEDGER#999999999999"},
		{ParticipationKey(someUser, someSeason, someShow, someAnimal), "USER#11111111-1111-4111-8111-111111111111",
			"SEASON#44444444-4444-4444-8444-444444444444#SHOW#33333333-3333-4333-8333-333333333333#ANIMAL#22222222-2222-4222-8222-222222222222"},
		{TokenKey("abc"), "TOKEN#abc", "TOKEN"},
		{ShowKey(someShow), "SHOW#33333333-3333-4333-8333-333333333333", "SHOW"},
		{GateKey(show, 0), "G#1#Jt3s", "-P6sHdM6BnBnBnBnFk-"},
		{GateKey(show, 39), "G#0#Jt3s", "-P6sHdM6BnBnBnBnFkb"},
		{GateKey(longest, 1), "G#2#ybR9", "-P6sHdM6BnBnBnBnFk0"},
		{Verdict{someShow, "V"}.SheetKey(11), "SHOW#33333333-3333-4333-8333-333333333333#R#V#S11", "SHEET"},
		{Verdict{someShow, "V"}.PageKey(19), "SHOW#33333333-3333-4333-8333-333333333333#R#V#P3", "PAGE#000019"},
		{Verdict{someShow, "V"}.ClaimKey(1_999), "SHOW#33333333-3333-4333-8333-333333333333#R#V#P3", "CLAIM#001999"},
		{Verdict{someShow, "V"}.ClaimKey(249_999), "SHOW#33333333-3333-4333-8333-333333333333#R#V#P3", "CLAIM#249999"},
		{ChangedAnimalKey(someAnimal), "CHANGED", "ANIMAL#22222222-2222-4222-8222-222222222222"},
		{PendingRefundsKey(someShow), "PENDING", "REFUNDS#33333333-3333-4333-8333-333333333333"},
		{PendingNamesKey(someUser), "PENDING", "NAMES#11111111-1111-4111-8111-111111111111"},
		{JudgedKey(someSeason, someShow), "JUDGED", "SEASON#44444444-4444-4444-8444-444444444444#SHOW#33333333-3333-4333-8333-333333333333"},
		{StandingsKey(someSeason), "STANDINGS", "SEASON#44444444-4444-4444-8444-444444444444"},
		{Snapshot{someSeason, 1, 5}.PageKey(19), "STANDINGS#44444444-4444-4444-8444-444444444444#1#3", "PAGE#000019"},
		{Snapshot{someSeason, 0, 5}.IndexKey(2), "STANDINGS#44444444-4444-4444-8444-444444444444#0#2", "INDEX#000002"},
		{Snapshot{someSeason, 0, 5}.FoldedKey(2), "STANDINGS#44444444-4444-4444-8444-444444444444#0", "FOLDED#000002"},
		{EntryKey(someShow, someAnimal, 1), "SHOW#33333333-3333-4333-8333-333333333333#0", "ENTRY#22222222-2222-4222-8222-222222222222"},
		{EntryKey(someShow, someAnimal, 40), "SHOW#33333333-3333-4333-8333-333333333333#0", "ENTRY#22222222-2222-4222-8222-222222222222"},
		{BoardKey("", "", show), "BOARD#all", "2026-11-20T09:30:00.007Z#33333333-3333-4333-8333-333333333333"},
		{BoardKey("", "a b/c", show), "BOARD#all#a%20b%2Fc", "2026-11-20T09:30:00.007Z#33333333-3333-4333-8333-333333333333"},
		{BoardKey(game.ShowOpen, "", show), "BOARD#open", "2026-11-20T09:30:00.007Z#33333333-3333-4333-8333-333333333333"},
		{BoardKey(game.ShowOpen, "pro", show), "BOARD#open#pro", "2026-11-20T09:30:00.007Z#33333333-3333-4333-8333-333333333333"},
		{BoardKey(game.ShowCompleted, "pro", show), "BOARD#completed#pro", "2026-11-20T09:30:00.007Z#33333333-3333-4333-8333-333333333333"},
		{LayoutKey(), "LAYOUT", "LAYOUT"},
		{PublicKeysKey(), "KEYS", "KEYS"},
		{AuditHeadKey(), "AUDIT", "HEAD"},
		{AuditKey("01a1f84a-95c0-7241-9aa4-3de1c2f096fd"), "AUDIT#2026-11", "01a1f84a-95c0-7241-9aa4-3de1c2f096fd"},
		{SeasonKey(someSeason), "SEASON", "SEASON#44444444-4444-4444-8444-444444444444"},
		{ActiveSeasonKey(season), "SEASON", "ACTIVE#2026-11-20T09:30:00.007Z#44444444-4444-4444-8444-444444444444"},
	} {
		assert.True(t, c.key == (table.Key{PK: table.PK(c.pk), SK: table.SK(c.sk)}), "got %q %q, want %q %q", c.key.PK, c.key.SK, c.pk, c.sk)
	}
	got := []int{SheetOf(someUser, 50), GateOf(someAnimal, 40), IndexOf(someUser, 50), ShowParts(3), ShowParts(40)}
	assert.Equal(t, []int{40, 36, 39, 3, 4}, got, "the sheet, the gate, the index, and the parts of 3 and 40 gates")
}

func TestEveryKeyIsPinned(t *testing.T) {
	t.Parallel()
	pinned := map[string]bool{}
	for _, f := range functionsOf(t, "keys_test.go") {
		if f.Name.Name != "TestKeysArePinned" {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if method, is := call.Fun.(*ast.SelectorExpr); is {
					pinned[method.Sel.Name] = true
				}
				pinned[fmt.Sprint(call.Fun)] = true
			}
			return true
		})
	}
	for _, f := range functionsOf(t, "keys.go") {
		results := f.Type.Results
		assert.True(t, results.NumFields() != 1 || types.ExprString(results.List[0].Type) != "table.Key" || pinned[f.Name.Name],
			"%s is not among the keys of TestKeysArePinned", f.Name.Name)
	}
}

func functionsOf(t *testing.T, file string) (functions []*ast.FuncDecl) {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	require.NoError(t, err)
	for _, d := range parsed.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			functions = append(functions, f)
		}
	}
	return functions
}

// Receipts and pages sort by number, so that the receipts of a page are one range. A verdict has its instant.
func TestAPartitionOfResultsIsReceiptsAndThenPages(t *testing.T) {
	t.Parallel()
	v := NewVerdict(someShow, 1_795_167_000_007)
	storedAs := []table.SK{v.ClaimKey(99).SK, v.ClaimKey(100).SK, v.ClaimKey(249_999).SK, v.PageKey(0).SK, v.PageKey(9).SK, v.PageKey(10).SK}
	assert.True(t, slices.IsSorted(storedAs), "%q are not in order", storedAs)
	at := v.At()
	assert.True(t, at == 1_795_167_000_007 && len(v.Id) == 22, "%q is of %v", v.Id, at)
	for _, text := range []string{"", "V", "?"} {
		at := (Verdict{someShow, text}).At()
		assert.True(t, at == 0, "%q is of %v", text, at)
	}
}

// Animals spread evenly over gates, and players over sheets: the two hashes are independent.
func TestIDsSpreadEvenly(t *testing.T) {
	t.Parallel()
	const gates, sheets, n = 4, 5, 20_000
	var counts [gates][sheets]int
	for range n {
		id := game.NewID()
		counts[GateOf(id, gates)][SheetOf(id, sheets)]++
	}
	for k := range counts {
		for j, got := range counts[k] {
			want := n / gates / sheets
			assert.True(t, got >= want*8/10 && got <= want*12/10, "gate %d, sheet %d: %d ids, want about %d", k, j, got, want)
		}
	}
}
