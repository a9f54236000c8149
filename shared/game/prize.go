package game

// Only shows of these tiers have prizes. A show of another tier pays nothing.
const (
	TierRookie = "rookie"
	TierPro    = "pro"
	TierElite  = "elite"
)

// PrizeRanks is how many ranks of a show have prizes.
const PrizeRanks = 3

var prizes = map[string][PrizeRanks]int64{
	TierRookie: {100, 60, 30},
	TierPro:    {400, 200, 100},
	TierElite:  {1500, 750, 300},
}

// HasPrizes reports whether shows of the tier pay anything.
func HasPrizes(tier string) bool { _, ok := prizes[tier]; return ok }

// Prize returns the gold that a rank wins in a show of the tier. It returns 0 for a tier or a rank without a prize.
// Rank 0 means an entry without a rank.
func Prize(tier string, rank int) int64 {
	table, ok := prizes[tier]
	if !ok || rank < 1 || rank > len(table) {
		return 0
	}
	return table[rank-1]
}
