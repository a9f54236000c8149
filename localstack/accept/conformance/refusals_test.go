package conformance

import (
	"fmt"

	"github.com/ranch-game/ranch/localstack/accept/conformance/faultyproxy"
	"github.com/ranch-game/ranch/localstack/accept/conformance/protocol"
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
		s.must(s.stage.Operator().ChangeAnimal(s.ctx, p.ID, p.animals[0].ID, store.AnimalChange{Stage: &stage}))
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
		s.proxy.On("GET", animalsPath, 1, faultyproxy.Answer(418, `{"error":"TEAPOT","message":"Short and stout."}`))
		s.refused(c.call("animals", nil), 418, "TEAPOT", "Short and stout.")
		s.came(1, "", "")
	}},
	{"refused-with-a-number", "An error says by which number the service's log knows the request.", func(s *play) {
		c := s.playing(s.player())
		s.proxy.On("GET", animalsPath, 1, faultyproxy.Answer(500, `{"error":"INTERNAL_ERROR"}`, "Apigw-Requestid", "abc="))
		s.equal("request", s.fails(c.call("animals", nil), protocol.API).RequestID, "abc=")
	}},
	{"no-season", "That there is no season is no error.", func(s *play) {
		c := s.playing(s.player())
		none := s.proxy.On("GET", seasonPath, 1, faultyproxy.Answer(200, `{"active":false}`))
		r := c.call("season", nil)
		s.ok(r, nil)
		s.equal("season", string(r.ok), "null")
		s.played(none, 1)
		var season struct {
			ID            game.ID
			MySeasonScore *int
		}
		s.ok(c.call("season", nil), &season)
		s.equal("the season there is", fmt.Sprint(season.ID, *season.MySeasonScore), fmt.Sprint(s.stage.season.ID, 0))
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
