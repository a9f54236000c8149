package records

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/table"
)

// The results of a judging are written twice: by player, for claims and season scores, and as pages in the order of the
// show's list, for readers. Up to 100 results by player are in the show's item. All others are plain items under the
// judging's verdict, which exist before the show's item has the verdict. Afterwards only usernames on pages change.

// Placing is the result of one entry. Its place in the show's list is from 0; the rank of a ranked entry is one more.
type Placing struct {
	Place  int
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

// Rank returns the rank, or 0 if the entry has none.
func (p Placing) Rank() int {
	if !p.ranked {
		return 0
	}
	return p.Place + 1
}

// Placings are the placings of one player in a show, in the order of places: a claim uses the first.
type Placings []Placing

// Of returns the placings with the animal's mark: several if other animals of the player have the same mark.
func (p Placings) Of(animal game.ID) Placings {
	m := markOf(animal)
	return slices.DeleteFunc(slices.Clone(p), func(p Placing) bool { return p.mark != m })
}

// result is a placing with its player.
type result struct {
	player game.ID
	Placing
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
func packSheets(results []result, sheets int) ([]Sheet, error) {
	onSheet := make([][]result, max(sheets, 1))
	for _, r := range results {
		k := SheetOf(r.player, len(onSheet))
		onSheet[k] = append(onSheet[k], r)
	}
	packed := make([]Sheet, len(onSheet))
	for k := range onSheet {
		var err error
		if packed[k], err = pack(onSheet[k]); err != nil {
			return nil, err
		}
	}
	return packed, nil
}

// Sheet is the stored form of results by player, in the order of the players' bytes. Each player has an id of 16 bytes
// and the number of entries as a varint. Each entry, in the order of places, has the place as a varint, and the score's
// hundredths and the animal's mark in 2 bytes each, big-endian.
type Sheet []byte

// pack sorts the results of one sheet, and packs them.
func pack(results []result) (Sheet, error) {
	// The texts of UUIDs sort as their bytes do.
	slices.SortFunc(results, func(a, b result) int {
		return cmp.Or(cmp.Compare(a.player, b.player), cmp.Compare(a.Place, b.Place))
	})
	var packed Sheet
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
			packed = binary.AppendUvarint(packed, uint64(r.Place))
			packed = appendScore(packed, r.Placing)
			packed = binary.BigEndian.AppendUint16(packed, uint16(r.mark))
		}
		results = results[n:]
	}
	if len(packed) > sheetBytes {
		return nil, fmt.Errorf("pack results: %d bytes are more than a sheet holds", len(packed))
	}
	return packed, nil
}

func appendScore(to []byte, p Placing) []byte {
	if !p.ranked {
		return binary.BigEndian.AppendUint16(to, unranked)
	}
	return binary.BigEndian.AppendUint16(to, uint16(p.score))
}

// placed returns the placing of an entry with a stored score.
func placed(place int, score uint16) Placing {
	if score == unranked {
		return Placing{Place: place}
	}
	return Placing{Place: place, ranked: true, score: game.Fixed(score)}
}

// errUnpack means that stored bytes are not packed results.
const errUnpack = table.Damage("the bytes are not packed results")

// cut returns the sheet's first player, the player's results, and the rest of the sheet.
func (s Sheet) cut() (player uuid.UUID, theirs Placings, rest Sheet, err error) {
	if len(s) < packedPlayer {
		return uuid.UUID{}, nil, nil, errUnpack
	}
	player, rest = uuid.UUID(s[:packedPlayer]), s[packedPlayer:]
	n, width := binary.Uvarint(rest) // n is 0 if there is no number
	if n == 0 || n > uint64(len(rest)/5) {
		return uuid.UUID{}, nil, nil, errUnpack
	}
	rest, theirs = rest[width:], make(Placings, n)
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

// Find returns the results of one player, or none if the player has no entry.
func (s Sheet) Find(player game.ID) (Placings, error) {
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

// ByPlayer returns the results on these sheets of a show by player.
func ByPlayer(show game.ID, sheets []Sheet) (map[game.ID]Placings, error) {
	results := map[game.ID]Placings{}
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

// Results are the results of one attempt to judge a show.
type Results struct {
	Verdict Verdict
	Entries int
	Sheets  int   // 0: own has the results
	Own     Sheet // the results by player, for the show's own item
	Items   []any // the sheets and pages
}

// NewResults computes the results of all entries, ranked or not.
func NewResults(v Verdict, items []EntryItem, ranked []game.Contestant) (Results, error) {
	placings := make(map[game.ID]Placing, len(ranked))
	for _, c := range ranked {
		placings[c.Animal] = Placing{Place: c.Rank - 1, ranked: true, score: c.Score}
	}
	entries := make([]game.Entry, len(items))
	for i := range items {
		entries[i] = items[i].Entry(v.Show)
		placings[entries[i].AnimalID].GiveTo(&entries[i])
	}
	game.SortEntries(entries)
	byPlayer := make([]result, len(entries))
	for i := range entries {
		p := placings[entries[i].AnimalID]
		p.Place, p.mark = i, markOf(entries[i].AnimalID)
		byPlayer[i] = result{entries[i].PlayerID, p}
	}
	r := Results{Verdict: v, Entries: len(entries), Sheets: planSheets(len(entries))}
	packed, err := packSheets(byPlayer, r.Sheets)
	if err != nil {
		return r, err
	}
	if r.Sheets == 0 {
		r.Own = packed[0]
	}
	for k := range r.Sheets {
		r.Items = append(r.Items, SheetItem{Key: v.SheetKey(k), Results: packed[k]})
	}
	pages, err := pageItems(v, entries)
	for i := range pages {
		r.Items = append(r.Items, pages[i])
	}
	return r, err
}
