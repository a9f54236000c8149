package game

// OwnEntry is an entry in the list of a player's own entries, with values of the show. The names of show and animal are
// those at the time of entry.
type OwnEntry struct {
	ID            ID         `json:"id"`
	ShowID        ID         `json:"showId"`
	ShowName      string     `json:"showName"`
	Tier          string     `json:"tier"`
	EntryFee      int64      `json:"entryFee"` // gold; 0 or less is free
	EntryClosesAt Instant    `json:"entryClosesAt"`
	ShowStatus    ShowStatus `json:"showStatus"`
	JudgedAt      *Instant   `json:"judgedAt"`
	AnimalID      ID         `json:"animalId"`
	AnimalName    string     `json:"animalName"`
	Score         *Fixed     `json:"score"` // as Entry.Score
	Rank          *int       `json:"rank"`  // as Entry.Rank
	// GoldReward is the gold that the player's claim pays for this entry. A claim pays for only one of a player's
	// entries in a show. The value is 0 for the player's other entries, and null before the show is completed. The
	// claim does not change GoldReward.
	GoldReward    *int64  `json:"goldReward"`
	RewardClaimed bool    `json:"rewardClaimed"`
	CreatedAt     Instant `json:"createdAt"`
}
