package invariants

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

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
func addressKey(email string) Key {
	return Key{"EMAIL#" + email[:min(3, len(email))], email}
}
func usernameKey(name string) Key {
	folded := strings.ToLower(name)
	return Key{"USERNAME#" + folded[:min(3, len(folded))], folded + "#" + name}
}
func showKey(show game.ID) Key    { return Key{"SHOW#" + string(show), "SHOW"} }
func refundsKey(show game.ID) Key { return Key{"PENDING", "REFUNDS#" + string(show)} }
func noteKey(animal game.ID) Key  { return Key{"CHANGED", "ANIMAL#" + string(animal)} }

// verdict names the results of one attempt to judge a show.
type verdict struct {
	show game.ID
	id   string
}

func (v verdict) key(kind string, number int, sk string) Key {
	return Key{fmt.Sprintf("SHOW#%s#R#%s#%s%d", v.show, v.id, kind, number), sk}
}

// sheetKey is a sheet of the results by player.
func (v verdict) sheetKey(number int) Key { return v.key("S", number, "SHEET") }

// pageKey is a page of the list, in one of 16 partitions, with the receipts of its places.
func (v verdict) pageKey(page int) Key { return v.key("P", page%16, fmt.Sprintf("PAGE#%06d", page)) }

// claimKey is the receipt of the entry with a place.
func (v verdict) claimKey(place int) Key {
	return v.key("P", place/100%16, fmt.Sprintf("CLAIM#%06d", place))
}

// begun returns when the attempt began: its name begins with that instant.
func (v verdict) begun() time.Time {
	name, err := gateText.DecodeString(v.id)
	if err != nil || len(name) < 6 {
		return time.Time{}
	}
	return time.UnixMilli(int64(binary.BigEndian.Uint64(append([]byte{0, 0}, name[:6]...))))
}

// key is the key of the participation of a user, a show and an animal.
func (r participationRow) key(at [3]game.ID) Key {
	return participationKey(at[0], r.season, at[1], at[2])
}

func (s *showBooks) entryKey(show, animal game.ID) Key {
	gate := hashed(animal, 0) % s.item.Gates
	return Key{fmt.Sprintf("SHOW#%s#%d", show, gate%min(s.item.Gates, 4)), "ENTRY#" + string(animal)}
}

// claimKey is the first receipt that the user has or may have; the show's item if that does not say where it is.
func (s *showBooks) claimKey(show, user game.ID) Key {
	if places := s.places[user]; len(places) > 0 {
		return verdict{show, s.item.Verdict}.claimKey(places[0])
	}
	return showKey(show)
}

// sheetKey is where the results of the user are: in the show's item, if there are no sheets.
func (s *showBooks) sheetKey(show, user game.ID) Key {
	if s.item.Sheets == 0 {
		return showKey(show)
	}
	return verdict{show, s.item.Verdict}.sheetKey(hashed(user, 4) % s.item.Sheets)
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
