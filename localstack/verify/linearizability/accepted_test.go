package linearizability

import (
	"testing"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// What can have happened, and must be explained: what was answered, and what took effect.
func TestExplained(t *testing.T) {
	t.Parallel()
	at := func(ops ...Op) World { return after(t, newScene(), ops...) }
	for name, test := range map[string]struct {
		before []Op
		calls  []Call
		stored []Op
	}{
		"in the other order than they began": {
			calls:  []Call{call(0, 9, annEnters, int64(50)), call(1, 8, annToGala, int64(300))},
			stored: []Op{annToGala, annEnters},
		},
		"an entry before a judging that began earlier": {
			calls:  []Call{call(0, 9, bobJudges, podium(annsBest)), call(1, 9, annEnters, int64(50))},
			stored: []Op{annEnters, bobJudges},
		},
		"an entry that a judging is faster than": {
			calls:  []Call{call(0, 9, bobJudges, podium()), call(1, 9, annEnters, game.ErrShowClosed)},
			stored: []Op{bobJudges},
		},
		"two judges": {calls: []Call{call(0, 9, bobJudges, podium()), call(0, 9, annJudges, game.ErrShowNotOpen)}, stored: []Op{bobJudges}},
		"one of two fees": {
			before: []Op{annToGala},
			calls:  []Call{call(0, 9, nextToGala, game.InsufficientGold(300)), call(0, 9, annEnters, int64(50))},
			stored: []Op{annEnters},
		},
		"the same animal twice": {
			calls:  []Call{call(0, 9, annEnters, game.ErrDuplicateEntry), call(0, 9, annEnters, int64(50))},
			stored: []Op{annEnters},
		},
		"lost and applied":          {calls: []Call{lost(0, annEnters)}, stored: []Op{annEnters}},
		"lost and never applied":    {calls: []Call{lost(0, annEnters)}},
		"an error is no refusal":    {calls: []Call{call(0, 1, annEnters, errLost)}, stored: []Op{annEnters}},
		"an unclear change is lost": {calls: []Call{call(0, 1, ban, store.ErrUnclear)}, stored: []Op{ban}},
		"lost and applied late": {
			calls:  []Call{lost(0, annEnters), call(2, 3, looks, detail(at(), fair)), call(4, 5, bobJudges, podium(annsBest))},
			stored: []Op{annEnters, bobJudges},
		},
		"a judging that is lost, and over while somebody reads": {
			before: []Op{annEnters},
			calls:  []Call{over(0, 2, bobJudges), call(1, 3, annsSeason, int64(0))},
			stored: []Op{bobJudges},
		},
		"lost, and the second try finds it": {
			calls:  []Call{call(0, 1, annEnters, errLost), call(2, 3, annEnters, game.ErrDuplicateEntry)},
			stored: []Op{annEnters},
		},
		"lost, and overtaken by the second try": {
			calls:  []Call{call(0, 1, annEnters, errLost), call(2, 3, annEnters, int64(50))},
			stored: []Op{annEnters},
		},
		"a claim that is lost, and found": {
			before: []Op{annEnters, bobJudges},
			calls:  []Call{lost(0, annClaims), call(1, 2, annClaims, game.ErrAlreadyClaimed)},
			stored: []Op{annClaims},
		},
		"one of two claims": {
			before: []Op{annEnters, bobJudges},
			calls:  []Call{call(0, 9, annClaims, game.ErrAlreadyClaimed), call(0, 9, annClaims, Prize{1, 100})},
			stored: []Op{annClaims},
		},
		"a claim of the only one of two entries that has a rank": {
			before: []Op{annEnters, annEntersNext, fades, bobJudges},
			calls:  []Call{call(0, 1, annClaims, Prize{1, 100})},
			stored: []Op{annClaims},
		},
		"a claim without a rank": {
			before: []Op{annEnters, fades, bobJudges},
			calls:  []Call{call(0, 1, annClaims, Prize{}), call(2, 3, annClaims, game.ErrAlreadyClaimed)},
			stored: []Op{annClaims},
		},
		"a claim just after the judging": {
			before: []Op{annEnters},
			calls:  []Call{call(0, 9, annClaims, Prize{1, 100}), call(0, 9, bobJudges, podium(annsBest))},
			stored: []Op{bobJudges, annClaims},
		},
		"a change before a ban": {
			calls:  []Call{call(0, 9, ban, nil), call(1, 8, annEnters, int64(50))},
			stored: []Op{annEnters, ban},
		},
		"a log-in before a ban that revokes it": {
			calls:  []Call{call(0, 9, annLogsIn, newScene().Users[ann].Account), call(1, 9, ban, nil)},
			stored: []Op{annLogsIn, ban},
		},
		"a log-in that shows the balance before a fee that is just being paid": {
			calls: []Call{
				call(0, 9, annEnters, int64(50)), call(1, 2, annEnters, game.ErrDuplicateEntry), call(3, 4, annLogsIn, newScene().Users[ann].Account),
			},
			stored: []Op{annEnters, annLogsIn},
		},
		"a log-in after the unban": {
			before: []Op{ban},
			calls:  []Call{call(0, 9, annLogsIn, at(ban, unban).Users[ann].Account), call(1, 8, unban, nil)},
			stored: []Op{unban, annLogsIn},
		},
		"a fee as it was before the change": {
			calls:  []Call{call(0, 9, free, store.ErrHasEntries), call(0, 9, annEnters, int64(50))},
			stored: []Op{annEnters},
		},
		"a fee as it is after the change": {
			calls:  []Call{call(0, 9, annEnters, int64(0)), call(0, 9, free, nil)},
			stored: []Op{free, annEnters},
		},
		"a score of the animal as it was": {
			before: []Op{annEnters},
			calls:  []Call{call(0, 9, bobJudges, podium(annsBest)), call(1, 2, starves, nil), call(3, 4, looks, detail(at(annEnters), fair))},
			stored: []Op{bobJudges, starves},
		},
		"a session of somebody else's": {calls: []Call{call(0, 1, Refresh{annsToken, bob, now}, game.ErrRefreshTokenDead)}},
		"a session that is over": {
			calls: []Call{call(0, 1, Refresh{annsToken, ann, now.Add(game.RefreshTokenLifetime)}, game.ErrRefreshTokenDead)},
		},
		"a log-in without a password": {before: []Op{cleoComes}, calls: []Call{call(0, 1, cleoLogsIn, game.ErrOAuthAccount)}},
		"a log-in that does not find an account yet, though its name is taken": {
			calls: []Call{
				call(0, 9, cleoComes, nil), call(1, 2, registers("rival", "cleo"), game.ErrTaken), call(3, 4, cleoLogsIn, game.ErrInvalidCredentials),
			},
			stored: []Op{cleoComes},
		},
		"somebody else's animal is not changed": {
			calls: []Call{call(0, 1, ChangeAnimal{change("theft"), bob, annsBest, starves.To}, store.ErrUnknownAnimal)},
		},
		"a season of another name": {
			before: []Op{annEnters, bobJudges},
			calls:  []Call{call(0, 1, Season{ann, "winter"}, int64(0))},
		},
		"a detail without an entry that is just becoming visible": {
			calls: []Call{
				call(0, 9, annEnters, int64(50)), call(1, 2, annEnters, game.ErrDuplicateEntry), call(3, 4, looks, detail(at(), fair)),
			},
			stored: []Op{annEnters},
		},
		"a detail without a claim that is just becoming visible": {
			before: []Op{annEnters, bobJudges},
			calls: []Call{
				call(0, 9, annClaims, Prize{1, 100}), call(1, 2, annClaims, game.ErrAlreadyClaimed), call(3, 4, looks, detail(at(annEnters, bobJudges), fair)),
			},
			stored: []Op{annClaims},
		},
		"a list with a count that is behind": {
			calls:  []Call{call(0, 9, annEnters, int64(50)), call(1, 2, annToGala, int64(300)), call(3, 4, lists, list(at(annToGala)))},
			stored: []Op{annEnters, annToGala},
		},
		"a list without a show that is being moved": {
			calls:  []Call{call(0, 9, delayed, nil), call(1, 2, lists, list(at(cancel)))},
			stored: []Op{delayed},
		},
		"a list with a name as it was": {
			calls:  []Call{call(0, 9, renamed, nil), call(1, 2, lists, list(at()))},
			stored: []Op{renamed},
		},
		"a detail with one of two entries": {
			calls: []Call{
				call(0, 9, annEnters, int64(50)), call(0, 9, bobEnters, int64(50)), call(1, 8, looks, detail(at(bobEnters), fair)),
				call(1, 8, looks, detail(at(annEnters), fair)),
			},
			stored: []Op{annEnters, bobEnters},
		},
		"a detail before the judging, though a claim has been paid": {
			before: []Op{annEnters},
			calls: []Call{
				call(0, 9, bobJudges, podium(annsBest)), call(1, 2, annClaims, Prize{1, 100}), call(3, 4, looks, detail(at(annEnters), fair)),
			},
			stored: []Op{bobJudges, annClaims},
		},
		"a season before and after a judging": {
			before: []Op{annEnters},
			calls: []Call{
				call(0, 9, bobJudges, podium(annsBest)), call(1, 2, annsSeason, int64(100)), call(3, 4, annsSeason, int64(0)),
				call(10, 11, annsSeason, int64(100)),
			},
			stored: []Op{bobJudges},
		},
		"all of two entries of a season": {
			before: []Op{annEnters, annEntersNext},
			calls:  []Call{call(0, 9, bobJudges, podium(annsBest, annsNext)), call(1, 8, annsSeason, int64(160))},
			stored: []Op{bobJudges},
		},
		"two refunds at once": {
			before: []Op{annEnters, annEntersNext, bobEnters, cancel},
			calls:  []Call{call(0, 9, refund, nil), call(0, 9, refund, nil)},
			stored: []Op{refund},
		},
		"a refund that was cut off": {
			before: []Op{annEnters, cancel},
			calls:  []Call{lost(0, refund)},
		},
		"a refund between two cancellations": {
			before: []Op{annEnters},
			calls:  []Call{call(0, 9, cancel, nil), call(0, 9, refund, nil), call(0, 9, cancel, nil)},
			stored: []Op{cancel, refund},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := at(test.before...)
			if err := Explain(before, test.calls, after(t, before, test.stored...)); err != nil {
				t.Error(err)
			}
		})
	}
}
