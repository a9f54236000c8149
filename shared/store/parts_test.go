package store_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
)

// What fits no page is read to its end, each item once, whatever reads it: the answers are those of one page. Parts of
// a show, which may have many, are read in ranges at once, one for each digit that an id begins with.
func TestReadsOfManyPages(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 1)
	bob := f.AddPlayer(t, storetest.Bob)
	f.MustEnter(t, bob, f.Show)
	f.judged(t, 0, 1, 2)
	f.MustClaim(t, bob, f.Show)
	f.MustClaim(t, f.Ann, f.Show)
	f.MustEnter(t, f.Ann, f.AddShow(t, storetest.Tier("pro"), storetest.Fee(10), storetest.Gates(5)), 0, 1)
	f.AddSeason(t, starting(1, true))
	for name, read := range reads {
		want, err := read(t.Context(), f)
		if err != nil {
			t.Fatal(name, err)
		}
		f.Wire.Reset()
		f.Wire.Next("Query", slices.Repeat([]storetest.Fault{storetest.Page(1)}, 1_000)...)
		answer, err := read(t.Context(), f)
		f.Wire.Forget()
		if err != nil {
			t.Error(name, err)
		}
		storetest.Equal(t, name+" page by page", answer, want)
		// The show, its results, the first page, and what comes after that.
		if requests := f.Wire.Cost().Requests; name == "detail" && requests < 3+16 {
			t.Errorf("%s: %d requests", name, requests)
		}
	}
}

// A judging reads of each entry what it needs, and not the names: of 170,000 entries those are megabytes.
func TestJudgingsReadNoNames(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	f.MustEnter(t, f.Ann, f.Show, 0)
	reads := 0
	f.Wire.Next("Query", slices.Repeat([]storetest.Fault{watch(func(body map[string]any) {
		values := body["ExpressionAttributeValues"].(map[string]any)
		if pk := values[":pk"].(map[string]any)["S"].(string); strings.HasPrefix(pk, "SHOW#") {
			reads++
			if attributes, _ := body["ProjectionExpression"].(string); attributes == "" || slices.Contains(strings.Split(attributes, ", "), "an") {
				t.Errorf("reads %q of entries", attributes)
			}
		}
	})}, 10)...)
	checkError(t, f.judge(t.Context()), nil)
	f.Wire.Forget()
	storetest.Equal(t, "reads of entries", reads, 1)
}
