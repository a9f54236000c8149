package game

// OwnEntry is an entry in the list of its player, with values of its show. Names are those at the time of entry.
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
	// GoldReward is what a claim pays for this entry: 0 for the player's other entries in the show, null before the
	// show is completed. It stays the same after the claim.
	GoldReward    *int64  `json:"goldReward"`
	RewardClaimed bool    `json:"rewardClaimed"`
	CreatedAt     Instant `json:"createdAt"`
}
