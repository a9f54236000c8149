package invariants

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"slices"
	"strings"

	"github.com/ranch-game/ranch/shared/game"
)

// resultRow is what the results say of one entry.
type resultRow struct {
	animal game.ID
	rank   int // 0: unranked
	score  game.Fixed
}

// checkResults returns the ranks of a completed show by animal, 0 for the unranked.
func (b *Books) checkResults(id game.ID, s *showBooks) map[game.ID]int {
	if s.item.JudgedAt == nil || s.item.JudgedBy == "" || s.item.Count != int64(len(s.entries)) {
		b.report(aboutShow(id), showKey(id), "the show is completed: judged at %v by %q, says %d entries, has %d", s.item.JudgedAt, s.item.JudgedBy, s.item.Count, len(s.entries))
	}
	var ranked []resultRow
	ranks := map[game.ID]int{}
	for number, packed := range b.packedResults(id, s) {
		for _, row := range b.resultsOn(id, s, number, packed) {
			if _, twice := ranks[row.animal]; twice {
				b.report(aboutShow(id), s.sheetKey(id, number), "%s has two results", row.animal)
			}
			ranks[row.animal] = row.rank
			s.placings[row.animal] = Placing{row.rank, row.score}
			if row.rank > 0 {
				ranked = append(ranked, row)
			} else if row.score != 0 {
				b.report(aboutShow(id), s.sheetKey(id, number), "%s has the score %v and no rank", row.animal, row.score)
			}
		}
	}
	slices.SortFunc(ranked, func(x, y resultRow) int {
		return cmp.Or(cmp.Compare(y.score, x.score), cmp.Compare(s.entries[x.animal].At, s.entries[y.animal].At), cmp.Compare(x.animal, y.animal))
	})
	for i, row := range ranked {
		if row.rank != i+1 {
			b.report(aboutShow(id), resultsKey(id), "%s has the rank %d, want %d", row.animal, row.rank, i+1)
		}
	}
	for animal, e := range s.entries {
		judged := len(b.animals[[2]game.ID{e.Player, animal}].Phenotype) > 0
		if rank, there := ranks[animal]; !there || (rank > 0) != judged {
			b.reportOf(e.Player, aboutShow(id), resultsKey(id), "%s is in the results: %v, with the rank %d, has a phenotype: %v", animal, there, rank, judged)
		}
	}
	return ranks
}

// resultsOn unpacks a sheet: of each player, in the order of their ids, the results of its entries in the order of the
// animals.
func (b *Books) resultsOn(id game.ID, s *showBooks, number int, packed []byte) (rows []resultRow) {
	last := game.ID("")
	for len(packed) > 0 {
		player, results, rest, err := unpackPlayer(packed)
		if err != nil {
			b.report(aboutShow(id), s.sheetKey(id, number), "%v", err)
			return rows
		}
		if player <= last || len(s.sheets) > 0 && hashed(player, 4)%len(s.sheets) != number {
			b.report(aboutShow(id), s.sheetKey(id, number), "there is %s after %s, or should not be", player, last)
		}
		animals := s.animalsOf(player)
		if len(animals) != len(results) {
			b.report(aboutShow(id), s.sheetKey(id, number), "there are %d results of %s, who has %d entries", len(results), player, len(animals))
			return rows
		}
		for i, row := range results {
			row.animal = animals[i]
			rows = append(rows, row)
		}
		last, packed = player, rest
	}
	return rows
}

// unpackPlayer reads a player's 16 bytes, the number of its results (seven bits a byte, the last one below 128), and
// these: the rank in 4 bytes and the score in 2.
func unpackPlayer(packed []byte) (player game.ID, results []resultRow, rest []byte, err error) {
	n, length := binary.Uvarint(packed[min(16, len(packed)):])
	if length <= 0 {
		return "", nil, nil, errors.New("the results break off in a player")
	}
	digits := hex.EncodeToString(packed[:16])
	player = game.ID(strings.Join([]string{digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]}, "-"))
	rest = packed[16+length:]
	if n == 0 || n > uint64(len(rest)/6) {
		return "", nil, nil, errors.New("the results break off in a result")
	}
	for range n {
		results = append(results, resultRow{
			rank: int(binary.BigEndian.Uint32(rest)), score: game.Fixed(binary.BigEndian.Uint16(rest[4:])),
		})
		rest = rest[6:]
	}
	return player, results, rest, nil
}

// packedResults returns the results of a completed show by the numbers of their sheets.
func (b *Books) packedResults(id game.ID, s *showBooks) map[int][]byte {
	switch {
	case s.first == nil:
		b.report(aboutShow(id), resultsKey(id), "the show is completed, and has no results")
		return nil
	case s.first.Sheets == 1 && len(s.sheets) == 0:
		return map[int][]byte{0: s.first.Results}
	case s.first.Sheets != len(s.sheets) || len(s.first.Results) > 0:
		b.report(aboutShow(id), resultsKey(id), "the show has %d sheets, want %d", len(s.sheets), s.first.Sheets)
		for number := range s.first.Sheets {
			if _, there := s.sheets[number]; !there {
				b.report(aboutShow(id), sheetKey(id, number), "there is no such sheet of %d", s.first.Sheets)
			}
		}
	}
	for number := range s.sheets {
		if number < 0 || number >= len(s.sheets) {
			b.report(aboutShow(id), sheetKey(id, number), "the show should have no sheet %d", number)
		}
	}
	return s.sheets
}

// hashed is four bytes of the id's hash, by which entries and results are spread.
func hashed(id game.ID, offset int) int {
	digest := sha256.Sum256([]byte(id))
	return int(binary.BigEndian.Uint32(digest[offset:]))
}
