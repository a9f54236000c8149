package conformance

import (
	"fmt"
	"time"

	"github.com/ranch-game/ranch/localstack/conformance/lossy"
	"github.com/ranch-game/ranch/localstack/conformance/protocol"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

var refusals = []scenario{
	{"refused-for-want-of-gold", "Who has not gold enough is refused by its code and in the service's words, and asked once.", func(s *play) {
		p, show := s.player(), s.show("rookie", 501)
		c := s.playing(p)
		s.refused(c.call("enter", args{"show": show.ID, "animal": p.animals[0].ID}), 400, "INSUFFICIENT_GOLD", "Not enough gold: the entry fee is 501")
		s.came(1, "", "")
		s.gold(p, 500)
	}},
	{"refused-for-the-animal", "An animal that may not be shown is refused by its code and in the service's words.", func(s *play) {
		p, show, a := s.entry()
		stage := game.StageCalf
		s.must(s.world.operator().ChangeAnimal(s.ctx, p.ID, p.animals[0].ID, store.AnimalChange{Stage: &stage}))
		c := s.playing(p)
		s.refused(c.call("enter", a), 400, "INVALID", "Calves cannot enter shows")
		s.came(1, "", "")
		s.entries(show, 0)
	}},
	{"refused-as-unknown", "What is not there is refused by its code, also where the service has no words, and asked for once.", func(s *play) {
		c := s.playing(s.player())
		s.refused(c.call("show", args{"show": game.NewID()}), 404, "NOT_FOUND", "")
		s.refused(c.call("claim", args{"show": game.NewID()}), 404, "NOT_FOUND", "")
		s.refused(c.call("show", args{"show": "no id?at=all#b"}), 404, "NOT_FOUND", "")
		// It is not the season that is answered.
		s.equal("status", s.fails(c.call("show", args{"show": "../season"}), protocol.API).Status, 404)
		s.came(4, "", "")
	}},
	{"refused-with-a-code-of-tomorrow", "A refusal with a code that the client does not know is told with that code and the service's words.", func(s *play) {
		c := s.playing(s.player())
		s.proxy.On("GET", animalsPath, 1, lossy.Answer(418, `{"error":"TEAPOT","message":"Short and stout."}`))
		s.refused(c.call("animals", nil), 418, "TEAPOT", "Short and stout.")
		s.came(1, "", "")
	}},
	{"refused-with-a-number", "An error says by which number the service's log knows the request.", func(s *play) {
		c := s.playing(s.player())
		s.proxy.On("GET", animalsPath, 1, lossy.Answer(500, `{"error":"INTERNAL_ERROR"}`, "Apigw-Requestid", "abc="))
		s.equal("request", s.fails(c.call("animals", nil), protocol.API).RequestID, "abc=")
	}},
	{"no-season", "That there is no season is no error.", func(s *play) {
		c := s.playing(s.player())
		none := s.proxy.On("GET", seasonPath, 1, lossy.Answer(200, `{"active":false}`))
		r := c.call("season", nil)
		s.ok(r, nil)
		s.equal("season", string(r.ok), "null")
		s.played(none, 1)
		var season struct {
			ID            game.ID
			MySeasonScore *int
		}
		s.ok(c.call("season", nil), &season)
		s.equal("the season there is", fmt.Sprint(season.ID, *season.MySeasonScore), fmt.Sprint(s.world.season.ID, 0))
	}},
	{"lists-by-tier-and-status", "Shows are listed by tier, open ones unless another status is asked for.", func(s *play) {
		tier := "t" + newName()
		p, open, done := s.player(), s.show(tier, 0), s.show(tier, 0)
		s.judges(p, done)
		c := s.playing(p)
		for status, want := range map[string][]game.ID{"": {open.ID}, "completed": {done.ID}, "*": {open.ID, done.ID}} {
			var listed []struct{ ID game.ID }
			s.ok(c.call("shows", args{"tier": tier, "status": status}), &listed)
			got := map[game.ID]bool{}
			for _, show := range listed {
				got[show.ID] = true
			}
			s.equal(fmt.Sprintf("shows of the status %q", status), len(listed), len(want))
			for _, id := range want {
				s.equal(fmt.Sprintf("listed by the status %q", status), got[id], true)
			}
		}
	}},
}

// unavailable is what API Gateway answers.
const unavailable = `{"message":"Service Unavailable"}`

// withinJitter checks delays against full jitter: below 200 ms, and below a bound that doubles to at most 5 s.
func (s *play) withinJitter(delays []int64, n int) {
	s.Helper()
	s.equal("waits", len(delays), n)
	bound := int64(200)
	for i, delay := range delays {
		if delay < 0 || delay > bound {
			s.Errorf("wait %d of %d ms, want at most %d", i+1, delay, bound)
		}
		bound = min(2*bound, 5000)
	}
}

var repeating = []scenario{
	{"repeats-what-passes", "A call that is answered 502, 503 and 504 is made a fourth time, after waits with jitter that double.", func(s *play) {
		c := s.playing(s.player())
		for _, status := range []int{502, 503, 504} {
			s.proxy.On("GET", animalsPath, 1, lossy.Answer(status, unavailable))
		}
		s.ok(c.call("animals", nil), nil)
		s.came(4, "GET", animalsPath)
		s.withinJitter(c.delays(), 3)
		c.told()
	}},
	{"repeats-to-an-end", "A call that is answered 503 each time is made four times, and is an error.", func(s *play) {
		c := s.playing(s.player())
		s.proxy.On("GET", listPath, lossy.Always, lossy.Answer(503, unavailable))
		s.refused(c.call("shows", args{}), 503, "SERVICE_UNAVAILABLE", "Service Unavailable")
		s.came(4, "GET", listPath)
		s.withinJitter(c.delays(), 3)
	}},
	{"repeats-as-often-as-told", "A call is made as often as the client is told to, with waits of at most five seconds.", func(s *play) {
		c := s.playing(s.player(), attempts(9))
		s.proxy.On("GET", animalsPath, lossy.Always, lossy.LoseRequest())
		s.fails(c.call("animals", nil), protocol.Network)
		s.came(9, "GET", animalsPath)
		s.withinJitter(c.delays(), 8)
	}},
	{"waits-differ", "Clients that were turned away together do not come back together.", func(s *play) {
		p := s.player()
		s.proxy.On("GET", animalsPath, lossy.Always, lossy.Answer(503, unavailable))
		seen := map[string]bool{}
		for range 3 {
			c := s.playing(p, attempts(7))
			s.fails(c.call("animals", nil), protocol.API)
			seen[fmt.Sprint(c.delays())] = true
		}
		s.equal("series of waits", len(seen), 3)
	}},
	{"waits-as-asked", "A client waits as long as Retry-After says.", func(s *play) {
		c := s.playing(s.player())
		s.proxy.On("GET", animalsPath, 1, lossy.Answer(429, `{"message":"Too Many Requests"}`, "Retry-After", "7"))
		s.ok(c.call("animals", nil), nil)
		delays := c.delays()
		if len(delays) != 1 || delays[0] < 7000 || delays[0] > 12000 {
			s.Errorf("waits of %v ms", delays)
		}
	}},
	{"waits-not-forever", "A Retry-After of a day, or one that makes no sense, holds nobody up for more than a minute.", func(s *play) {
		c := s.playing(s.player())
		for _, absurd := range []string{"86400", "-1", "soon"} {
			s.proxy.On("GET", animalsPath, 1, lossy.Answer(503, unavailable, "Retry-After", absurd))
		}
		s.ok(c.call("animals", nil), nil)
		delays := c.delays()
		s.equal("waits", len(delays), 3)
		for _, delay := range delays {
			if delay < 0 || delay > 60_000 {
				s.Errorf("waits of %v ms", delays)
			}
		}
	}},
	{"never-repeats-500", "A call that the service fails to answer (500) is not repeated.", func(s *play) {
		c := s.playing(s.player())
		failed := s.proxy.On("GET", animalsPath, 1, lossy.Answer(500, `{"error":"INTERNAL_ERROR","message":"Failed to fetch animals"}`))
		s.refused(c.call("animals", nil), 500, "INTERNAL_ERROR", "Failed to fetch animals")
		s.played(failed, 1)
		s.came(1, "GET", animalsPath)
		s.equal("waits", len(c.delays()), 0)
	}},
	{"repeats-log-ins", "A log-in whose answer is lost is made again.", func(s *play) {
		p := s.player()
		c, lost := s.client(), s.proxy.On("POST", loginPath, 1, lossy.LoseAnswer())
		s.ok(c.call("login", credentials(p)), nil)
		s.played(lost, 1)
		s.came(2, "POST", loginPath)
		c.told("sessionStarted")
	}},
	{"repeats-lost-reads", "A read whose answer is lost or cut is made again.", func(s *play) {
		p, show := s.podium("rookie")
		c := s.playing(p)
		lost := s.proxy.On("GET", showPath, 1, lossy.LoseAnswer())
		cut := s.proxy.On("GET", showPath, 1, lossy.CutAnswer())
		var detail struct{ Entries []any }
		s.ok(c.call("show", args{"show": show.ID}), &detail)
		s.equal("entries", len(detail.Entries), 3)
		s.played(lost, 1)
		s.played(cut, 1)
		s.came(3, "GET", showPath)
	}},
}

// timeLimit is one of single attempts that a busy machine keeps with ease where nothing is held.
const timeLimit = 2 * time.Second

var givingUp = []scenario{
	{"cancel-a-read", "A read that is given up ends at once.", func(s *play) {
		c, held := s.playing(s.player()), s.proxy.On("GET", animalsPath, 1, lossy.HoldRequest())
		call := c.start("animals", nil)
		s.must(held.Begun(s.ctx, 1))
		c.cancel(call)
		s.fails(s.ended(call), protocol.Cancelled)
		s.must(held.Ended(s.ctx, 1)) // the connection is gone
		s.came(1, "GET", animalsPath)
		s.ok(c.call("animals", nil), nil)
	}},
	{"cancel-a-wait", "A read that is given up between attempts ends at once.", func(s *play) {
		c := s.playing(s.player(), stuck)
		busy := s.proxy.On("GET", animalsPath, lossy.Always, lossy.Answer(503, unavailable))
		call := c.start("animals", nil)
		s.must(busy.Ended(s.ctx, 1))
		c.cancel(call)
		s.fails(s.ended(call), protocol.Cancelled)
		s.came(1, "GET", animalsPath)
	}},
	{"cancel-a-sent-change", "An entry that is given up when it has been sent is said to be unknown, for it may be made.", func(s *play) {
		p, show, a := s.entry()
		c, held := s.playing(p), s.proxy.On("POST", enterPath, 1, lossy.HoldAnswer())
		call := c.start("enter", a)
		s.must(s.proxy.AwaitForwarded(s.ctx, "POST", enterPath, 1))
		c.cancel(call)
		s.unknown(s.ended(call), "enter", protocol.Cancelled)
		s.must(held.Ended(s.ctx, 1))
		s.entries(show, 1)
		s.refused(c.call("enter", a), 409, "DUPLICATE", "Animal already entered")
		s.gold(p, 450)
	}},
	{"cancel-a-change-in-doubt", "An entry that is given up between attempts after a 503 is said to be unknown.", func(s *play) {
		p, _, a := s.entry()
		c, busy := s.playing(p, stuck), s.proxy.On("POST", enterPath, 1, lossy.AnswerInstead(503, unavailable))
		call := c.start("enter", a)
		s.must(busy.Ended(s.ctx, 1))
		c.cancel(call)
		s.unknown(s.ended(call), "enter", protocol.Cancelled)
		s.gold(p, 450)
	}},
	{"cancel-a-change-turned-away", "An entry that is given up between attempts after a 429 is given up, and known not to be made.", func(s *play) {
		p, _, a := s.entry()
		c, busy := s.playing(p, stuck), s.proxy.On("POST", enterPath, 1, lossy.Answer(429, `{"message":"Too Many Requests"}`))
		call := c.start("enter", a)
		s.must(busy.Ended(s.ctx, 1))
		s.awaitWait(c)
		c.cancel(call)
		s.fails(s.ended(call), protocol.Cancelled)
		s.came(1, "POST", enterPath)
		s.gold(p, 500)
	}},
	{"time-out-of-a-read", "A read that is not answered in time is made again.", func(s *play) {
		c, held := s.playing(s.player(), timeout(timeLimit)), s.proxy.On("GET", animalsPath, 1, lossy.HoldRequest())
		s.ok(c.call("animals", nil), nil)
		s.played(held, 1)
	}},
	{"time-out-of-an-entry", "An entry that is not answered in time, though it was made, is a success: one fee.", func(s *play) {
		p, show, a := s.entry()
		c, held := s.playing(p, timeout(timeLimit)), s.proxy.On("POST", enterPath, 1, lossy.HoldAnswer())
		s.entersOnce(c, p, show, a, true)
		s.played(held, 1)
	}},
	{"time-out-of-a-refresh", "A refresh that is not answered in time is made again, and the session goes on.", func(s *play) {
		c, held := s.playing(s.player(), timeout(timeLimit), old), s.proxy.On("POST", refreshPath, 1, lossy.HoldAnswer())
		s.ok(c.call("animals", nil), nil)
		s.played(held, 1)
	}},
}

// awaitWait returns when the client waits between attempts.
func (s *play) awaitWait(c *client) {
	s.Helper()
	for len(c.delays()) == 0 {
		s.must(s.ctx.Err())
	}
}
