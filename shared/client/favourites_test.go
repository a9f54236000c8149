package client_test

import (
	"strings"
	"testing"

	"github.com/ranch-game/ranch/shared/client"
)

// The worked example of docs/scoring.md.
func TestFavourites(t *testing.T) {
	t.Parallel()
	const show = "6f9d1c2e-8a4b-4c3d-9e5f-0a1b2c3d4e5f"
	for _, id := range []string{show, strings.ToUpper(show)} {
		if got := client.Favourites(id); got != [2]string{"growthRateScore", "fertilityScore"} {
			t.Errorf("the favourites of %s are %v", id, got)
		}
	}
}
