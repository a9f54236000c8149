package store

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/ranch-game/ranch/shared/game"
)

// The results of a judging are written twice: by player, for claims and season scores, and as pages in the order of the
// show's list, for readers. Up to 100 results by player are in the show's item. All others are plain items under the
// judging's verdict, which exist before the show's item has the verdict. Afterwards only usernames on pages change.

// placing is the result of one entry. Its place in the show's list is from 0; the rank of a ranked entry is one more.
type placing struct {
	place  int
	ranked bool
	score  game.Fixed
	mark   mark // of the entry's animal, in results by player
}

// mark is the last two bytes of an animal's id. Marks distinguish the entries of one player in one show, unless two of
// the animals have the same mark: see Store.placingOf.
type mark uint16

func markOf(animal game.ID) mark {
	id, err := uuid.Parse(string(animal))
	if err != nil {
		return 0
	}
	return mark(binary.BigEndian.Uint16(id[14:]))
}

// rank returns the rank, or 0 if the entry has none.
func (p placing) rank() int {
	if !p.ranked {
		return 0
	}
	return p.place + 1
}

// placings are the placings of one player in a show, in the order of places: a claim uses the first.
type placings []placing

// of returns the placings with the animal's mark: several if other animals of the player have the same mark.
func (p placings) of(animal game.ID) placings {
	m := markOf(animal)
	return slices.DeleteFunc(slices.Clone(p), func(p placing) bool { return p.mark != m })
}

// result is a placing with its player.
type result struct {
	player game.ID
	placing
}

// unranked is stored in place of the score of an entry that is not ranked.
const unranked = 1<<16 - 1

const (
	// sheetResults is the most results that a sheet has on average: below 4 KB, which a claim reads for 1 RCU.
	sheetResults = 160
	// ownResults is the most results in the show's own item, which then stays below 4 KB.
	ownResults = 100
	// sheetBytes is the most bytes of results on one sheet: an item may have 400 KB with its key. All results of a
	// player are on one sheet, which holds about 55,000.
	sheetBytes = 400<<10 - 200
)

// planSheets returns the number of sheets for n results; 0 means the show's own item.
func planSheets(n int) int {
	if n <= ownResults {
		return 0
	}
	return (n + sheetResults - 1) / sheetResults
}

// packSheets packs the results into this number of sheets, or into one for the show's own item if it is 0.
func packSheets(results []result, sheets int) ([]sheet, error) {
	onSheet := make([][]result, max(sheets, 1))
	for _, r := range results {
		k := sheetOf(r.player, len(onSheet))
		onSheet[k] = append(onSheet[k], r)
	}
	packed := make([]sheet, len(onSheet))
	for k := range onSheet {
		var err error
		if packed[k], err = pack(onSheet[k]); err != nil {
			return nil, err
		}
	}
	return packed, nil
}

// sheet is the stored form of results by player, in the order of the players' bytes. Each player has an id of 16 bytes
// and the number of entries as a varint. Each entry, in the order of places, has the place as a varint, and the score's
// hundredths and the animal's mark in 2 bytes each, big-endian.
type sheet []byte

// pack sorts the results of one sheet, and packs them.
func pack(results []result) (sheet, error) {
	// The texts of UUIDs sort as their bytes do.
	slices.SortFunc(results, func(a, b result) int {
		return cmp.Or(cmp.Compare(a.player, b.player), cmp.Compare(a.place, b.place))
	})
	var packed sheet
	for len(results) > 0 {
		player := results[0].player
		n := slices.IndexFunc(results, func(r result) bool { return r.player != player })
		if n < 0 {
			n = len(results)
		}
		id, err := uuid.Parse(string(player))
		if err != nil {
			return nil, fmt.Errorf("pack results: %w", err)
		}
		packed = append(packed, id[:]...)
		packed = binary.AppendUvarint(packed, uint64(n))
		for _, r := range results[:n] {
			packed = binary.AppendUvarint(packed, uint64(r.place))
			packed = appendScore(packed, r.placing)
			packed = binary.BigEndian.AppendUint16(packed, uint16(r.mark))
		}
		results = results[n:]
	}
	if len(packed) > sheetBytes {
		return nil, fmt.Errorf("pack results: %d bytes are more than a sheet holds", len(packed))
	}
	return packed, nil
}

func appendScore(to []byte, p placing) []byte {
	if !p.ranked {
		return binary.BigEndian.AppendUint16(to, unranked)
	}
	return binary.BigEndian.AppendUint16(to, uint16(p.score))
}

// placed returns the placing of an entry with a stored score.
func placed(place int, score uint16) placing {
	if score == unranked {
		return placing{place: place}
	}
	return placing{place: place, ranked: true, score: game.Fixed(score)}
}

// errUnpack means that stored bytes are not packed results.
const errUnpack = damage("the bytes are not packed results")

// cut returns the sheet's first player, the player's results, and the rest of the sheet.
func (s sheet) cut() (player uuid.UUID, theirs placings, rest sheet, err error) {
	if len(s) < packedPlayer {
		return uuid.UUID{}, nil, nil, errUnpack
	}
	player, rest = uuid.UUID(s[:packedPlayer]), s[packedPlayer:]
	n, width := binary.Uvarint(rest) // n is 0 if there is no number
	if n == 0 || n > uint64(len(rest)/5) {
		return uuid.UUID{}, nil, nil, errUnpack
	}
	rest, theirs = rest[width:], make(placings, n)
	for i := range theirs {
		place, width := binary.Uvarint(rest)
		if width < 1 || place > maxPlace || len(rest) < width+4 {
			return uuid.UUID{}, nil, nil, errUnpack
		}
		theirs[i] = placed(int(place), binary.BigEndian.Uint16(rest[width:]))
		theirs[i].mark = mark(binary.BigEndian.Uint16(rest[width+2:]))
		rest = rest[width+4:]
	}
	return player, theirs, rest, nil
}

const (
	packedPlayer = 16
	maxPlace     = 1<<31 - 1
)

// find returns the results of one player, or none if the player has no entry.
func (s sheet) find(player game.ID) (placings, error) {
	id, err := uuid.Parse(string(player))
	if err != nil {
		return nil, nil
	}
	for len(s) > 0 {
		other, theirs, rest, err := s.cut()
		if err != nil {
			return nil, err
		}
		switch bytes.Compare(other[:], id[:]) {
		case 0:
			return theirs, nil
		case 1:
			return nil, nil
		}
		s = rest
	}
	return nil, nil
}

// byPlayer returns the results on these sheets of a show by player.
func byPlayer(show game.ID, sheets []sheet) (map[game.ID]placings, error) {
	results := map[game.ID]placings{}
	for _, rest := range sheets {
		for len(rest) > 0 {
			player, theirs, after, err := rest.cut()
			if err != nil {
				return nil, fmt.Errorf("results of %s: %w", show, err)
			}
			results[game.ID(player.String())], rest = theirs, after
		}
	}
	return results, nil
}

// results are the results of one attempt to judge a show.
type results struct {
	verdict verdict
	entries int
	sheets  int   // 0: own has the results
	own     sheet // the results by player, for the show's own item
	items   []any // the sheets and pages
}

// newResults computes the results of all entries, ranked or not.
func newResults(v verdict, items []entryItem, ranked []game.Contestant) (results, error) {
	placings := make(map[game.ID]placing, len(ranked))
	for _, c := range ranked {
		placings[c.Animal] = placing{place: c.Rank - 1, ranked: true, score: c.Score}
	}
	entries := make([]game.Entry, len(items))
	for i := range items {
		entries[i] = items[i].entry(v.show)
		placings[entries[i].AnimalID].giveTo(&entries[i])
	}
	game.SortEntries(entries)
	byPlayer := make([]result, len(entries))
	for i := range entries {
		p := placings[entries[i].AnimalID]
		p.place, p.mark = i, markOf(entries[i].AnimalID)
		byPlayer[i] = result{entries[i].PlayerID, p}
	}
	r := results{verdict: v, entries: len(entries), sheets: planSheets(len(entries))}
	packed, err := packSheets(byPlayer, r.sheets)
	if err != nil {
		return r, err
	}
	if r.sheets == 0 {
		r.own = packed[0]
	}
	for k := range r.sheets {
		r.items = append(r.items, sheetItem{key: v.sheetKey(k), Results: packed[k]})
	}
	pages, err := pageItems(v, entries)
	for i := range pages {
		r.items = append(r.items, pages[i])
	}
	return r, err
}
