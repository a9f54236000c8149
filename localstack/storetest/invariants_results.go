package storetest

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/ranch-game/ranch/shared/game"
)

// packedResult is an animal's 16 bytes, the rank in 4 and the score in 2.
const packedResult = 22

type rankedRow struct {
	animal game.ID
	rank   int
	score  game.Fixed
}

// checkResults returns the ranks of a completed show by animal.
func (b *books) checkResults(id game.ID, s *showBooks) map[game.ID]int {
	if s.item.JudgedAt == nil || s.item.Count != int64(len(s.entries)) {
		b.report("show %s is completed: judged at %v, says %d entries, has %d", id, s.item.JudgedAt, s.item.Count, len(s.entries))
	}
	var rows []rankedRow
	for number, packed := range b.packedResults(id, s) {
		if len(packed)%packedResult != 0 {
			b.report("show %s: sheet %d has %d bytes of results", id, number, len(packed))
			continue
		}
		for chunk := range slices.Chunk(packed, packedResult) {
			row := unpack(chunk)
			if _, ok := s.entries[row.animal]; !ok || len(s.sheets) > 0 && hashed(row.animal, 4)%len(s.sheets) != number {
				b.report("show %s: sheet %d ranks %s, which did not enter or is on another sheet", id, number, row.animal)
			}
			rows = append(rows, row)
		}
	}
	slices.SortFunc(rows, func(x, y rankedRow) int {
		return cmp.Or(cmp.Compare(y.score, x.score), cmp.Compare(s.entries[x.animal].At, s.entries[y.animal].At), cmp.Compare(x.animal, y.animal))
	})
	ranks := map[game.ID]int{}
	for i, row := range rows {
		if row.rank != i+1 {
			b.report("show %s: %s has the rank %d, want %d", id, row.animal, row.rank, i+1)
		}
		ranks[row.animal] = row.rank
	}
	for animal, e := range s.entries {
		judged := len(b.animals[[2]game.ID{e.Player, animal}].Phenotype) > 0
		if _, ranked := ranks[animal]; ranked != judged {
			b.report("show %s: %s is ranked: %v, has a phenotype: %v", id, animal, ranked, judged)
		}
	}
	return ranks
}

// packedResults returns the results of a completed show by the numbers of their sheets.
func (b *books) packedResults(id game.ID, s *showBooks) map[int][]byte {
	switch {
	case s.first == nil:
		b.report("show %s is completed, and has no results", id)
		return nil
	case s.first.Sheets == 1 && len(s.sheets) == 0:
		return map[int][]byte{0: s.first.Results}
	case s.first.Sheets != len(s.sheets) || len(s.first.Results) > 0:
		b.report("show %s has %d sheets, want %d", id, len(s.sheets), s.first.Sheets)
	}
	for number := range s.sheets {
		if number < 0 || number >= len(s.sheets) {
			b.report("show %s has a sheet %d", id, number)
		}
	}
	return s.sheets
}

// hashed is four bytes of the id's hash, by which entries and results are spread.
func hashed(id game.ID, offset int) int {
	digest := sha256.Sum256([]byte(id))
	return int(binary.BigEndian.Uint32(digest[offset:]))
}

func unpack(chunk []byte) rankedRow {
	digits := hex.EncodeToString(chunk[:16])
	return rankedRow{
		animal: game.ID(strings.Join([]string{digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]}, "-")),
		rank:   int(binary.BigEndian.Uint32(chunk[16:])),
		score:  game.Fixed(binary.BigEndian.Uint16(chunk[20:])),
	}
}
