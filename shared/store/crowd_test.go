package store_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
)

// These tests let many requests meet on the engine, in whatever order they come, and then want the one end that all
// orders have.

func TestOneOfFortyEntriesOfAnAnimal(t *testing.T) {
	t.Parallel()
	for _, fee := range []int64{10, 0} {
		f := newFair(t, game.TierRookie, fee, 2)
		counts := atOnce(t, 40, func(int) error { return f.enter(t.Context(), f.Ann, 0) }, nil, game.ErrDuplicateEntry)
		storetest.Equal(t, "answers", counts, map[error]int{nil: 1, game.ErrDuplicateEntry: 39})
		storetest.Equal(t, "balance", f.AccountOf(t, f.Ann.ID).GoldBalance, 500-fee)
	}
}

// A herd of 40 with gold for 7: whichever they are, 7 get in.
func TestEntriesAgainstOneBalance(t *testing.T) {
	t.Parallel()
	for _, gates := range []int{1, 4} {
		f := newFair(t, game.TierRookie, 30, gates)
		herd, short := f.AddHerd(t, 7*30+29, 40), game.InsufficientGold(30)
		counts := atOnce(t, 40, func(i int) error { return f.enter(t.Context(), herd, i) }, nil, short)
		storetest.Equal(t, "answers", counts, map[error]int{nil: 7, short: 33})
		f.CheckGold(t, herd.ID, 29, 239, -30, -30, -30, -30, -30, -30, -30)
		storetest.Equal(t, "entries", len(f.ranks(t)), 7)
	}
}

// Gold comes in and goes out at once: the sum is right, and every row says the balance of its moment.
func TestPrizesAndFeesMeetInOneBalance(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 20, 1)
	var judged []game.Show
	for range 6 {
		show := f.AddShow(t, storetest.Fee(0))
		f.MustEnter(t, f.Ann, show, 0)
		f.MustJudge(t, f.Ann, show)
		judged = append(judged, show)
	}
	atOnce(t, 18, func(i int) error {
		if i < len(f.Ann.Animals) {
			return f.enter(t.Context(), f.Ann, i)
		}
		_, _, err := f.Claim(t.Context(), f.Ann.ID, judged[i%len(judged)].ID, f.Now)
		return err
	}, nil, game.ErrAlreadyClaimed)
	storetest.Equal(t, "balance", f.AccountOf(t, f.Ann.ID).GoldBalance, int64(500-3*20+6*100))
}

// Every entry that was accepted is ranked, every one that was refused is not there, and nobody has paid for nothing.
func TestEntriesRaceWithAJudging(t *testing.T) {
	t.Parallel()
	for _, gates := range []int{1, 5} {
		for _, fee := range []int64{10, 0} {
			f := newFair(t, game.TierRookie, fee, gates)
			players := make([]storetest.Player, 30)
			for i := range players {
				players[i] = f.AddPlayer(t, storetest.Anybody)
			}
			entered, first := make([]bool, len(players)), make(chan struct{})
			var once sync.Once
			counts := atOnce(t, len(players)+1, func(i int) error {
				if i == len(players) {
					<-first
					return f.judge(t.Context())
				}
				defer once.Do(func() { close(first) })
				err := f.enter(t.Context(), players[i], 0)
				entered[i] = err == nil
				return err
			}, nil, game.ErrShowClosed)
			storetest.Equal(t, "answers", counts[nil]+counts[game.ErrShowClosed], len(players)+1)
			ranks := f.ranks(t)
			storetest.Equal(t, "ranked", len(ranks), counts[nil]-1)
			for i, p := range players {
				rank, there := ranks[p.Animals[0].ID]
				if there != entered[i] || there && rank == 0 {
					t.Errorf("accepted: %v, in the show: %v, rank %d", entered[i], there, rank)
				}
			}
		}
	}
}

// Once a ban has returned, nothing that changes state commits: what was accepted was accepted before.
func TestBanRacesWithEntries(t *testing.T) {
	t.Parallel()
	for _, fee := range []int64{10, 0} {
		f := newFair(t, game.TierRookie, fee, 2)
		herd := f.AddHerd(t, 1000, 30)
		var accepted atomic.Int64
		first, afterTheBan := make(chan struct{}), 0
		counts := atOnce(t, len(herd.Animals)+1, func(i int) error {
			if i == len(herd.Animals) {
				<-first
				f.Ban(t, herd.ID)
				afterTheBan = len(f.ranks(t))
				return nil
			}
			err := f.enter(t.Context(), herd, i)
			if err == nil && accepted.Add(1) == 3 {
				close(first)
			}
			return err
		}, nil, game.ErrUnauthorized)
		storetest.Equal(t, "answers", counts[nil]+counts[game.ErrUnauthorized], len(herd.Animals)+1)
		storetest.Equal(t, "entries in the end", []int{len(f.ranks(t)), int(accepted.Load())}, []int{afterTheBan, afterTheBan})
		checkError(t, f.enter(t.Context(), herd, 0), game.ErrUnauthorized)
	}
}

// While all of that goes on, no list and no detail ever shows part of a judging or a wrong count.
func TestReadersRaceWithAJudging(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 4)
	herd := f.AddHerd(t, 0, 24)
	f.MustEnter(t, herd, f.Show)
	judged := make(chan struct{})
	atOnce(t, 5, func(i int) error {
		if i == 0 {
			defer close(judged)
			return f.judge(t.Context())
		}
		for last := false; !last; {
			select {
			case <-judged:
				last = true
			default:
			}
			show, entries, err := f.ShowWithEntries(t.Context(), f.Show.ID)
			if err != nil {
				return err
			}
			if len(entries) != 24 || ranked(entries) != (show.Status == game.ShowCompleted) {
				return errors.New("a detail shows part of a judging")
			}
			list, err := f.Shows(t.Context(), "", "")
			if err != nil {
				return err
			}
			if len(list) != 1 || list[0].EntryCount != 24 {
				return errors.New("a list shows a wrong count")
			}
			if score, err := f.SeasonScore(t.Context(), herd.ID, f.Season.ID); err != nil || score != 0 && score != 100+60+30+15+10+19*5 {
				return errors.New("a season score counts part of a judging")
			}
		}
		return nil
	}, nil)
}
