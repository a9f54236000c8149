package store

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/ranch-game/ranch/shared/game"
)

// result is what the judging of a show says of one entry.
type result struct {
	player, animal game.ID
	placing
}

// placing is a result as its player has it. An entry without a rank has no score.
type placing struct {
	rank  int // 0: unranked
	score game.Fixed
}

// Results are packed by player, in the order of the players' bytes: the player's 16 bytes, how many entries it has as a
// varint (one byte up to 127), and of each entry, in the order of the animals' ids, the rank in 4 bytes and the score's
// hundredths in 2, big-endian. The animals are not there: who wants them has the show's entries.
const (
	packedPlayer  = 16
	packedPlacing = 4 + 2
)

// sheetSizes are the numbers of results that a sheet may be planned for (DynamoDB's limits: 400 KB an item, 100 items a
// transaction); the smallest for which the transaction has room is taken: beside 40 gates, for 51. Small sheets make
// claims cheap: a claim reads the one sheet that its player is on, 6 RCU for 1,000 results.
var sheetSizes = []int{1_000, 2_000, 4_000}

// judgingOtherItems is what a judging writes beside gates and results: the show, the caller's status or an operator's
// record, six moves on the boards, and the first item of the results.
const (
	transactionItems  = 100
	judgingOtherItems = 9
)

// sheetBytes is how long the results on one sheet may be: an item has 400 KB, its key among them. All of a player's
// entries are on one sheet, which then holds some 50,000 of them beside those of others. A player has as many entries
// in a show as it has animals: 3, as long as nobody breeds any.
const sheetBytes = 400<<10 - 200

// planSheets returns on how many sheets n results go: 1 is the first item itself.
func planSheets(n, gates int) (int, error) {
	room := transactionItems - judgingOtherItems - gates
	for _, size := range sheetSizes {
		if sheets := (n + size - 1) / size; sheets <= 1 {
			return 1, nil
		} else if sheets <= room {
			return sheets, nil
		}
	}
	return 0, fmt.Errorf("no room for the results of %d entries in one transaction", n)
}

// pack packs the results of one sheet, which it sorts.
func pack(results []result) (sheet, error) {
	// Canonical texts sort as their bytes do.
	slices.SortFunc(results, func(a, b result) int {
		return cmp.Or(cmp.Compare(a.player, b.player), cmp.Compare(a.animal, b.animal))
	})
	packed := make([]byte, 0, len(results)*(packedPlayer+1+packedPlacing))
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
			packed = binary.BigEndian.AppendUint32(packed, uint32(r.rank))
			packed = binary.BigEndian.AppendUint16(packed, uint16(r.score))
		}
		results = results[n:]
	}
	if len(packed) > sheetBytes {
		return nil, fmt.Errorf("pack results: %d bytes are more than a sheet holds", len(packed))
	}
	return packed, nil
}

// sheet is packed results as they are stored.
type sheet []byte

// placings are one player's results as they are stored.
type placings []byte

func (p placings) len() int { return len(p) / packedPlacing }

func (p placings) at(i int) placing {
	b := p[i*packedPlacing:]
	return placing{rank: int(binary.BigEndian.Uint32(b)), score: game.Fixed(binary.BigEndian.Uint16(b[4:]))}
}

// best is the best rank among them, 0 when none is ranked.
func (p placings) best() int {
	best := 0
	for i := range p.len() {
		if rank := p.at(i).rank; rank > 0 && (best == 0 || rank < best) {
			best = rank
		}
	}
	return best
}

// errNoSheet means that stored bytes are no packed results.
var errNoSheet = errors.New("these are no packed results")

// cut returns the sheet's first player with its results, and what comes after.
func (s sheet) cut() (player uuid.UUID, theirs placings, rest sheet, err error) {
	if len(s) < packedPlayer {
		return uuid.UUID{}, nil, nil, errNoSheet
	}
	n, width := binary.Uvarint(s[packedPlayer:]) // 0 where there is none, with a width below 1
	rest = s[packedPlayer+max(width, 0):]
	if n == 0 || n > uint64(len(rest)/packedPlacing) {
		return uuid.UUID{}, nil, nil, errNoSheet
	}
	end := int(n) * packedPlacing
	return uuid.UUID(s[:packedPlayer]), placings(rest[:end]), rest[end:], nil
}

// find returns the results of one player; none are those of one who has no entry.
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
