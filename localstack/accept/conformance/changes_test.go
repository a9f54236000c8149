package conformance

import (
	"github.com/ranch-game/ranch/localstack/accept/conformance/faultyproxy"
	"github.com/ranch-game/ranch/localstack/accept/conformance/protocol"
	"github.com/ranch-game/ranch/shared/game"
)

// winner is one of a judging's best three.
type winner struct {
	Rank               int
	PlayerID, AnimalID game.ID
}

// judged is what judging answers.
type judged struct {
	Message  string
	TopThree []winner
	Resolved bool
}

// claimed is what claiming answers.
type claimed struct {
	Success    bool
	Rank       int // 0: none
	GoldReward int64
	Message    string
	Resolved   bool
}

// podium has a player enter three animals, of which the first is the best.
func (s *play) podium(tier string) (player, game.Show) {
	s.Helper()
	p, show := s.player(), s.show(tier, 0)
	s.enters(p, show, 0, 1, 2)
	return p, show
}

// judgedPodium is a podium that is judged: the player has a prize to claim.
func (s *play) judgedPodium(tier string) (player, game.Show) {
	s.Helper()
	p, show := s.podium(tier)
	s.judges(p, show)
	return p, show
}

// judgesPodium checks what judging the podium answers.
func (s *play) judgesPodium(c *client, p player, show game.Show, resolved bool) {
	s.Helper()
	var got judged
	s.ok(c.call("judge", args{"show": show.ID}), &got)
	want := judged{Message: "Show judged. 3 entries.", Resolved: resolved}
	for i, animal := range p.animals {
		want.TopThree = append(want.TopThree, winner{i + 1, p.ID, animal.ID})
	}
	s.equal("answer", got, want)
	s.equal("status", s.entries(show, 3).Status, game.ShowCompleted)
}

// claimsFirst checks what claiming a first prize of a rookie show answers.
func (s *play) claimsFirst(r result, resolved bool) {
	s.Helper()
	var got claimed
	s.ok(r, &got)
	s.equal("answer", got, claimed{true, 1, 100, "You received 100 gold for rank 1!", resolved})
}

// claimedAfter is a claim with a fault that is met once.
func claimedAfter(fault faultyproxy.Fault) func(s *play) {
	return func(s *play) {
		p, show := s.judgedPodium("rookie")
		c, lost := s.playing(p), s.proxy.On("POST", claimPath, 1, fault)
		s.claimsFirst(c.call("claim", args{"show": show.ID}), true)
		s.played(lost, 1)
		s.gold(p, 600)
	}
}

var otherChanges = []scenario{
	{"judge-answer-lost", "A judging whose answer is lost is a success, with the ranks that the show tells.", func(s *play) {
		p, show := s.podium("rookie")
		c, lost := s.playing(p), s.proxy.On("POST", judgePath, 1, faultyproxy.LoseAnswer)
		s.judgesPodium(c, p, show, true)
		s.played(lost, 1)
	}},
	{"judge-503-applied", "So is one that was made although the gateway has answered 503.", func(s *play) {
		p, show := s.podium("rookie")
		c, lost := s.playing(p), s.proxy.On("POST", judgePath, 1, faultyproxy.AnswerInstead(503, unavailable))
		s.judgesPodium(c, p, show, true)
		s.played(lost, 1)
	}},
	{"judge-twice", "Who judges a show that is judged already is refused, and is not told that it was a success.", func(s *play) {
		p, show := s.podium("rookie")
		c := s.playing(p)
		s.judgesPodium(c, p, show, false)
		s.refused(c.call("judge", args{"show": show.ID}), 404, "NOT_FOUND", "Show not open")
		s.came(0, "GET", showPath)
	}},
	{"judge-lost-and-judged-by-another", "A judging whose request is lost is a success where another has judged meanwhile: nobody can tell, and the ranks are the same.", func(s *play) {
		p, show := s.podium("rookie")
		c, lost := s.playing(p), s.proxy.On("POST", judgePath, 1, faultyproxy.LoseRequest)
		s.judges(s.player(), show)
		s.judgesPodium(c, p, show, true)
		s.played(lost, 1)
	}},
	{"judge-never-there", "A judging of which every request is lost is said to be unknown, since the show is open still.", func(s *play) {
		p, show := s.podium("rookie")
		c, lost := s.playing(p), s.proxy.On("POST", judgePath, faultyproxy.Always, faultyproxy.LoseRequest)
		s.unknown(c.call("judge", args{"show": show.ID}), "judge", protocol.Network)
		s.played(lost, 4)
		lost.Stop()
		s.judgesPodium(c, p, show, false)
	}},
	{"claim-answer-lost", "A claim whose answer is lost is a success, with the rank and the prize, which is paid once.", claimedAfter(faultyproxy.LoseAnswer)},
	{"claim-502-applied", "So is one that was made although the gateway has answered 502.", claimedAfter(faultyproxy.AnswerInstead(502, ""))},
	{"claim-answer-cut", "So is one whose answer breaks off in the middle.", claimedAfter(faultyproxy.CutAnswer)},
	{"claim-request-lost", "A claim whose request is lost is sent again, and paid once.", func(s *play) {
		p, show := s.judgedPodium("rookie")
		c, lost := s.playing(p), s.proxy.On("POST", claimPath, 1, faultyproxy.LoseRequest)
		s.claimsFirst(c.call("claim", args{"show": show.ID}), false)
		s.played(lost, 1)
		s.gold(p, 600)
	}},
	{"claim-no-prize", "A claim in a show without prizes whose answer is lost is a success, for no gold.", func(s *play) {
		p, show := s.judgedPodium("exhibition")
		c, lost := s.playing(p), s.proxy.On("POST", claimPath, 1, faultyproxy.LoseAnswer)
		var got claimed
		s.ok(c.call("claim", args{"show": show.ID}), &got)
		s.equal("answer", got, claimed{true, 1, 0, "No reward for this placement.", true})
		s.played(lost, 1)
		s.gold(p, 500)
	}},
	{"claim-lost-with-nothing-to-claim", "A claim whose request is lost, in a show that the player has no entry in, is refused.", func(s *play) {
		_, show := s.judgedPodium("rookie")
		c, lost := s.playing(s.player()), s.proxy.On("POST", claimPath, 1, faultyproxy.LoseRequest)
		s.refused(c.call("claim", args{"show": show.ID}), 404, "NOT_FOUND", "")
		s.played(lost, 1)
		s.came(2, "POST", claimPath)
	}},
	{"claim-twice", "Who claims twice is refused the second time, and paid once.", func(s *play) {
		p, show := s.judgedPodium("rookie")
		c := s.playing(p)
		s.claimsFirst(c.call("claim", args{"show": show.ID}), false)
		s.refused(c.call("claim", args{"show": show.ID}), 400, "ALREADY_CLAIMED", "")
		s.came(0, "GET", showPath)
		s.gold(p, 600)
	}},
	{"claim-lost-and-dark", "A claim whose answer is lost, with a service that is silent from then on, is said to be unknown, with what to do.", func(s *play) {
		p, show := s.judgedPodium("rookie")
		c := s.playing(p)
		s.proxy.On("POST", claimPath, 1, faultyproxy.LoseAnswer)
		dark := s.proxy.On("", "", faultyproxy.Always, faultyproxy.LoseRequest)
		s.unknown(c.call("claim", args{"show": show.ID}), "claim", protocol.Network)
		dark.Stop()
		s.gold(p, 600)
	}},
	{"register-answer-lost", "A registration whose answer is lost is found out by logging in: there is one player, who is logged in.", func(s *play) {
		c, form := s.client(), someone()
		lost := s.proxy.On("POST", registerPath, 1, faultyproxy.LoseAnswer)
		var user struct{ ID game.ID }
		s.ok(c.call("register", form), &user)
		s.played(lost, 1)
		account, err := s.stage.Store.AccountByUsername(s.ctx, form["username"].(string))
		s.must(err)
		s.equal("id", user.ID, account.ID)
		s.ok(c.call("animals", nil), nil)
		c.told("sessionStarted")
	}},
	{"register-lost-then-taken", "A registration whose request is lost, with a name that another has, is refused, and nobody is logged in.", func(s *play) {
		p := s.player()
		c, form := s.client(), someone()
		form["username"] = p.Username
		lost := s.proxy.On("POST", registerPath, 1, faultyproxy.LoseRequest)
		s.refused(c.call("register", form), 409, "CONFLICT", "Email or username already taken")
		s.played(lost, 1)
		s.equal("session", c.stored(), (*session)(nil))
		c.told()
	}},
	{"register-lost-and-dark", "A registration whose answer is lost, with a service that is silent from then on, is said to be unknown, with what to do.", func(s *play) {
		c, form := s.client(), someone()
		s.proxy.On("POST", registerPath, 1, faultyproxy.LoseAnswer)
		dark := s.proxy.On("", "", faultyproxy.Always, faultyproxy.LoseRequest)
		s.unknown(c.call("register", form), "register", protocol.Network)
		s.equal("session", c.stored(), (*session)(nil))
		dark.Stop()
		s.ok(c.call("login", args{"email": form["email"], "password": form["password"]}), nil)
	}},
}
