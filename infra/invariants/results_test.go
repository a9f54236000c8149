package invariants_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ranch-game/ranch/infra/invariants"
	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/store"
)

type (
	text  = types.AttributeValueMemberS
	count = types.AttributeValueMemberN
	blob  = types.AttributeValueMemberB
)

// newLargeShow returns the rows of a table with a completed show whose results are on two sheets and two pages, and a
// small one. In the large show one of three players has claimed, one is deleted, and an operator changed an animal
// before the judging.
func newLargeShow(t *testing.T) []invariants.Row {
	t.Helper()
	s := newScene(t)
	show := s.AddShow(t, storetest.Gates(2), storetest.Fee(5))
	players := []storetest.Player{s.AddHerd(t, 1000, 60), s.AddHerd(t, 1000, 60), s.AddHerd(t, 1000, 60)}
	for _, p := range players {
		s.MustEnter(t, p, show)
	}
	s.MustChange(t, players[0], 1, store.AnimalChange{DropPhenotype: true})
	s.MustJudge(t, players[0], show)
	s.MustClaim(t, players[0], show)
	s.DeleteUser(t, players[1].ID)
	s.MustEnter(t, s.Ann, s.Show, 0, 1)
	s.MustJudge(t, s.Ann, s.Show)
	rows := s.Scan(t)
	if problems := invariants.Problems(rows); len(problems) > 0 {
		t.Fatal(problems)
	}
	return rows
}

func keyOf(row invariants.Row) invariants.Key {
	return invariants.Key{PK: pkOf(row), SK: row["SK"].(*text).Value}
}

// find returns the index of the first row with such a key.
func find(t *testing.T, rows []invariants.Row, pk, sk string) int {
	t.Helper()
	i := slices.IndexFunc(rows, func(row invariants.Row) bool {
		k := keyOf(row)
		return strings.Contains(k.PK, pk) && strings.HasPrefix(k.SK, sk)
	})
	if i < 0 {
		t.Fatalf("there is no %s %s", pk, sk)
	}
	return i
}

func TestMissingResultsAreNamed(t *testing.T) {
	t.Parallel()
	rows, kinds := newLargeShow(t), map[string]int{}
	for i, row := range rows {
		key := keyOf(row)
		if !strings.Contains(key.PK, "#R#") && key.PK != "CHANGED" {
			continue
		}
		kinds[key.SK[:5]]++
		problems := invariants.Problems(slices.Delete(slices.Clone(rows), i, i+1))
		if !slices.ContainsFunc(problems, func(p invariants.Problem) bool { return p.Record == key }) {
			t.Errorf("%s is missing, and not named: %v", key, problems)
		}
	}
	storetest.Equal(t, "rows", kinds, map[string]int{"SHEET": 2, "PAGE#": 3, "CLAIM": 2, "ANIMA": 1})
}

// Each byte of packed results counts, and so does each attribute beside them.
func TestOtherResultsAreNoticed(t *testing.T) {
	t.Parallel()
	rows := newLargeShow(t)
	sheet, page, receipt := find(t, rows, "#R#", "SHEET"), find(t, rows, "#R#", "PAGE#000001"), find(t, rows, "#R#", "CLAIM#")
	show, note := find(t, rows, strings.Split(pkOf(rows[page]), "#R#")[0], "SHOW"), find(t, rows, "CHANGED", "ANIMAL#")
	check := func(i int, attribute string, value types.AttributeValue) {
		t.Helper()
		changed := maps.Clone(rows[i])
		if changed[attribute] = value; value == nil {
			delete(changed, attribute)
		}
		others := slices.Clone(rows)
		others[i] = changed
		if len(invariants.Problems(others)) == 0 {
			t.Errorf("%s: %s is %v, and nobody notices", keyOf(rows[i]), attribute, value)
		}
	}
	small := slices.IndexFunc(rows, func(row invariants.Row) bool { return keyOf(row).SK == "SHOW" && row["re"] != nil })
	for i, attribute := range map[int]string{sheet: "re", page: "en", small: "re"} {
		packed := rows[i][attribute].(*blob).Value
		for at := range min(len(packed), 150) {
			other := bytes.Clone(packed)
			other[at] ^= 1
			check(i, attribute, &blob{Value: other})
		}
		check(i, attribute, &blob{Value: packed[:len(packed)-1]})
	}
	for _, attribute := range []string{"un", "ki"} {
		for at, was := range rows[page][attribute].(*types.AttributeValueMemberL).Value {
			list := slices.Clone(rows[page][attribute].(*types.AttributeValueMemberL).Value)
			list[at] = &text{Value: was.(*text).Value + "x"}
			check(page, attribute, &types.AttributeValueMemberL{Value: list})
		}
	}
	for attribute, value := range map[string]types.AttributeValue{
		"id": &text{Value: "other"}, "u": &text{Value: "other"}, "ra": &count{Value: "77"}, "pr": &count{Value: "77"}, "ca": &count{Value: "77"},
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

// A judging that fails leaves results for two days, by which nobody claims.
func TestLeftovers(t *testing.T) {
	t.Parallel()
	rows := newLargeShow(t)
	leftover := func(i int, ago time.Duration) []invariants.Problem {
		name := append(binary.BigEndian.AppendUint64(nil, uint64(time.Now().Add(-ago).UnixMilli()))[2:], "0123456789"...)
		characters := "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"
		parts := strings.Split(pkOf(rows[i]), "#")
		parts[3] = base64.NewEncoding(characters).WithPadding(base64.NoPadding).EncodeToString(name)
		row := maps.Clone(rows[i])
		row["PK"] = &text{Value: strings.Join(parts, "#")}
		return invariants.Problems(append(slices.Clone(rows), row))
	}
	for _, kind := range []string{"SHEET", "PAGE#"} {
		i := find(t, rows, "#R#", kind)
		if young := leftover(i, 47*time.Hour); len(young) > 0 {
			t.Error(young)
		}
		if old := leftover(i, 49*time.Hour); len(old) != 1 || !strings.HasPrefix(old[0].Text, "leftover: ") || old[0].Record.SK != keyOf(rows[i]).SK {
			t.Error(old)
		}
	}
	if claimed := leftover(find(t, rows, "#R#", "CLAIM#"), time.Hour); len(claimed) != 1 {
		t.Error(claimed)
	}
}
