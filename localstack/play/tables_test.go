package play

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/shared/game"
)

// tables is a script that prints the page's tiers, its prizes by tier and rank, and its points by rank, from 0 to 9.
const tables = `
import { readFileSync } from "node:fs";
const words = readFileSync("web/words.js"); // Node.js does not know that it is a module
const { prize, seasonPoints, tiers } = await import("data:text/javascript," + encodeURIComponent(words));
const ranks = [...Array(10).keys()];
const gold = Object.fromEntries([...tiers, "exhibition"].map((tier) => [tier, ranks.map((rank) => prize(tier, rank))]));
console.log(JSON.stringify({ tiers, gold, points: ranks.map(seasonPoints) }));`

// TestPage_tables checks that the page shows the service's prizes and points.
func TestPage_tables(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		require.True(t, os.Getenv("CI") != "true", err)
		t.Skip("NOT TESTED: ", err)
	}
	cmd := exec.CommandContext(t.Context(), node, "--input-type=module", "--eval", tables)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	page, err := cmd.Output()
	require.NoError(t, err, "%v\n%s", err, &stderr)
	tiers := []string{game.TierRookie, game.TierPro, game.TierElite}
	gold, points := map[string][]int64{}, []int64{}
	for rank := range 10 {
		points = append(points, game.SeasonPoints(rank))
		for _, tier := range append(tiers, "exhibition") {
			gold[tier] = append(gold[tier], game.Prize(tier, rank))
		}
	}
	service, err := json.Marshal(map[string]any{"tiers": tiers, "gold": gold, "points": points})
	require.NoError(t, err)
	assert.JSONEq(t, string(service), string(page))
}
