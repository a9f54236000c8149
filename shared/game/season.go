package game

// Season is a season as the API shows it.
type Season struct {
	ID        ID      `json:"id"`
	Name      string  `json:"name"`
	StartDate Instant `json:"startDate"`
	EndDate   Instant `json:"endDate"`
	IsActive  bool    `json:"isActive"`
}

// SeasonPoints returns the points that one entry in a completed show adds to the season score. Rank 0 stands for an
// unranked entry.
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
