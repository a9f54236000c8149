package invariants

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/ranch-game/ranch/shared/game"
)

// Key is the primary key of a row.
type Key struct {
	PK, SK string
}

func (k Key) String() string { return k.PK + " " + k.SK }

// The keys are made by definitions of this package's own, as rows are read.

func userKey(user game.ID) Key { return Key{"USER#" + string(user), "PROFILE"} }
func animalKey(user, animal game.ID) Key {
	return Key{"USER#" + string(user), "ANIMAL#" + string(animal)}
}
func ledgerKey(user game.ID, seq int64) Key {
	return Key{"USER#" + string(user), fmt.Sprintf("LEDGER#%012d", seq)}
}
func participationKey(user, season, show, animal game.ID) Key {
	return Key{"USER#" + string(user), fmt.Sprintf("SEASON#%s#SHOW#%s#ANIMAL#%s", season, show, animal)}
}
func showKey(show game.ID) Key    { return Key{"SHOW#" + string(show), "SHOW"} }
func resultsKey(show game.ID) Key { return Key{"SHOW#" + string(show) + "#R", "RESULT"} }
func sheetKey(show game.ID, number int) Key {
	return Key{fmt.Sprintf("SHOW#%s#R#%d", show, number), "RESULT"}
}

// kindOf is the sort key of a reservation.
func kindOf(pk string) string {
	kind, _, _ := strings.Cut(pk, "#")
	return kind
}

// key is that of the participation of a user, a show and an animal.
func (r participationRow) key(at [3]game.ID) Key {
	return participationKey(at[0], r.season, at[1], at[2])
}

// partPK is the partition of the entries and receipts whose id has the hash.
func (s *showBooks) partPK(show game.ID, hash int) string {
	return fmt.Sprintf("SHOW#%s#%d", show, hash%min(s.item.Gates, 4))
}

func (s *showBooks) entryKey(show, animal game.ID) Key {
	return Key{s.partPK(show, hashed(animal, 0)%s.item.Gates), "ENTRY#" + string(animal)}
}

func (s *showBooks) claimKey(show, user game.ID) Key {
	return Key{s.partPK(show, hashed(user, 0)), "CLAIM#" + string(user)}
}

// sheetKey is where the results with the number are: in the first item, if that is all there is.
func (s *showBooks) sheetKey(show game.ID, number int) Key {
	if len(s.sheets) == 0 {
		return resultsKey(show)
	}
	return sheetKey(show, number)
}

func (r showRow) boardSK() string { return r.ClosesAt.String() + "#" + string(r.ID) }

// movesKey is the row that is missing, or too many, where a show has moved another amount of a user's gold than it
// should have.
func (b *Books) movesKey(show, user game.ID, category game.Category) Key {
	s := b.shows[show]
	if category == game.CategoryReward && s.receipts[user].Prize == 0 {
		return s.claimKey(show, user)
	}
	seq := int64(1) // the first number without a row
	for _, row := range b.ledgers[user] {
		if row.Seq == seq {
			seq++
		}
	}
	return ledgerKey(user, cmp.Or(seq, 1))
}

// gateText writes bytes in the characters of the keys of gates.
var gateText = base64.NewEncoding("-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz").WithPadding(base64.NoPadding)

// gateShow is what of a show's id is in the keys of its gates: 7 bytes, behind the 8 characters of the closing time.
func gateShow(show game.ID) string {
	id, err := hex.DecodeString(strings.ReplaceAll(string(show), "-", ""))
	if err != nil || len(id) < 7 {
		return ""
	}
	return gateText.EncodeToString(id[:7])
}

// gateKey is gate k of an open show.
func (r showRow) gateKey(k int) Key {
	tier := sha256.Sum256([]byte(r.Tier))
	closes := binary.BigEndian.AppendUint64(nil, uint64(r.ClosesAt))
	number := "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"[k : k+1]
	return Key{
		fmt.Sprintf("G#%d#%s", (hashed(r.ID, 0)+k)%4, gateText.EncodeToString(tier[:3])),
		gateText.EncodeToString(closes[2:]) + gateShow(r.ID) + number,
	}
}
