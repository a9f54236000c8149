package store

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/ranch-game/ranch/shared/game"
)

// DynamoDB's limits of an item and of a transaction.
const (
	itemLimit        = 400 << 10
	transactionLimit = 4 << 20
)

// judgeableEntries is how many entries a show may have at most.
const judgeableEntries = 180_000

func TestPackedResultsReadBack(t *testing.T) {
	t.Parallel()
	ids := rapid.Custom(func(t *rapid.T) game.ID {
		return game.ID(uuid.UUID(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "bytes")).String())
	})
	results := rapid.Custom(func(t *rapid.T) result {
		return result{ids.Draw(t, "animal"), rapid.IntRange(1, 1<<31).Draw(t, "rank"), game.Fixed(rapid.IntRange(0, int(game.FixedMax)).Draw(t, "score"))}
	})
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOfNDistinct(results, 0, 50, func(r result) game.ID { return r.animal }).Draw(t, "results")
		stranger := ids.Draw(t, "stranger")
		packed, err := pack(slices.Clone(want))
		if err != nil {
			t.Fatal(err)
		}
		s := sheet(packed)
		if s.len() != len(want) || len(packed) != 22*len(want) {
			t.Fatalf("%d results take %d bytes and read as %d", len(want), len(packed), s.len())
		}
		strange := true
		for _, r := range want {
			if got, ok := s.find(r.animal); !ok || got != r {
				t.Errorf("find %s: got %+v, %v, want %+v", r.animal, got, ok, r)
			}
			strange = strange && r.animal != stranger
		}
		if got, ok := s.find(stranger); strange && ok {
			t.Errorf("found %+v for an animal that is not there", got)
		}
		for i := 1; i < s.len(); i++ {
			if s.at(i-1).animal >= s.at(i).animal {
				t.Errorf("%s does not come after %s", s.at(i).animal, s.at(i-1).animal)
			}
		}
	})
}

func TestPackedResultsArePinned(t *testing.T) {
	t.Parallel()
	packed, err := pack([]result{{someAnimal, 258, 100_00}})
	want := []byte("\x22\x22\x22\x22\x22\x22\x42\x22\x82\x22\x22\x22\x22\x22\x22\x22" + "\x00\x00\x01\x02" + "\x27\x10")
	if diff := cmp.Diff(want, packed); err != nil || diff != "" {
		t.Error(err, diff)
	}
	if _, err := pack([]result{{animal: "no id"}}); err == nil {
		t.Error("packed a result whose animal has no id")
	}
	if _, ok := sheet(packed).find("no id"); ok {
		t.Error("found what is no id")
	}
}

// However many entries and gates a show has, a judging has room in a transaction and no item gets too large.
func TestSheetsAlwaysFit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		gates, n := rapid.IntRange(1, MaxGates).Draw(t, "gates"), rapid.IntRange(0, judgeableEntries).Draw(t, "entries")
		sheets, err := planSheets(n, gates)
		if err != nil {
			t.Fatal(err)
		}
		items, on := gates+judgingOtherItems, n
		if sheets > 1 {
			items += sheets
			// Hashing makes some fuller: six standard deviations are out of reach.
			on = n/sheets + 6*squareRoot(n/sheets)
		}
		if size := on*packedResult + 200; size > itemLimit {
			t.Errorf("%d results on %d sheets are %d bytes an item", n, sheets, size)
		}
		if items > transactionItems {
			t.Errorf("the transaction has %d items", items)
		}
	})
}

func squareRoot(n int) int {
	root := 0
	for root*root < n {
		root++
	}
	return root
}

func TestSheetsAreAsSmallAsTheRoomAllows(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ gates, n, want int }{
		{1, 0, 1}, {1, 1_000, 1}, {1, 1_001, 2}, {1, 20_000, 20}, {1, 50_000, 50}, {1, 90_000, 90}, {1, 90_001, 46}, {1, 180_000, 90},
		{16, 1_000, 1}, {16, 50_000, 50}, {16, 75_000, 75}, {16, 75_001, 38}, {40, 50_000, 50}, {40, 180_000, 45},
	} {
		if sheets, err := planSheets(c.n, c.gates); err != nil || sheets != c.want {
			t.Errorf("%d results, %d gates: got %d sheets, %v, want %d", c.n, c.gates, sheets, err, c.want)
		}
	}
	if sheets, err := planSheets(2_000_000, MaxGates); err == nil {
		t.Errorf("2,000,000 results go on %d sheets", sheets)
	}
}

// The judging itself, with as many entries as there may be: by DynamoDB's rules, which no local engine enforces to the
// letter.
func TestJudgingsOfAnySizeFitATransaction(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ gates, n int }{
		{1, 0}, {MaxGates, 0}, {1, 1_000}, {1, 1_001}, {3, 10_000}, {1, 50_000}, {DefaultGates, 50_000}, {1, judgeableEntries}, {MaxGates, judgeableEntries},
	} {
		t.Run(fmt.Sprint(c.gates, " gates, ", c.n), func(t *testing.T) {
			t.Parallel()
			s, entries, ranked := New(nil, "table", nil), make([][]entryItem, c.gates), make([]game.Contestant, c.n)
			for i := range ranked {
				id := game.NewID()
				ranked[i] = game.Contestant{Animal: id, Rank: i + 1, Score: game.FixedMax}
				k := gateOf(id, c.gates)
				entries[k] = append(entries[k], entryItem{})
			}
			item := &showItem{key: showKey(someShow), showFields: showFields{ID: someShow, Tier: game.TierPro, Gates: c.gates}}
			j := judging{store: s, caller: someUser, show: someShow, now: 1, id: game.NewID(), ranked: ranked}
			transaction, err := j.transaction(item, entries)
			if err != nil || transaction.err != nil {
				t.Fatal(err, transaction.err)
			}
			checkLimits(t, transaction)
		})
	}
}

func checkLimits(t *testing.T, transaction *transaction) {
	t.Helper()
	total, keys := 0, map[key]bool{}
	for _, item := range transaction.items {
		var av attributes
		switch {
		case item.Put != nil:
			av = item.Put.Item
		case item.Update != nil:
			av = item.Update.Key
			size := itemSize(item.Update.ExpressionAttributeValues) // stands for the attributes that it sets
			total += size
			if size > itemLimit {
				t.Errorf("an update of %d bytes", size)
			}
		case item.Delete != nil:
			av = item.Delete.Key
		case item.ConditionCheck != nil:
			av = item.ConditionCheck.Key
		}
		size := itemSize(av)
		total += size
		if size > itemLimit {
			t.Errorf("an item of %d bytes", size)
		}
		k, err := unmarshal[key](av)
		if err != nil {
			t.Fatal(err)
		}
		if keys[*k] {
			t.Errorf("%v is in the transaction twice", *k)
		}
		keys[*k] = true
	}
	if len(transaction.items) > transactionItems || total > transactionLimit {
		t.Errorf("%d items of %d bytes", len(transaction.items), total)
	}
}
