package conformance

import (
	"strings"

	"github.com/ranch-game/ranch/localstack/accept/conformance/faultyproxy"
	"github.com/ranch-game/ranch/localstack/accept/conformance/protocol"
	"github.com/ranch-game/ranch/shared/game"
)

// entered is what entering answers.
type entered struct {
	Success  bool
	Message  string
	EntryFee int64
	Resolved bool
}

// entry is a player with an animal and a show for 50 gold.
func (s *play) entry() (player, game.Show, args) {
	s.Helper()
	p, show := s.player(), s.show("rookie", 50)
	return p, show, args{"show": show.ID, "animal": p.animals[0].ID}
}

// entersOnce has the player enter, which must succeed, with one entry and one fee.
func (s *play) entersOnce(c *client, p player, show game.Show, a args, resolved bool) {
	s.Helper()
	var got entered
	s.ok(c.call("enter", a), &got)
	s.equal("answer", got, entered{true, p.animals[0].Name + " entered in County Fair!", 50, resolved})
	s.entries(show, 1)
	s.gold(p, 450)
}

// resolvedAfter is entering with a fault that is met once.
func resolvedAfter(fault faultyproxy.Fault) func(s *play) {
	return func(s *play) {
		p, show, a := s.entry()
		c, lost := s.playing(p), s.proxy.On("POST", enterPath, 1, fault)
		s.entersOnce(c, p, show, a, true)
		s.played(lost, 1)
		c.told()
	}
}

// enteredDespite has each of the answers stand in the place of the service's to an entry that was made.
func enteredDespite(status int, answers ...string) func(s *play) {
	return func(s *play) {
		for _, answer := range answers {
			resolvedAfter(faultyproxy.AnswerInstead(status, answer))(s)
		}
	}
}

var entering = []scenario{
	{"enter-answer-lost", "An entry whose answer is lost is a success, found out by looking at the show: one entry, one fee.",
		resolvedAfter(faultyproxy.LoseAnswer)},
	{"enter-answer-cut", "So is one whose answer breaks off in the middle.", resolvedAfter(faultyproxy.CutAnswer)},
	{"enter-502-applied", "So is one that was made although the gateway has answered 502.", resolvedAfter(faultyproxy.AnswerInstead(502, "<html>Bad Gateway</html>"))},
	{"enter-504-applied", "So is one that was made although the gateway has answered 504.", resolvedAfter(faultyproxy.AnswerInstead(504, `{"message":"Endpoint request timed out"}`))},
	{"enter-500-applied", "So is one that was made although the service has answered 500; it is not sent again.", func(s *play) {
		resolvedAfter(faultyproxy.AnswerInstead(500, `{"error":"INTERNAL_ERROR","message":"Failed to enter show"}`))(s)
		s.came(1, "POST", enterPath)
	}},
	{"enter-in-capitals", "Ids may be in capital letters, also where an entry is looked for.", func(s *play) {
		p, show, a := s.entry()
		a["show"], a["animal"] = strings.ToUpper(string(show.ID)), strings.ToUpper(string(p.animals[0].ID))
		c, lost := s.playing(p), s.proxy.On("POST", enterPath, 1, faultyproxy.LoseAnswer)
		s.entersOnce(c, p, show, a, true)
		s.played(lost, 1)
	}},
	{"enter-request-lost", "An entry whose request is lost is sent again and made: one entry, one fee.", func(s *play) {
		p, show, a := s.entry()
		c, lost := s.playing(p), s.proxy.On("POST", enterPath, 2, faultyproxy.LoseRequest)
		s.entersOnce(c, p, show, a, false)
		s.played(lost, 2)
		s.came(3, "POST", enterPath)
	}},
	{"enter-answers-all-lost", "An entry of which every answer is lost is a success as long as the show can be looked at.", func(s *play) {
		p, show, a := s.entry()
		c, lost := s.playing(p), s.proxy.On("POST", enterPath, faultyproxy.Always, faultyproxy.LoseAnswer)
		s.entersOnce(c, p, show, a, true)
		s.played(lost, 4)
	}},
	{"enter-lost-and-dark", "An entry whose answer is lost, with a service that is silent from then on, is said to be unknown, with what to do.", func(s *play) {
		p, show, a := s.entry()
		c := s.playing(p)
		s.proxy.On("POST", enterPath, 1, faultyproxy.LoseAnswer)
		dark := s.proxy.On("", "", faultyproxy.Always, faultyproxy.LoseRequest)
		s.unknown(c.call("enter", a), "enter", protocol.Network)
		s.entries(show, 1)
		dark.Stop()
		// To enter again is the advice, and charges nothing.
		s.refused(c.call("enter", a), 409, "DUPLICATE", "Animal already entered")
		s.gold(p, 450)
	}},
	{"enter-never-there", "An entry of which nothing is seen after lost requests is said to be unknown: it may be on its way still.", func(s *play) {
		p, show, a := s.entry()
		c, late := s.playing(p, attempts(1)), s.proxy.On("POST", enterPath, 1, faultyproxy.Late)
		s.unknown(c.call("enter", a), "enter", protocol.Network)
		s.entries(show, 0)
		late.Release()
		s.must(late.Ended(s.ctx, 1))
		s.refused(c.call("enter", a), 409, "DUPLICATE", "Animal already entered")
		s.entries(show, 1)
		s.gold(p, 450)
	}},
	{"enter-500-not-applied", "An entry to which the service has answered 500, and which is not there, is said to be unknown, and is not sent again.", func(s *play) {
		p, show, a := s.entry()
		c, failed := s.playing(p), s.proxy.On("POST", enterPath, 1, faultyproxy.Answer(500, `{"error":"INTERNAL_ERROR","message":"Failed to enter show"}`))
		s.unknown(c.call("enter", a), "enter", protocol.API)
		s.played(failed, 1)
		s.came(1, "POST", enterPath)
		s.entries(show, 0)
		s.gold(p, 500)
	}},
	{"enter-repeated-by-the-network", "A network that sends an entry twice charges once; the refusal of the second is told as it is.", func(s *play) {
		p, show, a := s.entry()
		c, twice := s.playing(p), s.proxy.On("POST", enterPath, 1, faultyproxy.Twice)
		s.refused(c.call("enter", a), 409, "DUPLICATE", "Animal already entered")
		s.played(twice, 1)
		s.came(1, "POST", enterPath)
		s.entries(show, 1)
		s.gold(p, 450)
	}},
	{"enter-twice", "Who enters an animal twice is refused the second time, and not told that it was a success.", func(s *play) {
		p, show, a := s.entry()
		c := s.playing(p)
		s.entersOnce(c, p, show, a, false)
		s.refused(c.call("enter", a), 409, "DUPLICATE", "Animal already entered")
		s.came(2, "POST", enterPath)
		s.came(0, "GET", showPath)
		s.gold(p, 450)
	}},
	{"enter-offline", "An entry that no connection was made for is known not to be made.", func(s *play) {
		p, show, a := s.entry()
		c := s.playing(p)
		s.proxy.GoAway()
		s.fails(c.call("enter", a), protocol.Network)
		s.must(s.proxy.ComeBack())
		s.entries(show, 0)
		s.entersOnce(c, p, show, a, false)
		c.told("unreachable", "reachable")
	}},
	{"enter-turned-away", "An entry that is turned away by 429 each time is known not to be made.", func(s *play) {
		p, _, a := s.entry()
		c := s.playing(p)
		s.proxy.On("POST", enterPath, faultyproxy.Always, faultyproxy.Answer(429, tooMany))
		s.refused(c.call("enter", a), 429, "TOO_MANY_REQUESTS", "Too Many Requests")
		s.came(4, "POST", enterPath)
		s.came(0, "GET", showPath)
		s.gold(p, 500)
	}},
	{"enter-lost-and-refreshed", "An entry whose answer is lost, and whose token is refused when it is sent again, is a success all the same: one fee.", func(s *play) {
		p, show, a := s.entry()
		c, lost := s.playing(p), s.proxy.On("POST", enterPath, 1, faultyproxy.LoseAnswer)
		over := s.proxy.On("POST", enterPath, 1, faultyproxy.Answer(401, `{"error":"UNAUTHORIZED"}`))
		s.entersOnce(c, p, show, a, true)
		s.played(lost, 1)
		s.played(over, 1)
		s.came(1, "POST", refreshPath)
		c.told("sessionRefreshed")
	}},
	{"enter-lost-then-refused", "An entry whose request is lost, and which is refused by a rule when it is sent again, is refused: it is not there.", func(s *play) {
		p, show, a := s.entry()
		s.enters(p, show, 1)
		s.judges(p, show)
		c, lost := s.playing(p), s.proxy.On("POST", enterPath, 1, faultyproxy.LoseRequest)
		s.refused(c.call("enter", a), 404, "NOT_FOUND", "Show not found or entry closed")
		s.played(lost, 1)
		s.came(1, "GET", showPath)
	}},
	{"enter-lost-then-cancelled", "An entry whose answer is lost, in a show that is cancelled by then, is refused: its fee comes back.", func(s *play) {
		p, show, a := s.entry()
		c, lost := s.playing(p), s.proxy.On("POST", enterPath, 1, faultyproxy.HoldLoss)
		call := c.start("enter", a)
		s.must(s.proxy.AwaitForwarded(s.ctx, "POST", enterPath, 1))
		s.must(s.stage.Cancel(s.ctx, show.ID))
		lost.Release()
		s.refused(s.ended(call), 404, "NOT_FOUND", "Show not found or entry closed")
		s.entries(show, 1)
		s.gold(p, 500)
	}},
	{"enter-lost-then-banned", "An entry whose answer is lost, by a player who is banned by then, is said to be unknown: nobody can look.", func(s *play) {
		p, _, a := s.entry()
		c, lost := s.playing(p), s.proxy.On("POST", enterPath, 1, faultyproxy.HoldLoss)
		call := c.start("enter", a)
		s.must(s.proxy.AwaitForwarded(s.ctx, "POST", enterPath, 1))
		s.bans(p)
		lost.Release()
		s.unknown(s.ended(call), "enter", protocol.Ended)
		s.gold(p, 450)
	}},
}
