package play

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/ranch-game/ranch/shared/game"
)

// tables prints the prizes and points that the page shows, by tier and by rank from 0 to 9.
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
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("NOT TESTED: ", err)
	}
	cmd := exec.CommandContext(t.Context(), node, "--input-type=module", "--eval", tables)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	var page struct {
		Tiers  []string           `json:"tiers"`
		Gold   map[string][]int64 `json:"gold"`
		Points []int64            `json:"points"`
	}
	if err := json.Unmarshal(out, &page); err != nil {
		t.Fatalf("%s: %v", out, err)
	}
	if got, want := strings.Join(page.Tiers, " "), strings.Join([]string{game.TierRookie, game.TierPro, game.TierElite}, " "); got != want {
		t.Errorf("the page offers %s, not %s", got, want)
	}
	if len(page.Gold) != 4 || len(page.Points) != 10 {
		t.Fatalf("%s", out)
	}
	for tier, gold := range page.Gold {
		for rank, got := range gold {
			if want := game.Prize(tier, rank); got != want {
				t.Errorf("%s, rank %d: the page says %d gold, and the service pays %d", tier, rank, got, want)
			}
		}
	}
	for rank, got := range page.Points {
		if want := game.SeasonPoints(rank); got != want {
			t.Errorf("rank %d: the page says %d points, and the service counts %d", rank, got, want)
		}
	}
}
