package logcheck

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/infra/invariants"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// Ann enters her animal into the show, Bob judges it, and Ann claims her prize, one after the other.
const (
	ann, bob  = game.ID("0a000000-0000-4000-8000-000000000000"), game.ID("0b000000-0000-4000-8000-000000000000")
	fair, cow = game.ID("fair"), game.ID("cow")
	hour      = game.Instant(3_600_000)
)

// answers has the callers' records of calls, by name, and the content of the table after them.
type answers struct {
	calls map[string]*Record
	facts invariants.Facts
}

// soundAnswers returns answers without a violation. Every two seconds a call begins, and each takes one second.
func soundAnswers() *answers {
	calls := map[string]*Record{}
	add := func(name string, r Record, told Answer) {
		told.N, r.Answer, r.Judged, r.Request = len(calls)+1, &told, -1, name
		r.Outcome, r.Began = Done, game.Instant(2_000*len(calls))
		r.Ended = r.Began + 1_000
		if told.Change != "" {
			r.Request = ""
		}
		calls[name] = &r
	}
	add("create", Record{Kind: CreateShow, Show: fair}, Answer{Change: "c1", Terms: &terms{Name: new("Fair"), EntryFee: new(int64(50)), EntryClosesAt: new(hour)}})
	add("enter", Record{Kind: Enter, User: ann, Show: fair, Animal: cow, Charged: 50}, Answer{Status: 201})
	add("list", Record{Kind: List, User: bob}, Answer{Status: 200, Listed: []Listed{{fair, game.ShowOpen, 1}}})
	add("detail", Record{Kind: Detail, User: bob, Show: fair}, Answer{Status: 200, State: game.ShowOpen, Placed: []Placed{{Animal: cow, Player: ann}}})
	add("judge", Record{Kind: Judge, User: bob, Show: fair}, Answer{Status: 200, Placed: []Placed{{cow, ann, 1, "50.00"}}})
	add("claim", Record{Kind: Claim, User: ann, Show: fair, Paid: 100}, Answer{Status: 200, Rank: 1})
	add("season", Record{Kind: Season, User: ann}, Answer{Status: 200, Score: 100})
	add("login", Record{Kind: Login, User: ann}, Answer{Status: 200, Session: "first"})
	add("refresh", Record{Kind: Refresh, User: ann}, Answer{Status: 200, Session: "first"})
	add("ban", Record{Kind: Ban, User: bob}, Answer{Change: "c2"})
	add("register", Record{Kind: Register, User: "cleo", Paid: game.StartingGold}, Answer{Status: 201, Username: "cleo", Email: "cleo@", Account: "cleo"})
	add("foal", Record{Kind: ChangeAnimal, User: ann, Animal: cow}, Answer{Change: "c3", Flaw: Pregnant})
	add("animals", Record{Kind: Animals, User: ann}, Answer{Status: 200, Animals: map[game.ID][]Flaw{cow: {Pregnant}}})
	add("rename", Record{Kind: SetShow, Show: fair}, Answer{Change: "c4", Terms: &terms{Name: new("Great fair")}})
	add("me", Record{Kind: Me, User: ann}, Answer{Status: 200, Gold: new(int64(550))})
	calls["rename"].Began, calls["rename"].Ended = calls["enter"].Began, calls["enter"].Ended
	show := fair
	return &answers{calls, invariants.Facts{
		Users: map[game.ID]invariants.User{
			ann: {Username: "ann", Email: "ann@", Ledger: []game.LedgerEntry{
				{Category: game.CategoryStarter, BalanceAfter: 500},
				{Category: game.CategoryFee, BalanceAfter: 450, RefID: &show, CreatedAt: 2_000},
				{Category: game.CategoryReward, BalanceAfter: 550, RefID: &show, CreatedAt: 10_000},
			}},
			bob: {Username: "bob", Email: "bob@"}, "cleo": {Username: "cleo", Email: "cleo@"},
		},
		Animals: map[game.ID]invariants.Animal{cow: {Owner: ann, Stage: game.StageAdult, Status: game.StatusPregnant, Changes: 1}},
		Shows: map[game.ID]invariants.Show{fair: {
			Status: game.ShowCompleted, Name: "Great fair", Fee: 50, ClosesAt: hour, Terms: 1, JudgedBy: string(bob),
			Entries:  map[game.ID]invariants.Entry{cow: {Player: ann}},
			Placings: map[game.ID]invariants.Placing{cow: {Rank: 1, Score: 5000}},
			Receipts: map[game.ID]invariants.Receipt{ann: {Rank: 1, Prize: 100}},
		}},
		Changes:  map[game.ID]string{"c1": "create show", "c2": "ban", "c3": "change animal", "c4": "set show"},
		Sessions: map[string]game.ID{"first": ann},
	}}
}

// again adds a copy of the named call, which is later by some milliseconds, and returns it.
func (a *answers) again(name string, by game.Instant) *Record {
	r, told := *a.calls[name], *a.calls[name].Answer
	told.N, r.Answer = 100+told.N, &told
	a.calls[name+" again"] = &r
	return moved(&r, by)
}

func moved(r *Record, by game.Instant) *Record {
	r.Began, r.Ended = r.Began+by, r.Ended+by
	return r
}

func refused(r *Record, status int, why error) *Record {
	r.Outcome, r.Refusal, r.Answer.Status, r.Paid, r.Charged = Refused, why.Error(), status, 0, 0
	return r
}

// show changes the stored show.
func (a *answers) show(change func(*invariants.Show)) {
	s := a.facts.Shows[fair]
	change(&s)
	a.facts.Shows[fair] = s
}

// check returns the violations that the checker finds, one a line.
func (a *answers) check() string {
	c := NewChecker(Options{Complete: true})
	for _, name := range slices.Sorted(maps.Keys(a.calls)) {
		r := *a.calls[name]
		r.logged = name != "unlogged"
		c.Add(r)
	}
	c.facts = a.facts
	var found []string
	for _, v := range c.Check().Violations {
		found = append(found, v.Text)
	}
	return strings.Join(found, "\n")
}

// cancelled replaces the judging by an operator's cancellation. It adds a refused refund, and returns its record.
func (a *answers) cancelled() *Record {
	a.show(func(s *invariants.Show) { s.Status, s.JudgedBy, s.Receipts = game.ShowCancelled, "", nil })
	judge := a.calls["judge"]
	judge.Kind, judge.User, judge.Answer.Placed = Cancel, "", nil
	delete(a.calls, "claim")
	refund := a.again("create", 60_000)
	refund.Kind, refund.Outcome, refund.Answer.Terms, refund.Answer.Change = Refund, Refused, nil, ""
	return refund
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	assert.Empty(t, soundAnswers().check(), "sound answers")
	cancelled := soundAnswers()
	cancelled.cancelled()
	cancelled.calls["season"].Answer.Score = 0
	assert.False(t, strings.Contains(cancelled.check(), "sum"), "a cancelled show counts in a season")
	for i, test := range []struct {
		want   string
		change func(a *answers)
	}{
		{"the log has no line of it", func(a *answers) { a.calls["unlogged"] = a.calls["list"]; delete(a.calls, "list") }},
		{"fair was ended twice", func(a *answers) { a.again("judge", 0) }},
		{"has the entry of an animal twice", func(a *answers) { a.again("enter", 0) }},
		{"has paid the prize of a player twice", func(a *answers) { a.again("claim", 1_000) }},
		{"the animal had no entry", func(a *answers) { refused(a.again("enter", -2_000), 409, game.ErrDuplicateEntry) }},
		{"there is no such entry", func(a *answers) {
			refused(a.again("enter", 1_000), 409, game.ErrDuplicateEntry)
			a.show(func(s *invariants.Show) { s.Entries = nil })
		}},
		{"has claimed nothing", func(a *answers) { delete(a.calls, "claim") }},
		{"and the receipt has rank 1", func(a *answers) { a.calls["claim"].Paid = 60 }},
		{"had not claimed the prize", func(a *answers) { refused(a.calls["claim"], 400, game.ErrAlreadyClaimed) }},
		{"there is no receipt", func(a *answers) {
			refused(a.again("claim", 1_000), 400, game.ErrAlreadyClaimed)
			a.show(func(s *invariants.Show) { s.Receipts = nil })
		}},
		{"was judged with an entry of the player", func(a *answers) { refused(a.calls["claim"], 404, game.ErrNothingToClaim) }},
		{"the show was not judged yet", func(a *answers) { moved(a.calls["claim"], -4_000) }},
		{`the show is completed by "` + string(ann) + `"`, func(a *answers) { a.show(func(s *invariants.Show) { s.JudgedBy = string(ann) }) }},
		{"the results have it on rank 2", func(a *answers) { a.show(func(s *invariants.Show) { s.Placings[cow] = invariants.Placing{Rank: 2} }) }},
		{`no call can have made it completed by "` + string(bob) + `"`, func(a *answers) { a.calls["judge"].Kind, a.calls["judge"].Show = JudgeDue, "" }},
		{`no call can have made it completed by "judge-due"`, func(a *answers) { a.show(func(s *invariants.Show) { s.JudgedBy = store.JudgedByDue }) }},
		{"no call can have made it cancelled", func(a *answers) { a.show(func(s *invariants.Show) { s.Status = game.ShowCancelled }) }},
		{"the show had ended, by judge-show #5", func(a *answers) { moved(a.calls["enter"], 60_000) }},
		{"the show had ended, by judge-show #5", func(a *answers) { moved(a.calls["rename"], 60_000) }},
		{"the show was open", func(a *answers) { refused(a.again("judge", -4_000), 404, game.ErrShowNotOpen) }},
		{"the show was open", func(a *answers) { refused(a.calls["rename"], 0, store.ErrNotOpen) }},
		{"the show was there", func(a *answers) { refused(a.calls["detail"], 404, game.ErrShowUnknown) }},
		{"the show was there", func(a *answers) { moved(refused(a.calls["rename"], 0, store.ErrUnknownShow), 500) }},
		{"there were no entries", func(a *answers) { moved(refused(a.calls["rename"], 0, store.ErrHasEntries), -1_500) }},
		{"no call had given the show these terms", func(a *answers) { refused(a.calls["rename"], 0, store.ErrSameTerms) }},
		{"the name Fair, which no call has set last", func(a *answers) { a.show(func(s *invariants.Show) { s.Name = "Fair" }) }},
		{"the fee 40, which no call", func(a *answers) { a.show(func(s *invariants.Show) { s.Fee = 40 }) }},
		{"the closing time 1970-01-01T00:00:00.000Z, which", func(a *answers) { a.show(func(s *invariants.Show) { s.ClosesAt = 0 }) }},
		{"have been changed 2 times, by 1 to 1 calls", func(a *answers) { a.show(func(s *invariants.Show) { s.Terms = 2 }) }},
		{"have been changed 0 times, by 1 to 1 calls", func(a *answers) { a.show(func(s *invariants.Show) { s.Terms = 0 }) }},
		{"the show does not say so", func(a *answers) { a.cancelled().Outcome = Done }},
		{"the show was cancelled", func(a *answers) { refused(a.cancelled(), 0, store.ErrNotCancelled) }},
		{"no call has refunded anything", func(a *answers) {
			a.cancelled()
			a.show(func(s *invariants.Show) { s.Refunded = true })
		}},
		{"the animal was pregnant, by change animal #12", func(a *answers) { a.calls["foal"].Began, a.calls["foal"].Ended = 1, 1_000 }},
		{"the show was closed, by create show #1", func(a *answers) { *a.calls["create"].Answer.Terms.EntryClosesAt = 500 }},
		{"the animal was not dead", func(a *answers) { refused(a.calls["enter"], 404, game.ErrAnimalUnknown) }},
		{"the animal was not pregnant", func(a *answers) { refused(a.calls["enter"], 400, game.ErrPregnant) }},
		{"the animal was not a calf", func(a *answers) { refused(a.calls["enter"], 400, game.ErrCalf) }},
		{"the show was open for entries", func(a *answers) { refused(a.calls["enter"], 404, game.ErrShowClosed) }},
		{"the show has never had that fee", func(a *answers) { refused(a.calls["enter"], 400, game.InsufficientGold(40)) }},
		{"the player had [500 450] gold", func(a *answers) { refused(a.calls["enter"], 400, game.InsufficientGold(50)) }},
		{"it has 540 gold, and the player had [550]", func(a *answers) { *a.calls["me"].Answer.Gold = 540 }},
		{"it has 500 gold, and the player had [450]", func(a *answers) {
			a.calls["me"].Began, a.calls["me"].Ended, *a.calls["me"].Answer.Gold = a.calls["detail"].Began, a.calls["detail"].Ended, 500
		}},
		{"it has 550 gold, and the player had [500 450]", func(a *answers) {
			a.calls["me"].Began, a.calls["me"].Ended = a.calls["enter"].Began, a.calls["enter"].Ended
		}},
		{"it has animal horse of player " + string(bob) + ": true", func(a *answers) {
			a.facts.Animals["horse"], a.calls["animals"].Answer.Animals["horse"] = invariants.Animal{Owner: bob}, nil
		}},
		{"it has animal cow of player " + string(ann) + ": false", func(a *answers) { a.calls["animals"].Answer.Animals = nil }},
		{"animal cow as dead, which it was not", func(a *answers) { a.calls["animals"].Answer.Animals[cow] = []Flaw{Dead, Pregnant} }},
		{"animal cow as pregnant, which it was", func(a *answers) { a.calls["animals"].Answer.Animals[cow] = nil }},
		{"changed 0 times, by 1 to 1 calls", func(a *answers) { a.facts.Animals[cow] = invariants.Animal{Owner: ann, Status: game.StatusPregnant} }},
		{"the last change, and the animal is []", func(a *answers) { a.facts.Animals[cow] = invariants.Animal{Owner: ann, Changes: 1} }},
		{"there is no reason for such a refusal", func(a *answers) { refused(a.calls["login"], 400, game.ErrInvalidInput) }},
		{"an entry of animal horse that is not there", func(a *answers) { a.calls["detail"].Answer.Placed[0].Animal = "horse" }},
		{"an entry of animal cow that no call had begun", func(a *answers) { moved(a.calls["detail"], -5_200) }},
		{"it is open and lacks the entry of animal cow", func(a *answers) { a.calls["detail"].Answer.Placed = nil }},
		{"animal cow on rank 1, not 0", func(a *answers) { a.calls["detail"].Answer.Placed[0].Rank = 1 }},
		{"animal cow on rank 2, not 1", func(a *answers) {
			moved(a.calls["detail"], 60_000).Answer.State, a.calls["detail"].Answer.Placed[0].Rank = game.ShowCompleted, 2
		}},
		{"it is completed and lacks the entry", func(a *answers) {
			a.calls["detail"].Answer.State, a.calls["detail"].Answer.Placed = game.ShowCompleted, nil
		}},
		{"as open, which had ended before", func(a *answers) { moved(a.calls["detail"], 60_000) }},
		{"as cancelled, which is completed", func(a *answers) { a.calls["detail"].Answer.State = game.ShowCancelled }},
		{"as completed, which it was not yet", func(a *answers) { a.calls["detail"].Answer.State = game.ShowCompleted }},
		{"with 0 entries, not 1 to 1", func(a *answers) { a.calls["list"].Answer.Listed[0].Count = 0 }},
		{"with 1 entries, not 0 to 0", func(a *answers) { moved(a.calls["list"], -3_200) }},
		{"as cancelled, which is completed", func(a *answers) { a.calls["list"].Answer.Listed[0].Status = game.ShowCancelled }},
		{"and was asked for those that are completed", func(a *answers) { a.calls["list"].Answer.Filter = game.ShowCompleted }},
		{"has show fair twice", func(a *answers) { a.calls["list"].Answer.Listed = slices.Repeat(a.calls["list"].Answer.Listed, 2) }},
		{"show feast, which is not there", func(a *answers) { a.calls["list"].Answer.Listed[0].ID = "feast" }},
		{"it lacks show fair", func(a *answers) { a.calls["list"].Answer.Listed = nil }},
		{"it lacks show fair", func(a *answers) { a.calls["list"].Answer.Filter, a.calls["list"].Answer.Listed = game.ShowOpen, nil }},
		{"it lacks show fair", func(a *answers) {
			moved(a.calls["list"], 60_000).Answer.Filter, a.calls["list"].Answer.Listed = game.ShowCompleted, nil
		}},
		{"60 is no sum of whole judgings", func(a *answers) { a.calls["season"].Answer.Score = 60 }},
		{"the user was banned, by ban #10", func(a *answers) { a.again("judge", 60_000) }},
		{"the user was not banned", func(a *answers) { refused(a.calls["refresh"], 401, game.ErrUnauthorized) }},
		{"the session is not there", func(a *answers) { delete(a.facts.Sessions, "first") }},
		{"the session is there", func(a *answers) { a.calls["refresh"].Kind = Logout }},
		{"the session had ended, by revoke sessions #10", func(a *answers) {
			a.calls["ban"].Kind, a.calls["ban"].User = Revoke, ann
			moved(a.calls["refresh"], 60_000)
		}},
		{"the session had ended, by reset password #10", func(a *answers) {
			a.calls["ban"].Kind, a.calls["ban"].User = ResetPassword, ann
			moved(a.calls["refresh"], 60_000)
		}},
		{"no call has reset the password", func(a *answers) { // the reset is after the log-in
			a.calls["ban"].Kind, a.calls["ban"].User = ResetPassword, ann
			refused(a.calls["login"], 401, game.ErrInvalidCredentials)
		}},
		{"is called ann, which no call has set last", func(a *answers) {
			a.calls["ban"].Kind, a.calls["ban"].User, a.calls["ban"].Answer.Username = SetUser, ann, "annie"
		}},
		{"the session had ended, by ban #10", func(a *answers) { // which an unban has ended: sessions stay revoked
			a.calls["ban"].User = ann
			a.again("ban", 2_000).Kind = Unban
			moved(a.calls["refresh"], 60_000)
		}},
		{"nothing has ended the session", func(a *answers) { // the revocation is before the log-in
			refused(a.calls["refresh"], 401, game.ErrRefreshTokenDead)
			moved(a.calls["ban"], -17_000).Kind, a.calls["ban"].User = Revoke, ann
		}},
		{`the name leads to ""`, func(a *answers) { delete(a.facts.Users, "cleo") }},
		{"another registration of the name is done", func(a *answers) { a.again("register", 0) }},
		{"no other call wanted the name", func(a *answers) { // the other registration is after it
			a.again("register", 60_000)
			refused(a.calls["register"], 409, game.ErrTaken)
		}},
		{"the account is there", func(a *answers) { refused(a.calls["register"], 409, game.ErrTaken) }},
		{"it has no record", func(a *answers) { delete(a.facts.Changes, "c2") }},
		{"it has a record", func(a *answers) { a.calls["ban"].Outcome = Refused }},
		{"0 adjustments of gold, and 1 records", func(a *answers) { a.facts.Changes["c5"] = string(AdjustGold) }},
	} {
		a := soundAnswers()
		test.change(a)
		found := a.check()
		assert.Contains(t, found, test.want, "%d: want %q, got\n%s", i, test.want, found)
	}
}

// A call whose caller had no answer may have happened or not, unless the log says which.
func TestCallsWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"enter", "claim", "judge"} {
		a := soundAnswers()
		a.calls[name].Outcome, a.calls[name].Answer = Unknown, &Answer{Status: 500}
		assert.Empty(t, a.check(), "%s", name)
	}
}

// A refusal in the log that names neither a user nor a show is no violation: it has too little for a comparison.
func TestRefusalsOfNobody(t *testing.T) {
	t.Parallel()
	c := NewChecker(Options{Complete: true})
	for kind, why := range map[Kind]error{Register: game.ErrTaken, Enter: game.ErrUnauthorized, Refresh: game.ErrRefreshTokenDead} {
		c.Add(Record{Kind: kind, Outcome: Refused, Refusal: why.Error()})
	}
	r := c.Check()
	assert.True(t, r.Found <= 0, r.Violations)
}

// The record of a caller and the line of the log describe one call. If the caller had no answer, the log decides the
// outcome. If the function failed, the outcome is unknown, whatever the function answered.
func TestCallersAndTheLog(t *testing.T) {
	t.Parallel()
	const line = `{"time":"1970-01-01T00:00:09Z","msg":"request","function":"claim-reward","request_id":"claim","status":%d,"code":%q,"error":%q,"GoldPaid":%d}`
	for _, test := range []struct {
		outcome           Outcome
		status, logged    int
		code, fault, want string
		paid              int64
		becomes           Outcome
	}{
		{Done, 200, 200, "", "", "", 100, Done},
		{Done, 200, 200, "", "", "it was answered 100 gold paid, 0 charged, and the log says 60 and 0", 60, Done},
		{Done, 200, 404, "NOT_FOUND", "NOT_FOUND", "it was answered 200 , and the log says 404 NOT_FOUND", 0, Done},
		{Done, 200, 200, "", "the table is gone", "", 0, Unknown},
		{Unknown, 500, 200, "", "", "", 100, Done},
		{Unknown, 503, 404, "NOT_FOUND", "NOT_FOUND", "", 0, Refused},
		{Unknown, 503, 404, "NOT_FOUND", "NOT_FOUND", "yet it paid 100", 100, Refused},
	} {
		c := NewChecker(Options{Complete: true})
		c.Add(Record{Kind: Claim, Outcome: test.outcome, Request: "claim", Paid: 100, Answer: &Answer{Status: test.status}})
		require.NoError(t, c.Read(strings.NewReader(fmt.Sprintf(line, test.logged, test.code, test.fault, test.paid))))
		found := ""
		for _, v := range c.report.Violations {
			found += v.Text
		}
		r := c.answered[0]
		assert.True(t, r.Outcome == test.becomes && (test.want != "" || found == "") && strings.Contains(found, test.want) && (test.status <= 499 || r.Ended == 9_001),
			"%+v: %v until %v, %s", test, r, r.Ended, found)
	}
}
