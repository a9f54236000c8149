package invariants_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/infra/invariants"
	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
	"github.com/ranch-game/ranch/shared/table"
)

type (
	text  = types.AttributeValueMemberS
	count = types.AttributeValueMemberN
	blob  = types.AttributeValueMemberB
)

// newLargeShow returns the rows of a table with four shows:
//
//   - A large show with results on two sheets and two pages. One of its three players has claimed, one is deleted, and
//     an operator changed an animal before the judging.
//   - A small show with two entries of one player.
//   - A small show with entries of two players, and a receipt without a rank.
//   - An open show.
func newLargeShow(t *testing.T) []table.Attributes {
	t.Helper()
	s := newScene(t)
	show := s.AddShow(t, storetest.Gates(2), storetest.Fee(5))
	players := []storetest.Player{s.AddHerd(t, 1000, 60), s.AddHerd(t, 1000, 60), s.AddHerd(t, 1000, 60)}
	for _, p := range players {
		s.MustEnter(t, p, show)
	}
	s.MustChange(t, players[0], 1, operate.AnimalChange{DropPhenotype: true})
	s.MustJudge(t, players[0], show)
	s.MustClaim(t, players[0], show)
	s.DeleteUser(t, players[1].ID)
	bob, cid, third := s.AddPlayer(t, storetest.Bob, 90_00, 50_00), s.AddPlayer(t, storetest.Cid, storetest.NoPhenotype), s.AddShow(t)
	s.MustEnter(t, bob, s.Show, 0, 1)
	s.MustJudge(t, bob, s.Show)
	s.MustEnter(t, bob, third, 1)
	s.MustEnter(t, cid, third, 0)
	s.MustJudge(t, cid, third)
	s.MustClaim(t, cid, third)
	s.AddShow(t)
	rows := s.Scan(t)
	require.Empty(t, invariants.Problems(rows))
	return rows
}

func keyOf(row table.Attributes) table.Key {
	return table.Key{PK: table.PK(pkOf(row)), SK: table.SK(row["SK"].(*text).Value)}
}

// problemsIn returns the problems of a table. It fails the test if a text has Go's syntax for a value, such as <nil>.
func problemsIn(t *testing.T, rows []table.Attributes) []invariants.Problem {
	t.Helper()
	problems := invariants.Problems(rows)
	for _, p := range problems {
		assert.False(t, ofGo.MatchString(p.Text), "%v", p)
	}
	return problems
}

var ofGo = regexp.MustCompile(`[{}]|<nil>|0xc0|map\[|%!`)

// find returns the index of the first row whose partition key contains pk and whose sort key begins with sk.
func find(t *testing.T, rows []table.Attributes, pk, sk string) int {
	t.Helper()
	i := slices.IndexFunc(rows, func(row table.Attributes) bool {
		k := keyOf(row)
		return strings.Contains(string(k.PK), pk) && strings.HasPrefix(string(k.SK), sk)
	})
	require.True(t, i >= 0, "there is no %s %s", pk, sk)
	return i
}

func TestMissingResultsAreNamed(t *testing.T) {
	t.Parallel()
	rows, kinds := newLargeShow(t), map[string]int{}
	for i, row := range rows {
		key := keyOf(row)
		if !strings.Contains(string(key.PK), "#R#") && key.PK != "CHANGED" || unranked(row) {
			continue
		}
		kinds[string(key.SK[:5])]++
		problems := problemsIn(t, slices.Delete(slices.Clone(rows), i, i+1))
		assert.True(t, slices.ContainsFunc(problems, func(p invariants.Problem) bool { return p.Record == key }),
			"%s is missing, and not named: %v", key, problems)
	}
	storetest.Equal(t, "rows", kinds, map[string]int{"SHEET": 2, "PAGE#": 4, "CLAIM": 2, "ANIMA": 1})
}

// A changed bit in any of the first 150 bytes of packed results, or another value beside them, is a problem.
func TestOtherResultsAreNoticed(t *testing.T) {
	t.Parallel()
	rows := newLargeShow(t)
	sheet, page := slices.IndexFunc(rows, fullSheet), find(t, rows, "#R#", "PAGE#000001")
	receipt := find(t, rows, pkOf(rows[page]), "CLAIM#")
	show, note := find(t, rows, strings.Split(pkOf(rows[page]), "#R#")[0], "SHOW"), find(t, rows, "CHANGED", "ANIMAL#")
	check := func(i int, attribute string, value types.AttributeValue) {
		t.Helper()
		changed := maps.Clone(rows[i])
		if changed[attribute] = value; value == nil {
			delete(changed, attribute)
		}
		others := slices.Clone(rows)
		others[i] = changed
		assert.True(t, len(problemsIn(t, others)) != 0, "%s: %s is %v, and no problem is reported", keyOf(rows[i]), attribute, value)
	}
	small := slices.IndexFunc(rows, hasOwn(27))
	for i, attribute := range map[int]string{sheet: "re", page: "en", small: "re"} {
		packed := rows[i][attribute].(*blob).Value
		for at := range min(len(packed), 150) {
			other := bytes.Clone(packed)
			other[at] ^= 1
			check(i, attribute, &blob{Value: other})
		}
		check(i, attribute, &blob{Value: packed[:len(packed)-1]})
	}
	for _, attribute := range []string{"us", "ki"} {
		for at, was := range rows[page][attribute].(*types.AttributeValueMemberL).Value {
			list := slices.Clone(rows[page][attribute].(*types.AttributeValueMemberL).Value)
			list[at] = &text{Value: was.(*text).Value + "x"}
			check(page, attribute, &types.AttributeValueMemberL{Value: list})
		}
	}
	for attribute, value := range map[string]types.AttributeValue{
		"wc": &text{Value: "other"}, "u": &text{Value: "other"}, "rk": &count{Value: "77"}, "pr": &count{Value: "77"}, "cd": &count{Value: "77"},
		"SK": &text{Value: "CLAIM#000179"}, "PK": &text{Value: strings.TrimSuffix(pkOf(rows[receipt]), "0") + "1"},
	} {
		check(receipt, attribute, value)
	}
	for attribute, value := range map[string]types.AttributeValue{
		"vd": &text{Value: "other"}, "sh": &count{Value: "3"}, "re": &blob{Value: []byte("x")}, "n": &count{Value: "77"}, "jb": nil,
	} {
		check(show, attribute, value)
	}
	check(note, "SK", &text{Value: "ANIMAL#other"})
}

// Results can be wrong even if all their copies agree.
func TestResultsThatAgreeAndAreWrong(t *testing.T) {
	t.Parallel()
	rows := newLargeShow(t)
	show := slices.IndexFunc(rows, hasOwn(27))
	page, receipt := find(t, rows, pkOf(rows[show])+"#R#", "PAGE#"), find(t, rows, pkOf(rows[find(t, rows, "#R#", "PAGE#000001")]), "CLAIM#")
	own, list := rows[show]["re"].(*blob).Value, rows[page]["en"].(*blob).Value
	// The offsets of scores. In the show's item, a player, the number of results and a place precede a score. On a
	// page, a player, an animal and a time precede it.
	const first, second, timed = 18, 23, 32 + 6
	next := timed + 4 + int(list[timed+3]) + timed // in the second entry of the page
	swapped, others := bytes.Clone(own), bytes.Clone(list)
	copy(swapped[first:], own[second:second+2])
	copy(swapped[second:], own[first:first+2])
	copy(others[timed:], list[next:next+2])
	copy(others[next:], list[timed:timed+2])
	third, sheet := slices.IndexFunc(rows, hasOwn(44)), find(t, rows, "#S0", "SHEET")
	both, other := rows[third]["re"].(*blob).Value, find(t, rows, "#S1", "SHEET")
	twice := slices.Concat(list[:next-timed], list[:next-timed]) // the best entry, with the scores of both
	copy(twice[next:], list[next:next+2])
	open := slices.IndexFunc(rows, func(row table.Attributes) bool {
		st, ok := row["st"].(*text)
		return keyOf(row).SK == "SHOW" && ok && st.Value == "open"
	})
	entry := find(t, rows, pkOf(rows[show])+"#", "ENTRY#")
	animal := strings.Replace(string(keyOf(rows[entry]).SK), "ENTRY", "ANIMAL", 1)
	owned := find(t, rows, "USER#", animal)
	one := bytes.Clone(append(own, 2, 0, 0, 0, 0))
	one[16]++
	for name, changed := range map[string]map[int]table.Attributes{
		"the worse one is first": {show: {"re": &blob{Value: swapped}}, page: {"en": &blob{Value: others}}},
		"a result on no page":    {show: {"re": &blob{Value: one}}},
		"a sheet of a small show": {
			show: {"sh": &count{Value: "1"}, "re": &blob{}},
			-1:   {"PK": &text{Value: strings.TrimSuffix(pkOf(rows[page]), "P0") + "S0"}, "SK": &text{Value: "SHEET"}, "re": &blob{Value: own}},
		},
		"places out of order":   {show: {"re": &blob{Value: slices.Concat(own[:17], own[22:], own[17:22])}}},
		"players out of order":  {third: {"re": &blob{Value: slices.Concat(both[22:], both[:22])}}},
		"sheets of the others":  {sheet: {"PK": rows[other]["PK"]}, other: {"PK": rows[sheet]["PK"]}},
		"an entry twice":        {page: {"en": &blob{Value: twice}}},
		"more than the entries": {page: {"en": &blob{Value: append(bytes.Clone(list), 0)}}},
		"other traits":          {entry: {"co": &count{Value: "77"}}},
		"no phenotype":          {entry: {"ph": nil}, owned: {"ph": nil}},
		"no phenotype any more": {
			entry: {"ph": nil}, owned: {"ph": nil, "ch": &count{Value: "1"}}, -1: {"PK": &text{Value: "CHANGED"}, "SK": &text{Value: animal}},
		},
		"an open show's verdict":  {open: {"vd": &text{Value: "x"}}},
		"an open show's sheets":   {open: {"sh": &count{Value: "1"}}},
		"an open show's results":  {open: {"re": &blob{Value: own}}},
		"another sheet":           {-1: {"PK": &text{Value: strings.TrimSuffix(pkOf(rows[receipt]), "P0") + "S2"}, "SK": &text{Value: "SHEET"}, "re": &blob{}}},
		"a receipt with a rank":   {slices.IndexFunc(rows, unranked): {"rk": &count{Value: "1"}}},
		"somebody else's receipt": {-1: {"SK": &text{Value: "CLAIM#" + free(t, rows)}}},
	} {
		table := slices.Clone(rows)
		for i, attributes := range changed {
			if i < 0 {
				i, table = len(table), append(table, rows[receipt])
			}
			table[i] = maps.Clone(table[i])
			maps.Copy(table[i], attributes)
			maps.DeleteFunc(table[i], func(_ string, value types.AttributeValue) bool { return value == nil })
		}
		assert.True(t, len(problemsIn(t, table)) != 0, "no problem is reported: %s", name)
	}
}

// fullSheet reports whether the row is a sheet with results. By chance all players may be on one of the two sheets.
func fullSheet(row table.Attributes) bool { return keyOf(row).SK == "SHEET" && row["re"] != nil }

// hasOwn returns a function that reports whether a row is a show's item with n bytes of results.
func hasOwn(n int) func(table.Attributes) bool {
	return func(row table.Attributes) bool {
		own, there := row["re"].(*blob)
		return keyOf(row).SK == "SHOW" && there && len(own.Value) == n
	}
}

func unranked(row table.Attributes) bool {
	return strings.HasPrefix(string(keyOf(row).SK), "CLAIM#") && row["rk"] == nil
}

// free returns the highest place of the large show without a receipt, as six digits.
func free(t *testing.T, rows []table.Attributes) string {
	t.Helper()
	for place := 179; place >= 0; place-- {
		digits := fmt.Sprintf("%06d", place)
		if !slices.ContainsFunc(rows, func(row table.Attributes) bool { return string(keyOf(row).SK) == "CLAIM#"+digits }) {
			return digits
		}
	}
	t.Fatal("all places have receipts")
	return ""
}

// Results of a failed judging are a problem after two days, or if a claim has used them.
func TestLeftovers(t *testing.T) {
	t.Parallel()
	rows := newLargeShow(t)
	newest := game.Instant(0)
	for _, row := range rows {
		var r struct {
			At game.Instant `dynamodbav:"ca"`
		}
		if key := keyOf(row); strings.HasPrefix(string(key.SK), "LEDGER#") && attributevalue.UnmarshalMap(row, &r) == nil {
			newest = max(newest, r.At)
		}
	}
	leftover := func(i int, ago time.Duration) []invariants.Problem {
		name := append(binary.BigEndian.AppendUint64(nil, uint64(newest.Add(-ago)))[2:], "0123456789"...)
		characters := "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"
		parts := strings.Split(pkOf(rows[i]), "#")
		parts[3] = base64.NewEncoding(characters).WithPadding(base64.NoPadding).EncodeToString(name)
		row := maps.Clone(rows[i])
		row["PK"] = &text{Value: strings.Join(parts, "#")}
		return invariants.Problems(append(slices.Clone(rows), row))
	}
	for _, kind := range []string{"SHEET", "PAGE#"} {
		i := find(t, rows, "#R#", kind)
		assert.Empty(t, leftover(i, 47*time.Hour))
		old := leftover(i, 49*time.Hour)
		assert.True(t, len(old) == 1 && strings.HasPrefix(old[0].Text, "leftover: ") && old[0].Record.SK == keyOf(rows[i]).SK, old)
	}
	assert.Len(t, leftover(find(t, rows, "#R#", "CLAIM#"), time.Hour), 1)
}
