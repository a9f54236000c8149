package store

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/uuid"

	"github.com/ranch-game/ranch/shared/game"
)

// Partition keys and sort keys have types of their own, so that neither can replace the other.
type (
	pk string
	sk string
)

// key names one item. Item structs embed it.
type key struct {
	PK pk `dynamodbav:"PK"`
	SK sk `dynamodbav:"SK"`
}

func (k key) attributes() map[string]types.AttributeValue {
	return map[string]types.AttributeValue{
		"PK": &types.AttributeValueMemberS{Value: string(k.PK)},
		"SK": &types.AttributeValueMemberS{Value: string(k.SK)},
	}
}

// kind returns the name for errors: keys contain players' names, and errors are logged.
func (k key) kind() string {
	kind, _, _ := strings.Cut(string(k.PK), "#")
	return kind
}

// Prefixes of the sort keys that are queried by range.
const (
	animalPrefix       sk = "ANIMAL#"
	ledgerPrefix       sk = "LEDGER#"
	claimPrefix        sk = "CLAIM#"
	pagePrefix         sk = "PAGE#"
	entryPrefix        sk = "ENTRY#"
	activeSeasonPrefix sk = "ACTIVE#"
	seasonPrefix       sk = "SEASON#"

	pendingRefundsPrefix sk = "REFUNDS#"
	pendingNamesPrefix   sk = "NAMES#"
)

const (
	seasonsPK        pk = "SEASON"
	changedAnimalsPK pk = "CHANGED"
	pendingPK        pk = "PENDING"
)

func userPK(user game.ID) pk { return pk("USER#" + user) }

// The reservations of names with the same beginning are in one partition, so that operators can find a name by its
// beginning (docs/adr/0004-one-table-no-index.md).

// NamePrefix is how many characters of a name select its partition. No name is shorter.
const NamePrefix = 3

// emailKey is the key of the reservation of an e-mail address, which is in lower case.
func emailKey(email string) key { return key{namePK("EMAIL#", email), sk(email)} }

// usernameKey is the key of the reservation of a username. It sorts by the lower-cased username, so usernames that
// differ only by case follow each other.
func usernameKey(username string) key {
	folded := strings.ToLower(username)
	return key{namePK("USERNAME#", folded), sk(folded + "#" + username)}
}

func namePK(kind, folded string) pk { return pk(kind + folded[:min(NamePrefix, len(folded))]) }

func userKey(user game.ID) key   { return key{userPK(user), "PROFILE"} }
func tokenKey(digest string) key { return key{pk("TOKEN#" + digest), "TOKEN"} }
func showKey(show game.ID) key   { return key{pk("SHOW#" + show), "SHOW"} }
func layoutKey() key             { return key{"LAYOUT", "LAYOUT"} }
func publicKeysKey() key         { return key{"KEYS", "KEYS"} }

// changedAnimalKey is the key of the note that an operator has changed the animal.
func changedAnimalKey(animal game.ID) key { return key{changedAnimalsPK, animalPrefix + sk(animal)} }

// pendingRefundsKey is the key of the note that a cancelled show has fees to give back.
func pendingRefundsKey(show game.ID) key { return key{pendingPK, pendingRefundsPrefix + sk(show)} }

// pendingNamesKey is the key of the note that entries may show an old name of the user.
func pendingNamesKey(user game.ID) key { return key{pendingPK, pendingNamesPrefix + sk(user)} }

func animalKey(owner, animal game.ID) key { return key{userPK(owner), animalPrefix + sk(animal)} }

// ledgerKey is the key of a ledger row. It pads the row's number to 12 digits, so that rows sort by it: enough for a
// change every millisecond for 31 years.
func ledgerKey(user game.ID, seq int64) key {
	return key{userPK(user), ledgerPrefix + sk(fmt.Sprintf("%012d", seq))}
}

// participationPrefix is the beginning of the sort keys of a user's participations in one season.
func participationPrefix(season game.ID) sk { return seasonPrefix + sk(season) + "#SHOW#" }

// participationKey is the key of an entry's participation, which also has the ledger row of its fee.
func participationKey(user, season, show, animal game.ID) key {
	return key{userPK(user), participationPrefix(season) + sk(show) + "#" + animalPrefix + sk(animal)}
}

// ledgerSpan covers all rows of a user's ledger: those under keys of their own, and the participations. The user's item
// is between the two.
func ledgerSpan(user game.ID) span {
	rows := prefixed(userPK(user), seasonPrefix)
	rows.from = ledgerPrefix
	return rows
}

// auditKey is the record of an operator's change. The id begins with the instant of the change, so that records sort by
// time. Each month is a partition.
func auditKey(change game.ID) key {
	return key{auditPK(begun(change).Time()), sk(change)}
}

// auditHeadKey is the head of the chain of these records, in a partition of its own.
func auditHeadKey() key { return key{"AUDIT", "HEAD"} }

func auditPK(at time.Time) pk { return pk("AUDIT#" + at.UTC().Format("2006-01")) }

func seasonKey(season game.ID) key { return key{seasonsPK, seasonPrefix + sk(season)} }

// activeSeasonKey sorts by start, then id: the first one is the active season.
func activeSeasonKey(s game.Season) key {
	return key{seasonsPK, activeSeasonPrefix + sk(s.StartDate.String()) + "#" + sk(s.ID)}
}

// Gates of open shows are together by tier, in the order of closing times. So a list reads its page's gates as one
// range of each shard, and pays only for their size of 34 to 45 bytes each. That is why their keys are so short.

// gateShards is the number of partitions for the gates of a tier. An entry writes two units to its gate, so that a tier
// takes 2,000 entries a second (1,000 write units a second for a partition).
const gateShards = 4

// sortable encodes bytes as characters with the same order.
const sortableCharacters = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"

var sortable = base64.NewEncoding(sortableCharacters).WithPadding(base64.NoPadding)

// gateKey is gate k of a show: shard and 24 bits of the tier's digest, then closing time, show and number. It has 52
// random bits of the show's id. Two shows with the same tier and millisecond practically never share those; if they
// did, the second could not be created.
func gateKey(show game.Show, gate int) key { return gateKeysFrom(show, gate, 1)[0] }

// gateKeys returns the keys of all gates of a show.
func gateKeys(show game.Show, gates int) []key { return gateKeysFrom(show, 0, gates) }

// gateKeysFrom computes the common part of the keys once: a list needs hundreds of them.
func gateKeysFrom(show game.Show, first, n int) []key {
	tier := sha256.Sum256([]byte(show.Tier))
	id := uuid.MustParse(string(show.ID))
	shard := spread(show.ID, 0)
	var partitions [gateShards]pk
	for k := range partitions {
		partitions[k] = pk("G#" + strconv.Itoa(k) + "#" + sortable.EncodeToString(tier[:3]))
	}
	prefix := gateTime(show.EntryClosesAt) + sk(sortable.EncodeToString(id[:gateID]))
	keys := make([]key, n)
	for i := range keys {
		gate := first + i
		keys[i] = key{partitions[(shard+gate)%gateShards], prefix + sk(sortableCharacters[gate:gate+1])}
	}
	return keys
}

// gateID is how many bytes of a show's id the keys of its gates have. The id's text has these bytes in its first
// gateIDText characters.
const gateID, gateIDText = 7, 16

// gateTime is the beginning of the sort keys of all gates of shows that close at an instant.
func gateTime(closesAt game.Instant) sk {
	var ms [8]byte
	binary.BigEndian.PutUint64(ms[:], uint64(closesAt))
	return sk(sortable.EncodeToString(ms[2:])) // 48 bits: to the year 10889
}

// maxShowParts is the most partitions of a show's entries. Each serves 3,000 read units a second. A reader of a show of
// 100 entries pays at least one unit for each, and a show of 50,000 is read in parallel.
const maxShowParts = 4

// showParts is the number of a show's partitions.
func showParts(gates int) int { return min(gates, maxShowParts) }

// partOf returns the partition of the entries that come through a gate.
func partOf(gate, gates int) int { return gate % showParts(gates) }

func partPK(show game.ID, part int) pk { return pk(fmt.Sprintf("SHOW#%s#%d", show, part)) }

func entryKey(show, animal game.ID, gates int) key {
	return key{partPK(show, partOf(gateOf(animal, gates), gates)), entryPrefix + sk(animal)}
}

// verdict names the results that one attempt of a judging writes. It is random, and readers learn it from the show's
// item. It begins with the instant of the attempt, so that the audit can tell old ones.
type verdict struct {
	show game.ID
	id   string // in sortable characters; every key of the results contains it
}

// newVerdict returns a random verdict for an attempt at an instant.
func newVerdict(show game.ID, at game.Instant) verdict {
	id := uuid.New()
	binary.BigEndian.PutUint64(id[:8], uint64(at)<<16|uint64(binary.BigEndian.Uint16(id[6:])))
	return verdict{show, sortable.EncodeToString(id[:])}
}

// at returns the instant of the verdict's attempt, or 0 if the text is not a verdict.
func (v verdict) at() game.Instant {
	id, err := sortable.DecodeString(v.id)
	if err != nil || len(id) < 8 {
		return 0
	}
	return game.Instant(binary.BigEndian.Uint64(id) >> 16)
}

func (v verdict) pk(kind string, number int) pk {
	return pk("SHOW#" + string(v.show) + "#R#" + v.id + "#" + kind + strconv.Itoa(number))
}

// sheetKey is sheet j of the results by player. Each sheet has a partition of its own.
func (v verdict) sheetKey(sheet int) key { return key{v.pk("S", sheet), "SHEET"} }

// Pages of the results are in up to pagePartitions partitions, in turn, so that a judging that writes one after the
// other uses all of the table. The receipts for places on a page are in its partition.

// pagePK returns the partition of a page.
func (v verdict) pagePK(page int) pk { return v.pk("P", page%pagePartitions) }

func (v verdict) pageKey(page int) key {
	return key{v.pagePK(page), pagePrefix + sk(fmt.Sprintf("%06d", page))}
}

// claimKey is the receipt of a player whose first place on a page is the given one.
func (v verdict) claimKey(place int) key {
	return key{v.pagePK(place / pagePlaces), claimPrefix + sk(fmt.Sprintf("%06d", place))}
}

// boardKey is the row of a show on the board of a status ("" for all) and tier ("" for any), in the order of lists: by
// closing time, then id.
func boardKey(status game.ShowStatus, tier string, show game.Show) key {
	return key{boardPK(status, tier), sk(show.EntryClosesAt.String()) + "#" + sk(show.ID)}
}

// dueUntil returns a sort key behind the rows of all shows on a board that close at the instant or before.
func dueUntil(now game.Instant) sk { return sk(now.String()) + "#\U0010FFFF" }

// boardPK escapes the tier, which may be a client's text, so that it adds no "#".
func boardPK(status game.ShowStatus, tier string) pk {
	board := "BOARD#all"
	if status != "" {
		board = "BOARD#" + string(status)
	}
	if tier != "" {
		board += "#" + url.PathEscape(tier)
	}
	return pk(board)
}

// gateOf distributes animals evenly over a show's gates.
func gateOf(animal game.ID, gates int) int { return spread(animal, 0) % gates }

// sheetOf distributes players evenly over a show's sheets.
func sheetOf(player game.ID, sheets int) int { return spread(player, 4) % sheets }

func spread(id game.ID, offset int) int {
	digest := sha256.Sum256([]byte(id))
	return int(binary.BigEndian.Uint32(digest[offset:]))
}

// idIn returns the id after the last "#" of a sort key.
func idIn(s sk) game.ID { return game.ID(s[strings.LastIndexByte(string(s), '#')+1:]) }

// showIn returns the show of a partition that begins with its id: SHOW#w#...
func showIn(p pk) game.ID {
	id, _, _ := strings.Cut(strings.TrimPrefix(string(p), "SHOW#"), "#")
	return game.ID(id)
}

// numberIn returns the number after the last "#" of a sort key, or 0.
func numberIn(s sk) int {
	number, _ := strconv.Atoi(string(idIn(s)))
	return number
}

// begun returns the instant at the beginning of a change's id.
func begun(change game.ID) game.Instant {
	id := uuid.MustParse(string(change))
	var ms [8]byte
	copy(ms[2:], id[:6])
	return game.Instant(binary.BigEndian.Uint64(ms[:]))
}
