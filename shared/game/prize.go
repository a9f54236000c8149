package game

// Tiers that have prizes. Shows of other tiers may exist; they pay nothing.
const (
	TierRookie = "rookie"
	TierPro    = "pro"
	TierElite  = "elite"
)

var prizes = map[string][3]int64{
	TierRookie: {100, 60, 30},
	TierPro:    {400, 200, 100},
	TierElite:  {1500, 750, 300},
}

// HasPrizes reports whether shows of the tier pay anything.
func HasPrizes(tier string) bool { _, ok := prizes[tier]; return ok }

// Prize returns the gold for a rank in a show of the tier: 0 for any other tier, any other rank, and for rank 0, an
// unranked entry.
func Prize(tier string, rank int) int64 {
	table, ok := prizes[tier]
	if !ok || rank < 1 || rank > len(table) {
		return 0
	}
	return table[rank-1]
}
