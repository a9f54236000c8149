package store

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ranch-game/ranch/shared/game"
)

// DynamoDB's limits of an item and of a transaction.
const (
	itemLimit        = 400 << 10
	transactionLimit = 4 << 20
)

// judgeableEntries is how many entries a show may have at most, and entriesOfOne how many of them may be one player's
// for certain, however they fall on the sheets.
const (
	judgeableEntries = 170_000
	entriesOfOne     = 50_000
)

func checkPlacings(t rapid.TB, s sheet, player game.ID, want []placing) {
	t.Helper()
	found, err := s.find(player)
	if err != nil {
		t.Fatal(err)
	}
	var got []placing
	for i := range found.len() {
		got = append(got, found.at(i))
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s has the results %v, want %v", player, got, want)
	}
}

func TestPackedResultsArePinned(t *testing.T) {
	t.Parallel()
	packed, err := pack([]result{
		{someUser, someShow, placing{1, 100_00}}, {someSeason, someAnimal, placing{}}, {someUser, someAnimal, placing{258, 5}},
	})
	want := "\x11\x11\x11\x11\x11\x11\x41\x11\x81\x11\x11\x11\x11\x11\x11\x11" + "\x02" +
		"\x00\x00\x01\x02" + "\x00\x05" + "\x00\x00\x00\x01" + "\x27\x10" +
		"\x44\x44\x44\x44\x44\x44\x44\x44\x84\x44\x44\x44\x44\x44\x44\x44" + "\x01" + "\x00\x00\x00\x00" + "\x00\x00"
	if diff := cmp.Diff([]byte(want), []byte(packed)); err != nil || diff != "" {
		t.Error(err, diff)
	}
	if _, err := pack([]result{{player: "no id"}}); err == nil {
		t.Error("packed results of a player that has no id")
	}
	checkPlacings(t, packed, "no id", nil)
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
		size := on * (packedPlayer + 1 + packedPlacing) // when each is another player's
		if n > entriesOfOne {
			size += packedPlayer + 3 + entriesOfOne*packedPlacing
		}
		if size > sheetBytes {
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
		{1, 0, 1}, {1, 1_000, 1}, {1, 1_001, 2}, {1, 20_000, 20}, {1, 50_000, 50}, {1, 90_000, 90}, {1, 90_001, 46}, {1, 170_000, 85},
		{16, 1_000, 1}, {16, 50_000, 50}, {16, 75_000, 75}, {16, 75_001, 38}, {40, 50_000, 50}, {40, 170_000, 43},
	} {
		if sheets, err := planSheets(c.n, c.gates); err != nil || sheets != c.want {
			t.Errorf("%d results, %d gates: got %d sheets, %v, want %d", c.n, c.gates, sheets, err, c.want)
		}
	}
	if sheets, err := planSheets(2_000_000, MaxGates); err == nil {
		t.Errorf("2,000,000 results go on %d sheets", sheets)
	}
}

// The judging itself, with as many entries as there may be, each of another player or many of one: by DynamoDB's rules,
// which no local engine enforces to the letter.
func TestJudgingsOfAnySizeFitATransaction(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ gates, n, ofOne int }{
		{1, 0, 0}, {MaxGates, 0, 0}, {1, 1_000, 1_000}, {1, 1_001, 0}, {MaxGates, judgeableEntries, entriesOfOne},
	} {
		t.Run(fmt.Sprint(c.gates, " gates, ", c.n, ", one with ", c.ofOne), func(t *testing.T) {
			t.Parallel()
			transaction, err := judgingOf(c.gates, c.n, c.ofOne)
			if err != nil || transaction.err != nil {
				t.Fatal(err, transaction.err)
			}
			checkLimits(t, transaction)
		})
	}
}

// Where nobody can store the results, it is said so: DynamoDB would only call the transaction invalid.
func TestEntriesOfOnePlayerThatFitNoSheet(t *testing.T) {
	t.Parallel()
	const most = (sheetBytes - packedPlayer - 3) / packedPlacing
	transaction, err := judgingOf(DefaultGates, most, most)
	if err != nil {
		t.Fatal(err)
	}
	checkLimits(t, transaction)
	if _, err := judgingOf(DefaultGates, most+1, most+1); err == nil {
		t.Errorf("%d entries of one player are judged", most+1)
	}
}

// A sheet holds as many bytes as it may, and not one result more.
func TestSheetsAreFilledToTheLimit(t *testing.T) {
	t.Parallel()
	var results []result
	for range 5 { // who fill up what one player's results leave over
		results = append(results, result{player: game.NewID(), animal: someAnimal})
	}
	for range (sheetBytes - 5*(packedPlayer+1+packedPlacing) - packedPlayer - 3) / packedPlacing {
		results = append(results, result{player: someUser, animal: someAnimal})
	}
	if packed, err := pack(results); err != nil || len(packed) != sheetBytes {
		t.Errorf("%d results take %d of %d bytes, %v", len(results), len(packed), sheetBytes, err)
	}
	if packed, err := pack(append(results, result{player: someUser, animal: someAnimal})); err == nil {
		t.Errorf("packed %d bytes", len(packed))
	}
}

// judgingOf is the judging of a show with n entries, so many of them of one player and each of the others of another.
func judgingOf(gates, n, ofOne int) (*transaction, error) {
	entries, ranked := make([][]entryItem, gates), make([]game.Contestant, n)
	for i := range ranked {
		player, animal := someUser, game.NewID()
		if i >= ofOne {
			player = game.NewID()
		}
		ranked[i] = game.Contestant{Animal: animal, Player: player, Rank: i + 1, Score: game.FixedMax}
		k := gateOf(animal, gates)
		entries[k] = append(entries[k], entryItem{key: entryKey(someShow, animal, gates), Player: player})
	}
	item := &showItem{key: showKey(someShow), showFields: showFields{ID: someShow, Tier: game.TierPro, Gates: gates}}
	player := someUser
	j := judging{store: New(nil, "table", nil), caller: &player, show: someShow, now: 1, id: game.NewID(), ranked: ranked}
	t := j.store.begin()
	return t, j.fill(t, item, entries)
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
