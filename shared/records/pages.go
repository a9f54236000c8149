package records

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/google/uuid"

	"github.com/ranch-game/ranch/shared/game"
)

const (
	// PagePlaces is the most entries of a page: about 6 KB. A list of up to 100 entries needs one or two pages.
	PagePlaces = 100
	// PagePartitions is the number of partitions of a large show's pages.
	PagePartitions = 16
)

// packedEntries are a page's entries, one after the other. Each has the player's and the animal's id in 16 bytes each,
// the time of entry as a varint, and the score's hundredths in 2 bytes, big-endian. Then follow, as unsigned varints,
// the number of its pair in Kinds and the length of the animal's name, and the name. The entry's id is computed from
// the show and the animal. The item has the usernames in a list, so that one can be changed alone.
type packedEntries []byte

// pageItems returns the pages of a show's entries, which must be in the order of the show's list.
func pageItems(v Verdict, entries []game.Entry) ([]PageItem, error) {
	var pages []PageItem
	for theirs := range slices.Chunk(entries, PagePlaces) {
		page := PageItem{Key: v.PageKey(len(pages))}
		for i := range theirs {
			if err := page.add(&theirs[i]); err != nil {
				return nil, err
			}
		}
		pages = append(pages, page)
	}
	return pages, nil
}

func (i *PageItem) add(e *game.Entry) error {
	player, playerErr := uuid.Parse(string(e.PlayerID))
	animal, animalErr := uuid.Parse(string(e.AnimalID))
	if playerErr != nil || animalErr != nil {
		return fmt.Errorf("pack the entry of %s by %s: no ids", e.AnimalID, e.PlayerID)
	}
	kind := 0
	for kind < len(i.Kinds) && (i.Kinds[kind] != e.Breed || i.Kinds[kind+1] != e.RarityTier) {
		kind += 2
	}
	if kind == len(i.Kinds) {
		i.Kinds = append(i.Kinds, e.Breed, e.RarityTier)
	}
	p := Placing{ranked: e.Rank != nil}
	if e.Score != nil {
		p.score = *e.Score
	}
	packed := append(i.Entries, player[:]...)
	packed = append(packed, animal[:]...)
	packed = binary.AppendVarint(packed, int64(e.CreatedAt))
	packed = appendScore(packed, p)
	packed = binary.AppendUvarint(packed, uint64(kind/2))
	packed = binary.AppendUvarint(packed, uint64(len(e.AnimalName)))
	i.Entries = append(packed, e.AnimalName...)
	i.Usernames = append(i.Usernames, e.PlayerUsername)
	return nil
}

// Unpack returns the entries of the page, from the place first on, or errUnpack for damaged bytes.
func (i *PageItem) Unpack(show game.ID, first int) ([]game.Entry, error) {
	entries := make([]game.Entry, 0, len(i.Usernames))
	rest := i.Entries
	number := func() int { // returns -1 if the rest has no number, and drops the rest
		n, width := binary.Uvarint(rest)
		if width <= 0 || n > math.MaxInt32 {
			rest = nil
			return -1
		}
		rest = rest[width:]
		return int(n)
	}
	for len(rest) > 2*packedPlayer {
		e := game.Entry{PlayerID: game.ID(uuid.UUID(rest[:packedPlayer]).String())}
		e.AnimalID = game.ID(uuid.UUID(rest[packedPlayer : 2*packedPlayer]).String())
		rest = rest[2*packedPlayer:]
		at, width := binary.Varint(rest)
		if width <= 0 {
			return nil, errUnpack
		}
		e.CreatedAt, rest = game.Instant(at), rest[width:]
		if len(rest) < 2 || len(entries) == len(i.Usernames) {
			return nil, errUnpack
		}
		p := placed(first+len(entries), binary.BigEndian.Uint16(rest))
		rest = rest[2:]
		kind, name := 2*number(), number()
		if kind+1 >= len(i.Kinds) || name < 0 || name > len(rest) {
			return nil, errUnpack
		}
		e.ID, e.Breed, e.RarityTier = game.EntryID(show, e.AnimalID), i.Kinds[kind], i.Kinds[kind+1]
		e.AnimalName, rest = string(rest[:name]), rest[name:]
		e.PlayerUsername = i.Usernames[len(entries)]
		p.GiveTo(&e)
		entries = append(entries, e)
	}
	if len(rest) > 0 || len(entries) != len(i.Usernames) {
		return nil, errUnpack
	}
	return entries, nil
}

// GiveTo sets the rank and score of a ranked entry. It does not set a score of 0 (docs/rules.md, S4.6.3).
func (p Placing) GiveTo(e *game.Entry) {
	if !p.ranked {
		return
	}
	e.Rank = new(p.Rank())
	if p.score != 0 {
		e.Score = &p.score
	}
}
