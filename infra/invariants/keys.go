package invariants

import (
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

// Readable returns the gate's number and closing time if the key is of a gate (a counter shard), and otherwise the key
// as String does. A gate's key is packed, and contains only part of the show's id.
func (k Key) Readable() string {
	if closes, err := gateText.DecodeString(k.SK[:min(8, len(k.SK))]); err == nil && len(k.SK) == 19 && strings.HasPrefix(k.PK, "G#") {
		at := game.Instant(binary.BigEndian.Uint64(append([]byte{0, 0}, closes...)))
		return fmt.Sprintf("gate %d, closes %v", strings.IndexByte(gateDigits, k.SK[18]), at)
	}
	return k.String()
}

// This package makes keys by definitions of its own, as it decodes rows by its own.

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

// verdict is the name of one attempt to judge a show: its time and random bytes. The keys of its results contain it.
type verdict struct {
	show game.ID
	id   string
}

func (v verdict) key(kind string, number int, sk string) Key {
	return Key{fmt.Sprintf("SHOW#%s#R#%s#%s%d", v.show, v.id, kind, number), sk}
}

// sheetKey returns the key of a sheet, an item with results by player.
func (v verdict) sheetKey(number int) Key { return v.key("S", number, "SHEET") }

// pageKey returns the key of a page, an item with up to 100 results by rank. Pages are spread over 16 partitions. The
// receipts of claims for a page's places are in the page's partition.
func (v verdict) pageKey(page int) Key { return v.key("P", page%16, fmt.Sprintf("PAGE#%06d", page)) }

// claimKey returns the key of the receipt of a claim for the entry at the place, counted from 0.
func (v verdict) claimKey(place int) Key {
	return v.key("P", place/100%16, fmt.Sprintf("CLAIM#%06d", place))
}

// begun returns when the attempt to judge began, or the zero time if the name is not a verdict of the store.
func (v verdict) begun() time.Time {
	name, err := gateText.DecodeString(v.id)
	if err != nil || len(name) < 6 {
		return time.Time{}
	}
	return time.UnixMilli(int64(binary.BigEndian.Uint64(append([]byte{0, 0}, name[:6]...))))
}

// key returns the key of a participation, the player's copy of an entry. at has the user, the show and the animal.
func (r participationRow) key(at [3]game.ID) Key {
	return participationKey(at[0], r.season, at[1], at[2])
}

func (s *showBooks) entryKey(show, animal game.ID) Key {
	gate := hashed(animal, 0) % s.item.Gates
	return Key{fmt.Sprintf("SHOW#%s#%d", show, gate%min(s.item.Gates, 4)), "ENTRY#" + string(animal)}
}

// claimKey returns the key of the user's first receipt in the show, whether it exists or not. If the user has no place
// on a page of results, claimKey returns the key of the show's item.
func (s *showBooks) claimKey(show, user game.ID) Key {
	if places := s.places[user]; len(places) > 0 {
		return verdict{show, s.item.Verdict}.claimKey(places[0])
	}
	return showKey(show)
}

// sheetKey returns the key of the item with the user's results: a sheet or, if the show has none, the show's own item.
func (s *showBooks) sheetKey(show, user game.ID) Key {
	if s.item.Sheets == 0 {
		return showKey(show)
	}
	return verdict{show, s.item.Verdict}.sheetKey(hashed(user, 4) % s.item.Sheets)
}

func (r showRow) boardSK() string { return r.ClosesAt.String() + "#" + string(r.ID) }

// movesKey returns the key to report if the user's ledger rows of the category about a show are wrong. It is the key of
// the first missing row or, if none is missing, of the next row. For a reward without a prize it is the receipt's key.
func (b *books) movesKey(show, user game.ID, category game.Category) Key {
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
	return ledgerKey(user, seq)
}

// gateText encodes bytes in the keys of gates (a show's counter shards) and in verdicts. Texts sort like their bytes.
var gateText = base64.NewEncoding(gateDigits).WithPadding(base64.NoPadding)

const gateDigits = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"

// gateShow returns the part of a show's id in the keys of its gates: 7 bytes as text. It follows the 8 characters of
// the closing time. If the id is not hexadecimal, gateShow returns "".
func gateShow(show game.ID) string {
	id, err := hex.DecodeString(strings.ReplaceAll(string(show), "-", ""))
	if err != nil || len(id) < 7 {
		return ""
	}
	return gateText.EncodeToString(id[:7])
}

// gateKey returns the key of the open show's gate (counter shard) with the number k.
func (r showRow) gateKey(k int) Key {
	tier := sha256.Sum256([]byte(r.Tier))
	closes := binary.BigEndian.AppendUint64(nil, uint64(r.ClosesAt))
	number := gateDigits[k : k+1]
	return Key{
		fmt.Sprintf("G#%d#%s", (hashed(r.ID, 0)+k)%4, gateText.EncodeToString(tier[:3])),
		gateText.EncodeToString(closes[2:]) + gateShow(r.ID) + number,
	}
}
