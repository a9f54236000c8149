package store

import (
	"strings"

	"github.com/ranch-game/ranch/shared/game"
)

// showFields are the fields that a show's item and its board rows have in common.
type showFields struct {
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

func newShowFields(s game.Show, gates int, count int64) showFields {
	return showFields{
		ID: s.ID, Name: s.Name, Tier: s.Tier, EntryFee: s.EntryFee, EntryClosesAt: s.EntryClosesAt, JudgedAt: s.JudgedAt,
		Status: s.Status, Season: s.SeasonID, Gates: gates, Count: count,
	}
}

func (f showFields) show() game.Show {
	return game.Show{
		ID: f.ID, Name: f.Name, Tier: f.Tier, EntryFee: f.EntryFee, EntryClosesAt: f.EntryClosesAt, JudgedAt: f.JudgedAt,
		Status: f.Status, SeasonID: f.Season,
	}
}

// showItem is the show itself. No entry's transaction has it, so that entries at different gates do not conflict.
type showItem struct {
	key
	showFields
	Terms       int64        `dynamodbav:"tm,omitempty"` // how often operators have changed the show's terms
	Judging     game.ID      `dynamodbav:"jd,omitempty"` // names the call that completed it
	JudgedBy    string       `dynamodbav:"jb,omitempty"` // completed: the player who judged it, or another judge's name
	VerdictID   string       `dynamodbav:"vd,omitempty"` // completed: names its results
	Sheets      int          `dynamodbav:"sh,omitempty"` // completed: the number of sheets of its results by player
	Results     sheet        `dynamodbav:"re,omitempty"` // completed: the results by player, if there are no sheets
	Renamed     int64        `dynamodbav:"rn,omitempty"` // raised to make a judging fail; see raiseRenamed
	RefundedAt  game.Instant `dynamodbav:"rf,omitempty"` // cancelled: when all fees were refunded
	LeasedBy    game.ID      `dynamodbav:"lb,omitempty"` // open: names the call that has the lease
	LeasedUntil game.Instant `dynamodbav:"lu,omitempty"`
}

// openAsRead is the condition that the show is open, and that its terms are as read.
func (i *showItem) openAsRead() (condition string, values attributes) {
	values = attributes{":open": str(string(game.ShowOpen))}
	return "st = :open AND " + asRead(values, "tm", i.Terms), values
}

// boardItem is a show's row on one of its four boards: of its status or of all, for any tier or for its own.
type boardItem struct {
	key
	showFields
}

// verdict returns the verdict of a completed show.
func (i *showItem) verdict() verdict { return verdict{i.ID, i.VerdictID} }

// gateItem is one of an open show's gates. It exists as long as the show is open.
type gateItem struct {
	key
	Count int64 `dynamodbav:"n"`
	Terms int64 `dynamodbav:"tm,omitempty"` // the show's
}

// sheetItem holds the results of the players whose hash selects it.
type sheetItem struct {
	key
	Results sheet `dynamodbav:"re,omitempty"`
}

// pageItem holds up to pagePlaces entries in the order of the show's list. Only the usernames change, of players who
// are renamed or deleted.
type pageItem struct {
	key
	Entries   packedEntries `dynamodbav:"en"`
	Usernames []string      `dynamodbav:"un"` // of each entry
	Kinds     []string      `dynamodbav:"ki"` // each pair of breed and rarity, once
}

// entryItem is an entry. Only the username changes, if the player is renamed or deleted. It has all values of the
// animal that the show's list and its judging need, as they were at the time of entry; see traitReader.
type entryItem struct {
	key
	Call           game.ID      `dynamodbav:"id"` // names the call that wrote it
	Player         game.ID      `dynamodbav:"u"`
	PlayerUsername string       `dynamodbav:"un"`
	AnimalName     string       `dynamodbav:"an"`
	Breed          string       `dynamodbav:"br"`
	RarityTier     string       `dynamodbav:"ti"`
	CreatedAt      game.Instant `dynamodbav:"ca"`

	Condition game.Fixed      `dynamodbav:"co,omitempty"`
	Health    int             `dynamodbav:"he,omitempty"`
	Phenotype *game.Phenotype `dynamodbav:"ph,omitempty"` // nil: none, or a repair made the entry
}

// entry returns the entry as an open show's list has it, without a score and a rank.
func (i *entryItem) entry(show game.ID) game.Entry {
	animal := idIn(i.SK)
	return game.Entry{
		ID: game.EntryID(show, animal), PlayerID: i.Player, PlayerUsername: i.PlayerUsername, AnimalID: animal, AnimalName: i.AnimalName,
		Breed: i.Breed, RarityTier: i.RarityTier, CreatedAt: i.CreatedAt,
	}
}

// claimItem is a receipt of a claim, which prevents another claim. Each page with entries of the player has a receipt,
// whose key has the first of their places. The receipts differ only by their places.
type claimItem struct {
	key
	Places    []int        `dynamodbav:"pl,omitempty"` // of the player's further entries on the page
	Call      game.ID      `dynamodbav:"id"`           // names the call that wrote it
	Player    game.ID      `dynamodbav:"u"`
	Rank      int          `dynamodbav:"ra,omitempty"` // 0: unranked
	Prize     int64        `dynamodbav:"pr,omitempty"`
	ClaimedAt game.Instant `dynamodbav:"ca"`
}

// participationItem is a player's own record of an entry, by season and show. If the entry had a fee, the participation
// also is the fee's ledger row.
type participationItem struct {
	key
	AnimalName string        `dynamodbav:"an"` // as at the time of entry
	CreatedAt  game.Instant  `dynamodbav:"ca"`
	Fee        *ledgerFields `dynamodbav:"fe,omitempty"` // without its time, which is CreatedAt
	Refund     int64         `dynamodbav:"rf,omitempty"` // the number of the ledger row that refunded the fee
}

// unsettled reports whether the participation has a fee that is not given back.
func (i *participationItem) unsettled() bool { return i.Fee != nil && i.Refund == 0 }

// charge stores the ledger row of the fee in the participation.
func (i *participationItem) charge(row game.LedgerEntry) {
	fee := newLedgerFields(row)
	fee.CreatedAt = 0
	i.Fee = &fee
}

// show returns the show in the key: SEASON#s#SHOW#w#ANIMAL#a.
func (i *participationItem) show() game.ID {
	beforeAnimal, _, _ := strings.Cut(string(i.SK), "#"+string(animalPrefix))
	return idIn(sk(beforeAnimal))
}

// seasonItem is a season. An active season has two items: by its id, and among the active seasons.
type seasonItem struct {
	key
	ID        game.ID      `dynamodbav:"id"`
	Name      string       `dynamodbav:"na"`
	StartDate game.Instant `dynamodbav:"sd"`
	EndDate   game.Instant `dynamodbav:"ed"`
	IsActive  bool         `dynamodbav:"ac"`
}

func newSeasonItem(k key, s game.Season) seasonItem {
	return seasonItem{key: k, ID: s.ID, Name: s.Name, StartDate: s.StartDate, EndDate: s.EndDate, IsActive: s.IsActive}
}

func (i *seasonItem) season() game.Season {
	return game.Season{ID: i.ID, Name: i.Name, StartDate: i.StartDate, EndDate: i.EndDate, IsActive: i.IsActive}
}

// mostReceipts is how many receipts fit into a claim's transaction. A player has at most as many entries in a show as
// animals: three, as long as there is no breeding. If entries are on more pages, the further pages show no claim.
const mostReceipts = transactionItems - 2

// onPages returns the receipt for each page that has entries of the player.
func (i claimItem) onPages(v verdict, theirs placings) (receipts []claimItem) {
	page := -1
	for _, p := range theirs {
		switch {
		case p.place/pagePlaces == page:
			last := &receipts[len(receipts)-1]
			last.Places = append(last.Places, p.place)
		case len(receipts) == mostReceipts:
			return receipts
		default:
			i.key, i.Places, page = v.claimKey(p.place), nil, p.place/pagePlaces
			receipts = append(receipts, i)
		}
	}
	return receipts
}

// entry returns the participation's entry, without the values of its show.
func (i *participationItem) entry() game.OwnEntry {
	show, animal := i.show(), idIn(i.SK)
	return game.OwnEntry{
		ID: game.EntryID(show, animal), ShowID: show, AnimalID: animal, AnimalName: i.AnimalName, CreatedAt: i.CreatedAt,
	}
}
