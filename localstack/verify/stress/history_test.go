package main

import (
	"time"

	"github.com/ranch-game/ranch/infra/invariants"
	"github.com/ranch-game/ranch/shared/game"
)

// What the tests of checks are about. Ann has entered her animal, judged and claimed, one after the other.
const (
	ann, bob, fair = game.ID("ann"), game.ID("bob"), game.ID("fair")
	cow            = game.ID("cow")
)

// soundCalls are a history that nothing is wrong with. Each call takes a second, and comes two after the one before.
func soundCalls() map[string]*call {
	calls := map[string]*call{
		"create": {Kind: kindCreateShow, Show: fair, Change: "change-create", Terms: &terms{
			Name: new("Fair"), EntryFee: new(int64(50)), EntryClosesAt: new(game.Instant(time.Hour.Milliseconds())),
		}},
		"enter":   {Kind: kindEnter, User: ann, Show: fair, Animal: cow, Status: 201, Got: got{Fee: 50}},
		"list":    {Kind: kindList, User: bob, Status: 200, Got: got{Listed: []listed{{fair, game.ShowOpen, 1}}}},
		"detail":  {Kind: kindDetail, User: bob, Show: fair, Status: 200, Got: got{Status: game.ShowOpen, Placed: []placed{{Animal: cow, Player: ann}}}},
		"judge":   {Kind: kindJudge, User: bob, Show: fair, Status: 200, Got: got{Placed: []placed{{cow, ann, 1, "50.00"}}}},
		"claim":   {Kind: kindClaim, User: ann, Show: fair, Status: 200, Got: got{Rank: 1, Prize: 100}},
		"season":  {Kind: kindSeason, User: ann, Status: 200, Got: got{Score: 100}},
		"login":   {Kind: kindLogin, User: ann, Status: 200, Session: "first", Got: got{User: ann}},
		"refresh": {Kind: kindRefresh, User: ann, Status: 200, Session: "first"},
		"ban":     {Kind: kindBan, User: bob, Change: "change-ban"},
		"late":    {Kind: kindRegister, Status: 201, Name: "cleo", Email: "cleo@example.com", Got: got{User: "cleo"}},
		"foal":    {Kind: kindChangeAnimal, User: ann, Animal: cow, Change: "change-foal", Becomes: pregnant},
		"animals": {Kind: kindAnimals, User: ann, Status: 200, Got: got{Animals: map[game.ID][]string{cow: {pregnant}}}},
		"rename":  {Kind: kindSetShow, Show: fair, Change: "change-rename", Terms: &terms{Name: new("Great fair")}},
	}
	for i, name := range []string{"create", "enter", "list", "detail", "judge", "claim", "season", "login", "refresh", "ban", "late", "foal", "animals", "rename"} {
		c := calls[name]
		c.N, c.outcome, c.Request = i+1, done, name
		c.Began = time.Duration(2*i) * time.Second
		c.Ended = c.Began + time.Second
	}
	calls["rename"].Began, calls["rename"].Ended = calls["enter"].Began, calls["enter"].Ended
	return calls
}

func soundFacts() invariants.Facts {
	show := fair
	return invariants.Facts{
		Users: map[game.ID]invariants.User{
			ann: {Username: "ann", Email: "ann@example.com", Gold: 550, Ledger: []game.LedgerEntry{
				{Category: game.CategoryStarter, BalanceAfter: 500},
				{Category: game.CategoryFee, BalanceAfter: 450, RefID: &show, CreatedAt: 2000},
				{Category: game.CategoryReward, BalanceAfter: 550, RefID: &show, CreatedAt: 10_000},
			}},
			bob:    {Username: "bob", Email: "bob@example.com", Gold: 500},
			"cleo": {Username: "cleo", Email: "cleo@example.com", Gold: 500},
		},
		Animals: map[game.ID]invariants.Animal{cow: {Owner: ann, Stage: game.StageAdult, Status: game.StatusPregnant, Changes: 1}},
		Shows: map[game.ID]invariants.Show{fair: {
			Status: game.ShowCompleted, Name: "Great fair", Tier: game.TierRookie, Fee: 50, ClosesAt: game.Instant(time.Hour.Milliseconds()),
			Terms: 1, JudgedBy: string(bob),
			Entries:  map[game.ID]invariants.Entry{cow: {Player: ann, Paid: 50}},
			Placings: map[game.ID]invariants.Placing{cow: {Rank: 1, Score: 5000}},
			Receipts: map[game.ID]invariants.Receipt{ann: {Rank: 1, Prize: 100}},
		}},
		Changes: map[game.ID]string{
			"change-create": "create show", "change-ban": "ban", "change-foal": "change animal", "change-rename": "set show",
		},
		Sessions: map[string]game.ID{"first": ann},
	}
}

// again is a call as it was made and answered a second time, later.
func again(c *call, by time.Duration) *call {
	other := *c
	other.N, other.Request, other.Began, other.Ended = 100+c.N, c.Request+" again", c.Began+by, c.Ended+by
	return &other
}

func refusedWith(c *call, status int, code game.Code) *call {
	c.Status, c.Code, c.outcome, c.Got = status, string(code), refused, got{}
	return c
}

// refusedFor is what a call is refused for, with the words that say which of the reasons with its code it is.
func refusedFor(c *call, status int, r *game.Refusal) *call {
	c.Message = r.Message
	return refusedWith(c, status, r.Code)
}

// refusedTo is a change that an operator was refused.
func refusedTo(c *call, err error) *call {
	c.Error, c.Code, c.outcome = err.Error(), refusalIn(err), refused
	return c
}

// tell has the functions say what the calls were answered, where they say nothing else.
func tell(said *testimony, calls map[string]*call) {
	for _, c := range calls {
		if _, says := said.answers[c.Request]; !says && told(c.Status) != unknown {
			said.answers[c.Request] = answered{status: c.Status, code: c.Code}
		}
	}
}
