package records

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/table"
)

// itemLimit is DynamoDB's limit for an item, in bytes.
const itemLimit = 400 << 10

func checkPlacings(t testing.TB, s Sheet, player game.ID, want Placings) {
	t.Helper()
	got, err := s.Find(player)
	assert.True(t, err == nil && slices.Equal(got, want), "%s has the results %v, %v, want %v", player, got, err, want)
}

func TestPackedResultsArePinned(t *testing.T) {
	t.Parallel()
	packed, err := pack([]result{
		{someUser, Placing{300, true, 5, 0xabcd}}, {someSeason, Placing{301, false, 0, 1}}, {someUser, Placing{0, true, 100_00, 0x1234}},
	})
	want := "\x11\x11\x11\x11\x11\x11\x41\x11\x81\x11\x11\x11\x11\x11\x11\x11" + "\x02" + "\x00" + "\x27\x10" + "\x12\x34" + "\xac\x02" + "\x00\x05" + "\xab\xcd" +
		"\x44\x44\x44\x44\x44\x44\x44\x44\x84\x44\x44\x44\x44\x44\x44\x44" + "\x01" + "\xad\x02" + "\xff\xff" + "\x00\x01"
	diff := cmp.Diff([]byte(want), []byte(packed))
	assert.True(t, err == nil && diff == "", "%v, %v", err, diff)
	_, err = pack([]result{{player: "no id"}})
	assert.Error(t, err, "packed results of a player that has no id")
	checkPlacings(t, packed, "no id", nil)
}

func TestPackedEntriesArePinned(t *testing.T) {
	t.Parallel()
	rank, score := 1, game.Fixed(100_00)
	pages, err := pageItems(Verdict{someShow, "V"}, []game.Entry{
		{PlayerID: someUser, PlayerUsername: "Ann", AnimalID: someAnimal, AnimalName: "Bo", Breed: "Jersey", RarityTier: "rare", Rank: &rank, Score: &score, CreatedAt: 300},
		{PlayerID: someUser, PlayerUsername: "Ann", AnimalID: someSeason, AnimalName: "", Breed: "Jersey", RarityTier: "epic", CreatedAt: 1},
	})
	want := []PageItem{{
		Key: Verdict{someShow, "V"}.PageKey(0), Usernames: []string{"Ann", "Ann"}, Kinds: []string{"Jersey", "rare", "Jersey", "epic"},
		Entries: packedEntries("\x11\x11\x11\x11\x11\x11\x41\x11\x81\x11\x11\x11\x11\x11\x11\x11" + "\x22\x22\x22\x22\x22\x22\x42\x22\x82\x22\x22\x22\x22\x22\x22\x22" +
			"\xd8\x04" + "\x27\x10" + "\x00" + "\x02Bo" +
			"\x11\x11\x11\x11\x11\x11\x41\x11\x81\x11\x11\x11\x11\x11\x11\x11" + "\x44\x44\x44\x44\x44\x44\x44\x44\x84\x44\x44\x44\x44\x44\x44\x44" +
			"\x02" + "\xff\xff" + "\x01" + "\x00"),
	}}
	diff := cmp.Diff(want, pages, cmp.AllowUnexported(PageItem{}))
	assert.True(t, err == nil && diff == "", "%v, %v", err, diff)
	for _, e := range []game.Entry{{PlayerID: "no id", AnimalID: someAnimal}, {PlayerID: someUser, AnimalID: "no id"}} {
		_, err := pageItems(Verdict{}, []game.Entry{e})
		assert.Error(t, err, "packed %+v", e)
	}
}

// Shows of up to 100 entries have their results in their own item, in at most 3,000 bytes; others have sheets.
func TestResultsOfAnySizeFit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ n, ofOne, sheets int }{
		{0, 0, 0}, {1, 0, 0}, {100, 0, 0}, {101, 0, 1}, {160, 0, 1}, {161, 0, 2}, {320, 0, 2}, {10_000, 0, 63}, {10_000, 10_000, 63},
	} {
		t.Run(fmt.Sprint(c.n, " entries, one player with ", c.ofOne), func(t *testing.T) {
			t.Parallel()
			r, err := resultsOf(c.n, c.ofOne)
			require.True(t, err == nil && r.Sheets == c.sheets && r.Entries == c.n, "%d sheets, %d entries, %v", r.Sheets, r.Entries, err)
			assert.True(t, (r.Sheets == 0) == (len(r.Own) > 0 || c.n == 0) && len(r.Own) <= 3_000,
				"%d bytes in the show's item", len(r.Own))
			keys := map[table.Key]bool{}
			for _, item := range r.Items {
				av, err := table.Marshal(item)
				require.NoError(t, err)
				k, err := table.Unmarshal[table.Key](av)
				assert.True(t, err == nil && !keys[*k], "%v comes twice, %v", *k, err)
				keys[*k] = true
				size := itemSize(av)
				assert.True(t, size <= itemLimit, "%v has %d bytes", *k, size)
			}
			want := c.sheets + (c.n+99)/100
			assert.Len(t, keys, want, "%d items, want %d", len(keys), want)
		})
	}
}

// A sheet holds as many bytes as allowed. One result more is an error.
func TestSheetsAreFilledToTheLimit(t *testing.T) {
	t.Parallel()
	var results []result
	size := packedPlayer + 3
	for place := 0; size+7 <= sheetBytes; place++ {
		results = append(results, result{someUser, Placing{Place: place}})
		size += 4 + varintLength(place)
	}
	packed, err := pack(results)
	assert.True(t, err == nil && sheetBytes-len(packed) <= 6,
		"%d results take %d of %d bytes, %v", len(results), len(packed), sheetBytes, err)
	packed, err = pack(append(results, result{someUser, Placing{Place: len(results)}}))
	assert.Error(t, err, "packed %d bytes", len(packed))
}

func varintLength(n int) int {
	length := 1
	for ; n >= 128; n >>= 7 {
		length++
	}
	return length
}

// resultsOf returns the results of a show with n entries: ofOne by one player, each of the others by a new player.
func resultsOf(n, ofOne int) (Results, error) {
	entries, ranked := make([]EntryItem, n), make([]game.Contestant, n)
	for i := range ranked {
		player, animal := someUser, game.NewID()
		if i >= ofOne {
			player = game.NewID()
		}
		ranked[i] = game.Contestant{Animal: animal, Player: player, Rank: i + 1, Score: game.FixedMax}
		entries[i] = EntryItem{Key: EntryKey(someShow, animal, 1), Player: player, PlayerUsername: "ann_of_the_hills", AnimalName: "Buttercup", Breed: "Jersey", RarityTier: "rare"}
	}
	return NewResults(NewVerdict(someShow, 1), entries, ranked)
}

// A claim writes one receipt for each page with entries of the player, and never more than its transaction holds.
func TestReceiptsFitTheTransaction(t *testing.T) {
	t.Parallel()
	for _, pages := range []int{1, mostReceipts, mostReceipts + 1, 3 * mostReceipts} {
		var theirs Placings
		for page := range pages {
			theirs = append(theirs, Placing{Place: page * PagePlaces}, Placing{Place: page*PagePlaces + 1})
		}
		receipts := ClaimItem{}.OnPages(Verdict{}, theirs)
		assert.Len(t, receipts, min(pages, 98), "%d receipts for %d pages", len(receipts), pages)
		for i, r := range receipts {
			if want := []int{i*PagePlaces + 1}; !slices.Equal(r.Places, want) { // further entries on the page
				t.Errorf("receipt %d is for %v, want %v", i, r.Places, want)
			}
		}
	}
}
