package game

import (
	"cmp"
	"slices"
)

// Standing is a player's place in a season.
type Standing struct {
	Rank     int    `json:"rank"` // 1 is best; players with the same points share a rank
	PlayerID ID     `json:"playerId"`
	Username string `json:"username"` // DeletedPlayer for a player who has been deleted
	Points   int64  `json:"points"`
}

// RankSeason returns the standings for the players' points, best first. Players with the same points are in the order
// of their ids. RankSeason leaves the usernames empty.
func RankSeason(points map[ID]int64) []Standing {
	standings := make([]Standing, 0, len(points))
	for player, sum := range points {
		standings = append(standings, Standing{PlayerID: player, Points: sum})
	}
	slices.SortFunc(standings, func(a, b Standing) int {
		return cmp.Or(cmp.Compare(b.Points, a.Points), cmp.Compare(a.PlayerID, b.PlayerID))
	})
	for i := range standings {
		standings[i].Rank = i + 1
		if i > 0 && standings[i].Points == standings[i-1].Points {
			standings[i].Rank = standings[i-1].Rank
		}
	}
	return standings
}
