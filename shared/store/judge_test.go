package store_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/ranch-game/ranch/localstack/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

func TestJudgingRanksByScore(t *testing.T) {
	t.Parallel()
	for _, gates := range []int{1, 4} {
		f := newFair(t, game.TierPro, 0, gates)
		rival := f.graded(t)
		for i := range f.player.Animals {
			f.MustEnter(t, f.player, f.show, f.player.Animals[2-i], f.now+game.Instant(i))
		}
		f.MustEnter(t, rival, f.show, rival.Animals[1], f.now)
		ranked, err := f.Judge(t.Context(), rival.ID, f.show.ID, f.now+7) // anybody may judge
		if err != nil {
			t.Fatal(err)
		}
		judge := game.NewScorer(f.show.ID)
		for i, c := range ranked {
			if c.Rank != i+1 {
				t.Errorf("contestant %d has the rank %d", i, c.Rank)
			}
			owner := f.player
			if c.Player == rival.ID {
				owner = rival
			}
			a := owner.Animals[slices.IndexFunc(owner.Animals, func(a game.Animal) bool { return a.ID == c.Animal })]
			checkEqual(t, "score", c.Score, judge.Score(a.ID, *a.Phenotype, a.Condition))
		}
		if len(ranked) != 4 || ranked[0].Animal != f.player.Animals[0].ID || ranked[3].Animal != f.player.Animals[2].ID {
			t.Errorf("got %+v", ranked)
		}
		show, entries, err := f.ShowWithEntries(t.Context(), f.show.ID)
		if err != nil {
			t.Fatal(err)
		}
		want := f.show
		judged := f.now + 7
		want.Status, want.JudgedAt = game.ShowCompleted, &judged
		checkEqual(t, "show", show, want)
		for i, e := range entries {
			if *e.Rank != ranked[i].Rank || e.AnimalID != ranked[i].Animal || e.PlayerID != ranked[i].Player || *e.Score != ranked[i].Score {
				t.Errorf("entry %+v, ranked %+v", e, ranked[i])
			}
		}
		checkEqual(t, "entries", len(entries), 4)
		f.Invariants(t)
	}
}

// Closing times are for entries: a show can be judged before and after.
func TestJudgingIgnoresTheClosingTime(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	other := f.Show(t, f.season, f.now, game.TierRookie, 0, 1)
	for show, at := range map[game.ID]game.Instant{f.show.ID: f.now, other.ID: other.EntryClosesAt + 1} {
		if _, err := f.Judge(t.Context(), f.player.ID, show, at); err != nil {
			t.Error(err)
		}
	}
	f.Invariants(t)
}

func TestShowsThatCannotBeJudged(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	judge := func(caller, show game.ID) error {
		_, err := f.Judge(t.Context(), caller, show, f.now)
		return err
	}
	for _, show := range []game.ID{"", game.NewID()} {
		checkError(t, judge(f.player.ID, show), game.ErrShowNotOpen)
		checkError(t, judge(game.NewID(), show), game.ErrUnauthorized) // who comes before what
	}
	checkError(t, judge(game.NewID(), f.show.ID), game.ErrUnauthorized)
	banned := f.graded(t)
	f.ban(t, banned)
	checkError(t, judge(banned.ID, f.show.ID), game.ErrUnauthorized)
	checkEqual(t, "error", judge(f.player.ID, f.show.ID), nil)
	checkError(t, judge(f.player.ID, f.show.ID), game.ErrShowNotOpen)
	checkError(t, judge(banned.ID, f.show.ID), game.ErrUnauthorized)
	f.Invariants(t)
}

func TestJudgingNobody(t *testing.T) {
	t.Parallel()
	for _, gates := range []int{1, 3, store.MaxGates} {
		f := newFair(t, game.TierRookie, 0, gates)
		ranked, err := f.Judge(t.Context(), f.player.ID, f.show.ID, f.now)
		if err != nil || len(ranked) != 0 {
			t.Errorf("%d gates: got %v, %v", gates, ranked, err)
		}
		_, entries, err := f.ShowWithEntries(t.Context(), f.show.ID)
		if err != nil || entries == nil || len(entries) != 0 {
			t.Errorf("%d gates: entries %v, %v", gates, entries, err)
		}
		f.Invariants(t)
	}
}

// Animals of one score: the earlier entry is better, and of entries of one time the one whose animal's id is smaller.
func TestTiesAreBrokenByTimeThenAnimal(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 3)
	show := storetest.NewShow(f.season.ID, f.now, game.TierRookie, 0)
	if err := f.CreateShow(t.Context(), show, 3); err != nil {
		t.Fatal(err)
	}
	p := storetest.NewPlayer(f.now)
	p.Animals = twins(show.ID, p, 6)
	f.Add(t, p, f.now)
	var want []game.ID
	for at := range game.Instant(2) { // the first three of the ids enter last
		for i := range 3 {
			animal := p.Animals[3-3*int(at)+i]
			want = append(want, animal.ID)
		}
	}
	for i := range p.Animals { // in an order that is neither
		animal := p.Animals[(i*5)%len(p.Animals)]
		at := f.now + game.Instant(slices.Index(want, animal.ID)/3)
		f.MustEnter(t, p, show, animal, at)
	}
	var got []game.ID
	for _, c := range f.MustJudge(t, p, show, f.now) {
		got = append(got, c.Animal)
	}
	checkEqual(t, "ranking", got, want)
	_, entries, err := f.ShowWithEntries(t.Context(), show.ID)
	if err != nil {
		t.Fatal(err)
	}
	got = nil
	for _, e := range entries {
		got = append(got, e.AnimalID)
	}
	checkEqual(t, "list", got, want)
	f.Invariants(t)
}

// twins returns n animals that have the same score in the show, in the order of their ids.
func twins(show game.ID, p storetest.Player, n int) []game.Animal {
	judge, byScore := game.NewScorer(show), map[game.Fixed][]game.Animal{}
	for {
		a := p.Animals[0]
		a.ID = game.NewID()
		storetest.Grade(&a, 50_00)
		score := judge.Score(a.ID, *a.Phenotype, a.Condition)
		byScore[score] = append(byScore[score], a)
		if found := byScore[score]; len(found) == n {
			slices.SortFunc(found, func(a, b game.Animal) int { return slices.Compare([]byte(a.ID), []byte(b.ID)) })
			return found
		}
	}
}

func TestAnimalsWithoutPhenotypeAreNotRanked(t *testing.T) {
	t.Parallel()
	for _, gates := range []int{1, 4} {
		f := newFair(t, game.TierRookie, 0, gates)
		p := storetest.NewPlayer(f.now)
		p.Animals[0].Phenotype = nil
		storetest.Grade(&p.Animals[1], 99_00)
		f.Add(t, p, f.now)
		f.MustEnter(t, p, f.show, p.Animals[0], f.now)
		f.MustEnter(t, p, f.show, p.Animals[1], f.now)
		f.MustEnter(t, f.player, f.show, f.player.Animals[2], f.now)
		ranked, err := f.Judge(t.Context(), p.ID, f.show.ID, f.now)
		if err != nil || len(ranked) != 2 {
			t.Fatal(ranked, err)
		}
		show, entries, err := f.ShowWithEntries(t.Context(), f.show.ID)
		if err != nil || len(entries) != 3 {
			t.Fatal(show, entries, err)
		}
		checkEqual(t, "the unranked comes last", entries[2].AnimalID, p.Animals[0].ID)
		if entries[2].Rank != nil || entries[2].Score != nil {
			t.Errorf("the unranked entry is %+v", entries[2])
		}
		list, err := f.Shows(t.Context(), game.ShowCompleted, "")
		if err != nil || len(list) != 1 || list[0].EntryCount != 3 { // ranked or not
			t.Error(list, err)
		}
		f.Invariants(t)
	}
}

// What happens to an animal or its owner after the entry does not matter; nor does health.
func TestEveryEntryWithAPhenotypeIsRanked(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	owner, died, calf, pregnant := f.graded(t), f.now, game.StageCalf, game.StatusPregnant
	for i, c := range []store.AnimalChange{{DiedAt: &died}, {Status: &pregnant}, {Stage: &calf}} {
		f.MustEnter(t, owner, f.show, owner.Animals[i], f.now)
		if _, err := f.ChangeAnimal(t.Context(), owner.ID, owner.Animals[i].ID, c); err != nil {
			t.Fatal(err)
		}
		f.At(store.AnimalKey(owner.ID, owner.Animals[i].ID)).Edit(t, "SET he = :zero", map[string]any{":zero": 0})
	}
	f.ban(t, owner)
	f.MustJudge(t, f.player, f.show, f.now)
	checkEqual(t, "ranks", f.ranks(t), map[game.ID]int{owner.Animals[0].ID: 1, owner.Animals[1].ID: 2, owner.Animals[2].ID: 3})
	f.Invariants(t)
}

// An animal's condition counts as it is while the show is judged, not as it was when it entered. An animal that is gone has no phenotype.
func TestScoresComeFromTheAnimalAsItIs(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	for i := range 3 {
		f.MustEnter(t, f.player, f.show, f.player.Animals[i], f.now)
	}
	condition := game.Fixed(0)
	if _, err := f.ChangeAnimal(t.Context(), f.player.ID, f.player.Animals[0].ID, store.AnimalChange{Condition: &condition}); err != nil {
		t.Fatal(err)
	}
	f.At(store.AnimalKey(f.player.ID, f.player.Animals[1].ID)).Delete(t)
	ranked := f.MustJudge(t, f.player, f.show, f.now)
	animal := f.player.Animals[0]
	if len(ranked) != 2 || ranked[0].Animal != animal.ID || ranked[0].Score != game.NewScorer(f.show.ID).Score(animal.ID, *animal.Phenotype, 0) {
		t.Errorf("got %+v", ranked)
	}
}

// The specification: null also when the stored score is falsy. Its rank is there, and the judging itself says 0.
func TestScoreOfZeroIsNullInTheList(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	p, judge := storetest.NewPlayer(f.now), game.NewScorer(f.show.ID)
	for a := &p.Animals[0]; ; a.ID = game.NewID() {
		if storetest.Grade(a, 0); judge.Score(a.ID, *a.Phenotype, a.Condition) == 0 {
			break
		}
	}
	f.Add(t, p, f.now)
	f.MustEnter(t, p, f.show, p.Animals[0], f.now)
	f.MustEnter(t, f.player, f.show, f.player.Animals[0], f.now)
	ranked := f.MustJudge(t, p, f.show, f.now)
	checkEqual(t, "last", ranked[1], game.Contestant{Animal: p.Animals[0].ID, Player: p.ID, Entered: f.now, Score: 0, Rank: 2})
	_, entries, err := f.ShowWithEntries(t.Context(), f.show.ID)
	if err != nil || len(entries) != 2 {
		t.Fatal(entries, err)
	}
	if e := entries[1]; e.Score != nil || e.Rank == nil || *e.Rank != 2 {
		t.Errorf("got the score %v and the rank %v", e.Score, e.Rank)
	}
	f.Invariants(t)
}

// Judging gives the same scores whatever the gates and whoever judges.
func TestScoresAreReproducible(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	p := f.RegisterHerd(t, f.now, 500, 30)
	var want []string
	for gates := range 4 {
		table := fair{Table: storetest.New(t), now: f.now}
		table.season = table.Season(t, f.now)
		show := f.show
		show.SeasonID = table.season.ID
		if err := table.CreateShow(t.Context(), show, gates+1); err != nil {
			t.Fatal(err)
		}
		table.Add(t, p, f.now)
		for _, a := range p.Animals {
			table.MustEnter(t, p, show, a, f.now)
		}
		var got []string
		for _, c := range table.MustJudge(t, p, show, f.now) {
			got = append(got, fmt.Sprint(c.Rank, c.Animal, c.Score))
		}
		if want == nil {
			want = got
		}
		checkEqual(t, "ranking", got, want)
		table.Invariants(t)
	}
}
