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

	"github.com/google/uuid"

	"github.com/ranch-game/ranch/shared/game"
)

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

// emailKey is the key of the reservation of an e-mail address, which must be in lower case.
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

// ledgerKey is the key of a ledger row. The row's number has 12 digits, so that rows sort by it. They are enough for a
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

// ledgerSpan covers all rows of a user's ledger: the ledger items, and the participations, which have the rows of fees.
// The user's item PROFILE sorts between them, and is in the span.
func ledgerSpan(user game.ID) span {
	rows := prefixed(userPK(user), seasonPrefix)
	rows.From = ledgerPrefix
	return rows
}

// auditKey is the key of the record of an operator's change. The change's id begins with its instant, so that records
// sort by time. Each month has a partition.
func auditKey(change game.ID) key { return key{auditPK(begun(change).Time()), sk(change)} }

// auditHeadKey is the key of the head of the chain of these records, in another partition.
func auditHeadKey() key { return key{"AUDIT", "HEAD"} }

func auditPK(at time.Time) pk { return pk("AUDIT#" + at.UTC().Format("2006-01")) }

func seasonKey(season game.ID) key { return key{seasonsPK, seasonPrefix + sk(season)} }

// activeSeasonKey sorts by start, then id. ActiveSeason returns the first season.
func activeSeasonKey(s game.Season) key {
	return key{seasonsPK, activeSeasonPrefix + sk(s.StartDate.String()) + "#" + sk(s.ID)}
}

// A gate counts a part of an open show's entries. The gates of all open shows of a tier are together, sorted by closing
// time. So a list reads the gates of its shows as one range of each shard. It pays only for their size, so short keys
// make it cheap: a gate has 34 to 45 bytes.

// gateShards is the number of partitions for the gates of a tier. A partition accepts 1,000 write units a second, and
// an entry costs two at its gate: so a tier accepts 2,000 entries a second.
const gateShards = 4

// sortableCharacters are in ASCII order, so that texts in the encoding sortable sort as their bytes do.
const sortableCharacters = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"

var sortable = base64.NewEncoding(sortableCharacters).WithPadding(base64.NoPadding)

// gateKey is the key of a gate of a show: its shard and 24 bits of the tier's digest, then the closing time, 7 bytes of
// the show's id, and the gate's number. If the id is random, 52 bits of these bytes are. If two shows that close in the
// same millisecond had the same bytes and tier, the second could not be created.
func gateKey(show game.Show, gate int) key { return gateKeysFrom(show, gate, 1)[0] }

// gateKeys returns the keys of all gates of a show.
func gateKeys(show game.Show, gates int) []key { return gateKeysFrom(show, 0, gates) }

// gateKeysFrom returns the keys of n gates. It computes their common part once, because a list needs hundreds of keys.
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

// maxShowParts is the most partitions of a show's entries. A reader pays at least one read unit for each, even in a
// small show. Each serves 3,000 read units a second, and the partitions of a large show are read in parallel.
const maxShowParts = 4

// showParts is the number of a show's partitions.
func showParts(gates int) int { return min(gates, maxShowParts) }

// partOf returns the number of the partition for the entries that a gate counts.
func partOf(gate, gates int) int { return gate % showParts(gates) }

func partPK(show game.ID, part int) pk { return pk(fmt.Sprintf("SHOW#%s#%d", show, part)) }

func entryKey(show, animal game.ID, gates int) key {
	return key{partPK(show, partOf(gateOf(animal, gates), gates)), entryPrefix + sk(animal)}
}

// verdict names the results that one attempt of a judging writes. Readers find it in the show's item. It consists of
// the attempt's instant, by which the audit recognises old results, and random bits.
type verdict struct {
	show game.ID
	id   string // in sortableCharacters; the partition keys of the results contain it
}

// newVerdict returns a new verdict for an attempt at an instant.
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

// sheetKey is the key of a sheet of the results by player. Each sheet is in another partition.
func (v verdict) sheetKey(sheet int) key { return key{v.pk("S", sheet), "SHEET"} }

// Consecutive pages of the results are in different ones of pagePartitions partitions, so that a judging writes to all
// of them at once. The receipts for places on a page are in the page's partition.

// pagePK returns the partition of a page.
func (v verdict) pagePK(page int) pk { return v.pk("P", page%pagePartitions) }

func (v verdict) pageKey(page int) key {
	return key{v.pagePK(page), pagePrefix + sk(fmt.Sprintf("%06d", page))}
}

// resultKeys returns the keys of the first sheets and pages of the results.
func (v verdict) resultKeys(sheets, pages int) (keys []key) {
	for sheet := range sheets {
		keys = append(keys, v.sheetKey(sheet))
	}
	for page := range pages {
		keys = append(keys, v.pageKey(page))
	}
	return keys
}

// claimKey is the key of the receipt for a page on which the place is the player's first.
func (v verdict) claimKey(place int) key {
	return key{v.pagePK(place / pagePlaces), claimPrefix + sk(fmt.Sprintf("%06d", place))}
}

// boardKey is the key of a show's row on a board, the rows that a list reads. A board has the shows of a status ("" for
// all) and a tier ("" for any). Rows sort as lists do: by closing time, then id.
func boardKey(status game.ShowStatus, tier string, show game.Show) key {
	return key{boardPK(status, tier), sk(show.EntryClosesAt.String()) + "#" + sk(show.ID)}
}

// dueUntil returns a sort key after the rows of all shows on a board that close at the instant or before.
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

// showIn returns the show's id in a partition key SHOW#w or SHOW#w#...
func showIn(p pk) game.ID {
	id, _, _ := strings.Cut(strings.TrimPrefix(string(p), "SHOW#"), "#")
	return game.ID(id)
}

// numberIn returns the number after the last "#" of a sort key, or 0 if there is no number.
func numberIn(s sk) int {
	number, _ := strconv.Atoi(string(idIn(s)))
	return number
}

// begun returns the instant with which a change's id begins.
func begun(change game.ID) game.Instant {
	id := uuid.MustParse(string(change))
	var ms [8]byte
	copy(ms[2:], id[:6])
	return game.Instant(binary.BigEndian.Uint64(ms[:]))
}
