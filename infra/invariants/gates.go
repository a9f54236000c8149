package invariants

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ranch-game/ranch/shared/game"
)

// gateID is what the keys of a gate say: of which show, in which order it stands, and which one it is.
type gateID struct {
	shard    int
	tier     string // the first 6 hex digits of its SHA-256
	closesAt game.Instant
	show     string // the first 14 hex digits of its id
	number   int
}

// gateDigits are those of the sort keys of gates, in their order.
const gateDigits = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"

// parseGate reads the keys of a gate.
func parseGate(key rowKey) (gateID, error) {
	parts := strings.SplitN(key.PK, "#", 3)
	if len(parts) != 3 || len(parts[2]) != 4 || len(key.SK) != 19 {
		return gateID{}, fmt.Errorf("%s %s is no gate", key.PK, key.SK)
	}
	shard, err := strconv.Atoi(parts[1])
	if err != nil {
		return gateID{}, err
	}
	bits := "" // 24 of the tier, 48 of the time, 56 of the id, 4 that fill up, 6 of the number
	for _, c := range parts[2] + key.SK {
		bits += fmt.Sprintf("%06b", strings.IndexRune(gateDigits, c))
	}
	tier, tierErr := strconv.ParseUint(bits[:24], 2, 64)
	closesAt, timeErr := strconv.ParseInt(bits[24:24+48], 2, 64)
	show, showErr := strconv.ParseUint(bits[72:72+56], 2, 64)
	number, numberErr := strconv.ParseInt(bits[132:], 2, 64)
	id := gateID{shard, fmt.Sprintf("%06x", tier), game.Instant(closesAt), fmt.Sprintf("%014x", show), int(number)}
	return id, errors.Join(tierErr, timeErr, showErr, numberErr)
}

// gateDigest is what of a show's id is in the keys of its gates.
func gateDigest(show game.ID) string { return strings.ReplaceAll(string(show), "-", "")[:14] }

// IsGateOf reports whether a row is a gate of the show, while that is open.
func IsGateOf(row Row, show game.ID) bool {
	key, err := decode[rowKey](row)
	if err != nil || !strings.HasPrefix(key.PK, "G#") {
		return false
	}
	at, err := parseGate(key)
	return err == nil && at.show == gateDigest(show)
}

// addGate files one gate.
func (b *books) addGate(key rowKey, av map[string]types.AttributeValue) error {
	at, err := parseGate(key)
	if err != nil {
		return err
	}
	b.gates[at], err = decode[gateRow](av)
	return err
}

// checkGates compares the gates of a show with its entries, and takes them from the books.
func (b *books) checkGates(id game.ID, s *showBooks, counts map[int]int64) {
	if s.item.Status != game.ShowOpen {
		return
	}
	tier := fmt.Sprintf("%x", sha256.Sum256([]byte(s.item.Tier)))[:6]
	for k := range s.item.Gates {
		at := gateID{
			(hashed(id, 0) + k) % 4, tier, s.item.ClosesAt, gateDigest(id), k,
		}
		gate, there := b.gates[at]
		if !there || gate.Count != counts[k] || gate.Terms != s.item.Terms {
			b.report("show %s: gate %d is %+v (there: %v) with %d entries, the show is %+v", id, k, gate, there, counts[k], *s.item)
		}
		delete(b.gates, at)
	}
}
