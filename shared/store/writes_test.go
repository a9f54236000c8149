package store_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/tally"
)

// write is a kind of transaction. do makes it in a fair, once, and check verifies that it was made.
type write struct {
	name  string
	fair  func(t *testing.T) fair
	do    func(ctx context.Context, f fair) error
	check func(t *testing.T, f fair)
}

// counted does the write, and checks that the counted gold equals the gains and losses in the ledgers.
func (w write) counted(t *testing.T, f fair) error {
	t.Helper()
	paid, charged := f.ledgers(t)
	ctx, took := tally.New(t.Context())
	err := w.do(ctx, f)
	paidNow, chargedNow := f.ledgers(t)
	storetest.Equal(t, "gold paid", took.Get(tally.GoldPaid), paidNow-paid)
	storetest.Equal(t, "gold charged", took.Get(tally.GoldCharged), chargedNow-charged)
	return err
}

// ledgers returns the gold that all ledgers have paid to players and charged them. It leaves out operators' changes,
// which are recorded and not counted.
func (f fair) ledgers(t *testing.T) (paid, charged int64) {
	t.Helper()
	checkError(t, f.Rival.EachAccount(t.Context(), func(a game.Account) error {
		rows, err := f.Rival.Ledger(t.Context(), a.ID)
		for _, row := range rows {
			if row.Category != game.CategoryRefund && row.Category != game.CategoryAdjustment {
				paid, charged = paid+max(row.Amount, 0), charged-min(row.Amount, 0)
			}
		}
		return err
	}), nil)
	return paid, charged
}

func openFair(fee int64, gates int) func(t *testing.T) fair {
	return func(t *testing.T) fair { return newFair(t, game.TierRookie, fee, gates) }
}

func judgedFair(tier string, gates int) func(t *testing.T) fair {
	return func(t *testing.T) fair { return newFair(t, tier, 0, gates).judged(t, 0) }
}

// cancelledFair is a fair whose show is cancelled, with the fee of one entry to refund.
func cancelledFair(t *testing.T) fair {
	f := newFair(t, game.TierRookie, 50, 2)
	f.MustEnter(t, f.Ann, f.Show, 0)
	checkError(t, f.Operator().CancelShow(t.Context(), f.Show.ID), nil)
	return f
}

// damagedFair is a fair whose show has lost its row on the board of open shows.
func damagedFair(t *testing.T) fair {
	f := newFair(t, game.TierRookie, 50, 2)
	f.At(store.BoardKey(game.ShowOpen, "", f.Show)).Delete(t)
	return f
}

var writes = []write{
	{"register", openFair(0, 1), func(ctx context.Context, f fair) error {
		return f.NewPlayer(storetest.Bob).Create(ctx, f.Store)
	}, func(t *testing.T, f fair) {
		accounts := 0
		checkError(t, f.Rival.EachAccount(t.Context(), func(game.Account) error { accounts++; return nil }), nil)
		checkError(t, f.Rival.EachAccount(t.Context(), func(game.Account) error { return game.ErrTaken }), game.ErrTaken)
		storetest.Equal(t, "accounts", accounts, 2)
	}},
	{"external account", openFair(0, 1), func(ctx context.Context, f fair) error {
		return f.changes().CreateExternalAccount(ctx, game.NewExternalAccount("out@example.com", "outsider", f.Now))
	}, func(t *testing.T, f fair) {
		if a, _, err := f.Rival.AccountByEmail(t.Context(), "out@example.com"); err != nil || a == nil {
			t.Error(a, err)
		}
	}},
	{"login", openFair(0, 1), func(ctx context.Context, f fair) error {
		return errOf(f.RecordLogin(ctx, f.Ann.Account, f.NewRefresh(f.Ann.ID), game.Rehash{}, f.Now))
	}, func(t *testing.T, f fair) {
		storetest.Equal(t, "last login", *f.AccountOf(t, f.Ann.ID).LastLoginAt, f.Now)
	}},
	{"login with a new hash", openFair(0, 1), func(ctx context.Context, f fair) error {
		return errOf(f.RecordLogin(ctx, f.Ann.Account, f.NewRefresh(f.Ann.ID), game.Rehash{Old: f.Ann.PasswordHash, New: "new"}, f.Now))
	}, func(t *testing.T, f fair) { storetest.Equal(t, "hash", f.HashOf(t, f.Ann.Email), "new") }},
	{"enter", openFair(50, 1), enterFirst, func(t *testing.T, f fair) { f.CheckGold(t, f.Ann.ID, 450, 500, -50) }},
	{"enter free", openFair(0, 3), enterFirst, func(t *testing.T, f fair) { storetest.Equal(t, "entries", len(f.ranks(t)), 1) }},
	{"judge", openFair(0, 1), judgeOnce, checkJudged},
	{"judge gates", openFair(0, 3), judgeOnce, checkJudged},
	{"due judging", openFair(0, 2), func(ctx context.Context, f fair) error {
		return errOf(f.JudgeDue(ctx, f.Show.ID, f.Show.EntryClosesAt))
	}, checkJudged},
	{"operator's judging", openFair(0, 2), func(ctx context.Context, f fair) error {
		return errOf(f.changes().JudgeShow(ctx, f.Show.ID))
	}, checkJudged},
	{"claim a prize", judgedFair(game.TierRookie, 1), claimOnce, func(t *testing.T, f fair) { f.CheckGold(t, f.Ann.ID, 600, 500, 100) }},
	{"claim nothing", judgedFair("exhibition", 2), claimOnce, func(t *testing.T, f fair) {
		checkError(t, errOf(f.claim(t.Context(), f.Ann)), game.ErrAlreadyClaimed)
	}},
	{"new show", bareFair, func(ctx context.Context, f fair) error {
		return f.changes().CreateShow(ctx, f.NewShow(), 3)
	}, func(t *testing.T, f fair) { f.checkList(t, game.ShowOpen, "", "County Fair") }},
	{"new terms", openFair(50, 2), func(ctx context.Context, f fair) error {
		name, fee := "Town Fair", int64(60)
		return f.changes().SetShow(ctx, f.Show.ID, operate.ShowChange{Name: &name, EntryFee: &fee})
	}, func(t *testing.T, f fair) {
		f.checkList(t, game.ShowOpen, "", "Town Fair")
		f.MustEnter(t, f.Ann, f.Show, 0)
		f.CheckGold(t, f.Ann.ID, 440, 500, -60)
	}},
	{"new closing time", openFair(50, 2), func(ctx context.Context, f fair) error {
		return f.changes().SetShow(ctx, f.Show.ID, operate.ShowChange{EntryClosesAt: new(f.Show.EntryClosesAt + 1)})
	}, func(t *testing.T, f fair) { f.AtTime(f.Show.EntryClosesAt).MustEnter(t, f.Ann, f.Show, 0) }},
	{"cancel", openFair(50, 2), func(ctx context.Context, f fair) error {
		return f.changes().CancelShow(ctx, f.Show.ID)
	}, func(t *testing.T, f fair) { f.checkList(t, game.ShowCancelled, "", f.Show.Name) }},
	{"repair", damagedFair, func(ctx context.Context, f fair) error {
		return errOf(repairShow(ctx, f.Desk, f.Change(), f.Show.ID))
	}, func(t *testing.T, f fair) { f.checkList(t, game.ShowOpen, "", f.Show.Name) }},
	{"refund", cancelledFair, func(ctx context.Context, f fair) error {
		return f.changes().Refund(ctx, f.Show.ID, nil)
	}, func(t *testing.T, f fair) { f.CheckGold(t, f.Ann.ID, 500, 500, -50, 50) }},
	{"finish", cancelledFair, func(ctx context.Context, f fair) error {
		return errOf(f.Finish(ctx, store.PendingWork{Work: store.WorkRefunds, Show: f.Show.ID}, f.Now))
	}, func(t *testing.T, f fair) { f.CheckGold(t, f.Ann.ID, 500, 500, -50, 50) }},
	{"new season", bareFair, func(ctx context.Context, f fair) error {
		return f.changes().CreateSeason(ctx, f.NewSeason(starting(1, true)))
	},
		func(t *testing.T, f fair) {
			seasons := must(f.Rival.Seasons(t.Context()))(t)
			storetest.Equal(t, "seasons", len(seasons), 2)
		}},
	{"end of a season", bareFair, func(ctx context.Context, f fair) error {
		err := f.changes().SetSeasonActive(ctx, f.Season.ID, false)
		return err
	}, func(t *testing.T, f fair) { checkActive(t, f.Scene, nil) }},
	{"ban", openFair(0, 1), func(ctx context.Context, f fair) error { return f.changes().Ban(ctx, f.Ann.ID) },
		func(t *testing.T, f fair) {
			account := f.AccountOf(t, f.Ann.ID)
			storetest.Equal(t, "status", account.Status, game.UserBanned)
			storetest.Equal(t, "sessions from", account.SessionsFrom, f.Now+1)
		}},
	{"unban", openFair(0, 1), func(ctx context.Context, f fair) error { return f.changes().Unban(ctx, f.Ann.ID) },
		func(t *testing.T, f fair) {
			storetest.Equal(t, "status", f.AccountOf(t, f.Ann.ID).Status, game.UserActive)
		}},
	{"revocation", openFair(0, 1), func(ctx context.Context, f fair) error { return f.changes().RevokeSessions(ctx, f.Ann.ID) },
		func(t *testing.T, f fair) {
			storetest.Equal(t, "sessions from", f.AccountOf(t, f.Ann.ID).SessionsFrom, f.Now+1)
		}},
	{"adjustment", openFair(0, 1), func(ctx context.Context, f fair) error {
		return f.changes().AdjustGold(ctx, f.Ann.ID, -1, "a fault")
	}, func(t *testing.T, f fair) { f.CheckGold(t, f.Ann.ID, 499, 500, -1) }},
	{"payment", openFair(0, 1), func(ctx context.Context, f fair) error {
		return f.changes().PayOnce(ctx, f.Ann.ID, 1, "a fault")
	}, func(t *testing.T, f fair) { f.CheckGold(t, f.Ann.ID, 501, 500, 1) }},
	{"gold from ledger", func(t *testing.T) fair {
		f := newFair(t, game.TierRookie, 0, 1)
		f.At(store.UserKey(f.Ann.ID)).Edit(t, "SET g = :gold", map[string]any{":gold": 7})
		return f
	}, func(ctx context.Context, f fair) error {
		return f.changes().SetGoldFromLedger(ctx, f.Ann.ID)
	}, func(t *testing.T, f fair) { f.CheckGold(t, f.Ann.ID, 500, 500) }},
	{"deletion", enteredFair, func(ctx context.Context, f fair) error {
		return errOf(f.changes().DeleteUser(ctx, f.Ann.ID))
	}, func(t *testing.T, f fair) {
		storetest.Equal(t, "status", f.AccountOf(t, f.Ann.ID).Status, game.UserDeleted)
		storetest.Equal(t, "name", f.names(t, f.Show.ID)[f.Ann.Animals[0].ID], game.DeletedPlayer)
	}},
	{"new names", enteredFair, func(ctx context.Context, f fair) error {
		return errOf(f.changes().SetUser(ctx, f.Ann.ID, operate.UserChange{Email: new("new@example.com"), Username: new("Annie")}))
	}, func(t *testing.T, f fair) {
		storetest.Equal(t, "hash", f.HashOf(t, "new@example.com"), f.Ann.PasswordHash)
		storetest.Equal(t, "name", f.names(t, f.Show.ID)[f.Ann.Animals[0].ID], "Annie")
	}},
	{"fold", judgedFair(game.TierRookie, 1), func(ctx context.Context, f fair) error {
		all, err := f.Rival.Unfolded(context.WithoutCancel(ctx), f.Now)
		if err != nil || len(all) == 0 { // made
			return err
		}
		return f.Fold(ctx, all[0])
	}, func(t *testing.T, f fair) { f.checkStandings(t, map[game.ID]string{f.Ann.ID: "Ann"}) }},
	{"recount", judgedFair(game.TierRookie, 1), func(ctx context.Context, f fair) error {
		return f.changes().RecountStandings(ctx, f.Season.ID)
	}, func(t *testing.T, f fair) {
		all := must(f.Rival.Unfolded(t.Context(), f.Now))(t)
		checkError(t, f.Rival.Fold(t.Context(), all[0]), nil)
	}},
	{"reset of a password", openFair(0, 1), func(ctx context.Context, f fair) error {
		return f.changes().ResetPassword(ctx, f.Ann.ID, "reset")
	}, func(t *testing.T, f fair) {
		storetest.Equal(t, "hash", f.HashOf(t, f.Ann.Email), "reset")
		storetest.Equal(t, "sessions from", f.AccountOf(t, f.Ann.ID).SessionsFrom, f.Now+1)
	}},
	{"own password", openFair(0, 1), func(ctx context.Context, f fair) error {
		own := func() string { return "own" }
		return errOf(f.ChangePassword(ctx, f.Ann.ID, knows(f.Ann.PasswordHash), own, f.NewRefresh(f.Ann.ID), f.Now))
	}, func(t *testing.T, f fair) { storetest.Equal(t, "hash", f.HashOf(t, f.Ann.Email), "own") }},
	{"own address", openFair(0, 1), func(ctx context.Context, f fair) error {
		return errOf(f.ChangeEmail(ctx, f.Ann.ID, knows(f.Ann.PasswordHash), "own@example.com"))
	}, func(t *testing.T, f fair) {
		storetest.Equal(t, "hash", f.HashOf(t, "own@example.com"), f.Ann.PasswordHash)
	}},
	{"own deletion", enteredFair, func(ctx context.Context, f fair) error {
		return f.DeleteAccount(ctx, f.Ann.ID, knows(f.Ann.PasswordHash), f.Now)
	}, func(t *testing.T, f fair) {
		storetest.Equal(t, "status", f.AccountOf(t, f.Ann.ID).Status, game.UserDeleted)
		storetest.Equal(t, "name", f.names(t, f.Show.ID)[f.Ann.Animals[0].ID], game.DeletedPlayer)
		storetest.Equal(t, "pending work", must(f.Rival.Unfinished(t.Context()))(t), nil)
	}},
	{"change of an animal", openFair(0, 1), func(ctx context.Context, f fair) error {
		return f.changes().ChangeAnimal(ctx, f.Ann.ID, f.Ann.Animals[0].ID, operate.AnimalChange{Stage: new("elder")})
	}, func(t *testing.T, f fair) {
		animals, err := f.Rival.Animals(t.Context(), f.Ann.ID)
		if err != nil || !slices.ContainsFunc(animals, func(a game.Animal) bool { return a.Stage == "elder" }) {
			t.Error(animals, err)
		}
	}},
}

// writesOf returns the writes whose names begin with one of the words.
func writesOf(words ...string) (some []write) {
	for _, w := range writes {
		for _, word := range words {
			if strings.HasPrefix(w.name, word) {
				some = append(some, w)
			}
		}
	}
	return some
}

func enterFirst(ctx context.Context, f fair) error { return f.enter(ctx, f.Ann, 0) }

func judgeOnce(ctx context.Context, f fair) error { return f.judge(ctx) }

func claimOnce(ctx context.Context, f fair) error { return errOf(f.claim(ctx, f.Ann)) }

func checkJudged(t *testing.T, f fair) {
	f.checkList(t, game.ShowCompleted, "", f.Show.Name)
	f.checkList(t, game.ShowOpen, "")
}

// comesToNothing runs happen between the reads of a write and the write itself, and returns the write's error. The
// write must not change the table.
func (f fair) comesToNothing(t *testing.T, w write, happen func()) error {
	t.Helper()
	var then map[string]map[string]any
	f.Meanwhile(func() {
		happen()
		then = f.rows(t)
	})
	err := w.do(t.Context(), f)
	storetest.Equal(t, "the table", f.rows(t), then)
	return err
}

// rows returns the rows of the table without results that nothing points to: a failed judging leaves some.
func (f fair) rows(t *testing.T) map[string]map[string]any {
	t.Helper()
	rows := f.Rows(t)
	maps.DeleteFunc(rows, func(k string, _ map[string]any) bool {
		show, verdict, of := strings.Cut(k, "#R#")
		verdict, _, _ = strings.Cut(verdict, "#")
		return of && rows[show+" SHOW"]["vd"] != verdict
	})
	return rows
}
