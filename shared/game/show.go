package game

// ShowStatus is the state of a show.
type ShowStatus string

// The states of a show.
const (
	ShowOpen      ShowStatus = "open"
	ShowCompleted ShowStatus = "completed"
	ShowCancelled ShowStatus = "cancelled" // by an operator; all fees are refunded
)

// Show is a show in the form in which the API shows it.
type Show struct {
	ID            ID         `json:"id"`
	Name          string     `json:"name"`
	Tier          string     `json:"tier"`
	EntryFee      int64      `json:"entryFee"` // gold; 0 or less is free
	EntryClosesAt Instant    `json:"entryClosesAt"`
	JudgedAt      *Instant   `json:"judgedAt"`
	Status        ShowStatus `json:"status"`
	SeasonID      ID         `json:"seasonId"`
}

// ListedShow is a show in a list.
type ListedShow struct {
	Show
	EntryCount int64 `json:"entryCount"`
}

// Entry is an animal's entry in the list of a show's entries. The animal's name, breed and rarity are those at the time
// of entry. If an operator renames the player or deletes them, PlayerUsername changes.
type Entry struct {
	ID             ID     `json:"id"`
	PlayerID       ID     `json:"playerId"`
	PlayerUsername string `json:"playerUsername"`
	AnimalID       ID     `json:"animalId"`
	AnimalName     string `json:"animalName"`
	Breed          string `json:"breed"`
	RarityTier     string `json:"rarityTier"`
	Score          *Fixed `json:"score"` // null before the judging, or if the score is 0
	Rank           *int   `json:"rank"`  // 1 is best; null before the judging, or if the animal has no phenotype
	RewardClaimed  bool   `json:"rewardClaimed"`

	CreatedAt Instant `json:"-"`
}

// AcceptsEntriesAt reports whether the show is open and its closing time is later than now.
func (s Show) AcceptsEntriesAt(now Instant) bool {
	return s.Status == ShowOpen && s.EntryClosesAt > now
}

// Free reports whether an entry in the show costs nothing. A free entry has no ledger row.
func (s Show) Free() bool { return s.EntryFee <= 0 }
