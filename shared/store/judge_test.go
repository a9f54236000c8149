package store_test

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
	"github.com/ranch-game/ranch/shared/store"
)

// Each entry gets the rank and the score of its own animal by the rules. Entries without a phenotype have no rank, and
// come last. Six players have one to six entries, ranked or not.
func TestEveryEntryHasItsOwnResult(t *testing.T) {
	t.Parallel()
	for _, gates := range []int{1, 4} {
		f := newFair(t, game.TierPro, 0, gates)
		animals := map[game.ID]game.Animal{}
		for i, grade := range []game.Fixed{90_00, 70_00, storetest.NoPhenotype, 50_00, storetest.NoPhenotype, 30_00} {
			grades := make([]game.Fixed, i+1)
			for k := range grades {
				grades[k] = grade
				if k%3 == 1 {
					grades[k] = storetest.NoPhenotype
				}
			}
			p := f.AddPlayer(t, storetest.Anybody, grades...)
			maps.Copy(animals, byID(p.Animals))
			f.MustEnter(t, p, f.Show)
		}
		at, judge := f.Now+7, game.NewScorer(f.Show.ID)
		ranked := must(f.Judge(t.Context(), f.Ann.ID, f.Show.ID, at))(t) // Ann has no entry
		for i, c := range ranked {
			a := animals[c.Animal]
			storetest.Equal(t, "contestant", c, game.Contestant{
				Animal: a.ID, Player: a.Owner, Entered: c.Entered, Rank: i + 1, Score: judge.Score(a.ID, *a.Phenotype, a.Condition),
			})
			assert.True(t, i <= 0 || ranked[i-1].Score >= c.Score, "rank %d is better than rank %d", i+1, i)
		}
		show, entries, err := f.ShowWithEntries(t.Context(), f.Show.ID)
		checkError(t, err, nil)
		want := f.Show
		want.Status, want.JudgedAt = game.ShowCompleted, &at
		storetest.Equal(t, "show", show, want)
		storetest.Equal(t, "judge", f.record(t).JudgedBy, string(f.Ann.ID))
		storetest.Equal(t, "entries, and those of them with a phenotype", []int{len(entries), len(ranked)}, []int{1 + 2 + 3 + 4 + 5 + 6, 1 + 1 + 3 + 4})
		for i, e := range entries {
			switch {
			case i >= len(ranked):
				assert.True(t, e.Rank == nil && e.Score == nil && animals[e.AnimalID].Phenotype == nil, "the entry %+v comes last", e)
			case e.AnimalID != ranked[i].Animal || e.PlayerID != ranked[i].Player || e.CreatedAt != ranked[i].Entered || *e.Rank != i+1 || *e.Score != ranked[i].Score:
				t.Errorf("the entry %+v was judged as %+v", e, ranked[i])
			}
		}
	}
}

// Closing times are for entries: a show can be judged before and after.
func TestJudgingIgnoresTheClosingTime(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	other := f.AddShow(t, storetest.Fee(0))
	for show, at := range map[game.ID]game.Instant{f.Show.ID: f.Now, other.ID: other.EntryClosesAt + 1} {
		_, err := f.Judge(t.Context(), f.Ann.ID, show, at)
		assert.NoError(t, err)
	}
}

func TestShowsThatCannotBeJudged(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	judge := func(caller, show game.ID) error { return errOf(f.Judge(t.Context(), caller, show, f.Now)) }
	for _, show := range []game.ID{"", game.NewID()} {
		checkError(t, judge(f.Ann.ID, show), game.ErrShowNotOpen)
		checkError(t, judge(game.NewID(), show), game.ErrUnauthorized) // the order of the refusals
	}
	checkError(t, judge(game.NewID(), f.Show.ID), game.ErrUnauthorized)
	banned := f.AddPlayer(t, storetest.Bob)
	f.Ban(t, banned.ID)
	f.Wire.Reset()
	checkError(t, judge(banned.ID, f.Show.ID), game.ErrUnauthorized)
	storetest.Equal(t, "requests", f.Wire.Cost().Requests, 1)
	storetest.Equal(t, "error", judge(f.Ann.ID, f.Show.ID), nil)
	checkError(t, judge(f.Ann.ID, f.Show.ID), game.ErrShowNotOpen)
	checkError(t, judge(banned.ID, f.Show.ID), game.ErrUnauthorized)
}

// A death, a pregnancy, no health or a ban of the owner after the entry do not matter: the entry is ranked.
func TestEveryEntryWithAPhenotypeIsRanked(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	owner, died, calf, pregnant := f.AddPlayer(t, storetest.Bob), f.Now, game.StageCalf, game.StatusPregnant
	for i, c := range []operate.AnimalChange{{DiedAt: &died}, {Status: &pregnant}, {Stage: &calf}} {
		f.MustEnter(t, owner, f.Show, i)
		f.MustChange(t, owner, i, c)
		f.At(store.AnimalKey(owner.ID, owner.Animals[i].ID)).Edit(t, "SET he = :zero", map[string]any{":zero": 0})
	}
	f.Ban(t, owner.ID)
	f.MustJudge(t, f.Ann, f.Show)
	storetest.Equal(t, "ranks", f.ranks(t), map[game.ID]int{owner.Animals[0].ID: 1, owner.Animals[1].ID: 2, owner.Animals[2].ID: 3})
	f.Invariants(t)
}

// The condition counts as it is at the judging, not as it was at the entry. A missing animal has no phenotype.
func TestScoresComeFromTheAnimalAsItIs(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	f.MustEnter(t, f.Ann, f.Show)
	f.MustChange(t, f.Ann, 0, operate.AnimalChange{Condition: new(game.Fixed(0))})
	f.At(store.AnimalKey(f.Ann.ID, f.Ann.Animals[1].ID)).Delete(t)
	f.At(store.EntryKey(f.Show.ID, f.Ann.Animals[1].ID, 1)).Edit(t, "REMOVE ph", nil) // else the copy counts
	ranked := f.MustJudge(t, f.Ann, f.Show)
	animal := f.Ann.Animals[0]
	assert.True(t, len(ranked) == 2 && ranked[0].Animal == animal.ID && ranked[0].Score == game.NewScorer(f.Show.ID).Score(animal.ID, *animal.Phenotype, 0),
		"got %+v", ranked)
}
