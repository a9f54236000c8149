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

// explanation is a history that is linearizable, or is not.
type explanation struct {
	before []Op
	calls  []Call
	stored []Op                // the operations that took effect, in this order; nil: all calls without error
	doctor func(w World) World // changes the final world, as if by a bug
	why    string              // if it is not linearizable: a word of the reason
}

var nothing = []Op{}

// The answers of the histories.
var (
	entered    = is(annEnters, int64(50))
	bobEntered = is(bobEnters, int64(50))
	inGala     = is(annToGala, int64(300))
	nextInGala = is(nextToGala, int64(300))
	again      = is(annEnters, game.ErrDuplicateEntry)
	first      = is(annClaims, Prize{1, 100})
	claimed    = is(annClaims, game.ErrAlreadyClaimed)
	banned     = is(ban, nil)
)

func judged(animals ...game.ID) Call { return is(bobJudges, podium(animals...)) }

// sees returns a call that reads the fair's detail, with the answer that is right after these operations.
func sees(ops ...Op) Call { return is(looks, detail(after(newScene(), ops...), fair)) }

// seesBut is another detail.
func seesBut(edit func(*Details), ops ...Op) Call {
	c := sees(ops...)
	d := c.Answer.(Details)
	edit(&d)
	c.Answer = d
	return c
}

// listed is the list of open shows after some operations.
func listed(ops ...Op) Call { return is(lists, list(after(newScene(), ops...))) }

func scored(score int64) Call { return is(annsSeason, score) }

// loggedIn is a log-in that shows the account after some operations.
func loggedIn(ops ...Op) Call { return is(annLogsIn, after(newScene(), ops...).Users[ann].Account) }

func refreshed(ops ...Op) Call { return is(annRefreshes, after(newScene(), ops...).Users[ann].Account) }

// Linearizable histories are explained: their answers, and their effects.
func TestExplained(t *testing.T) {
	t.Parallel()
	check(t, map[string]explanation{
		"in the other order than they began":            {calls: during(entered, inGala), stored: []Op{annToGala, annEnters}},
		"an entry before a judging that began earlier":  {calls: during(judged(annsBest), entered), stored: []Op{annEnters, bobJudges}},
		"an entry that a judging is faster than":        {calls: during(judged(), is(annEnters, game.ErrShowClosed))},
		"an entry before a deletion":                    {calls: during(is(deletes, 1), entered), stored: []Op{annEnters, deletes}},
		"two deletions":                                 {before: []Op{annEnters}, calls: once(is(deletes, 1), is(Delete{change("again"), ann}, 1)), stored: []Op{deletes}},
		"a judging when it is due":                      {calls: once(is(Due{fair, dueAt}, podium()))},
		"two judges":                                    {calls: once(judged(), is(annJudges, game.ErrShowNotOpen))},
		"one of two fees":                               {before: []Op{annToGala}, calls: once(is(nextToGala, game.InsufficientGold(300)), entered)},
		"the same animal twice":                         {calls: once(again, entered)},
		"lost and applied":                              {calls: once(lost(annEnters)), stored: []Op{annEnters}},
		"lost and never applied":                        {calls: once(lost(annEnters))},
		"an error is no refusal":                        {calls: once(is(annEnters, errLost)), stored: []Op{annEnters}},
		"an unclear change is lost":                     {calls: once(is(ban, store.ErrUnclear)), stored: []Op{ban}},
		"lost and applied late":                         {calls: seq(lost(annEnters), sees(), judged(annsBest)), stored: []Op{annEnters, bobJudges}},
		"lost, and the second try finds it":             {calls: seq(is(annEnters, errLost), again), stored: []Op{annEnters}},
		"lost, and overtaken by the second try":         {calls: seq(is(annEnters, errLost), entered)},
		"a claim that is lost, and found":               {before: []Op{annEnters, bobJudges}, calls: seq(lost(annClaims), claimed), stored: []Op{annClaims}},
		"one of two claims":                             {before: []Op{annEnters, bobJudges}, calls: once(claimed, first)},
		"a claim of the one of two entries with a rank": {before: []Op{annEnters, annEntersNext, fades, bobJudges}, calls: once(first)},
		"a claim without a rank":                        {before: []Op{annEnters, fades, bobJudges}, calls: seq(is(annClaims, Prize{}), claimed)},
		"a claim just after the judging":                {before: []Op{annEnters}, calls: once(judged(annsBest), first)},
		"a change before a ban":                         {calls: during(banned, entered), stored: []Op{annEnters, ban}},
		"a log-in before a ban that revokes it":         {calls: during(loggedIn(), banned)},
		"a log-in before a fee that is just being paid": {calls: during(entered, again, loggedIn())},
		"a log-in after the unban":                      {before: []Op{ban}, calls: once(is(unban, nil), loggedIn(ban, unban))},
		"a fee as it was before the change":             {calls: once(is(free, store.ErrHasEntries), entered)},
		"a fee as it is after the change":               {calls: once(is(free, nil), is(annEnters, int64(0)))},
		"a score of the animal as it was":               {before: []Op{annEnters}, calls: during(judged(annsBest), is(starves, nil), sees(annEnters))},
		"a session of somebody else's":                  {calls: once(is(Refresh{annsToken, bob, now}, game.ErrRefreshTokenDead))},
		"a session that is over":                        {calls: once(is(Refresh{annsToken, ann, now.Add(game.RefreshTokenLifetime)}, game.ErrRefreshTokenDead))},
		"a log-in without a password":                   {before: []Op{cleoComes}, calls: once(is(cleoLogsIn, game.ErrOAuthAccount))},
		"a log-in that does not find an account yet": {
			calls: during(is(cleoComes, nil), is(registers("rival", "cleo"), game.ErrTaken), is(cleoLogsIn, game.ErrInvalidCredentials)),
		},
		"somebody else's animal is not changed":          {calls: once(is(ChangeAnimal{change("theft"), bob, annsBest, starves.To}, store.ErrUnknownAnimal))},
		"a season of another name":                       {before: []Op{annEnters, bobJudges}, calls: once(is(Season{ann, "winter"}, int64(0)))},
		"a detail without an entry that becomes visible": {calls: during(entered, again, sees())},
		"a detail without a claim that becomes visible":  {before: []Op{annEnters, bobJudges}, calls: during(first, claimed, sees(annEnters, bobJudges))},
		"a detail with one of two entries":               {calls: once(entered, bobEntered, sees(bobEnters), sees(annEnters))},
		"a detail before a judging that has paid":        {before: []Op{annEnters}, calls: during(judged(annsBest), first, sees(annEnters))},
		"a list with a count that is behind":             {calls: during(entered, inGala, listed(annToGala))},
		"a list without a show that is being moved":      {calls: during(is(delayed, nil), listed(cancel))},
		"a list with a name as it was":                   {calls: during(is(renamed, nil), listed())},
		"all of two entries of a season":                 {before: []Op{annEnters, annEntersNext}, calls: once(judged(annsBest, annsNext), scored(160))},
		"two refunds at once":                            {before: []Op{annEnters, annEntersNext, bobEnters, cancel}, calls: once(is(refund, nil), is(refund, nil))},
		"a refund that was cut off":                      {before: []Op{annEnters, cancel}, calls: once(lost(refund))},
		"a refund between two cancellations":             {before: []Op{annEnters}, calls: once(is(cancel, nil), is(refund, nil), is(cancel, nil))},
		"a judging that is lost, and over while somebody reads": {
			before: []Op{annEnters}, calls: []Call{over(0, 2, bobJudges), at(1, 3, scored(0))}, stored: []Op{bobJudges},
		},
		"a season before and after a judging": {
			before: []Op{annEnters}, calls: append(during(judged(annsBest), scored(100), scored(0)), at(10, 11, scored(100))),
		},
	})
}

// Other histories are not.
func TestNotExplained(t *testing.T) {
	t.Parallel()
	earlier := Login{annLogsIn.Email, "", game.RefreshRecord{ID: "t4", UserID: ann, Digest: "fourth"}, annLogsIn.Now - 1}
	poorer := func(user game.ID, amount int64) func(World) World {
		return func(w World) World { return gold(w, user, amount) }
	}
	wrong := gold(newScene(), ann, -1).Users[ann].Account
	check(t, map[string]explanation{
		"an entry that a deletion does not count": {before: []Op{annEnters}, calls: once(is(deletes, 0)), why: "the rules answer 1"},
		"an entry by who is deleted":              {calls: seq(is(deletes, 0), entered), why: "UNAUTHORIZED"},
		"a judging before it is due":              {calls: once(is(Due{fair, dueAt - 1}, podium())), why: "still accepts entries"},
		"gold that is not there":                  {calls: once(is(Adjust{change("fine"), ann, -501}, nil)), why: "the balance"},
		"an entry that is not there":              {calls: once(entered), stored: nothing, why: "Entries[a1] is not there"},
		"an entry without its fee": {calls: once(entered), why: "GoldBalance is 500, not 450", doctor: func(w World) World {
			w.Users = with(w.Users, ann, newScene().Users[ann])
			return w
		}},
		"an entry that is paid twice": {calls: once(entered), doctor: poorer(ann, -50), why: "GoldBalance is 400, not 450"},
		"refused, yet charged":        {calls: once(is(annEnters, game.ErrShowClosed)), doctor: poorer(ann, -50), why: "the rules do not refuse it"},
		"refused, yet entered": {
			before: []Op{annToGala}, calls: once(is(nextToGala, game.InsufficientGold(300))), why: "Entries[a2]", doctor: func(w World) World {
				s := w.Shows[gala]
				s.Entries = with(s.Entries, annsNext, Entry{Player: ann})
				return w.withShow(s)
			},
		},
		"another fee than was asked":     {calls: once(is(annEnters, int64(40))), why: "the rules answer 50"},
		"two entries of one animal":      {calls: once(entered, entered), why: "DUPLICATE"},
		"more gold spent than there was": {calls: once(inGala, nextInGala), why: "INSUFFICIENT_GOLD"},
		"a balance of no order":          {calls: seq(entered, inGala), stored: []Op{annToGala, annEnters}, why: "Ledger[1]"},
		"a lost row of a ledger": {calls: seq(entered, inGala), why: "Ledger[1]", doctor: func(w World) World {
			u := w.Users[ann]
			u.Ledger = slices.Delete(slices.Clone(u.Ledger), 1, 2)
			w.Users = with(w.Users, ann, u)
			return w
		}},
		"the second refusal instead of the first": {before: []Op{annEnters, ban}, calls: once(again), why: "UNAUTHORIZED"},
		"a dead animal enters":                    {before: []Op{dies}, calls: once(entered), why: "Animal not found"},
		"somebody else's animal enters":           {calls: once(is(Enter{bob, fair, annsBest, now}, int64(50))), why: "Animal not found"},
		"somebody enters who is not there":        {calls: once(is(Enter{"nobody", fair, annsBest, now}, game.ErrAnimalUnknown)), why: "UNAUTHORIZED"},
		"somebody judges who is not there": {
			before: []Op{bobJudges}, calls: once(is(Judge{"nobody", fair, now}, game.ErrShowNotOpen)), why: "UNAUTHORIZED",
		},
		"somebody claims who is not there":          {calls: once(is(Claim{"nobody", fair, now}, game.ErrNothingToClaim)), why: "UNAUTHORIZED"},
		"an entry after the judging":                {calls: seq(judged(), entered), why: "Show not found or entry closed"},
		"an entry that is paid and left out":        {calls: seq(entered, judged()), why: "the rules answer {[0].Animal"},
		"an entry refused before the judging began": {calls: seq(is(annEnters, game.ErrShowClosed), judged()), why: "the rules do not refuse it"},
		"two judgings":                              {calls: once(judged(), is(annJudges, podium())), why: "Show not open"},
		"two of one rank": {
			before: []Op{annEnters, bobEnters}, calls: once(judged(annsBest, bobsBest)), why: "Results[b1].Rank is 1, not 2", doctor: func(w World) World {
				s := w.Shows[fair]
				s.Results = with(s.Results, bobsBest, Placing{1, s.Results[bobsBest].Score})
				return w.withShow(s)
			},
		},
		"a score of an animal as it was long ago": {before: []Op{annEnters}, calls: seq(is(starves, nil), judged(annsBest)), why: "the rules answer {[0].Animal"},
		"a judging that is lost, over, and counts for nothing": {
			before: []Op{annEnters}, calls: []Call{over(0, 1, bobJudges), at(2, 3, scored(0))}, stored: []Op{bobJudges}, why: "Shows[fair].JudgedAt is",
		},
		"an entry that is lost, over, and made afterwards": {
			calls: []Call{over(0, 1, annEnters), at(2, 3, sees())}, stored: []Op{annEnters}, why: "is there, not not there",
		},
		"a prize that is paid twice": {before: []Op{annEnters, bobJudges}, calls: once(first, first), why: "ALREADY_CLAIMED"},
		"a prize that is paid twice, once without an answer": {
			before: []Op{annEnters, bobJudges}, calls: once(first, lost(annClaims)), doctor: poorer(ann, 100), why: "GoldBalance is 650, not 550",
		},
		"a prize of another rank": {
			before: []Op{annEnters, bobEnters, bobJudges}, calls: once(is(annClaims, Prize{2, 60})), why: "the rules answer Prize{Prize:100 Rank:1}",
		},
		"a prize of somebody else's rank": {
			before: []Op{annEnters, bobEnters, bobJudges}, calls: once(is(Claim{bob, fair, now}, Prize{1, 100})), why: "the rules answer Prize{Prize:60 Rank:2}",
		},
		"a prize of the second best of one's ranks": {
			before: []Op{annEnters, annEntersNext, bobJudges}, calls: once(is(annClaims, Prize{2, 60})), why: "the rules answer Prize{Prize:100 Rank:1}",
		},
		"a prize without a rank": {before: []Op{annEnters, fades, bobJudges}, calls: once(first), why: "the rules answer Prize{}"},
		"a claim before the judging": {
			before: []Op{annEnters}, calls: seq(first, judged(annsBest)), stored: []Op{bobJudges, annClaims}, why: "NOT_FOUND",
		},
		"nothing to claim after the judging": {
			before: []Op{annEnters}, calls: seq(judged(annsBest), is(annClaims, game.ErrNothingToClaim)), why: "the rules do not refuse it",
		},
		"a log-in after a ban":                {calls: seq(banned, loggedIn()), why: "BANNED"},
		"a log-in before a fee that was paid": {calls: seq(entered, loggedIn()), why: "the rules answer"},
		"a log-in that finds nobody, while another registers": {
			before: []Op{cleoComes}, calls: once(is(registers("rival", "rival"), nil), is(cleoLogsIn, game.ErrInvalidCredentials)), why: "OAUTH_ACCOUNT",
		},
		"a log-in that finds nobody registered": {calls: seq(is(cleoComes, nil), is(cleoLogsIn, game.ErrInvalidCredentials)), why: "OAUTH_ACCOUNT"},
		"a log-in that is older than the last one": {
			before: []Op{annLogsIn}, calls: once(is(earlier, newScene().Users[ann].Account)), why: "LastLoginAt", doctor: func(w World) World {
				u := w.Users[ann]
				u.LastLoginAt = &earlier.Now
				w.Users = with(w.Users, ann, u)
				return w
			},
		},
		"a refund that was later than the first": {before: []Op{cancel, refund}, calls: once(is(refundAgain, nil)), why: "RefundedAt", doctor: func(w World) World {
			s := w.Shows[fair]
			s.RefundedAt = &refundAgain.Change.At
			return w.withShow(s)
		}},
		"a log-in with a wrong balance, before a fee is paid": {calls: seq(is(annLogsIn, wrong), entered), why: "the rules answer"},
		"a log-in with a wrong balance, while others pay":     {calls: once(is(annLogsIn, wrong), bobEntered), why: "the rules answer"},
		"a log-in with a balance that never was, of two fees": {calls: during(entered, inGala, loggedIn(annToGala)), why: "Ledger[1].Amount"},
		"a session after a ban and an unban": {
			before: []Op{ban}, calls: seq(is(unban, nil), refreshed(ban, unban)), why: "Refresh token invalid or expired",
		},
		"a session after logging out": {calls: seq(is(Logout{annsToken}, nil), refreshed()), why: "Refresh token invalid or expired"},
		"a change after a ban":        {calls: seq(banned, entered), why: "UNAUTHORIZED"},
		"a change without its record": {
			calls: once(banned), doctor: func(w World) World { w.Changes = nil; return w }, why: "Changes[ban] is not there",
		},
		"a name that is taken":              {calls: once(is(Register{Account: newScene().Users[ann].Account}, nil)), why: "CONFLICT"},
		"a closing time that is lost":       {calls: once(is(delayed, nil), is(renamed, nil)), stored: []Op{renamed}, why: "EntryClosesAt"},
		"a fee that changes under an entry": {calls: seq(entered, is(free, nil)), why: store.ErrHasEntries.Error()},
		"an old fee after the change":       {calls: seq(is(free, nil), entered), why: "the rules answer 0"},
		"a cancelled show that is judged":   {calls: once(is(cancel, nil), judged()), why: "Show not open"},
		"a fee that is given back twice": {
			before: []Op{annEnters, cancel}, calls: once(is(refund, nil), is(refund, nil)), doctor: poorer(ann, 50), why: "GoldBalance is 550, not 500",
		},
		"a fee that is not given back": {
			before: []Op{annEnters, bobEnters, cancel}, calls: once(is(refund, nil)), doctor: poorer(bob, -50), why: "GoldBalance is 450, not 500",
		},
		"half a judging": {
			before: []Op{annEnters, bobEnters}, why: "the judging: the entry is Entry{",
			calls: during(judged(annsBest, bobsBest), seesBut(func(d *Details) { d.Entries[1].Rank, d.Entries[1].Score = nil, nil }, annEnters, bobEnters, bobJudges)),
		},
		"ranks in an open show": {
			before: []Op{annEnters}, why: "the entry of animal a1",
			calls: during(judged(annsBest), seesBut(func(d *Details) { d.Show = newScene().Shows[fair].Show }, annEnters, bobJudges)),
		},
		"a judging without one of its entries": {
			before: []Op{annEnters, bobEnters}, why: "the show has 2 entries",
			calls: during(judged(annsBest, bobsBest), seesBut(func(d *Details) { d.Entries = d.Entries[:1] }, annEnters, bobEnters, bobJudges)),
		},
		"a detail without an entry that was answered":  {calls: seq(entered, sees()), why: "the animal has an entry"},
		"a detail without a judging that was answered": {calls: seq(judged(), sees()), why: "Status:completed"},
		"a detail with a claim that was not made": {
			before: []Op{annEnters, bobJudges}, calls: once(sees(annEnters, bobJudges, annClaims)), why: "the player has not claimed",
		},
		"a claim of one of a player's entries": {
			before: []Op{annEnters, annEntersNext, bobJudges, annClaims}, why: "a claim is for all of a player's entries",
			calls: once(seesBut(func(d *Details) { d.Entries[1].RewardClaimed = false }, annEnters, annEntersNext, bobJudges, annClaims)),
		},
		"an entry twice": {
			before: []Op{annEnters}, calls: once(seesBut(func(d *Details) { d.Entries = append(d.Entries, d.Entries[0]) }, annEnters)), why: "is there twice",
		},
		"entries out of order": {
			before: []Op{annEnters, bobEnters, bobJudges}, why: "out of order",
			calls: once(seesBut(func(d *Details) { slices.Reverse(d.Entries) }, annEnters, bobEnters, bobJudges)),
		},
		"a list with too few entries":                 {calls: seq(entered, listed()), why: "the show has 1 entries"},
		"a list with an entry that never was":         {calls: once(listed(annEnters)), why: "the show has 0 entries"},
		"a list without a show":                       {calls: once(is(renamed, nil), listed(cancel)), why: "no row of show fair"},
		"a list with a show that was judged long ago": {calls: seq(judged(), listed()), why: "Status:completed"},
		"a list of open shows with a judged one": {
			before: []Op{bobJudges}, why: "the row of show fair",
			calls: once(is(lists, append([]game.ListedShow{{Show: after(newScene(), bobJudges).Shows[fair].Show}}, list(after(newScene(), bobJudges))...))),
		},
		"a list that is too long": {calls: once(is(lists, slices.Repeat(list(newScene()), 26))), why: "it has 52 shows"},
		"a list out of order":     {calls: once(is(lists, []game.ListedShow{list(newScene())[1], list(newScene())[0]})), why: "show fair comes after gala"},
		"a list with a show twice": {
			calls: once(is(delayed, nil), is(lists, append(list(newScene()), list(after(newScene(), delayed))[1]))), why: "listed twice",
		},
		"half of two entries of a season": {
			before: []Op{annEnters, annEntersNext}, calls: once(judged(annsBest, annsNext), scored(100)), why: "the sum is",
		},
		"a season without a show that was judged before": {before: []Op{annEnters}, calls: seq(judged(annsBest), scored(0)), why: "the sum is 100"},
	})
}

// check checks the results of Explain for histories.
func check(t *testing.T, all map[string]explanation) {
	for name, test := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := newScene()
			for _, op := range test.before {
				then := after(before, op)
				if equal(before, then) {
					t.Fatalf("no effect: %s", Brief(op))
				}
				before = then
			}
			took := test.stored
			for _, c := range test.calls {
				if test.stored == nil && c.Err == nil {
					took = append(took, c.Op)
				}
			}
			stored := after(before, took...)
			if test.doctor != nil {
				stored = test.doctor(stored)
			}
			err := Explain(before, test.calls, stored)
			var violation *Violation
			if test.why == "" && err != nil || test.why != "" && (!errors.As(err, &violation) || !strings.Contains(err.Error(), test.why)) {
				t.Errorf("%v, want %q", err, test.why)
			}
		})
	}
}

// gold returns the world after a player's gold has moved by an amount, with a ledger row.
func gold(w World, user game.ID, amount int64) World {
	u := w.Users[user]
	u.GoldBalance, u.LedgerSeq = u.GoldBalance+amount, u.LedgerSeq+1
	u.Ledger = append(slices.Clip(u.Ledger), Row{Amount: amount, BalanceAfter: u.GoldBalance})
	w.Users = maps.Clone(w.Users)
	w.Users[user] = u
	return w
}
