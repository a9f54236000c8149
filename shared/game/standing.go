package game

import (
	"cmp"
	"slices"
	"time"
)

// Standing is a player's place in a season.
type Standing struct {
	Rank           int    `json:"rank"` // 1 is best; players with the same score share a rank
	PlayerID       ID     `json:"playerId"`
	PlayerUsername string `json:"playerUsername"` // DeletedPlayer for a player who has been deleted
	Score          int64  `json:"score"`
}

// RankSeason returns the standings for the players' scores, best first. Players with the same score are in the order of
// their ids. RankSeason leaves the usernames empty.
func RankSeason(scores map[ID]int64) []Standing {
	standings := make([]Standing, 0, len(scores))
	for player, score := range scores {
		standings = append(standings, Standing{PlayerID: player, Score: score})
	}
	slices.SortFunc(standings, func(a, b Standing) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.PlayerID, b.PlayerID))
	})
	for i := range standings {
		standings[i].Rank = i + 1
		if i > 0 && standings[i].Score == standings[i-1].Score {
			standings[i].Rank = standings[i-1].Rank
		}
	}
	return standings
}

const (
	// promptPlayers is the most players of a season whose standings follow every run of their function.
	promptPlayers = 10_000
	// playersAMinute limits the cost of larger standings. A fold writes all of them, 42 write units for 1,000
	// players, so that standings of 100,000 players cost about 85 write units a minute.
	playersAMinute = 2_000
	// oldestStandings leaves ten of the 60 minutes within which standings of any size follow a judging.
	oldestStandings = 50 * time.Minute
)

// StandingsInterval returns how old the standings of so many players must be before results make the next ones due.
func StandingsInterval(players int) time.Duration {
	if players <= promptPlayers {
		return 0
	}
	return min(time.Duration(players)*time.Minute/playersAMinute, oldestStandings)
}
