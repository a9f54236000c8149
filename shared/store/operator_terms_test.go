package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
	"github.com/ranch-game/ranch/shared/records"
)

// terms returns changes of each field of a show, and of all fields.
func terms(of game.Show) map[string]operate.ShowChange {
	name, tier, fee, later := "Town Fair", game.TierElite, int64(70), of.EntryClosesAt.Add(time.Minute)
	return map[string]operate.ShowChange{
		"name": {Name: &name}, "tier": {Tier: &tier}, "fee": {EntryFee: &fee}, "closing time": {EntryClosesAt: &later},
		"all": {Name: &name, Tier: &tier, EntryFee: &fee, EntryClosesAt: &later},
	}
}

// eachTerm calls play with each of the terms and a new fair, whose show has this many gates.
func eachTerm(t *testing.T, gates int, play func(t *testing.T, f fair, change operate.ShowChange)) {
	t.Helper()
	for name := range terms(game.Show{}) {
		t.Run(fmt.Sprint(name, "/", gates), func(t *testing.T) {
			t.Parallel()
			f := newFair(t, game.TierRookie, 50, gates)
			play(t, f, terms(f.Show)[name])
		})
	}
}

func (f fair) setShow(t *testing.T, change operate.ShowChange) error {
	return f.changes().SetShow(t.Context(), f.Show.ID, change)
}

// checkShow compares the show by itself and in all lists with the wanted one.
func (f fair) checkShow(t *testing.T, want game.ListedShow) {
	t.Helper()
	show, entries, err := f.Rival.ShowWithEntries(t.Context(), f.Show.ID)
	checkError(t, err, nil)
	storetest.Equal(t, "show", game.ListedShow{Show: show, EntryCount: int64(len(entries))}, want)
	for _, status := range []game.ShowStatus{game.ShowOpen, game.ShowCompleted, game.ShowCancelled, ""} {
		for _, tier := range []string{game.TierRookie, game.TierElite, ""} {
			var listed []game.ListedShow
			if (status == "" || status == want.Status) && (tier == "" || tier == want.Tier) {
				listed = append(listed, want)
			}
			shows := must(firstPage(t.Context(), f.Rival, status, tier))(t)
			storetest.Equal(t, fmt.Sprintf("list of %q shows of the tier %q", status, tier), shows, listed)
		}
	}
}

func TestTermsAreSet(t *testing.T) {
	t.Parallel()
	for _, gates := range []int{1, 5, records.MaxGates} {
		eachTerm(t, gates, func(t *testing.T, f fair, change operate.ShowChange) {
			want := game.ListedShow{Show: f.Show}
			set := func(to *operate.ShowChange) {
				if to.Name != nil {
					want.Name = *to.Name
				}
				if to.Tier != nil {
					want.Tier = *to.Tier
				}
				if to.EntryFee != nil {
					want.EntryFee = *to.EntryFee
				}
				if to.EntryClosesAt != nil {
					want.EntryClosesAt = *to.EntryClosesAt
				}
			}
			made := f.Change()
			set(&change)
			checkError(t, f.Desk.Operator(made).SetShow(t.Context(), f.Show.ID, change), nil)
			f.checkRecorded(t, made, "set show", `"name":"County Fair","tier":"rookie","entryFee":50`,
				fmt.Sprintf(`"name":%q,"tier":%q,"entryFee":%d`, want.Name, want.Tier, want.EntryFee))
			f.checkShow(t, want)
			f.Unchanged(t, func() {
				checkError(t, f.Desk.Operator(made).SetShow(t.Context(), f.Show.ID, change), nil)
				checkError(t, f.setShow(t, change), operate.ErrSameTerms)
			})

			f.AtTime(want.EntryClosesAt-1).MustEnter(t, f.Ann, f.Show, 0)
			f.CheckGold(t, f.Ann.ID, 500-want.EntryFee, 500, -want.EntryFee)
			want.EntryCount = 1
			back := operate.ShowChange{Name: new("Other Fair"), EntryClosesAt: &f.Show.EntryClosesAt} // also with entries
			set(&back)
			checkError(t, f.setShow(t, back), nil)
			f.checkShow(t, want)
			record := must(f.ShowRecord(t.Context(), f.Show.ID))(t)
			storetest.Equal(t, "record", record, operate.ShowRecord{ListedShow: want, Gates: gates, Terms: 2})
			f.Invariants(t)
			f.MustJudge(t, f.Ann, f.Show)
			f.Invariants(t)
		})
	}
}

// The fee and the tier cannot change if the show has entries.
func TestFeeAndTierStayOnceSomebodyHasEntered(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 3)
	f.MustEnter(t, f.Ann, f.Show, 0)
	same, name := f.Show.EntryFee, "Town Fair"
	f.Unchanged(t, func() {
		for _, changed := range []string{"fee", "tier", "all"} {
			checkError(t, f.setShow(t, terms(f.Show)[changed]), operate.ErrHasEntries)
		}
	})
	checkError(t, f.setShow(t, operate.ShowChange{Name: &name, EntryFee: &same, Tier: &f.Show.Tier}), nil)
	f.checkList(t, game.ShowOpen, "", name)
}

// SetShow refuses a change without fields, and invalid terms.
func TestTermsThatAreRefused(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 2)
	f.Unchanged(t, func() {
		for _, change := range []operate.ShowChange{
			{}, {Name: new("")}, {Tier: new("")}, {EntryFee: new(int64(-1))}, {EntryClosesAt: new(game.Instant(-1))},
		} {
			assert.Error(t, f.setShow(t, change), "set %+v", change)
		}
	})
}
