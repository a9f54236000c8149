package game

// OwnEntry is an entry in the list of a player's own entries. AnimalName is the name at the time of entry. The values
// of the show are the present ones.
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
	// GoldReward is the gold that the player's claim pays for this entry, whether or not the player has claimed. A
	// claim pays only for a player's best entry in a show: the others have 0. Null before the show is completed.
	GoldReward    *int64  `json:"goldReward"`
	RewardClaimed bool    `json:"rewardClaimed"`
	CreatedAt     Instant `json:"createdAt"`
	SeasonID      ID      `json:"seasonId"`
}
