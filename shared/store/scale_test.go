package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store/storetest"
)

func TestJudgeScale(t *testing.T) {
	for _, c := range []struct{ n, gates int }{{100, 1}, {1000, 1}, {10000, 1}, {20000, 1}, {50000, 16}, {50000, 1}} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			table, now := storetest.New(t), now()
			season := table.Season(t, now)
			show := table.Show(t, season, now, game.TierRookie, 50, c.gates)
			p := table.Register(t, now)
			start := time.Now()
			if err := table.Fill(t.Context(), show, c.gates, c.n); err != nil {
				t.Fatal(err)
			}
			t.Log("fill", time.Since(start))
			table.Wire.Reset()
			start = time.Now()
			ranked, err := table.Judge(t.Context(), p.ID, show.ID, now)
			if err != nil || len(ranked) != c.n {
				t.Fatal(len(ranked), err)
			}
			t.Logf("judge %v %+v", time.Since(start), table.Wire.Cost())
			table.Wire.Reset()
			start = time.Now()
			_, _, err = table.Claim(t.Context(), ranked[0].Player, show.ID, now)
			t.Logf("claim by no user %v %v %+v", err, time.Since(start), table.Wire.Cost())
			table.Wire.Reset()
			start = time.Now()
			_, entries, err := table.ShowWithEntries(t.Context(), show.ID)
			if err != nil || len(entries) != c.n {
				t.Fatal(len(entries), err)
			}
			t.Logf("detail %v %+v", time.Since(start), table.Wire.Cost())
		})
	}
}
