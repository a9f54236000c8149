package game

// Season is a season in the form in which the API shows it.
type Season struct {
	ID        ID      `json:"id"`
	Name      string  `json:"name"`
	StartDate Instant `json:"startDate"`
	EndDate   Instant `json:"endDate"`
	IsActive  bool    `json:"isActive"`
}

// SeasonPoints returns the points that an entry with the rank adds to its player's season score, once the show is
// completed. Rank 0 means an entry without a rank.
func SeasonPoints(rank int) int64 {
	switch rank {
	case 1:
		return 100
	case 2:
		return 60
	case 3:
		return 30
	case 4:
		return 15
	case 5:
		return 10
	default:
		return 5
	}
}
