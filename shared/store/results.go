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

// How a gate's results are laid out (DynamoDB's limits: 400 KB an item, 100 items a transaction): in the gate itself up
// to a size, else all of them on ceil(n/size) sheets. The size is the smallest of these for which the transaction has
// room. Small sheets make claims cheap: a claim reads the one sheet that its animal is on, 6 RCU for 1,000 results.
var sheetSizes = []int{1_000, 2_000, 4_000, 8_000, 16_000}

// judgingOtherItems is what a judging writes beside its gates and sheets: the show, the caller's status, and six moves
// on the boards.
const (
	transactionItems  = 100
	judgingOtherItems = 8
)

// planSheets returns for each gate, given its number of results, on how many sheets they go: 0 for in the gate itself.
func planSheets(counts []int) ([]int, error) {
	room := transactionItems - judgingOtherItems - len(counts)
	for _, size := range sheetSizes {
		plan, total := make([]int, len(counts)), 0
		for i, n := range counts {
			if n > size {
				plan[i] = (n + size - 1) / size
				total += plan[i]
			}
		}
		if total <= room {
			return plan, nil
		}
	}
	return nil, fmt.Errorf("no room for %d gates' results in one transaction", len(counts))
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
