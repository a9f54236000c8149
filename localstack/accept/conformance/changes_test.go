package conformance

import (
	"strings"

	"github.com/ranch-game/ranch/shared/game"
)

// change describes a change that a player makes in a show: its request and its outcome.
type change struct {
	op, route string
	lay       func(s *play) (player, game.Show, args)
	done      func(s *play, r result, p player, show game.Show, resolved bool) // checks a success
	gold      int64                                                            // the player's gold after the change
	status    int                                                              // of the refusal of a second one
	code      string
	message   string
}

var (
	entry   = change{"enter", postEnter, (*play).entry, (*play).entered, 450, 409, "DUPLICATE", "Animal already entered"}
	judging = change{"judge", postJudge, (*play).podium, (*play).judged, 500, 404, "NOT_FOUND", "Show not open"}
	claim   = change{"claim", postClaim, (*play).judgedPodium, (*play).claimed, 600, 400, "ALREADY_CLAIMED", ""}
)

// entry prepares an entry: a player, a show that costs 50 gold, and the arguments to enter the first animal. Ids may be
// in capital letters, also when the client looks for an entry.
func (s *play) entry() (player, game.Show, args) {
	p, show := s.player(), s.show("rookie", 50)
	return p, show, args{"show": strings.ToUpper(string(show.ID)), "animal": strings.ToUpper(string(p.Animals[0].ID))}
}

// podium prepares a judging: a show in which a player has entered three animals. The first animal is the best.
func (s *play) podium() (player, game.Show, args) {
	p, show := s.player(), s.show("rookie", 0)
	s.enters(p, show, 0, 1, 2)
	return p, show, args{"show": show.ID}
}

// judgedPodium prepares a claim: it judges the show of podium, so that the player has a prize to claim.
func (s *play) judgedPodium() (player, game.Show, args) {
	p, show, a := s.podium()
	s.judges(p, show)
	return p, show, a
}

// outcome has the fields of the answers to all changes. If an answer lacks a field, the field has its zero value.
type outcome struct {
	Success              bool
	Message              string
	EntryFee, GoldReward int64
	Rank                 int
	TopThree             []winner
	Resolved             bool
}

type winner struct {
	Rank               int
	PlayerID, AnimalID game.ID
}

// answered checks that a change has succeeded with this answer.
func (s *play) answered(r result, want outcome) {
	var got outcome
	s.ok(r, &got)
	want.Success = true
	s.equal("answer", got, want)
}

func (s *play) entered(r result, p player, show game.Show, resolved bool) {
	s.answered(r, outcome{Message: p.Animals[0].Name + " entered in County Fair!", EntryFee: 50, Resolved: resolved})
	s.entries(show, 1)
}

func (s *play) judged(r result, p player, show game.Show, resolved bool) {
	want := outcome{Message: "Show judged. 3 entries.", Resolved: resolved}
	for i, animal := range p.Animals {
		want.TopThree = append(want.TopThree, winner{i + 1, p.ID, animal.ID})
	}
	s.answered(r, want)
	s.equal("status", s.entries(show, 3).Status, game.ShowCompleted)
}

func (s *play) claimed(r result, _ player, _ game.Show, resolved bool) {
	s.answered(r, outcome{Rank: 1, GoldReward: 100, Message: "You received 100 gold for rank 1!", Resolved: resolved})
}

// making is a prepared change, together with the client that will make it.
type making struct {
	change
	s      *play
	player player
	show   game.Show
	args   args
	client *client
}

func (s *play) making(c change, options ...option) *making {
	p, show, a := c.lay(s)
	return &making{c, s, p, show, a, s.playing(p, options...)}
}

// meets plans a fault for the next requests of the change. times is their number.
func (m *making) meets(times int, f fault) *rule {
	return m.s.proxy.on(m.route, times, f)
}

func (m *making) call() result { return m.client.call(m.op, m.args) }

// succeeds makes the change, which must succeed and take effect once.
func (m *making) succeeds(resolved bool) {
	m.done(m.s, m.call(), m.player, m.show, resolved)
	m.s.gold(m.player, m.gold)
}

// again makes the change once more. The service must refuse it, and the player's gold must not change.
func (m *making) again() {
	m.s.refused(m.call(), m.status, m.code, m.message)
	m.s.gold(m.player, m.gold)
}

// resolved returns a scenario that makes a change with each of the faults, which lose its response. The client must
// look the change up, and report a success.
func (c change) resolved(faults ...fault) func(s *play) {
	return func(s *play) {
		for _, fault := range faults {
			m := s.making(c)
			m.meets(1, fault)
			m.succeeds(true)
			m.client.told()
		}
	}
}

// twice makes a change two times. The service must refuse the second one, and the client must look up neither.
func (c change) twice(s *play) {
	m := s.making(c)
	m.succeeds(false)
	m.again()
	s.came(2, c.route)
	s.came(0, getShow)
	s.came(0, getOwn)
}

var entering = []scenario{
	{"enter-answer-lost",
		entry.resolved(loseAnswer, instead(504, `{"message":"Endpoint request timed out"}`)[0])},
	{"enter-500-applied", func(s *play) {
		entry.resolved(instead(500, `{"error":"INTERNAL_ERROR","message":"Failed to enter show"}`)...)(s)
		s.came(1, postEnter)
	}},
	{"enter-request-lost", func(s *play) {
		m := s.making(entry)
		m.meets(2, loseRequest)
		m.succeeds(false)
		s.came(3, postEnter)
	}},
	{"enter-answers-all-lost", func(s *play) {
		m := s.making(entry)
		m.meets(always, loseAnswer)
		m.succeeds(true)
		s.came(4, postEnter)
	}},
	{"enter-lost-and-dark", func(s *play) {
		m := s.making(entry)
		m.meets(1, loseAnswer)
		dark := s.proxy.on("", always, loseRequest)
		s.unknown(m.call(), "enter", network)
		dark.stop()
		m.again()
	}},
	{"enter-never-there", func(s *play) {
		m := s.making(entry)
		m.meets(4, loseRequest)
		s.unknown(m.call(), "enter", network)
		s.enters(m.player, m.show, 0) // a request arrives late
		m.again()
		s.entries(m.show, 1)
	}},
	{"enter-500-not-applied", func(s *play) {
		m := s.making(entry)
		m.meets(1, answer(500, `{"error":"INTERNAL_ERROR","message":"Failed to enter show"}`))
		s.unknown(m.call(), "enter", refusedByAPI)
		s.came(1, postEnter)
		s.entries(m.show, 0)
		s.gold(m.player, 500)
	}},
	{"enter-twice", entry.twice},
	{"enter-offline", func(s *play) {
		m := s.making(entry)
		s.proxy.goAway()
		s.fails(m.call(), network)
		s.proxy.comeBack()
		s.entries(m.show, 0)
		m.succeeds(false)
		m.client.told("unreachable", "reachable")
	}},
	{"enter-turned-away", func(s *play) {
		m := s.making(entry)
		m.meets(always, answer(429, tooMany))
		s.refused(m.call(), 429, "TOO_MANY_REQUESTS", "Too Many Requests")
		s.came(4, postEnter)
		s.came(0, getShow)
		s.came(0, getOwn)
		s.gold(m.player, 500)
	}},
	{"enter-lost-and-refreshed", func(s *play) {
		m := s.making(entry)
		m.meets(1, loseAnswer)
		m.meets(1, answer(401, `{"error":"UNAUTHORIZED"}`))
		m.succeeds(true)
		s.came(1, postRefresh)
		m.client.told("sessionRefreshed")
	}},
	{"enter-lost-then-refused", func(s *play) {
		m := s.making(entry)
		s.enters(m.player, m.show, 1)
		s.judges(m.player, m.show)
		m.meets(1, loseRequest)
		s.refused(m.call(), 404, "NOT_FOUND", "Show not found or entry closed")
		s.came(1, getOwn)
	}},
	{"enter-lost-then-cancelled", func(s *play) {
		m := s.making(entry)
		s.enters(m.player, m.show, 0) // by a request whose answer got lost
		s.must(s.stage.Cancel(s.ctx, m.show.ID))
		m.meets(1, loseRequest)
		s.refused(m.call(), 404, "NOT_FOUND", "Show not found or entry closed")
		s.entries(m.show, 1)
		s.gold(m.player, 500)
	}},
	{"enter-lost-then-banned", func(s *play) {
		m := s.making(entry)
		s.enters(m.player, m.show, 0) // by a request whose answer got lost
		s.bans(m.player)
		m.meets(1, loseRequest)
		s.unknown(m.call(), "enter", ended)
		s.gold(m.player, 450)
	}},
}

var otherChanges = []scenario{
	{"judge-answer-lost", judging.resolved(loseAnswer)},
	{"judge-twice", judging.twice},
	{"judge-never-there", func(s *play) {
		m := s.making(judging)
		m.meets(4, loseRequest)
		s.unknown(m.call(), "judge", network)
		m.succeeds(false)
	}},
	{"judge-lost-and-unknown", func(s *play) {
		c := s.anybody()
		s.proxy.on(postJudge, 1, loseRequest)
		s.refused(c.call("judge", args{"show": game.NewID()}), 404, "NOT_FOUND", "Show not open")
		s.came(1, getShow)
	}},
	{"claim-answer-lost", claim.resolved(loseAnswer)},
	{"claim-no-prize", func(s *play) {
		p, show := s.player(), s.show("exhibition", 0)
		s.enters(p, show, 0, 1, 2)
		s.judges(p, show)
		c := s.playing(p)
		s.proxy.on(postClaim, 1, loseAnswer)
		s.answered(c.call("claim", args{"show": show.ID}), outcome{Rank: 1, Message: "No reward for this placement.", Resolved: true})
		s.gold(p, 500)
	}},
	{"claim-lost-with-nothing-to-claim", func(s *play) {
		_, _, a := s.judgedPodium()
		c := s.anybody()
		s.proxy.on(postClaim, 1, loseRequest)
		s.refused(c.call("claim", a), 404, "NOT_FOUND", "")
		s.came(2, postClaim)
	}},
	{"claim-twice", claim.twice},
	{"register-answer-lost", func(s *play) {
		for _, fault := range append(instead(201, wellMeant), loseAnswer) {
			c, form := s.client(), someone()
			s.proxy.on(postRegister, 1, fault)
			var user struct{ ID game.ID }
			s.ok(c.call("register", form), &user)
			accounts, err := s.stage.Store.AccountsByUsername(s.ctx, form["username"].(string))
			s.must(err)
			s.equal("accounts", len(accounts), 1)
			s.equal("id", user.ID, accounts[0].ID)
			s.ok(c.call("animals", nil), nil)
			c.told("sessionStarted")
		}
	}},
	{"register-lost-then-taken", func(s *play) {
		c, form := s.client(), someone()
		form["username"] = s.player().Username
		s.proxy.on(postRegister, 1, loseRequest)
		s.refused(c.call("register", form), 409, "CONFLICT", "Email or username already taken")
		s.equal("session", c.stored(), session{})
		c.told()
	}},
	{"register-lost-and-dark", func(s *play) {
		c, form := s.client(), someone()
		s.proxy.on(postRegister, 1, loseAnswer)
		dark := s.proxy.on("", always, loseRequest)
		s.unknown(c.call("register", form), "register", network)
		s.equal("session", c.stored(), session{})
		dark.stop()
		s.ok(c.call("login", args{"email": form["email"], "password": form["password"]}), nil)
	}},
}
