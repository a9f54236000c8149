package store_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/records"
	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/table"
	"github.com/ranch-game/ranch/shared/upkeep"
)

// budget is the most that a request may cost the table: round trips in sequence, read and write units.
type budget struct {
	roundTrips int
	rcu, wcu   float64
}

// within measures what a request costs and compares it with its budget.
func within(t *testing.T, s *storetest.Scene, name string, most budget, do func(ctx context.Context) error) {
	t.Helper()
	s.Wire.Reset()
	s.Wire.Delay(20 * time.Millisecond) // so that simultaneous requests overlap on a busy machine, too
	defer s.Wire.Delay(0)
	err := do(t.Context())
	got := s.Wire.Cost()
	t.Logf("%-40s %d round trips, %5.1f RCU, %5.1f WCU", name, got.RoundTrips, got.RCU, got.WCU)
	assert.NoError(t, err, "%s", name)
	measured.record(name, got, most)
	assert.True(t, got.RoundTrips <= most.roundTrips && got.RCU <= most.rcu && got.WCU <= most.wcu,
		"%s: cost %+v, the budget is %+v", name, got, most)
}

// TestBudget compares every operation with its budget, and docs/costs.md with the measurement.
func TestBudget(t *testing.T) {
	t.Parallel()
	t.Run("measure", func(t *testing.T) {
		for name, group := range map[string]func(t *testing.T){
			"Accounts":   budgetOfAccounts,
			"Lists":      budgetOfLists,
			"AShow":      budgetOfAShow,
			"AFreeEntry": budgetOfAFreeEntry,
			"ALargeShow": budgetOfALargeShow,
			"ASeason":    budgetOfASeason,
			"Standings":  budgetOfStandings,
			"DueShows":   budgetOfDueShows,
			"Pending":    budgetOfPendingWork,
			"Audits":     budgetOfAudits,
		} {
			t.Run(name, group)
		}
	})
	if !t.Failed() {
		measured.compare(t)
	}
}

func budgetOfAccounts(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	p := s.NewHerd(game.StartingGold, 3)
	within(t, s, "register", budget{1, 0, 20}, func(ctx context.Context) error { return p.Create(ctx, s.Store) })
	within(t, s, "login", budget{3, 4, 6}, func(ctx context.Context) error {
		account, _, err := s.AccountByEmail(ctx, p.Email)
		if err != nil {
			return err
		}
		return errOf(s.RecordLogin(ctx, *account, s.NewRefresh(account.ID), game.Rehash{}, s.Now))
	})
	within(t, s, "refresh", budget{2, 2, 0}, func(ctx context.Context) error {
		_, _, err := s.RefreshRecord(ctx, p.Refresh.Digest, p.ID)
		return err
	})
	within(t, s, "getMe", budget{1, 1, 0}, func(ctx context.Context) error { return errOf(s.Account(ctx, p.ID)) })
	within(t, s, "listAnimals", budget{1, 1, 0}, func(ctx context.Context) error { return errOf(s.Animals(ctx, p.ID)) })
	within(t, s, "logout", budget{1, 0, 1}, func(ctx context.Context) error { return s.DeleteRefreshRecord(ctx, p.Refresh.Digest) })
	within(t, s, "changePassword", budget{4, 5, 6}, func(ctx context.Context) error {
		return errOf(s.ChangePassword(ctx, p.ID, knows(p.PasswordHash), func() string { return p.PasswordHash }, s.NewRefresh(p.ID), s.Now))
	})
	within(t, s, "changeEmail", budget{4, 5, 6}, func(ctx context.Context) error {
		return errOf(s.ChangeEmail(ctx, p.ID, knows(p.PasswordHash), "other@example.com"))
	})
	within(t, s, "deleteAccount (no entries)", budget{10, 10, 10}, func(ctx context.Context) error {
		return s.DeleteAccount(ctx, p.ID, knows(p.PasswordHash), s.Now)
	})
	within(t, s, "login (refused: unknown e-mail)", budget{2, 2, 0}, func(ctx context.Context) error {
		_, _, err := s.AccountByEmail(ctx, "nobody@example.com")
		return err
	})
}

// budgetOfLists reads pages of shows with the default number of gates, in one tier and in the three tiers with prizes.
func budgetOfLists(t *testing.T) {
	t.Parallel()
	f := bareFair(t)
	shows := f.addShows(t, 3*50, records.DefaultGates, func(i int, d *storetest.ShowDraft) {
		d.Name, d.EntryClosesAt = "The Grand Show of the Whole County", f.Now+game.Instant(i+1)
		d.Tier = []string{game.TierRookie, game.TierPro, game.TierElite}[i%3]
	})
	list := func(status game.ShowStatus, tier string) func(ctx context.Context) error {
		return func(ctx context.Context) error {
			list, err := firstPage(ctx, f, status, tier)
			assert.Len(t, list, 50, "%d shows", len(list))
			return err
		}
	}
	for _, due := range []int{0, 50} {
		within(t, f.Scene, fmt.Sprintf("judgeDue (to find %d shows)", due), budget{1, 4, 0}, func(ctx context.Context) error {
			shows, err := f.DueShows(ctx, f.Now+game.Instant(due), 50)
			assert.Len(t, shows, due, "%d shows are due", len(shows))
			return err
		})
	}
	within(t, f.Scene, "listShows (50 open)", budget{2, 20, 0}, list(game.ShowOpen, ""))
	within(t, f.Scene, "listShows (50 open, by tier)", budget{2, 12, 0}, list(game.ShowOpen, game.TierRookie))
	within(t, f.Scene, "listShows (50 open, behind a show)", budget{3, 21, 0}, func(ctx context.Context) error {
		page, err := f.Shows(ctx, store.ShowQuery{Status: game.ShowOpen, After: shows[49].ID})
		assert.Len(t, page.Shows, 50, "%d shows", len(page.Shows))
		return err
	})
	within(t, f.Scene, "listShows (50 of all, all open)", budget{2, 20, 0}, list("", ""))
	each(50, func(i int) { f.MustJudge(t, f.Ann, shows[3*i]) })
	within(t, f.Scene, "listShows (50 completed)", budget{1, 8, 0}, list(game.ShowCompleted, ""))
	within(t, f.Scene, "listShows (50 of all, all completed)", budget{1, 8, 0}, list("", game.TierRookie))
}

// budgetOfAShow measures the calls of a show of 100 entries, with one gate and with the default number.
func budgetOfAShow(t *testing.T) {
	t.Parallel()
	for _, gates := range []int{1, records.DefaultGates} {
		t.Run(fmt.Sprint(gates, " gates"), func(t *testing.T) {
			t.Parallel()
			suffix := ""
			if gates > 1 {
				suffix = fmt.Sprintf(", %d gates", gates)
			}
			f := newFair(t, game.TierRookie, 20, gates)
			show := func(want int) func(ctx context.Context) error {
				return func(ctx context.Context) error {
					_, entries, err := f.ShowWithEntries(ctx, f.Show.ID)
					assert.Len(t, entries, want, "%d entries, want %d", len(entries), want)
					return err
				}
			}
			players := append(f.fillForReal(t, 16, 3), f.fillForReal(t, 1, 2)...)
			if gates > 1 {
				within(t, f.Scene, "getShow (50 entries, open)"+suffix, budget{2, 10, 0}, show(50))
			}
			players = slices.Concat(players, f.fillForReal(t, 16, 3), f.fillForReal(t, 1, 1))
			within(t, f.Scene, "enterShow (fee)"+suffix, budget{2, 5, 10}, func(ctx context.Context) error { return f.enter(ctx, f.Ann, 2) })
			within(t, f.Scene, "enterShow (duplicate)"+suffix, budget{4, 8, 0}, func(ctx context.Context) error {
				if err := f.enter(ctx, f.Ann, 2); !errors.Is(err, game.ErrDuplicateEntry) {
					return err
				}
				return nil
			})
			within(t, f.Scene, "getShow (100 entries, open)"+suffix, budget{2, 15, 0}, show(100))
			within(t, f.Scene, "judgeShow (100 entries)"+suffix, budget{4, 20, float64(30 + 2*(gates-1))}, f.judge)
			within(t, f.Scene, "getShow (100 entries, completed)"+suffix, budget{2, 4, 0}, show(100))
			ranks, measured := f.ranks(t), map[string]int{}
			for _, p := range players {
				prize := int64(0)
				for _, animal := range p.Animals {
					prize = max(prize, game.Prize(game.TierRookie, ranks[animal.ID]))
				}
				name, most := "claimReward (none)", budget{2, 3, 4}
				if prize > 0 {
					name, most = "claimReward (prize)", budget{2, 3, 6}
				}
				if measured[name]++; measured[name] > 3 { // equal requests need not be measured more often
					f.MustClaim(t, p, f.Show)
					continue
				}
				within(t, f.Scene, name+suffix, most, func(ctx context.Context) error { return claimAs(ctx, f, p) })
			}
			within(t, f.Scene, "getShow (100 entries, claimed)"+suffix, budget{2, 6, 0}, show(100))
			within(t, f.Scene, "listShowEntries (50 of 100 entries, claimed)"+suffix, budget{3, 8, 0}, func(ctx context.Context) error {
				return errOf(f.ShowEntries(ctx, f.Ann.ID, f.Show.ID, store.EntriesAt{Limit: 50}))
			})
		})
	}
}

func claimAs(ctx context.Context, f fair, p storetest.Player) error {
	_, _, err := f.Claim(ctx, p.ID, f.Show.ID, f.Now)
	return err
}

// fillForReal enters all animals of n new players in the show. Each player has the given number of animals.
func (f fair) fillForReal(t *testing.T, n, animals int) []storetest.Player {
	t.Helper()
	players := make([]storetest.Player, n)
	for i := range players {
		players[i] = f.AddHerd(t, game.StartingGold, animals)
		f.MustEnter(t, players[i], f.Show)
	}
	return players
}

func budgetOfAFreeEntry(t *testing.T) {
	t.Parallel()
	for _, gates := range []int{1, records.MaxGates} {
		f := newFair(t, game.TierRookie, 0, gates)
		within(t, f.Scene, "enterShow (free)", budget{2, 5, 10}, func(ctx context.Context) error { return f.enter(ctx, f.Ann, 0) })
	}
}

func budgetOfALargeShow(t *testing.T) {
	t.Parallel()
	for measured := false; !measured; {
		measured = measureLargeShow(t)
	}
}

// measureLargeShow measures the calls of a show of 10,000 entries. A claim's writes do not grow with the show, and it
// reads only its player's sheet. By chance, one of ten sheets is larger than 4 KB and costs a second unit. So the test
// measures the winner whose score costs the least, and returns false if all three winners are on such sheets.
func measureLargeShow(t *testing.T) bool {
	t.Helper()
	const smallSheet = 2.5 // RCU of a score with a sheet of up to 4 KB
	f := newFair(t, game.TierElite, 0, records.DefaultGates)
	f.fill(t, f.Show, records.DefaultGates, 9_997)
	winners := make([]storetest.Player, 3) // all get a prize: else it is chance whether the claim writes a ledger row
	for i := range winners {
		winners[i] = f.AddPlayer(t, storetest.Anybody, game.FixedMax)
		f.MustEnter(t, winners[i], f.Show)
	}
	winner := winners[0]
	pages := func(status string, behind game.ID) {
		for label, at := range map[string]store.EntriesAt{
			"the first": {}, "behind an entry": {After: behind}, "before an entry": {Before: behind}, "around the caller": {Around: true},
		} {
			at.Limit = 50
			within(t, f.Scene, fmt.Sprintf("listShowEntries (50 of 10,000 entries, %s: %s)", status, label), budget{7, 15, 0}, func(ctx context.Context) error {
				page, err := f.ShowEntries(ctx, winner.ID, f.Show.ID, at)
				assert.True(t, len(page.Entries) >= 25, "%d entries", len(page.Entries))
				return err
			})
		}
	}
	first := must(f.ShowEntries(t.Context(), f.Ann.ID, f.Show.ID, store.EntriesAt{Limit: 100}))(t)
	pages("open", first.Entries[99].ID)
	within(t, f.Scene, "judgeShow (10,000 entries)", budget{6, 1_000, 1_020}, f.judge)
	f.Wire.Reset() // the whole list costs a quarter of what it would by the entries' own items
	storetest.Equal(t, "entries", len(f.list(t)), 10_000)
	cost := f.Wire.Cost()
	assert.True(t, cost.RCU <= 194, "the list of 10,000 entries costs %.0f RCU", cost.RCU)
	pages("completed", f.pagesFrom(t, store.EntriesAt{Limit: 100}, false)[5_030].ID)
	season := must(f.ActiveSeason(t.Context()))(t)
	least := math.Inf(1)
	for _, w := range winners {
		f.Wire.Reset()
		_ = must(f.SeasonScore(t.Context(), w.ID, season.ID))(t)
		if cost := f.Wire.Cost().RCU; cost < least {
			winner, least = w, cost
		}
	}
	if least > smallSheet {
		return false
	}
	within(t, f.Scene, "claimReward (10,000 entries)", budget{3, 4, 6}, func(ctx context.Context) error { return claimAs(ctx, f, winner) })
	within(t, f.Scene, "getSeason (a show of 10,000 entries)", budget{4, 10, 0}, func(ctx context.Context) error {
		season, err := f.ActiveSeason(ctx)
		if err != nil {
			return err
		}
		return errOf(f.SeasonScore(ctx, winner.ID, season.ID))
	})
	return true
}

// budgetOfASeason measures the season with ten completed shows, with an open one more, and with twenty completed shows.
func budgetOfASeason(t *testing.T) {
	t.Parallel()
	f := bareFair(t)
	shows := f.addShows(t, 20, 1, func(_ int, d *storetest.ShowDraft) { d.EntryFee = 10 })
	winner := f.AddPlayer(t, storetest.Anybody, game.FixedMax)
	enter := func(i int) {
		f.fill(t, shows[i], 1, 98)
		f.MustEnter(t, f.Ann, shows[i], 0)
		f.MustEnter(t, winner, shows[i], 0)
	}
	play := func(i int) {
		enter(i)
		f.MustJudge(t, f.Ann, shows[i])
	}
	score := func(shows int64) func(ctx context.Context) error {
		return func(ctx context.Context) error {
			season, err := f.ActiveSeason(ctx)
			if err != nil {
				return err
			}
			score, err := f.SeasonScore(ctx, f.Ann.ID, season.ID)
			assert.True(t, score >= shows*5, "a score of %d", score)
			return err
		}
	}
	each(10, play)
	within(t, f.Scene, "getSeason (10 shows of 100 entries)", budget{3, 10, 0}, score(10))
	enter(10)
	within(t, f.Scene, "getSeason (10 shows of 100 entries, and an open one)", budget{4, 12, 0}, score(10))
	f.MustJudge(t, f.Ann, shows[10])
	each(9, func(i int) { play(11 + i) })
	within(t, f.Scene, "getSeason (20 shows of 100 entries)", budget{3, 15, 0}, score(20))
	entries := func(n int) func(ctx context.Context) error {
		return func(ctx context.Context) error {
			page, err := f.OwnEntries(ctx, f.Ann.ID, store.OwnQuery{Limit: 20})
			assert.Len(t, page.Entries, n, "%d entries", len(page.Entries))
			return err
		}
	}
	within(t, f.Scene, "listOwnEntries (20 shows of 100 entries)", budget{4, 40, 0}, entries(20))
	each(2, func(i int) { f.AddSeason(t, starting(f.Now+game.Instant(i), false)) }) // without entries
	within(t, f.Scene, "listSeasons (3 seasons)", budget{1, 3, 0}, func(ctx context.Context) error { return errOf(f.LatestSeasons(ctx, f.Ann.ID)) })
	within(t, f.Scene, "listOwnEntries (20 unclaimed prizes, 3 seasons)", budget{5, 40, 0}, func(ctx context.Context) error {
		page, err := f.OwnEntries(ctx, winner.ID, store.OwnQuery{All: true, Unclaimed: true, Limit: 20})
		assert.Len(t, page.Entries, 20, "%d prizes", len(page.Entries))
		return err
	})
	each(20, func(i int) { f.MustClaim(t, f.Ann, shows[i]) })
	within(t, f.Scene, "listOwnEntries (in one show)", budget{5, 5, 0}, func(ctx context.Context) error {
		page, err := f.OwnEntries(ctx, f.Ann.ID, store.OwnQuery{Show: shows[0].ID, Limit: 20})
		assert.Len(t, page.Entries, 1, "%d entries", len(page.Entries))
		return err
	})
	within(t, f.Scene, "listOwnEntries (a wrong query)", budget{1, 1, 0}, func(ctx context.Context) error { return f.CheckCaller(ctx, f.Ann.ID) })
	within(t, f.Scene, "listOwnEntries (20 shows of 100 entries, claimed)", budget{4, 40, 0}, entries(20))
}

// budgetOfStandings adds a show to the standings of 10,000 players, and reads pages of them. The names have 12
// characters, and the longest possible ones for the reads.
func budgetOfStandings(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	scores := map[game.ID]int64{f.Ann.ID: 700}
	for i := range 10_000 - 1 {
		scores[game.NewID()] = int64(i % 1500)
	}
	all := game.RankSeason(scores)
	write := func(name string) {
		for i := range all {
			all[i].PlayerUsername = name
		}
		head := records.StandingsItem{Key: records.StandingsKey(f.Season.ID), Live: 5, Begun: 5, AsOf: f.Now - 1, Players: len(all)}
		for range 70 {
			id := []byte(game.NewID())
			head.Hidden, head.Renamed = append(head.Hidden, id[:16]), append(head.Renamed, id[:20])
		}
		items := must(head.Snapshot().Items(all, nil))(t)
		each(len(items), func(i int) { checkError(t, f.Rival.Table.Put(t.Context(), items[i], table.Condition{}), nil) })
		checkError(t, f.Rival.Table.Put(t.Context(), head, table.Condition{}), nil)
	}
	within(t, f.Scene, "updateStandings (to find nothing)", budget{2, 2, 0}, func(ctx context.Context) error { return errOf(f.Unfolded(ctx, f.Now)) })
	f.fill(t, f.Show, 1, 100)
	f.MustJudge(t, f.Ann, f.Show)
	write("twelve_chars")
	within(t, f.Scene, "updateStandings (10,000 players)", budget{30, 220, 550}, func(ctx context.Context) error {
		seasons, err := f.Unfolded(ctx, f.Now)
		if err != nil {
			return err
		}
		return f.Fold(ctx, seasons[0])
	})
	write("a_name_of_24_characters_")
	for label, at := range map[string]store.StandingsAt{
		"the first": {}, "of one season": {Season: f.Season.ID}, "behind a player": {After: all[5_030].PlayerID}, "around the caller": {Around: true},
	} {
		at.Limit = 100
		within(t, f.Scene, fmt.Sprintf("getStandings (100 of 10,000 players, %s)", label), budget{5, 15, 0}, func(ctx context.Context) error {
			page, err := f.SeasonStandings(ctx, f.Ann.ID, at)
			assert.True(t, len(page.Rows) == 100 && page.Me != nil, "%d rows, %v", len(page.Rows), page.Me)
			return err
		})
	}
}

// budgetOfDueShows judges a show without a caller.
func budgetOfDueShows(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, records.DefaultGates)
	f.fill(t, f.Show, records.DefaultGates, 100)
	within(t, f.Scene, "judgeDue (100 entries), 16 gates", budget{4, 20, 60}, func(ctx context.Context) error {
		return errOf(f.JudgeDue(ctx, f.Show.ID, f.Show.EntryClosesAt))
	})
}

// budgetOfPendingWork finds pending work, refunds 100 entries, and removes a deleted user's name from an entry.
func budgetOfPendingWork(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 10, 1)
	find := func(n int) {
		t.Helper()
		within(t, f.Scene, fmt.Sprintf("finishPending (to find %d works)", n), budget{1, 1, 0}, func(ctx context.Context) error {
			works, err := f.Unfinished(ctx)
			assert.Len(t, works, n, "%d works", len(works))
			return err
		})
	}
	finish := func(name string, most budget, w store.PendingWork) {
		t.Helper()
		within(t, f.Scene, "finishPending ("+name+")", most, func(ctx context.Context) error {
			finished, err := f.Finish(ctx, w, f.Now)
			assert.True(t, finished, "%s: not finished", name)
			return err
		})
	}
	find(0)
	f.fillForReal(t, 100, 1)
	f.MustEnter(t, f.Ann, f.AddShow(t, storetest.Fee(0)), 0)
	checkError(t, f.Operator().CancelShow(t.Context(), f.Show.ID), nil)
	find(1)
	finish("refunds of 100 entries", budget{24, 220, 620}, store.PendingWork{Work: store.WorkRefunds, Show: f.Show.ID})
	f.Wire.Next("UpdateItem", storetest.Denied)
	_, err := f.changes().DeleteUser(t.Context(), f.Ann.ID)
	assert.Error(t, err, "deleted whole")
	finish("a deletion, 1 entry", budget{10, 13, 4}, store.PendingWork{Work: store.WorkNames, User: f.Ann.ID})
}

// budgetOfAudits audits 100 accounts with a ledger row each. A scan costs at least half a unit for each of its pieces.
func budgetOfAudits(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.AddSeason(t)
	each(100, func(int) { s.AddPlayer(t, storetest.Anybody) })
	within(t, s, "auditLedgers (100 new accounts)", budget{8, 40, 0}, func(ctx context.Context) error {
		audits := 0
		_, err := s.AuditTable(ctx, s.Now, func(upkeep.LedgerAudit) error { audits++; return nil })
		assert.Equal(t, 100, audits, "%d audits", audits)
		return err
	})
}
