package records

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/table"
)

// idOf returns the id with these bytes. If they are fewer than 16, zeros follow.
func idOf(b []byte) game.ID {
	var id uuid.UUID
	copy(id[:], b)
	return game.ID(id.String())
}

// FuzzBoards: each tier, of any bytes, and status has another board, whose key has no "#" of the tier.
func FuzzBoards(f *testing.F) {
	for _, s := range [][2]string{
		{"rookie", "pro"}, {"#", "%23"}, {"", "#"}, {"a#b", "a%23b"}, {"\xff", "\xfe"}, {"é", "e\u0301"}, {"all", "open"}, {"/", "%2F"}, {"a b", "a+b"}, {"\x00", ""}, {"%", "%25"}, {"..", "."},
		{"../open", "#pro"}, {"pro#", "pro#x"}, {"🐄", "\xc3"}, {"pro\xff", "pro"}, {strings.Repeat("\xff", game.MaxTierBytes), " "},
	} {
		f.Add(s[0], s[1], uint8(0), uint8(1))
		f.Add(s[0], s[1], uint8(1), uint8(1))
	}
	statuses := []game.ShowStatus{"", game.ShowOpen, game.ShowCompleted, game.ShowCancelled}
	f.Fuzz(func(t *testing.T, tier, other string, status, otherStatus uint8) {
		of, by := statuses[int(status)%len(statuses)], statuses[int(otherStatus)%len(statuses)]
		board := BoardPK(of, tier)
		if same := of == by && tier == other; (board == BoardPK(by, other)) != same {
			t.Errorf("%q of %q and %q of %q are on %q and %q", of, tier, by, other, board, BoardPK(by, other))
		}
		parts := strings.Split(string(board), "#")
		assert.True(t, len(parts) == 2+min(1, len(tier)) && parts[0] == "BOARD" && !strings.ContainsFunc(string(board), func(r rune) bool { return r <= ' ' || r > '~' }),
			"%q of %q is on %q", of, tier, board)
		assert.True(t, len(tier) > game.MaxTierBytes || len(board) <= 2048, "%q of %q is on %q, of %d bytes", of, tier, board, len(board))
	})
}

// FuzzResults: packed results are found again by player, in the order of their places, and no other player's.
func FuzzResults(f *testing.F) {
	f.Add([]byte{}, []byte("stranger"))
	f.Add([]byte{0, 0, 39, 16, 1, 255, 255}, []byte{})
	f.Add(bytes.Repeat([]byte{1, 2, 3}, 200), bytes.Repeat([]byte{0xff}, 16)) // the number of entries takes two bytes
	for seed := range byte(20) {
		drawn := make([]byte, 3*1000)
		_, _ = rand.NewChaCha8([32]byte{seed}).Read(drawn)
		for i := 0; i < len(drawn); i += 3 {
			drawn[i] %= 1 + seed // the players
			if drawn[i+1]%4 == 0 {
				drawn[i+1], drawn[i+2] = 255, 255 // not ranked
			}
		}
		f.Add(drawn, []byte{seed + 1})
	}
	f.Fuzz(func(t *testing.T, drawn, stranger []byte) {
		var all []result
		want := map[game.ID]Placings{}
		for entry := range slices.Chunk(drawn, 3) {
			if len(entry) < 3 {
				break
			}
			player, p := idOf(entry[:1]), placed(len(all), binary.BigEndian.Uint16(entry[1:]))
			all = append(all, result{player, p})
			want[player] = append(want[player], p)
		}
		packed, err := pack(slices.Clone(all))
		require.NoError(t, err)
		for player, placings := range want {
			checkPlacings(t, packed, player, placings)
		}
		if id := idOf(stranger); want[id] == nil {
			checkPlacings(t, packed, id, nil)
		}
		slices.Reverse(all)
		again, err := pack(all)
		assert.True(t, err == nil && bytes.Equal(again, packed), "in another order, they are packed otherwise: %v", err)
	})
}

// FuzzSheet: any bytes are results, or an error. Packed again, the results need no more bytes.
func FuzzSheet(f *testing.F) {
	results, err := pack([]result{{someUser, placed(0, 2)}, {someUser, placed(300, 1)}, {someSeason, placed(1, unranked)}})
	require.NoError(f, err)
	packed := []byte(results)
	for n := range len(packed) + 1 {
		f.Add(packed[:n])
	}
	f.Add(slices.Concat(packed[:16], bytes.Repeat([]byte{0xff}, 11)))
	f.Add(slices.Concat(packed[:16], []byte{0x81, 0, 1, 2, 3, 4, 5, 6}))
	f.Add(slices.Concat(packed[:16], []byte{1, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0, 0}))
	f.Fuzz(func(t *testing.T, b []byte) {
		for rest := Sheet(b); len(rest) > 0; {
			player, theirs, after, err := rest.cut()
			if err != nil {
				return
			}
			var results []result
			for _, p := range theirs {
				results = append(results, result{game.ID(player.String()), p})
			}
			again, err := pack(results)
			read := rest[:len(rest)-len(after)]
			require.True(t, err == nil && len(theirs) != 0 && len(again) <= len(read),
				"%x says %v, which is %x, %v", read, theirs, again, err)
			rest = after
		}
	})
}

// Bytes that pack never writes are an error: a number of entries that is missing, zero or too large, and a place
// without an end or above the largest.
func TestBrokenSheets(t *testing.T) {
	t.Parallel()
	player := bytes.Repeat([]byte{1}, packedPlayer)
	entry := func(place uint64) []byte {
		return append(binary.AppendUvarint([]byte{1}, place), 0, 1, 0, 2) // one entry, its score and its mark
	}
	for name, c := range map[string]struct {
		bytes []byte
		want  error
	}{
		"a whole one":            {entry(7), nil},
		"the largest place":      {entry(maxPlace), nil},
		"a larger place":         {entry(maxPlace + 1), errUnpack},
		"a place without an end": {append([]byte{1}, bytes.Repeat([]byte{0xff}, 11)...), errUnpack},
		"no number":              {nil, errUnpack},
		"no entries":             {[]byte{0, 1, 2, 3, 4, 5}, errUnpack},
		"too many entries":       {append(binary.AppendUvarint(nil, 1<<50), 1, 2, 3, 4, 5), errUnpack},
	} {
		_, _, _, err := Sheet(slices.Concat(player, c.bytes)).cut()
		assert.True(t, err == c.want, "%s: got %v, want %v", name, err, c.want)
	}
}

// Bytes that add never writes are an error: entries that end too early, numbers that are too large, and another number
// of entries or kinds.
func TestBrokenPages(t *testing.T) {
	t.Parallel()
	whole := func() PageItem {
		var page PageItem
		for range 2 {
			e := game.Entry{PlayerID: someUser, AnimalID: someSeason, PlayerUsername: "Ann", AnimalName: "Bella", Breed: "angus", RarityTier: "rare", CreatedAt: 1 << 40}
			require.NoError(t, page.add(&e))
		}
		return page
	}
	numbers := len(whole().Entries) - len("Bella") - 2 // where the last two numbers begin
	broken := map[string]func(*PageItem){
		"a byte more":                func(i *PageItem) { i.Entries = append(i.Entries, 0) },
		"a username more":            func(i *PageItem) { i.Usernames = append(i.Usernames, "Bob") },
		"a username fewer":           func(i *PageItem) { i.Usernames = i.Usernames[:1] },
		"half a kind":                func(i *PageItem) { i.Kinds = i.Kinds[:1] },
		"no kind":                    func(i *PageItem) { i.Kinds = nil },
		"an unknown kind":            func(i *PageItem) { i.Entries[numbers] = 1 },
		"a kind that would overflow": func(i *PageItem) { i.Entries = append(binary.AppendUvarint(i.Entries[:numbers], 1<<63), 0) },
		"a kind without an end":      func(i *PageItem) { i.Entries = append(i.Entries[:numbers], bytes.Repeat([]byte{0xff}, 11)...) },
		"a name that is too long":    func(i *PageItem) { i.Entries[numbers+1]++ },
	}
	for end := range numbers + 2 + len("Bella") {
		broken[fmt.Sprint("the first bytes: ", end)] = func(i *PageItem) { i.Entries = i.Entries[:end] }
	}
	for name, spoil := range broken {
		page := whole()
		spoil(&page)
		read, err := page.Unpack(someUser, 0)
		assert.True(t, err == errUnpack, "%s: got %v, %v", name, read, err)
	}
	page := whole()
	read, err := page.Unpack(someUser, 0)
	assert.True(t, err == nil && len(read) == 2, "got %v, %v", read, err)
}

// FuzzPages: packed entries are read as they were. Other bytes give nothing, or an error.
func FuzzPages(f *testing.F) {
	f.Add([]byte("0123456789abcdef"), "Bella", "Ann", int64(1_795_167_000_000), uint16(50_00), []byte{1, 2})
	f.Add([]byte{}, "", "", int64(-1), uint16(unranked), bytes.Repeat([]byte{0xff}, 60))
	f.Add([]byte{1}, "\x00#\u2028", "\xff", int64(0), uint16(0), bytes.Repeat([]byte{1}, 80))
	tooLong := append(bytes.Repeat([]byte{1}, 32), 2, 0, 1, 0, 200, 1) // a name of 200 bytes, which are missing
	f.Add([]byte{1}, "Bella", "Ann", int64(0), uint16(0), tooLong)
	f.Fuzz(func(t *testing.T, ids []byte, animal, username string, at int64, score uint16, other []byte) {
		ids = append(ids, make([]byte, 3*16)...)
		player, show, id := idOf(ids), idOf(ids[16:]), idOf(ids[32:])
		var entries []game.Entry
		for n := range 3 {
			e := game.Entry{
				PlayerID: player, PlayerUsername: username, AnimalID: id, AnimalName: animal, Breed: animal, RarityTier: username[:min(n, len(username))],
				CreatedAt: game.Instant(at),
			}
			e.ID = game.EntryID(show, id)
			placed(n, score).GiveTo(&e)
			entries = append(entries, e)
		}
		pages, err := pageItems(Verdict{show, "V"}, entries)
		require.NoError(t, err)
		same(t, entries, readBack(t, pages[0], func(i *PageItem) []game.Entry {
			read, err := i.Unpack(show, 0)
			assert.NoError(t, err)
			return read
		}))
		damaged := PageItem{Entries: other, Usernames: []string{username}, Kinds: pages[0].Kinds}
		read, err := damaged.Unpack(show, 0)
		assert.True(t, err != nil || len(read) == 1, "%x is %v", other, read)
	})
}

func readBack[Item, Record any](t *testing.T, item Item, read func(*Item) Record) Record {
	t.Helper()
	av, err := table.Marshal(item)
	require.NoError(t, err)
	stored, err := table.Unmarshal[Item](av)
	require.NoError(t, err)
	return read(stored)
}

func same(t *testing.T, want, got any) {
	t.Helper()
	assert.Empty(t, gocmp.Diff(want, got), "it is read otherwise (-stored +read)")
}
