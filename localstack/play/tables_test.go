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
	out, err := cmd.Output()
	require.NoError(t, err, "%v\n%s", err, &stderr)
	var page struct {
		Tiers  []string           `json:"tiers"`
		Gold   map[string][]int64 `json:"gold"`
		Points []int64            `json:"points"`
	}
	err = json.Unmarshal(out, &page)
	require.NoError(t, err, "%s", out)
	got, want := strings.Join(page.Tiers, " "), strings.Join([]string{game.TierRookie, game.TierPro, game.TierElite}, " ")
	assert.Equal(t, want, got, "the page offers")
	require.True(t, len(page.Gold) == 4 && len(page.Points) == 10, "%s", out)
	for tier, gold := range page.Gold {
		for rank, got := range gold {
			want := game.Prize(tier, rank)
			assert.Equal(t, want, got, "%s, rank %d: the page says %d gold, and the service pays %d", tier, rank, got, want)
		}
	}
	for rank, got := range page.Points {
		want := game.SeasonPoints(rank)
		assert.Equal(t, want, got, "rank %d: the page says %d points, and the service counts %d", rank, got, want)
	}
}
