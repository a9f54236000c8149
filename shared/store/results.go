package store

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"sort"

	"github.com/google/uuid"

	"github.com/ranch-game/ranch/shared/game"
)

// result is what the judging of a show says of one entry.
type result struct {
	animal game.ID
	rank   int
	score  game.Fixed
}

// A packed result is the animal's 16 bytes, the rank in 4 and the score's hundredths in 2, big-endian; results are
// packed in the order of the animals' bytes.
const (
	packedID     = 16
	packedResult = packedID + 4 + 2
)

// sheetSizes are the numbers of results that a sheet may be planned for (DynamoDB's limits: 400 KB an item, 100 items a
// transaction); the smallest for which the transaction has room is taken: beside 40 gates, for 51. Small sheets make
// claims cheap: a claim reads the one sheet that its animal is on, 6 RCU for 1,000 results.
var sheetSizes = []int{1_000, 2_000, 4_000}

// judgingOtherItems is what a judging writes beside gates and results: the show, the caller's status, six moves on the
// boards, and the first item of the results.
const (
	transactionItems  = 100
	judgingOtherItems = 9
)

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

// pack packs the results, which it sorts.
func pack(results []result) ([]byte, error) {
	// Canonical texts sort as their bytes do.
	slices.SortFunc(results, func(a, b result) int { return cmp.Compare(a.animal, b.animal) })
	packed := make([]byte, 0, len(results)*packedResult)
	for _, r := range results {
		id, err := uuid.Parse(string(r.animal))
		if err != nil {
			return nil, fmt.Errorf("pack results: %w", err)
		}
		packed = append(packed, id[:]...)
		packed = binary.BigEndian.AppendUint32(packed, uint32(r.rank))
		packed = binary.BigEndian.AppendUint16(packed, uint16(r.score))
	}
	return packed, nil
}

// sheet is packed results as they are stored.
type sheet []byte

func (s sheet) len() int { return len(s) / packedResult }

func (s sheet) at(i int) result {
	b := s[i*packedResult : (i+1)*packedResult]
	return result{
		animal: game.ID(uuid.UUID(b[:packedID]).String()),
		rank:   int(binary.BigEndian.Uint32(b[packedID:])),
		score:  game.Fixed(binary.BigEndian.Uint16(b[packedID+4:])),
	}
}

// find returns the result of one animal; false means that it was not ranked.
func (s sheet) find(animal game.ID) (result, bool) {
	id, err := uuid.Parse(string(animal))
	if err != nil {
		return result{}, false
	}
	i := sort.Search(s.len(), func(i int) bool { return bytes.Compare(s[i*packedResult:][:packedID], id[:]) >= 0 })
	if i == s.len() || s.at(i).animal != animal {
		return result{}, false
	}
	return s.at(i), true
}
