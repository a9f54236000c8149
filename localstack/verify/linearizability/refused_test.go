package linearizability

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// What cannot have happened, and must be noticed: what was answered, what took effect, and what somebody has made of
// what is stored; and a word of why.
func TestNotExplained(t *testing.T) {
	t.Parallel()
	at := func(ops ...Op) World { return after(t, newScene(), ops...) }
	earlier := Login{annLogsIn.Email, game.RefreshRecord{ID: "t4", UserID: ann, Digest: "fourth"}, annLogsIn.Now - 1}
	for name, test := range map[string]struct {
		before []Op
		calls  []Call
		stored []Op
		doctor func(w World) World
		why    string
	}{
		"an entry that is not there": {
			calls: []Call{call(0, 1, annEnters, int64(50))},
			why:   "Entries[a1] is not there",
		},
		"an entry without its fee": {
			calls: []Call{call(0, 1, annEnters, int64(50))}, stored: []Op{annEnters},
			doctor: func(w World) World { return gold(w, ann, 0, false) },
			why:    "GoldBalance is 500, not 450",
		},
		"an entry that is paid twice": {
			calls: []Call{call(0, 1, annEnters, int64(50))}, stored: []Op{annEnters},
			doctor: func(w World) World { return gold(w, ann, -50, true) },
			why:    "GoldBalance is 400, not 450",
		},
		"refused, yet charged": {
			calls:  []Call{call(0, 1, annEnters, game.ErrShowClosed)},
			doctor: func(w World) World { return gold(w, ann, -50, true) },
			why:    "the rules do not refuse it",
		},
		"refused, yet entered": {
			before: []Op{annToGala},
			calls:  []Call{call(0, 1, nextToGala, game.InsufficientGold(300))},
			doctor: func(w World) World {
				s := w.Shows[gala]
				s.Entries = with(s.Entries, annsNext, Entry{Player: ann})
				return w.withShow(s)
			},
			why: "Entries[a2]",
		},
		"another fee than was asked": {
			calls: []Call{call(0, 1, annEnters, int64(40))}, stored: []Op{annEnters},
			why: "the rules answer 50",
		},
		"two entries of one animal": {
			calls: []Call{call(0, 9, annEnters, int64(50)), call(0, 9, annEnters, int64(50))}, stored: []Op{annEnters},
			why: "DUPLICATE",
		},
		"more gold spent than there was": {
			calls:  []Call{call(0, 9, annToGala, int64(300)), call(0, 9, nextToGala, int64(300))},
			stored: []Op{annToGala},
			why:    "INSUFFICIENT_GOLD",
		},
		"a balance of no order": {
			calls:  []Call{call(0, 1, annEnters, int64(50)), call(2, 3, annToGala, int64(300))},
			stored: []Op{annToGala, annEnters},
			why:    "Ledger[1]",
		},
		"a lost row of a ledger": {
			calls: []Call{call(0, 1, annEnters, int64(50)), call(2, 3, annToGala, int64(300))}, stored: []Op{annEnters, annToGala},
			doctor: func(w World) World {
				u := w.Users[ann]
				u.Ledger = slices.Delete(slices.Clone(u.Ledger), 1, 2)
				w.Users = with(w.Users, ann, u)
				return w
			},
			why: "Ledger[1]",
		},
		"the second refusal instead of the first": {
			before: []Op{annEnters, ban},
			calls:  []Call{call(0, 1, annEnters, game.ErrDuplicateEntry)},
			why:    "UNAUTHORIZED",
		},
		"a dead animal enters": {
			before: []Op{dies},
			calls:  []Call{call(0, 1, annEnters, int64(50))},
			why:    "Animal not found",
		},
		"somebody else's animal enters": {
			calls: []Call{call(0, 1, Enter{bob, fair, annsBest, now}, int64(50))},
			why:   "Animal not found",
		},
		"somebody enters who is not there": {
			calls: []Call{call(0, 1, Enter{"nobody", fair, annsBest, now}, game.ErrAnimalUnknown)},
			why:   "UNAUTHORIZED",
		},
		"somebody judges who is not there": {
			before: []Op{bobJudges},
			calls:  []Call{call(0, 1, Judge{"nobody", fair, now}, game.ErrShowNotOpen)},
			why:    "UNAUTHORIZED",
		},
		"somebody claims who is not there": {
			calls: []Call{call(0, 1, Claim{"nobody", fair, now}, game.ErrNothingToClaim)},
			why:   "UNAUTHORIZED",
		},
		"an entry after the judging": {
			calls:  []Call{call(0, 1, bobJudges, podium()), call(2, 3, annEnters, int64(50))},
			stored: []Op{bobJudges},
			why:    "Show not found or entry closed",
		},
		"an entry that is paid and left out": {
			calls: []Call{call(0, 1, annEnters, int64(50)), call(2, 3, bobJudges, podium())}, stored: []Op{annEnters, bobJudges},
			why: "the rules answer [{",
		},
		"an entry refused before the judging began": {
			calls:  []Call{call(0, 1, annEnters, game.ErrShowClosed), call(2, 3, bobJudges, podium())},
			stored: []Op{bobJudges},
			why:    "the rules do not refuse it",
		},
		"two judgings": {
			calls: []Call{call(0, 9, bobJudges, podium()), call(0, 9, annJudges, podium())}, stored: []Op{bobJudges},
			why: "Show not open",
		},
		"two of one rank": {
			before: []Op{annEnters, bobEnters},
			calls:  []Call{call(0, 9, bobJudges, podium(annsBest, bobsBest))}, stored: []Op{bobJudges},
			doctor: func(w World) World {
				s := w.Shows[fair]
				s.Results = with(s.Results, bobsBest, Placing{1, s.Results[bobsBest].Score})
				return w.withShow(s)
			},
			why: "Results[b1].Rank is 1, not 2",
		},
		"a score of an animal as it was long ago": {
			before: []Op{annEnters},
			calls:  []Call{call(0, 1, starves, nil), call(2, 3, bobJudges, podium(annsBest))},
			stored: []Op{starves, bobJudges},
			why:    "the rules answer [{",
		},
		"a judging that is lost, over, and counts for nothing": {
			before: []Op{annEnters},
			calls:  []Call{over(0, 1, bobJudges), call(2, 3, annsSeason, int64(0))},
			stored: []Op{bobJudges},
			why:    "Shows[fair].JudgedAt is",
		},
		"an entry that is lost, over, and made afterwards": {
			calls:  []Call{over(0, 1, annEnters), call(2, 3, looks, detail(at(), fair))},
			stored: []Op{annEnters},
			why:    "is there, not not there",
		},
		"a prize that is paid twice": {
			before: []Op{annEnters, bobJudges},
			calls:  []Call{call(0, 9, annClaims, Prize{1, 100}), call(0, 9, annClaims, Prize{1, 100})},
			stored: []Op{annClaims},
			why:    "ALREADY_CLAIMED",
		},
		"a prize that is paid twice, once without an answer": {
			before: []Op{annEnters, bobJudges},
			calls:  []Call{call(0, 9, annClaims, Prize{1, 100}), lost(0, annClaims)},
			stored: []Op{annClaims},
			doctor: func(w World) World { return gold(w, ann, 100, true) },
			why:    "GoldBalance is 650, not 550",
		},
		"a prize of another rank": {
			before: []Op{annEnters, bobEnters, bobJudges},
			calls:  []Call{call(0, 9, annClaims, Prize{2, 60})},
			stored: []Op{annClaims},
			why:    "the rules answer Prize{Rank:1 Prize:100}",
		},
		"a prize of somebody else's rank": {
			before: []Op{annEnters, bobEnters, bobJudges},
			calls:  []Call{call(0, 9, Claim{bob, fair, now}, Prize{1, 100})},
			why:    "the rules answer Prize{Rank:2 Prize:60}",
		},
		"a prize of the second best of one's ranks": {
			before: []Op{annEnters, annEntersNext, bobJudges},
			calls:  []Call{call(0, 9, annClaims, Prize{2, 60})},
			why:    "the rules answer Prize{Rank:1 Prize:100}",
		},
		"a prize without a rank": {
			before: []Op{annEnters, fades, bobJudges},
			calls:  []Call{call(0, 9, annClaims, Prize{1, 100})},
			why:    "the rules answer Prize{}",
		},
		"a claim before the judging": {
			before: []Op{annEnters},
			calls:  []Call{call(0, 1, annClaims, Prize{1, 100}), call(2, 3, bobJudges, podium(annsBest))},
			stored: []Op{bobJudges, annClaims},
			why:    "NOT_FOUND",
		},
		"nothing to claim after the judging": {
			before: []Op{annEnters},
			calls:  []Call{call(0, 1, bobJudges, podium(annsBest)), call(2, 3, annClaims, game.ErrNothingToClaim)},
			stored: []Op{bobJudges},
			why:    "the rules do not refuse it",
		},
		"a log-in after a ban": {
			calls:  []Call{call(0, 1, ban, nil), call(2, 3, annLogsIn, newScene().Users[ann].Account)},
			stored: []Op{ban},
			why:    "BANNED",
		},
		"a log-in that shows the balance before a fee that was paid": {
			calls:  []Call{call(0, 1, annEnters, int64(50)), call(2, 3, annLogsIn, newScene().Users[ann].Account)},
			stored: []Op{annEnters, annLogsIn},
			why:    "the rules answer",
		},
		"a log-in that does not find who had registered": {
			calls:  []Call{call(0, 1, cleoComes, nil), call(2, 3, cleoLogsIn, game.ErrInvalidCredentials)},
			stored: []Op{cleoComes},
			why:    "OAUTH_ACCOUNT",
		},
		"a log-in that is older than the last one": {
			before: []Op{annLogsIn},
			calls:  []Call{call(0, 1, earlier, newScene().Users[ann].Account)},
			stored: []Op{earlier},
			doctor: func(w World) World {
				u := w.Users[ann]
				u.LastLoginAt = &earlier.Now
				w.Users = with(w.Users, ann, u)
				return w
			},
			why: "LastLoginAt",
		},
		"a refund that was later than the first": {
			before: []Op{cancel, refund},
			calls:  []Call{call(0, 1, refundAgain, nil)},
			doctor: func(w World) World {
				s := w.Shows[fair]
				s.RefundedAt = &refundAgain.Change.At
				return w.withShow(s)
			},
			why: "RefundedAt",
		},
		"a log-in that shows another balance than there is, before a fee is paid": {
			calls:  []Call{call(0, 1, annLogsIn, gold(newScene(), ann, -1, true).Users[ann].Account), call(2, 3, annEnters, int64(50))},
			stored: []Op{annLogsIn, annEnters},
			why:    "the rules answer",
		},
		"a log-in that shows another balance than there is, while others pay": {
			calls:  []Call{call(0, 9, annLogsIn, gold(newScene(), ann, -1, true).Users[ann].Account), call(0, 9, bobEnters, int64(50))},
			stored: []Op{annLogsIn, bobEnters},
			why:    "the rules answer",
		},
		"a log-in that shows a balance that there never was, of two fees": {
			calls: []Call{
				call(0, 9, annEnters, int64(50)), call(1, 2, annToGala, int64(300)), call(3, 4, annLogsIn, at(annToGala).Users[ann].Account),
			},
			stored: []Op{annEnters, annToGala, annLogsIn},
			why:    "Ledger[1].Amount",
		},
		"a session after a ban and an unban": {
			before: []Op{ban},
			calls:  []Call{call(0, 1, unban, nil), call(2, 3, annRefreshes, at(ban, unban).Users[ann].Account)},
			stored: []Op{unban},
			why:    "Refresh token invalid or expired",
		},
		"a session after logging out": {
			calls:  []Call{call(0, 1, Logout{annsToken}, nil), call(2, 3, annRefreshes, newScene().Users[ann].Account)},
			stored: []Op{Logout{annsToken}},
			why:    "Refresh token invalid or expired",
		},
		"a change after a ban": {
			calls:  []Call{call(0, 1, ban, nil), call(2, 3, annEnters, int64(50))},
			stored: []Op{ban},
			why:    "UNAUTHORIZED",
		},
		"a change without its record": {
			calls: []Call{call(0, 1, ban, nil)}, stored: []Op{ban},
			doctor: func(w World) World { w.Changes = nil; return w },
			why:    "Changes[ban] is not there",
		},
		"a name that is taken": {
			calls: []Call{call(0, 1, Register{Account: newScene().Users[ann].Account}, nil)},
			why:   "CONFLICT",
		},
		"a closing time that is lost": {
			calls:  []Call{call(0, 9, delayed, nil), call(0, 9, renamed, nil)},
			stored: []Op{renamed},
			why:    "EntryClosesAt",
		},
		"a fee that changes under an entry": {
			calls:  []Call{call(0, 1, annEnters, int64(50)), call(2, 3, free, nil)},
			stored: []Op{annEnters},
			why:    store.ErrHasEntries.Error(),
		},
		"an old fee after the change": {
			calls:  []Call{call(0, 1, free, nil), call(2, 3, annEnters, int64(50))},
			stored: []Op{free, annEnters},
			why:    "the rules answer 0",
		},
		"a cancelled show that is judged": {
			calls:  []Call{call(0, 9, cancel, nil), call(0, 9, bobJudges, podium())},
			stored: []Op{cancel},
			why:    "Show not open",
		},
		"a fee that is given back twice": {
			before: []Op{annEnters, cancel},
			calls:  []Call{call(0, 9, refund, nil), call(0, 9, refund, nil)},
			stored: []Op{refund},
			doctor: func(w World) World { return gold(w, ann, 50, true) },
			why:    "GoldBalance is 550, not 500",
		},
		"a fee that is not given back": {
			before: []Op{annEnters, bobEnters, cancel},
			calls:  []Call{call(0, 9, refund, nil)},
			stored: []Op{refund},
			doctor: func(w World) World { return gold(w, bob, -50, true) },
			why:    "GoldBalance is 450, not 500",
		},
		"half a judging": {
			before: []Op{annEnters, bobEnters},
			calls: []Call{call(0, 9, bobJudges, podium(annsBest, bobsBest)), call(1, 8, looks, edited(detail(at(annEnters, bobEnters, bobJudges), fair), func(d *Details) {
				d.Entries[1].Rank, d.Entries[1].Score = nil, nil
			}))},
			stored: []Op{bobJudges},
			why:    "the judging: the entry is Entry{",
		},
		"ranks in an open show": {
			before: []Op{annEnters},
			calls: []Call{call(0, 9, bobJudges, podium(annsBest)), call(1, 8, looks, edited(detail(at(annEnters, bobJudges), fair), func(d *Details) {
				d.Show = newScene().Shows[fair].Show
			}))},
			stored: []Op{bobJudges},
			why:    "the entry of animal a1",
		},
		"a judging without one of its entries": {
			before: []Op{annEnters, bobEnters},
			calls: []Call{call(0, 9, bobJudges, podium(annsBest, bobsBest)), call(1, 8, looks, edited(detail(at(annEnters, bobEnters, bobJudges), fair), func(d *Details) {
				d.Entries = d.Entries[:1]
			}))},
			stored: []Op{bobJudges},
			why:    "the show has 2 entries",
		},
		"a detail without an entry that was answered": {
			calls:  []Call{call(0, 1, annEnters, int64(50)), call(2, 3, looks, detail(at(), fair))},
			stored: []Op{annEnters},
			why:    "the animal has an entry",
		},
		"a detail without a judging that was answered": {
			calls:  []Call{call(0, 1, bobJudges, podium()), call(2, 3, looks, detail(at(), fair))},
			stored: []Op{bobJudges},
			why:    "Status:completed",
		},
		"a detail with a claim that was not made": {
			before: []Op{annEnters, bobJudges},
			calls:  []Call{call(0, 1, looks, detail(at(annEnters, bobJudges, annClaims), fair))},
			why:    "the player has not claimed",
		},
		"a claim of one of a player's entries": {
			before: []Op{annEnters, annEntersNext, bobJudges, annClaims},
			calls: []Call{call(0, 1, looks, edited(detail(at(annEnters, annEntersNext, bobJudges, annClaims), fair), func(d *Details) {
				d.Entries[1].RewardClaimed = false
			}))},
			why: "a claim is for all of a player's entries",
		},
		"an entry twice": {
			before: []Op{annEnters},
			calls:  []Call{call(0, 1, looks, edited(detail(at(annEnters), fair), func(d *Details) { d.Entries = append(d.Entries, d.Entries[0]) }))},
			why:    "is there twice",
		},
		"entries out of order": {
			before: []Op{annEnters, bobEnters, bobJudges},
			calls:  []Call{call(0, 1, looks, edited(detail(at(annEnters, bobEnters, bobJudges), fair), func(d *Details) { slices.Reverse(d.Entries) }))},
			why:    "out of order",
		},
		"a list with too few entries": {
			calls:  []Call{call(0, 1, annEnters, int64(50)), call(2, 3, lists, list(at()))},
			stored: []Op{annEnters},
			why:    "the show has 1 entries",
		},
		"a list with an entry that never was": {
			calls: []Call{call(0, 1, lists, list(at(annEnters)))},
			why:   "the show has 0 entries",
		},
		"a list without a show": {
			calls: []Call{call(0, 9, renamed, nil), call(0, 9, lists, list(at(cancel)))}, stored: []Op{renamed},
			why: "no row of show fair",
		},
		"a list with a show that was judged long ago": {
			calls: []Call{call(0, 1, bobJudges, podium()), call(2, 3, lists, list(at()))}, stored: []Op{bobJudges},
			why: "Status:completed",
		},
		"a list of open shows with a judged one": {
			before: []Op{bobJudges},
			calls:  []Call{call(0, 1, lists, append([]game.ListedShow{{Show: at(bobJudges).Shows[fair].Show}}, list(at(bobJudges))...))},
			why:    "the row of show fair",
		},
		"a list that is too long": {
			calls: []Call{call(0, 1, lists, slices.Repeat(list(at()), 26))},
			why:   "it has 52 shows",
		},
		"a list out of order": {
			calls: []Call{call(0, 1, lists, []game.ListedShow{list(at())[1], list(at())[0]})},
			why:   "show fair comes after gala",
		},
		"a list with a show twice": {
			calls: []Call{call(0, 9, delayed, nil), call(0, 9, lists, append(list(at()), list(at(delayed))[1]))}, stored: []Op{delayed},
			why: "listed twice",
		},
		"half of two entries of a season": {
			before: []Op{annEnters, annEntersNext},
			calls:  []Call{call(0, 9, bobJudges, podium(annsBest, annsNext)), call(1, 8, annsSeason, int64(100))},
			stored: []Op{bobJudges},
			why:    "the sum is",
		},
		"a season without a show that was judged before": {
			before: []Op{annEnters},
			calls:  []Call{call(0, 1, bobJudges, podium(annsBest)), call(2, 3, annsSeason, int64(0))},
			stored: []Op{bobJudges},
			why:    "the sum is 100",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := at(test.before...)
			stored := after(t, before, test.stored...)
			if test.doctor != nil {
				stored = test.doctor(stored)
			}
			err := Explain(before, test.calls, stored)
			var violation *Violation
			if !errors.As(err, &violation) || !strings.Contains(err.Error(), test.why) {
				t.Errorf("%v, want %q", err, test.why)
			}
		})
	}
}

// gold is the world after somebody's gold has moved by an amount, with a row of the ledger; without one it is as it was
// at first.
func gold(w World, user game.ID, amount int64, row bool) World {
	u := w.Users[user]
	if !row {
		u.GoldBalance, u.LedgerSeq, u.Ledger = 500, 1, u.Ledger[:1]
	} else {
		u.GoldBalance, u.LedgerSeq = u.GoldBalance+amount, u.LedgerSeq+1
		u.Ledger = append(slices.Clip(u.Ledger), Row{Amount: amount, BalanceAfter: u.GoldBalance})
	}
	w.Users = maps.Clone(w.Users)
	w.Users[user] = u
	return w
}

func edited(d Details, edit func(*Details)) Details {
	edit(&d)
	return d
}
