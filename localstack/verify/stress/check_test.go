package main

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ranch-game/ranch/infra/invariants"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

func TestChecks(t *testing.T) {
	t.Parallel()
	const wanted, unsaid = "", "the function says nothing of it"
	type history struct {
		calls map[string]*call
		facts invariants.Facts
		said  testimony
	}
	show := func(h *history, change func(*invariants.Show)) {
		s := h.facts.Shows[fair]
		change(&s)
		h.facts.Shows[fair] = s
	}
	cancelled := func(h *history) { // instead of judged, and there is a refund that has done nothing
		show(h, func(s *invariants.Show) { s.Status, s.JudgedBy, s.Receipts = game.ShowCancelled, "", nil })
		h.calls["judge"].Kind, h.calls["judge"].User, h.calls["judge"].Got = kindCancel, "", got{}
		delete(h.calls, "claim")
		h.calls["refund"] = again(h.calls["create"], time.Minute)
		h.calls["refund"].Kind, h.calls["refund"].outcome, h.calls["refund"].Terms, h.calls["refund"].Change = kindRefund, refused, nil, ""
		h.calls["refund"].Code = "something else"
	}
	for want, change := range map[string]func(*history){
		wanted: func(*history) {},
		unsaid: func(*history) {},
		"1 entries: 0 were made before, 0 were begun": func(h *history) {
			h.calls["list"].Began, h.calls["list"].Ended = 1500*time.Millisecond, 1600*time.Millisecond
		},
		"has an entry of cow that nobody had begun to make": func(h *history) {
			h.calls["detail"].Began, h.calls["detail"].Ended = 1500*time.Millisecond, 1600*time.Millisecond
		},
		"was answered 201, and the function says 409":       func(h *history) { h.said.answers["enter"] = answered{status: 409} },
		`was answered "", and the function says "CONFLICT"`: func(h *history) { h.said.answers["late"] = answered{status: 201, code: "CONFLICT"} },
		"that is not there":                          func(h *history) { delete(h.facts.Shows, fair) },
		"which nobody has entered":                   func(h *history) { delete(h.calls, "enter") },
		"2 players were told that they have entered": func(h *history) { h.calls["more"] = again(h.calls["enter"], 0) },
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
		"claim #6 found nothing":  func(h *history) { refusedWith(h.calls["claim"], 404, game.CodeNotFound) },
		"was ended 2 times":       func(h *history) { h.calls["more"] = again(h.calls["judge"], 0) },
		`completed by "ann"`:      func(h *history) { show(h, func(s *invariants.Show) { s.JudgedBy = string(ann) }) },
		"the results are {Rank:2": func(h *history) { show(h, func(s *invariants.Show) { s.Placings[cow] = invariants.Placing{Rank: 2} }) },
		`judged by "bob", who has not`: func(h *history) {
			delete(h.calls, "judge")
			h.calls["due"] = again(h.calls["create"], 2*time.Second)
			h.calls["due"].Kind, h.calls["due"].Change = kindJudgeDue, ""
		},
		`judged by "judge-due", who has not`: func(h *history) {
			refusedWith(h.calls["judge"], 404, game.CodeNotFound)
			show(h, func(s *invariants.Show) { s.JudgedBy = store.JudgedByDue })
		},
		"nobody has cancelled it":               func(h *history) { show(h, func(s *invariants.Show) { s.Status = game.ShowCancelled }) },
		"is cancelled by #10, and is completed": func(h *history) { h.calls["ban"].Kind, h.calls["ban"].Show = kindCancel, fair },
		"enter #2 is done, after":               func(h *history) { h.calls["enter"].Began += time.Minute; h.calls["enter"].Ended += time.Minute },
		"judge #5 found no open show, and it was open": func(h *history) {
			show(h, func(s *invariants.Show) { s.Status = game.ShowOpen })
			refusedWith(h.calls["judge"], 404, game.CodeNotFound)
		},
		"judge #104 found no open show, and it was open": func(h *history) { // it was judged later
			h.calls["more"] = refusedWith(again(h.calls["detail"], 0), 404, game.CodeNotFound)
			h.calls["more"].Kind = kindJudge
		},
		"set show #14 found no open show, and it was open": func(h *history) { refusedTo(h.calls["rename"], store.ErrNotOpen) },
		"detail #4 found no show, and it was there":        func(h *history) { refusedWith(h.calls["detail"], 404, game.CodeNotFound) },
		"set show #14 found no show, and it was there": func(h *history) {
			refusedTo(h.calls["rename"], store.ErrUnknownShow)
			h.calls["rename"].Began += time.Second / 2
		},
		"set show #14 is done, after the show had ended": func(h *history) {
			h.calls["rename"].Began += time.Minute
			h.calls["rename"].Ended += time.Minute
		},
		"which nobody has set last":                                  func(h *history) { show(h, func(s *invariants.Show) { s.Name = "Fair" }) },
		"its fee is 40, which nobody":                                func(h *history) { show(h, func(s *invariants.Show) { s.Fee = 40 }) },
		"its closing time is 1970-01-01T00:00:00.000Z, which nobody": func(h *history) { show(h, func(s *invariants.Show) { s.ClosesAt = 0 }) },
		"changed 2 times, and 1 to 1 changes were made":              func(h *history) { show(h, func(s *invariants.Show) { s.Terms = 2 }) },
		"changed 0 times, and 1 to 1 changes were made":              func(h *history) { show(h, func(s *invariants.Show) { s.Terms = 0 }) },
		"was told of entries, and there were none": func(h *history) {
			refusedTo(h.calls["rename"], store.ErrHasEntries)
			h.calls["rename"].Began, h.calls["rename"].Ended = time.Second, 3*time.Second/2
		},
		"refund #101 is done, and the show does not say so": func(h *history) { cancelled(h); h.calls["refund"].outcome = done },
		"refund #101 was told that it is not cancelled":     func(h *history) { cancelled(h); refusedTo(h.calls["refund"], store.ErrNotCancelled) },
		"nobody has refunded anything": func(h *history) {
			cancelled(h)
			delete(h.calls, "refund")
			show(h, func(s *invariants.Show) { s.Refunded = true })
		},
		"claim #106 is done, before anybody has judged it": func(h *history) {
			h.calls["more"] = again(h.calls["claim"], -4*time.Second)
			delete(h.calls, "claim")
		},
		"enter #2 is done, and the animal was pregnant": func(h *history) {
			h.calls["foal"].Began, h.calls["foal"].Ended = time.Millisecond, time.Second
		},
		"enter #2 is done, and the show was closed":     func(h *history) { *h.calls["create"].Terms.EntryClosesAt = 500 },
		"was told that the animal is dead, which":       func(h *history) { refusedFor(h.calls["enter"], 404, game.ErrAnimalUnknown) },
		"was told that the animal is pregnant, which":   func(h *history) { refusedFor(h.calls["enter"], 400, game.ErrPregnant) },
		"was told that the animal is a calf, which":     func(h *history) { refusedFor(h.calls["enter"], 400, game.ErrCalf) },
		"enter #2 found it closed, and it was open":     func(h *history) { refusedFor(h.calls["enter"], 404, game.ErrShowClosed) },
		"is 40\", of a fee that the show has never had": func(h *history) { refusedFor(h.calls["enter"], 400, game.InsufficientGold(40)) },
		"is 50\", and there were [500 450] gold":        func(h *history) { refusedFor(h.calls["enter"], 400, game.InsufficientGold(50)) },
		"animals #13 has 2, and there are 1":            func(h *history) { h.calls["animals"].Got.Animals["horse"] = nil },
		"horse, which is not the player's":              func(h *history) { h.calls["animals"].Got.Animals["horse"] = nil },
		"says that cow is dead, which it was not":       func(h *history) { h.calls["animals"].Got.Animals[cow] = []string{dead, pregnant} },
		"does not say that cow is pregnant, which it":   func(h *history) { h.calls["animals"].Got.Animals[cow] = nil },
		"changed 0 times, and 1 to 1 changes":           func(h *history) { h.facts.Animals[cow] = invariants.Animal{Owner: ann, Status: game.StatusPregnant} },
		"is pregnant by the last change, #12, and it is []": func(h *history) {
			h.facts.Animals[cow] = invariants.Animal{Owner: ann, Changes: 1}
		},
		"for no reason that there is: 400 VALIDATION_ERROR": func(h *history) { refusedWith(h.calls["login"], 400, game.CodeValidation) },
		"enter #2 failed, for nothing that was played":      func(h *history) { h.calls["enter"].Status, h.calls["enter"].outcome = 500, unknown },
		"has an entry of horse":                             func(h *history) { h.calls["detail"].Got.Placed[0].Animal = "horse" },
		"detail #4 lacks the entry":                         func(h *history) { h.calls["detail"].Got.Placed = nil },
		"and has a rank":                                    func(h *history) { h.calls["detail"].Got.Placed[0].Rank = 1 },
		"on rank 2, and it is on 1": func(h *history) {
			h.calls["detail"].Got = got{Status: game.ShowCompleted, Placed: []placed{{Animal: cow, Player: ann, Rank: 2}}}
		},
		"is completed with 0 entries":       func(h *history) { h.calls["detail"].Got = got{Status: game.ShowCompleted} },
		"says cancelled":                    func(h *history) { h.calls["detail"].Got.Status = game.ShowCancelled },
		"it was not any more":               func(h *history) { h.calls["more"] = again(h.calls["detail"], time.Minute) },
		"is open and has 0 entries":         func(h *history) { h.calls["list"].Got.Listed[0].Count = 0 },
		"is cancelled, and it is completed": func(h *history) { h.calls["list"].Got.Listed[0].Status = game.ShowCancelled },
		"list #3 says that show fair is completed, which it was not yet": func(h *history) { h.calls["list"].Got.Listed[0].Status = game.ShowCompleted },
		"detail #4 says that it is completed, which it was not yet":      func(h *history) { h.calls["detail"].Got.Status = game.ShowCompleted },
		"list #103 says that show fair is open, and it was not any more": func(h *history) { h.calls["more"] = again(h.calls["list"], time.Minute) },
		"is open, and was asked for those that are completed":            func(h *history) { h.calls["list"].Filter = string(game.ShowCompleted) },
		"list #3 has the show fair twice":                                func(h *history) { h.calls["list"].Got.Listed = slices.Repeat(h.calls["list"].Got.Listed, 2) },
		"has the show feast, which is not there":                         func(h *history) { h.calls["list"].Got.Listed[0].ID = "feast" },
		`list #3 of "" lacks the show`:                                   func(h *history) { h.calls["list"].Got.Listed = nil },
		`list #3 of "open" lacks the show`: func(h *history) {
			h.calls["list"].Filter, h.calls["list"].Got.Listed = string(game.ShowOpen), nil
		},
		`list #103 of "completed" lacks the show`: func(h *history) {
			h.calls["more"] = again(h.calls["list"], time.Minute)
			h.calls["more"].Filter, h.calls["more"].Got.Listed = string(game.ShowCompleted), nil
		},
		"is no sum of whole": func(h *history) { h.calls["season"].Got.Score = 60 },
		"who was banned all the while": func(h *history) {
			h.calls["more"] = again(h.calls["refresh"], time.Minute)
			h.calls["more"].User, h.calls["more"].Session = bob, "other"
		},
		"the user was not banned":            func(h *history) { refusedWith(h.calls["refresh"], 401, game.CodeUnauthorized) },
		"its session is not there":           func(h *history) { delete(h.facts.Sessions, "first") },
		"logout #9 is done, and":             func(h *history) { h.calls["refresh"].Kind = kindLogout },
		"its session was ended by logout #8": func(h *history) { h.calls["login"].Kind = kindLogout },
		"its session was ended by revoke #10": func(h *history) {
			h.calls["ban"].Kind, h.calls["ban"].User = kindRevoke, ann
			h.calls["refresh"].Began += time.Minute
			h.calls["refresh"].Ended += time.Minute
		},
		"its session was ended by ban #10": func(h *history) { // which is taken back
			h.calls["ban"].User = ann
			h.calls["unban"] = again(h.calls["ban"], 2*time.Second)
			h.calls["unban"].Kind = kindUnban
			h.calls["refresh"].Began += time.Minute
			h.calls["refresh"].Ended += time.Minute
		},
		"refresh #9 is refused, and nothing has ended": func(h *history) {
			refusedWith(h.calls["refresh"], 401, game.CodeInvalidToken)
			h.calls["ban"].Kind, h.calls["ban"].User = kindRevoke, ann // too early
			h.calls["ban"].Began, h.calls["ban"].Ended = time.Second, 2*time.Second
		},
		"the name leads to": func(h *history) { delete(h.facts.Users, "cleo") },
		"is done twice":     func(h *history) { h.calls["more"] = again(h.calls["late"], 0) },
		"nobody else wanted the name": func(h *history) { // before
			h.calls["more"] = again(h.calls["late"], time.Minute)
			refusedWith(h.calls["late"], 409, game.CodeConflict)
		},
		"is refused, and the account is there": func(h *history) { refusedWith(h.calls["late"], 400, game.CodeValidation) },
		"is done, and has no record":           func(h *history) { delete(h.facts.Changes, "change-ban") },
		"ban #10 failed, and has a rec":        func(h *history) { h.calls["ban"].outcome = refused },
		"1550 gold, and should be 1500": func(h *history) {
			show(h, func(s *invariants.Show) { s.Receipts[ann] = invariants.Receipt{Rank: 1, Prize: 50} })
		},
		"2 records of them": func(h *history) { h.facts.Changes["x"], h.facts.Changes["y"] = "adjust gold", "adjust gold" },
	} {
		h := &history{soundCalls(), soundFacts(), testimony{answers: map[string]answered{}}}
		change(h)
		if want != unsaid {
			tell(&h.said, h.calls)
		}
		e := newEvidence(h.facts, slices.Collect(maps.Values(h.calls)), h.said, 0)
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
		killed := testimony{answers: map[string]answered{}, ends: []end{{endpoints[c.Kind].function, causeKilled, c.Began}}}
		tell(&killed, calls)
		e := newEvidence(facts, slices.Collect(maps.Values(calls)), killed, 0)
		if e.check(); len(e.violations) > 0 || e.unknown != 1 {
			t.Errorf("%s: %v, %d unknown", name, e.violations, e.unknown)
		}
		e = newEvidence(facts, []*call{c}, testimony{answers: map[string]answered{c.Request: {status: 404, at: time.Hour}}}, 0)
		if c.outcome != refused || c.Ended != time.Hour || e.unanswered != 1 || e.unknown != 0 {
			t.Errorf("%s: %v, %d unanswered, %d unknown", name, c.outcome, e.unanswered, e.unknown)
		}
	}
}

// An endpoint that answers a failure of its own as a refusal, or as done, has told nobody anything.
func TestFailuresInDisguise(t *testing.T) {
	t.Parallel()
	for _, disguise := range []func(*call){
		func(c *call) { refusedWith(c, 401, game.CodeInvalidToken) },
		func(c *call) { c.Kind = kindLogout },
	} {
		calls, said := soundCalls(), testimony{answers: map[string]answered{}}
		c := calls["refresh"]
		disguise(c)
		c.Ended = c.Began + shortestPatience
		said.answers[c.Request] = answered{status: c.Status, fault: "batch get: context deadline exceeded"}
		tell(&said, calls)
		e := newEvidence(soundFacts(), slices.Collect(maps.Values(calls)), said, 0)
		if e.check(); len(e.violations) > 0 || e.unknown != 1 || c.outcome != unknown || e.causes[causeDeadline] != 1 {
			t.Errorf("%s: %v, %d unknown, explained by %v", c.Kind, e.violations, e.unknown, e.causes)
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

// A story has the calls that show it, however long ago they were, and no more than there is room for.
func TestAStoryHasWhatShowsIt(t *testing.T) {
	t.Parallel()
	calls := []*call{
		{N: 1, Kind: kindEnter, User: ann, Show: "feast", Request: "first"},
		{N: 2, Kind: kindEnter, User: bob, Show: "feast"},
		{N: 3, Kind: kindList, User: ann},
	}
	for n := range storyLines {
		calls = append(calls, &call{N: 4 + n, Kind: kindEnter, User: ann, Show: fair})
	}
	calls[len(calls)-1].Request = "last"
	e := newEvidence(invariants.Facts{}, calls, testimony{}, 0)
	for _, test := range []struct {
		requests []string
		what     string
		about    subject
		story    []string // its beginning
	}{
		{[]string{"first"}, "list #3 is wrong", subject{user: ann, show: "feast"}, []string{"#1", "#3"}},
		{[]string{"first", "last"}, "", subject{user: ann}, []string{"#1", "#5", "#6"}},
	} {
		v := violation{about: e.subjectOf(test.requests), what: test.what, requests: test.requests}
		story := numbers(e.story(v))
		if v.about != test.about || len(story) > storyLines || !slices.Equal(story[:min(len(story), len(test.story))], test.story) {
			t.Errorf("%v: of %+v, %v", test.requests, v.about, story)
		}
	}
}

// numbers are those of the calls of a story.
func numbers(story []string) (all []string) {
	for _, line := range story {
		all = append(all, strings.Fields(line[strings.Index(line, "#"):])[0])
	}
	return all
}
