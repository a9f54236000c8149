package store

import (
	"strings"

	"github.com/ranch-game/ranch/shared/game"
)

// showFields are what a show's item and its rows on the boards have in common.
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
	Count         int64           `dynamodbav:"n,omitempty"` // of all entries, once not open any more
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

// showItem is the show itself. No entry ever writes or checks it, so that entries through different gates never
// conflict.
type showItem struct {
	key
	showFields
	Terms       int64        `dynamodbav:"tm,omitempty"` // how often operators have changed them
	Judging     game.ID      `dynamodbav:"jd,omitempty"` // names the call that completed it
	JudgedBy    string       `dynamodbav:"jb,omitempty"` // completed: the player who judged it, or who or what else
	Sheets      int          `dynamodbav:"sh,omitempty"` // completed: how many sheets its results are on
	RefundedAt  game.Instant `dynamodbav:"rf,omitempty"` // cancelled: when all fees had been given back
	LeasedBy    game.ID      `dynamodbav:"lb,omitempty"` // open: names the call that is judging it
	LeasedUntil game.Instant `dynamodbav:"lu,omitempty"`
}

// openAsRead is the condition that the show is open, and that its terms are those that were read.
func (i *showItem) openAsRead() (condition string, values attributes) {
	values = attributes{":open": str(string(game.ShowOpen))}
	return "st = :open AND " + asRead(values, "tm", i.Terms), values
}

// boardItem is a show's row on one of its four boards: by its status and of all, of any tier and of its own.
type boardItem struct {
	key
	showFields
}

// gateItem is gate k of an open show's N. It is there as long as the show is open.
type gateItem struct {
	key
	Count       int64        `dynamodbav:"n"`
	Terms       int64        `dynamodbav:"tm,omitempty"` // the show's
	SealedUntil game.Instant `dynamodbav:"su,omitempty"`
}

// sheetItem holds results of a completed show. The first, which is there as soon as the show is judged, says on how
// many sheets they are: 1, itself, or that many others, each with the players that hash to it.
type sheetItem struct {
	key
	Sheets  int    `dynamodbav:"sh,omitempty"` // of the first alone
	Results []byte `dynamodbav:"re,omitempty"` // packed, see results.go
}

// entryItem stays as it is written, but for the username, which goes when the player is deleted. Names, breed and
// rarity are those at the time of entry.
type entryItem struct {
	key
	ID             game.ID      `dynamodbav:"id"`
	Player         game.ID      `dynamodbav:"u"`
	PlayerUsername string       `dynamodbav:"un"`
	AnimalName     string       `dynamodbav:"an"`
	Breed          string       `dynamodbav:"br"`
	RarityTier     string       `dynamodbav:"ti"`
	CreatedAt      game.Instant `dynamodbav:"ca"`
}

// entry returns the entry as the show's list has it before any judging.
func (i *entryItem) entry() game.Entry {
	return game.Entry{
		ID: i.ID, PlayerID: i.Player, PlayerUsername: i.PlayerUsername, AnimalID: idIn(i.SK), AnimalName: i.AnimalName,
		Breed: i.Breed, RarityTier: i.RarityTier, CreatedAt: i.CreatedAt,
	}
}

// claimItem is the receipt of a claim: one per player and show.
type claimItem struct {
	key
	ID        game.ID      `dynamodbav:"id"`
	Rank      int          `dynamodbav:"ra,omitempty"` // 0: unranked
	Prize     int64        `dynamodbav:"pr,omitempty"`
	ClaimedAt game.Instant `dynamodbav:"ca"`
}

// participationItem is the player's way from a season to its shows: one for each entry. Where the entry had a fee, it
// is the fee's row in the ledger, too.
type participationItem struct {
	key
	Fee    *ledgerFields `dynamodbav:"fe,omitempty"`
	Refund int64         `dynamodbav:"rf,omitempty"` // the number of the row that has given the fee back
}

// show returns the show in the key: SEASON#s#SHOW#w#ANIMAL#a.
func (i *participationItem) show() game.ID {
	beforeAnimal, _, _ := strings.Cut(string(i.SK), "#"+string(animalPrefix))
	return idIn(sk(beforeAnimal))
}

// seasonItem stands twice while its season is active: under its id, and in the order of the active ones.
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
