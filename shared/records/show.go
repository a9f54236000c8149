package records

import (
	"fmt"
	"strings"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/table"
)

// ShowFields are the fields that a show's item and its board rows have in common.
type ShowFields struct {
	ID            game.ID         `dynamodbav:"id"`
	Name          string          `dynamodbav:"na"`
	Tier          string          `dynamodbav:"ti"`
	EntryFee      int64           `dynamodbav:"fe"`
	EntryClosesAt game.Instant    `dynamodbav:"cl"`
	JudgedAt      *game.Instant   `dynamodbav:"ju,omitempty"`
	Status        game.ShowStatus `dynamodbav:"st"`
	Season        game.ID         `dynamodbav:"se"`
	Gates         int             `dynamodbav:"gn"`
	Count         int64           `dynamodbav:"n,omitempty"` // of all entries, if the show is not open any more
}

// NewShowFields returns the fields of a show with its gates and the number of its entries (0 while it is open).
func NewShowFields(s game.Show, gates int, count int64) ShowFields {
	return ShowFields{
		ID: s.ID, Name: s.Name, Tier: s.Tier, EntryFee: s.EntryFee, EntryClosesAt: s.EntryClosesAt, JudgedAt: s.JudgedAt,
		Status: s.Status, Season: s.SeasonID, Gates: gates, Count: count,
	}
}

// Show returns the show.
func (f ShowFields) Show() game.Show {
	return game.Show{
		ID: f.ID, Name: f.Name, Tier: f.Tier, EntryFee: f.EntryFee, EntryClosesAt: f.EntryClosesAt, JudgedAt: f.JudgedAt,
		Status: f.Status, SeasonID: f.Season,
	}
}

// ShowItem is the show itself. No entry's transaction has it, so that entries at different gates do not conflict.
type ShowItem struct {
	table.Key
	ShowFields
	Terms       int64        `dynamodbav:"tm,omitempty"` // how often operators have changed the show's terms
	Judging     game.ID      `dynamodbav:"jd,omitempty"` // names the call that completed it
	JudgedBy    string       `dynamodbav:"jb,omitempty"` // completed: the player who judged it, or another judge's name
	VerdictID   string       `dynamodbav:"vd,omitempty"` // completed: names its results
	Sheets      int          `dynamodbav:"sh,omitempty"` // completed: the number of sheets of its results by player
	Results     Sheet        `dynamodbav:"re,omitempty"` // completed: the results by player, if there are no sheets
	Renamed     int64        `dynamodbav:"rn,omitempty"` // raised to make a judging fail; see RaiseRenamed
	RefundedAt  game.Instant `dynamodbav:"rf,omitempty"` // cancelled: when all fees were refunded
	LeasedBy    game.ID      `dynamodbav:"lb,omitempty"` // open: names the call that has the lease
	LeasedUntil game.Instant `dynamodbav:"lu,omitempty"`
}

// ShowIsOpen is the condition that the show is open.
func ShowIsOpen() table.Condition { return table.Equals("st", table.Str(game.ShowOpen)) }

// OpenAsRead is the condition that the show is open, and that its terms are as read.
func (i *ShowItem) OpenAsRead() table.Condition { return ShowIsOpen().And(table.AsRead("tm", i.Terms)) }

// RenamingsAsRead is the condition that no player of the show was renamed or deleted since.
func (i *ShowItem) RenamingsAsRead() table.Condition { return table.AsRead("rn", i.Renamed) }

// StatusAsRead is the condition that the show's status is as read.
func (i *ShowItem) StatusAsRead() table.Condition { return table.Equals("st", table.Str(i.Status)) }

// Unrefunded is the condition that the show is cancelled, and does not say that all fees are given back.
func Unrefunded() table.Condition {
	return table.Equals("st", table.Str(game.ShowCancelled)).And(table.If("attribute_not_exists(rf)", nil))
}

// AllRefunded sets when all fees were given back.
func AllRefunded(now game.Instant) table.Change { return table.Change{}.Set("rf", table.Number(now)) }

// Corrected sets the number of entries, and removes when all fees were given back, if they are to differ.
func (i *ShowItem) Corrected(to ShowItem) (change table.Change) {
	if to.Count != i.Count {
		change = Counted(to.Count)
	}
	if to.RefundedAt != i.RefundedAt {
		change = change.Remove("rf")
	}
	return change
}

// Counted sets the number of the show's entries.
func Counted(entries int64) table.Change { return table.Change{}.Set("n", table.Number(entries)) }

// Cancelled sets the status and the number of entries, and ends the lease.
func Cancelled(entries int64) table.Change {
	return Counted(entries).Set("st", table.Str(game.ShowCancelled)).Remove("lb", "lu")
}

// TermsSet sets the terms of a show, and their number.
func TermsSet(becomes game.Show, terms int64) table.Change {
	return GateTermsSet(terms).Set("na", table.Str(becomes.Name)).Set("ti", table.Str(becomes.Tier)).
		Set("fe", table.Number(becomes.EntryFee)).Set("cl", table.Number(becomes.EntryClosesAt))
}

// PlayerRenamed raises the number of the show's renamings.
func PlayerRenamed() table.Change { return table.Change{}.Add("rn") }

// LeaseIsFree is the condition that the show is open, and that the call may take its lease: it has the lease, or there is
// none, or it has ended, or it ends so late that a wrong clock has written it.
func LeaseIsFree(call game.ID, clock, beyond game.Instant) table.Condition {
	return ShowIsOpen().And(table.If("(lb = :id OR attribute_not_exists(lu) OR lu <= :clock OR lu > :beyond)", table.Attributes{
		":id": table.Str(call), ":clock": table.Number(clock), ":beyond": table.Number(beyond),
	}))
}

// LeasedBy is the condition that the call has the lease.
func LeasedBy(call game.ID) table.Condition { return table.Equals("lb", table.Str(call)) }

// Leased sets the lease.
func Leased(call game.ID, until game.Instant) table.Change {
	return table.Change{}.Set("lb", table.Str(call)).Set("lu", table.Number(until))
}

// LeaseEnded removes the lease.
func LeaseEnded() table.Change { return table.Change{}.Remove("lb", "lu") }

// Verdict returns the verdict of a completed show.
func (i *ShowItem) Verdict() Verdict { return Verdict{i.ID, i.VerdictID} }

// BoardItem is a show's row on one of its four boards: of its status or of all, for any tier or for its own.
type BoardItem struct {
	table.Key
	ShowFields
}

// GateItem is one of an open show's gates. It exists as long as the show is open.
type GateItem struct {
	table.Key
	Count int64 `dynamodbav:"n"`
	Terms int64 `dynamodbav:"tm,omitempty"` // the show's
}

// AsRead is the condition that the gate counts as many entries as read.
func (i *GateItem) AsRead() table.Condition { return GateCounts(i.Count) }

// GateCounts is the condition that the gate exists and counts so many entries.
func GateCounts(entries int64) table.Condition { return table.Equals("n", table.Number(entries)) }

// GateTermsAsRead is the condition, for a gate of the show, that the show's terms are as read.
func (i *ShowItem) GateTermsAsRead() table.Condition { return table.AsRead("tm", i.Terms) }

// GateAccepts is the condition that the gate's show closes later than now (its key has the closing time), and that the
// gate counts fewer entries than most.
func GateAccepts(now game.Instant, most int64) table.Condition {
	return table.If("SK >= :after AND n < :most", table.Attributes{":after": table.Str(GateTime(now + 1)), ":most": table.Number(most)})
}

// OneMore counts an entry.
func OneMore() table.Change { return table.Change{}.Add("n") }

// GateTermsSet sets the number of the show's terms.
func GateTermsSet(terms int64) table.Change { return table.Change{}.Set("tm", table.Number(terms)) }

// SheetItem holds the results of the players whose hash selects it.
type SheetItem struct {
	table.Key
	Results Sheet `dynamodbav:"re,omitempty"`
}

// PageItem holds up to PagePlaces entries in the order of the show's list. Only the usernames change, of players who
// are renamed or deleted.
type PageItem struct {
	table.Key
	Entries   packedEntries `dynamodbav:"en"`
	Usernames []string      `dynamodbav:"us"` // of each entry
	Kinds     []string      `dynamodbav:"ki"` // each pair of breed and rarity, once
}

// EntryItem is an entry. Only the username changes, if the player is renamed or deleted. It has all values of the
// animal that the show's list and its judging need, as they were at the time of entry; see traitReader.
type EntryItem struct {
	table.Key
	Call           game.ID      `dynamodbav:"wc"` // names the call that wrote it
	Player         game.ID      `dynamodbav:"u"`
	PlayerUsername string       `dynamodbav:"un"`
	AnimalName     string       `dynamodbav:"an"`
	Breed          string       `dynamodbav:"br"`
	RarityTier     string       `dynamodbav:"rt"`
	CreatedAt      game.Instant `dynamodbav:"ca"`

	Condition game.Fixed      `dynamodbav:"co,omitempty"`
	Health    int             `dynamodbav:"he,omitempty"`
	Phenotype *game.Phenotype `dynamodbav:"ph,omitempty"` // nil: none, or a repair made the entry
}

// Entry returns the entry as an open show's list has it, without a score and a rank.
func (i *EntryItem) Entry(show game.ID) game.Entry {
	animal := IdIn(i.SK)
	return game.Entry{
		ID: game.EntryID(show, animal), PlayerID: i.Player, PlayerUsername: i.PlayerUsername, AnimalID: animal, AnimalName: i.AnimalName,
		Breed: i.Breed, RarityTier: i.RarityTier, CreatedAt: i.CreatedAt,
	}
}

// EntryNamed sets the username in an entry.
func EntryNamed(name string) table.Change { return table.Change{}.Set("un", table.Str(name)) }

// PageNamed sets the username of an entry on its page of results. index is its number on the page.
func PageNamed(index int, name string) table.Change {
	return table.Change{}.Set(fmt.Sprintf("us[%d]", index), table.Str(name))
}

// ClaimItem is a receipt of a claim, which prevents another claim. Each page with entries of the player has a receipt,
// whose key has the first of their places. The receipts differ only by their places.
type ClaimItem struct {
	table.Key
	Places    []int        `dynamodbav:"pl,omitempty"` // of the player's further entries on the page
	Call      game.ID      `dynamodbav:"wc"`           // names the call that wrote it
	Player    game.ID      `dynamodbav:"u"`
	Rank      int          `dynamodbav:"rk,omitempty"` // 0: unranked
	Prize     int64        `dynamodbav:"pr,omitempty"`
	ClaimedAt game.Instant `dynamodbav:"cd"`
}

// ParticipationItem is a player's own record of an entry, by season and show. If the entry had a fee, the participation
// also is the fee's ledger row.
type ParticipationItem struct {
	table.Key
	AnimalName string        `dynamodbav:"an"` // as at the time of entry
	CreatedAt  game.Instant  `dynamodbav:"ca"`
	Fee        *LedgerFields `dynamodbav:"fr,omitempty"` // without its time, which is CreatedAt
	Refund     int64         `dynamodbav:"rr,omitempty"` // the number of the ledger row that refunded the fee
}

// Unsettled reports whether the participation has a fee that is not given back.
func (i *ParticipationItem) Unsettled() bool { return i.Fee != nil && i.Refund == 0 }

// FeeIsUnsettled is the condition that a participation has a fee that is not given back.
func FeeIsUnsettled() table.Condition {
	return table.If("attribute_exists(fr) AND attribute_not_exists(rr)", nil)
}

// FeeRefunded sets the number of the ledger row that gave the fee back.
func FeeRefunded(row int64) table.Change { return table.Change{}.Set("rr", table.Number(row)) }

// Charge stores the ledger row of the fee in the participation.
func (i *ParticipationItem) Charge(row game.LedgerEntry) {
	fee := newLedgerFields(row)
	fee.CreatedAt = 0
	i.Fee = &fee
}

// Show returns the show in the key: SEASON#s#SHOW#w#ANIMAL#a.
func (i *ParticipationItem) Show() game.ID {
	beforeAnimal, _, _ := strings.Cut(string(i.SK), "#"+string(AnimalPrefix))
	return IdIn(table.SK(beforeAnimal))
}

// Season returns the season in the key.
func (i *ParticipationItem) Season() game.ID {
	season, _, _ := strings.Cut(strings.TrimPrefix(string(i.SK), string(SeasonPrefix)), "#")
	return game.ID(season)
}

// SeasonItem is a season. An active season has two items: by its id, and among the active seasons.
type SeasonItem struct {
	table.Key
	ID        game.ID      `dynamodbav:"id"`
	Name      string       `dynamodbav:"na"`
	StartDate game.Instant `dynamodbav:"sd"`
	EndDate   game.Instant `dynamodbav:"ed"`
	IsActive  bool         `dynamodbav:"av"`
}

// NewSeasonItem returns an item of a season: by its id, or among the active seasons.
func NewSeasonItem(k table.Key, s game.Season) SeasonItem {
	return SeasonItem{Key: k, ID: s.ID, Name: s.Name, StartDate: s.StartDate, EndDate: s.EndDate, IsActive: s.IsActive}
}

// Season returns the season.
func (i *SeasonItem) Season() game.Season {
	return game.Season{ID: i.ID, Name: i.Name, StartDate: i.StartDate, EndDate: i.EndDate, IsActive: i.IsActive}
}

// mostReceipts is how many receipts fit into a claim's transaction. A player has at most as many entries in a show as
// animals: three, as long as there is no breeding. If entries are on more pages, the further pages show no claim.
const mostReceipts = table.TransactionItems - 2

// OnPages returns the receipt for each page that has entries of the player.
func (i ClaimItem) OnPages(v Verdict, theirs Placings) (receipts []ClaimItem) {
	page := -1
	for _, p := range theirs {
		switch {
		case p.Place/PagePlaces == page:
			last := &receipts[len(receipts)-1]
			last.Places = append(last.Places, p.Place)
		case len(receipts) == mostReceipts:
			return receipts
		default:
			i.Key, i.Places, page = v.ClaimKey(p.Place), nil, p.Place/PagePlaces
			receipts = append(receipts, i)
		}
	}
	return receipts
}

// Entry returns the participation's entry, without the values of its show.
func (i *ParticipationItem) Entry() game.OwnEntry {
	show, animal := i.Show(), IdIn(i.SK)
	return game.OwnEntry{
		ID: game.EntryID(show, animal), ShowID: show, AnimalID: animal, AnimalName: i.AnimalName, CreatedAt: i.CreatedAt, SeasonID: i.Season(),
	}
}

// ActiveAsRead is the condition that a season is active, or not.
func ActiveAsRead(active bool) table.Condition { return table.Equals("av", table.Boolean(active)) }
