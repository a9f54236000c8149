package records

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
	"github.com/ranch-game/ranch/shared/table"
)

// Prefixes of the sort keys that are queried by range.
const (
	AnimalPrefix       table.SK = "ANIMAL#"
	LedgerPrefix       table.SK = "LEDGER#"
	ClaimPrefix        table.SK = "CLAIM#"
	PagePrefix         table.SK = "PAGE#"
	EntryPrefix        table.SK = "ENTRY#"
	ActiveSeasonPrefix table.SK = "ACTIVE#"
	SeasonPrefix       table.SK = "SEASON#"
	FoldedPrefix       table.SK = "FOLDED#"

	indexPrefix table.SK = "INDEX#"

	pendingRefundsPrefix table.SK = "REFUNDS#"
	PendingNamesPrefix   table.SK = "NAMES#"
)

const (
	SeasonsPK        table.PK = "SEASON"
	ChangedAnimalsPK table.PK = "CHANGED"
	PendingPK        table.PK = "PENDING"
	JudgedPK         table.PK = "JUDGED"
	StandingsPK      table.PK = "STANDINGS"
)

// UserPK is the partition of a user, with animals, ledger and participations.
func UserPK(user game.ID) table.PK { return table.PK("USER#" + user) }

// The reservations of names with the same beginning are in one partition, so that operators can find a name by its
// beginning (docs/adr/0004-one-table-no-index.md).

// NamePrefix is how many characters of a name select its partition. No name is shorter.
const NamePrefix = 3

// EmailKey is the key of the reservation of an e-mail address, which must be in lower case.
func EmailKey(email string) table.Key {
	return table.Key{PK: NamePK("EMAIL#", email), SK: table.SK(email)}
}

// UsernameKey is the key of the reservation of a username. It sorts by the lower-cased username, so usernames that
// differ only by case follow each other.
func UsernameKey(username string) table.Key {
	folded := strings.ToLower(username)
	return table.Key{PK: NamePK("USERNAME#", folded), SK: table.SK(folded + "#" + username)}
}

// NamePK is the partition of the names of a kind, EMAIL# or USERNAME#, that begin as the folded name does.
func NamePK(kind, folded string) table.PK {
	return table.PK(kind + folded[:min(NamePrefix, len(folded))])
}

// UserKey is the key of a user.
func UserKey(user game.ID) table.Key { return table.Key{PK: UserPK(user), SK: "PROFILE"} }

// TokenKey is the key of the record of a refresh token, by its digest.
func TokenKey(digest string) table.Key {
	return table.Key{PK: table.PK("TOKEN#" + digest), SK: "TOKEN"}
}

// ShowKey is the key of a show's own item.
func ShowKey(show game.ID) table.Key { return table.Key{PK: table.PK("SHOW#" + show), SK: "SHOW"} }

// LayoutKey is the key of the layout's number.
func LayoutKey() table.Key { return table.Key{PK: "LAYOUT", SK: "LAYOUT"} }

// PublicKeysKey is the key of the public keys.
func PublicKeysKey() table.Key { return table.Key{PK: "KEYS", SK: "KEYS"} }

// ChangedAnimalKey is the key of the note that an operator has changed the animal.
func ChangedAnimalKey(animal game.ID) table.Key {
	return table.Key{PK: ChangedAnimalsPK, SK: AnimalPrefix + table.SK(animal)}
}

// PendingRefundsKey is the key of the note that a cancelled show has fees to give back.
func PendingRefundsKey(show game.ID) table.Key {
	return table.Key{PK: PendingPK, SK: pendingRefundsPrefix + table.SK(show)}
}

// PendingNamesKey is the key of the note that entries may show an old name of the user.
func PendingNamesKey(user game.ID) table.Key {
	return table.Key{PK: PendingPK, SK: PendingNamesPrefix + table.SK(user)}
}

// AnimalKey is the key of an animal.
func AnimalKey(owner, animal game.ID) table.Key {
	return table.Key{PK: UserPK(owner), SK: AnimalPrefix + table.SK(animal)}
}

// LedgerKey is the key of a ledger row. The row's number has 12 digits, so that rows sort by it. They are enough for a
// change every millisecond for 31 years.
func LedgerKey(user game.ID, seq int64) table.Key {
	return table.Key{PK: UserPK(user), SK: LedgerPrefix + table.SK(fmt.Sprintf("%012d", seq))}
}

// ParticipationPrefix is the beginning of the sort keys of a user's participations in one season.
func ParticipationPrefix(season game.ID) table.SK { return SeasonPrefix + table.SK(season) + "#SHOW#" }

// ParticipationKey is the key of an entry's participation, which also has the ledger row of its fee.
func ParticipationKey(user, season, show, animal game.ID) table.Key {
	return table.Key{PK: UserPK(user), SK: ParticipationPrefix(season) + table.SK(show) + "#" + AnimalPrefix + table.SK(animal)}
}

// LedgerSpan covers all rows of a user's ledger: the ledger items, and the participations, which have the rows of fees.
// The user's item PROFILE sorts between them, and is in the span.
func LedgerSpan(user game.ID) table.Span {
	rows := table.Prefixed(UserPK(user), SeasonPrefix)
	rows.From = LedgerPrefix
	return rows
}

// AuditKey is the key of the record of an operator's change. The change's id begins with its instant, so that records
// sort by time. Each month has a partition.
func AuditKey(change game.ID) table.Key {
	return table.Key{PK: AuditPK(Begun(change).Time()), SK: table.SK(change)}
}

// AuditHeadKey is the key of the head of the chain of these records, in another partition.
func AuditHeadKey() table.Key { return table.Key{PK: "AUDIT", SK: "HEAD"} }

// AuditPK is the partition of the audit records of a month.
func AuditPK(at time.Time) table.PK { return table.PK("AUDIT#" + at.UTC().Format("2006-01")) }

// SeasonKey is the key of a season.
func SeasonKey(season game.ID) table.Key {
	return table.Key{PK: SeasonsPK, SK: SeasonPrefix + table.SK(season)}
}

// ActiveSeasonKey sorts by start, then id. ActiveSeason returns the first season.
func ActiveSeasonKey(s game.Season) table.Key {
	return table.Key{PK: SeasonsPK, SK: ActiveSeasonPrefix + table.SK(s.StartDate.String()) + "#" + table.SK(s.ID)}
}

// A gate counts a part of an open show's entries. The gates of all open shows of a tier are together, sorted by closing
// time. So a list reads the gates of its shows as one range of each shard. It pays only for their size, so short keys
// make it cheap: a gate has 34 to 45 bytes.

const (
	// MaxGates is the most gates of a show: SetShow writes up to two items for each, in a transaction of 100 items.
	MaxGates = 40
	// DefaultGates lets 200 entries a second through, with fewer than 1.5 attempts each if a transaction takes 12 ms
	// (docs/adr/0005-gates.md).
	DefaultGates = 16
)

// gateShards is the number of partitions for the gates of a tier. A partition accepts 1,000 write units a second, and
// an entry costs two at its gate: so a tier accepts 2,000 entries a second.
const gateShards = 4

// sortableCharacters are in ASCII order, so that texts in the encoding sortable sort as their bytes do.
const sortableCharacters = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"

// Sortable encodes bytes as text that sorts as they do.
var Sortable = base64.NewEncoding(sortableCharacters).WithPadding(base64.NoPadding)

// GateKey is the key of a gate of a show: its shard and 24 bits of the tier's digest, then the closing time, 7 bytes of
// the show's id, and the gate's number. If the id is random, 52 bits of these bytes are. If two shows that close in the
// same millisecond had the same bytes and tier, the second could not be created.
func GateKey(show game.Show, gate int) table.Key { return gateKeysFrom(show, gate, 1)[0] }

// GateKeys returns the keys of all gates of a show.
func GateKeys(show game.Show, gates int) []table.Key { return gateKeysFrom(show, 0, gates) }

// gateKeysFrom returns the keys of n gates. It computes their common part once, because a list needs hundreds of keys.
func gateKeysFrom(show game.Show, first, n int) []table.Key {
	tier := sha256.Sum256([]byte(show.Tier))
	id := uuid.MustParse(string(show.ID))
	shard := spread(show.ID, 0)
	var partitions [gateShards]table.PK
	for k := range partitions {
		partitions[k] = table.PK("G#" + strconv.Itoa(k) + "#" + Sortable.EncodeToString(tier[:3]))
	}
	prefix := GateTime(show.EntryClosesAt) + table.SK(Sortable.EncodeToString(id[:GateID]))
	keys := make([]table.Key, n)
	for i := range keys {
		gate := first + i
		keys[i] = table.Key{PK: partitions[(shard+gate)%gateShards], SK: prefix + table.SK(sortableCharacters[gate:gate+1])}
	}
	return keys
}

// GateID is how many bytes of a show's id the keys of its gates have. The id's text has these bytes in its first
// GateIDText characters.
const GateID, GateIDText = 7, 16

// GateTime is the beginning of the sort keys of all gates of shows that close at an instant.
func GateTime(closesAt game.Instant) table.SK {
	var ms [8]byte
	binary.BigEndian.PutUint64(ms[:], uint64(closesAt))
	return table.SK(Sortable.EncodeToString(ms[2:])) // 48 bits: to the year 10889
}

// GateIn returns the closing time and the gate's number in the key of a gate, or false for the key of another record.
func GateIn(k table.Key) (closesAt game.Instant, gate int, is bool) {
	time := len(GateTime(0))
	if !strings.HasPrefix(string(k.PK), "G#") || len(k.SK) != time+Sortable.EncodedLen(GateID)+1 {
		return 0, 0, false
	}
	ms, err := Sortable.DecodeString(string(k.SK[:time]))
	if err != nil {
		return 0, 0, false
	}
	closesAt = game.Instant(binary.BigEndian.Uint64(append([]byte{0, 0}, ms...)))
	return closesAt, strings.IndexByte(sortableCharacters, k.SK[len(k.SK)-1]), true
}

// IsGateOf reports whether the key may be of a gate of the show. It has only the first bytes of the show's id.
func IsGateOf(k table.Key, show game.ID) bool {
	id, err := uuid.Parse(string(show))
	_, _, is := GateIn(k)
	return is && err == nil && string(k.SK[len(GateTime(0)):len(k.SK)-1]) == Sortable.EncodeToString(id[:GateID])
}

// maxShowParts is the most partitions of a show's entries. A reader pays at least one read unit for each, even in a
// small show. Each serves 3,000 read units a second, and the partitions of a large show are read in parallel.
const maxShowParts = 4

// ShowParts is the number of a show's partitions.
func ShowParts(gates int) int { return min(gates, maxShowParts) }

// partOf returns the number of the partition for the entries that a gate counts.
func partOf(gate, gates int) int { return gate % ShowParts(gates) }

// PartPK is a partition of a show's entries.
func PartPK(show game.ID, part int) table.PK { return table.PK(fmt.Sprintf("SHOW#%s#%d", show, part)) }

// EntryKey is the key of an entry in a show with this number of gates.
func EntryKey(show, animal game.ID, gates int) table.Key {
	return table.Key{PK: PartPK(show, partOf(GateOf(animal, gates), gates)), SK: EntryPrefix + table.SK(animal)}
}

// Verdict names the results that one attempt of a judging writes. Readers find it in the show's item. It consists of
// the attempt's instant, by which the audit recognises old results, and random bits.
type Verdict struct {
	Show game.ID
	Id   string // in sortableCharacters; the partition keys of the results contain it
}

// NewVerdict returns a new verdict for an attempt at an instant.
func NewVerdict(show game.ID, at game.Instant) Verdict {
	id := uuid.New()
	binary.BigEndian.PutUint64(id[:8], uint64(at)<<16|uint64(binary.BigEndian.Uint16(id[6:])))
	return Verdict{show, Sortable.EncodeToString(id[:])}
}

// At returns the instant of the verdict's attempt, or 0 if the text is not a verdict.
func (v Verdict) At() game.Instant {
	id, err := Sortable.DecodeString(v.Id)
	if err != nil || len(id) < 8 {
		return 0
	}
	return game.Instant(binary.BigEndian.Uint64(id) >> 16)
}

func (v Verdict) pk(kind string, number int) table.PK {
	return table.PK("SHOW#" + string(v.Show) + "#R#" + v.Id + "#" + kind + strconv.Itoa(number))
}

// SheetKey is the key of a sheet of the results by player. Each sheet is in another partition.
func (v Verdict) SheetKey(sheet int) table.Key { return table.Key{PK: v.pk("S", sheet), SK: "SHEET"} }

// Consecutive pages of the results are in different ones of PagePartitions partitions, so that a judging writes to all
// of them at once. The receipts for places on a page are in the page's partition.

// PagePK returns the partition of a page.
func (v Verdict) PagePK(page int) table.PK { return v.pk("P", page%PagePartitions) }

// PageKey is the key of a page of the results.
func (v Verdict) PageKey(page int) table.Key {
	return table.Key{PK: v.PagePK(page), SK: PagePrefix + table.SK(fmt.Sprintf("%06d", page))}
}

// ResultKeys returns the keys of the first sheets and pages of the results.
func (v Verdict) ResultKeys(sheets, pages int) (keys []table.Key) {
	for sheet := range sheets {
		keys = append(keys, v.SheetKey(sheet))
	}
	for page := range pages {
		keys = append(keys, v.PageKey(page))
	}
	return keys
}

// ClaimKey is the key of the receipt for a page on which the place is the player's first.
func (v Verdict) ClaimKey(place int) table.Key {
	return table.Key{PK: v.PagePK(place / PagePlaces), SK: ClaimPrefix + table.SK(fmt.Sprintf("%06d", place))}
}

// JudgedKey is the key of the note that a show was judged and is not in the standings of its season.
func JudgedKey(season, show game.ID) table.Key {
	return table.Key{PK: JudgedPK, SK: SeasonPrefix + table.SK(season) + "#SHOW#" + table.SK(show)}
}

// StandingsKey is the key of the head of a season's standings.
func StandingsKey(season game.ID) table.Key {
	return table.Key{PK: StandingsPK, SK: SeasonPrefix + table.SK(season)}
}

// Snapshot names the records of one snapshot of a season's standings. Their keys have the season and the slot, 0 or 1.
// The records themselves have the number, which tells them from records that other folds have left in the slot.
type Snapshot struct {
	Season game.ID
	Slot   int
	Number int64
}

// FoldedPK is the partition of the snapshot's lists of folded shows.
func (s Snapshot) FoldedPK() table.PK {
	return StandingsPK + table.PK("#"+string(s.Season)+"#"+strconv.Itoa(s.Slot))
}

// pk spreads consecutive pages, and indexes, over PagePartitions partitions.
func (s Snapshot) pk(number int) table.PK {
	return s.FoldedPK() + table.PK("#"+strconv.Itoa(number%PagePartitions))
}

// PageKey is the key of a page of the standings.
func (s Snapshot) PageKey(page int) table.Key {
	return table.Key{PK: s.pk(page), SK: PagePrefix + table.SK(fmt.Sprintf("%06d", page))}
}

// IndexKey is the key of an index of the standings.
func (s Snapshot) IndexKey(index int) table.Key {
	return table.Key{PK: s.pk(index), SK: indexPrefix + table.SK(fmt.Sprintf("%06d", index))}
}

// FoldedKey is the key of a list of folded shows.
func (s Snapshot) FoldedKey(list int) table.Key {
	return table.Key{PK: s.FoldedPK(), SK: FoldedPrefix + table.SK(fmt.Sprintf("%06d", list))}
}

// BoardKey is the key of a show's row on a board, the rows that a list reads. A board has the shows of a status ("" for
// all) and a tier ("" for any). Rows sort as lists do: by closing time, then id.
func BoardKey(status game.ShowStatus, tier string, show game.Show) table.Key {
	return table.Key{PK: BoardPK(status, tier), SK: table.SK(show.EntryClosesAt.String()) + "#" + table.SK(show.ID)}
}

// DueUntil returns a sort key after the rows of all shows on a board that close at the instant or before.
func DueUntil(now game.Instant) table.SK { return table.SK(now.String()) + "#\U0010FFFF" }

// BoardPK escapes the tier, which may be a client's text, so that it adds no "#".
func BoardPK(status game.ShowStatus, tier string) table.PK {
	board := "BOARD#all"
	if status != "" {
		board = "BOARD#" + string(status)
	}
	if tier != "" {
		board += "#" + url.PathEscape(tier)
	}
	return table.PK(board)
}

// GateOf distributes animals evenly over a show's gates.
func GateOf(animal game.ID, gates int) int { return spread(animal, 0) % gates }

// SheetOf distributes players evenly over a show's sheets.
func SheetOf(player game.ID, sheets int) int { return spread(player, 4) % sheets }

// IndexOf distributes players evenly over the indexes of standings.
func IndexOf(player game.ID, indexes int) int { return spread(player, 8) % indexes }

func spread(id game.ID, offset int) int {
	digest := sha256.Sum256([]byte(id))
	return int(binary.BigEndian.Uint32(digest[offset:]))
}

// IdIn returns the id after the last "#" of a sort key.
func IdIn(s table.SK) game.ID { return game.ID(s[strings.LastIndexByte(string(s), '#')+1:]) }

// ShowIn returns the show's id in a partition key SHOW#w or SHOW#w#...
func ShowIn(p table.PK) game.ID {
	id, _, _ := strings.Cut(strings.TrimPrefix(string(p), "SHOW#"), "#")
	return game.ID(id)
}

// SeasonIn returns the season's id in a partition key STANDINGS#s#...
func SeasonIn(p table.PK) game.ID {
	id, _, _ := strings.Cut(strings.TrimPrefix(string(p), string(StandingsPK)+"#"), "#")
	return game.ID(id)
}

// VerdictIn returns the verdict in a partition key of results, SHOW#w#R#v#..., or one without an id.
func VerdictIn(p table.PK) Verdict {
	_, after, _ := strings.Cut(string(p), "#R#")
	id, _, _ := strings.Cut(after, "#")
	return Verdict{ShowIn(p), id}
}

// NumberIn returns the number after the last "#" of a sort key, or 0 if there is no number.
func NumberIn(s table.SK) int {
	number, _ := strconv.Atoi(string(IdIn(s)))
	return number
}

// Begun returns the instant with which a change's id begins.
func Begun(change game.ID) game.Instant {
	id := uuid.MustParse(string(change))
	var ms [8]byte
	copy(ms[2:], id[:6])
	return game.Instant(binary.BigEndian.Uint64(ms[:]))
}
