package main

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ranch-game/ranch/localstack/invariants"
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
		"create":  {Kind: kindCreateShow, Show: fair, Change: "change-create"},
		"enter":   {Kind: kindEnter, User: ann, Show: fair, Animal: cow, Status: 201, Got: got{Fee: 50}},
		"list":    {Kind: kindList, User: bob, Status: 200, Got: got{Entries: map[game.ID]listed{fair: {game.ShowOpen, 1}}}},
		"detail":  {Kind: kindDetail, User: bob, Show: fair, Status: 200, Got: got{Status: game.ShowOpen, Placed: []placed{{Animal: cow, Player: ann}}}},
		"judge":   {Kind: kindJudge, User: bob, Show: fair, Status: 200, Got: got{Placed: []placed{{cow, ann, 1, "50.00"}}}},
		"claim":   {Kind: kindClaim, User: ann, Show: fair, Status: 200, Got: got{Rank: 1, Prize: 100}},
		"season":  {Kind: kindSeason, User: ann, Status: 200, Got: got{Score: 100}},
		"login":   {Kind: kindLogin, User: ann, Status: 200, Session: "first", Got: got{User: ann}},
		"refresh": {Kind: kindRefresh, User: ann, Status: 200, Session: "first"},
		"ban":     {Kind: kindBan, User: bob, Change: "change-ban"},
		"late":    {Kind: kindRegister, Status: 201, Name: "cleo", Email: "cleo@example.com", Got: got{User: "cleo"}},
	}
	for i, name := range []string{"create", "enter", "list", "detail", "judge", "claim", "season", "login", "refresh", "ban", "late"} {
		c := calls[name]
		c.N, c.outcome, c.Request = i+1, done, name
		c.Began = time.Duration(2*i) * time.Second
		c.Ended = c.Began + time.Second
	}
	return calls
}

func soundFacts() invariants.Facts {
	return invariants.Facts{
		Users: map[game.ID]invariants.User{
			ann: {Username: "ann", Email: "ann@example.com", Gold: 550}, bob: {Username: "bob", Email: "bob@example.com", Gold: 500},
			"cleo": {Username: "cleo", Email: "cleo@example.com", Gold: 500},
		},
		Shows: map[game.ID]invariants.Show{fair: {
			Status: game.ShowCompleted, Tier: game.TierRookie, Fee: 50, JudgedBy: string(bob),
			Entries:  map[game.ID]invariants.Entry{cow: {Player: ann, Paid: 50}},
			Placings: map[game.ID]invariants.Placing{cow: {Rank: 1, Score: 5000}},
			Receipts: map[game.ID]invariants.Receipt{ann: {Rank: 1, Prize: 100}},
		}},
		Changes:  map[game.ID]string{"change-create": "create show", "change-ban": "ban"},
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

func TestChecks(t *testing.T) {
	t.Parallel()
	const wanted = ""
	type history struct {
		calls map[string]*call
		facts invariants.Facts
		log   map[string]int
	}
	show := func(h *history, change func(*invariants.Show)) {
		s := h.facts.Shows[fair]
		change(&s)
		h.facts.Shows[fair] = s
	}
	for want, change := range map[string]func(*history){
		wanted: func(*history) {},
		"was answered 201, and the function says 409": func(h *history) { h.log["enter"] = 409 },
		"that is not there":                           func(h *history) { delete(h.facts.Shows, fair) },
		"which nobody has entered":                    func(h *history) { delete(h.calls, "enter") },
		"2 players were told that they have entered":  func(h *history) { h.calls["more"] = again(h.calls["enter"], 0) },
		"enter #2 is done, and there is no such entry": func(h *history) {
			show(h, func(s *invariants.Show) { s.Entries = nil })
		},
		"was told a fee of 40, and has paid 50": func(h *history) { h.calls["enter"].Got.Fee = 40 },
		"duplicate of nothing": func(h *history) {
			h.calls["more"] = refusedWith(again(h.calls["enter"], -2*time.Second), 409, game.CodeDuplicate)
		},
		"is a duplicate, and there is no entry": func(h *history) {
			h.calls["more"] = refusedWith(again(h.calls["enter"], time.Second), 409, game.CodeDuplicate)
			show(h, func(s *invariants.Show) { s.Entries = nil })
		},
		"has claimed nothing":     func(h *history) { delete(h.calls, "claim") },
		"was told 2 times":        func(h *history) { h.calls["more"] = again(h.calls["claim"], time.Second) },
		"and there is no receipt": func(h *history) { show(h, func(s *invariants.Show) { s.Receipts = nil }) },
		"the receipt is {Rank:1":  func(h *history) { h.calls["claim"].Got.Prize = 60 },
		"comes after no other":    func(h *history) { refusedWith(h.calls["claim"], 400, game.CodeAlreadyClaimed) },
		"of a receipt that is not there": func(h *history) {
			h.calls["more"] = refusedWith(again(h.calls["claim"], time.Second), 400, game.CodeAlreadyClaimed)
			show(h, func(s *invariants.Show) { s.Receipts = nil })
		},
		"claim #6 found nothing":                func(h *history) { refusedWith(h.calls["claim"], 404, game.CodeNotFound) },
		"was ended 2 times":                     func(h *history) { h.calls["more"] = again(h.calls["judge"], 0) },
		`completed by "ann"`:                    func(h *history) { show(h, func(s *invariants.Show) { s.JudgedBy = string(ann) }) },
		"the results are {Rank:2":               func(h *history) { show(h, func(s *invariants.Show) { s.Placings[cow] = invariants.Placing{Rank: 2} }) },
		"nobody has judged it":                  func(h *history) { delete(h.calls, "judge") },
		"nobody has cancelled it":               func(h *history) { show(h, func(s *invariants.Show) { s.Status = game.ShowCancelled }) },
		"is cancelled by #10, and is completed": func(h *history) { h.calls["ban"].Kind, h.calls["ban"].Show = kindCancel, fair },
		"enter #2 is done, after":               func(h *history) { h.calls["enter"].Began += time.Minute; h.calls["enter"].Ended += time.Minute },
		"and it is still open": func(h *history) {
			show(h, func(s *invariants.Show) { s.Status = game.ShowOpen })
			refusedWith(h.calls["judge"], 404, game.CodeNotFound)
		},
		"has an entry of horse":     func(h *history) { h.calls["detail"].Got.Placed[0].Animal = "horse" },
		"detail #4 lacks the entry": func(h *history) { h.calls["detail"].Got.Placed = nil },
		"and has a rank":            func(h *history) { h.calls["detail"].Got.Placed[0].Rank = 1 },
		"on rank 2, and it is on 1": func(h *history) {
			h.calls["detail"].Got = got{Status: game.ShowCompleted, Placed: []placed{{Animal: cow, Player: ann, Rank: 2}}}
		},
		"is completed with 0 entries":       func(h *history) { h.calls["detail"].Got = got{Status: game.ShowCompleted} },
		"says cancelled":                    func(h *history) { h.calls["detail"].Got.Status = game.ShowCancelled },
		"it was not any more":               func(h *history) { h.calls["more"] = again(h.calls["detail"], time.Minute) },
		"counts 0 entries":                  func(h *history) { h.calls["list"].Got.Entries[fair] = listed{game.ShowOpen, 0} },
		"is cancelled, and it is completed": func(h *history) { h.calls["list"].Got.Entries[fair] = listed{game.ShowCancelled, 1} },
		"is no sum of whole":                func(h *history) { h.calls["season"].Got.Score = 60 },
		"who was banned all the while": func(h *history) {
			h.calls["more"] = again(h.calls["refresh"], time.Minute)
			h.calls["more"].User, h.calls["more"].Session = bob, "other"
		},
		"the user was not banned":  func(h *history) { refusedWith(h.calls["refresh"], 401, game.CodeUnauthorized) },
		"its session is not there": func(h *history) { delete(h.facts.Sessions, "first") },
		"logout #9 is done, and":   func(h *history) { h.calls["refresh"].Kind = kindLogout },
		"its session was over":     func(h *history) { h.calls["login"].Kind = kindLogout },
		"its session was revoked by #10": func(h *history) {
			h.calls["ban"].Kind, h.calls["ban"].User = kindRevoke, ann
			h.calls["refresh"].Began += time.Minute
			h.calls["refresh"].Ended += time.Minute
		},
		"the name leads to":                    func(h *history) { delete(h.facts.Users, "cleo") },
		"is done twice":                        func(h *history) { h.calls["more"] = again(h.calls["late"], 0) },
		"nobody else wanted the name":          func(h *history) { refusedWith(h.calls["late"], 409, game.CodeConflict) },
		"is refused, and the account is there": func(h *history) { refusedWith(h.calls["late"], 400, game.CodeValidation) },
		"is done, and has no record":           func(h *history) { delete(h.facts.Changes, "change-ban") },
		"ban #10 failed, and has a rec":        func(h *history) { h.calls["ban"].outcome = refused },
		"1550 gold, and should be 1500": func(h *history) {
			show(h, func(s *invariants.Show) { s.Receipts[ann] = invariants.Receipt{Rank: 1, Prize: 50} })
		},
		"2 records of them": func(h *history) { h.facts.Changes["x"], h.facts.Changes["y"] = "adjust gold", "adjust gold" },
	} {
		h := &history{soundCalls(), soundFacts(), map[string]int{}}
		change(h)
		e := newEvidence(h.facts, slices.Collect(maps.Values(h.calls)), func(request string) int { return h.log[request] })
		e.check()
		var said []string
		for _, v := range e.violations {
			said = append(said, v.what)
			if v.about != (subject{}) && len(e.story(v)) == 0 {
				t.Errorf("%q has no story", v.what)
			}
		}
		if text := strings.Join(said, "\n"); want == "" && text != "" || !strings.Contains(text, want) {
			t.Errorf("want %q, got\n%s", want, text)
		}
	}
}

// What nobody was told may have happened or not, unless the log tells.
func TestUnknownOutcomes(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"enter", "claim", "judge", "a claim that has not happened"} {
		calls, facts := soundCalls(), soundFacts()
		c := calls[name]
		if c == nil {
			c = calls["claim"]
			s := facts.Shows[fair]
			s.Receipts = nil
			facts.Shows[fair] = s
			facts.Users[ann] = invariants.User{Username: "ann", Email: "ann@example.com", Gold: 450}
		}
		c.Status, c.outcome, c.Got = 500, unknown, got{}
		e := newEvidence(facts, slices.Collect(maps.Values(calls)), func(string) int { return 0 })
		if e.check(); len(e.violations) > 0 || e.unknown != 1 {
			t.Errorf("%s: %v, %d unknown", name, e.violations, e.unknown)
		}
		e = newEvidence(facts, []*call{c}, func(string) int { return 404 })
		if c.outcome != refused || e.unanswered != 1 || e.unknown != 0 {
			t.Errorf("%s: %v, %d unanswered, %d unknown", name, c.outcome, e.unanswered, e.unknown)
		}
	}
}

func TestSubjectOf(t *testing.T) {
	t.Parallel()
	a, b := game.NewID(), game.NewID()
	if s := subjectOf("show " + string(a) + ": user " + string(b) + " has two"); s != (subject{user: b, show: a}) {
		t.Errorf("%+v", s)
	}
}
