package conformance

import (
	"os"
	"strings"
	"time"

	"github.com/ranch-game/ranch/localstack/accept/conformance/faultyproxy"
	"github.com/ranch-game/ranch/localstack/accept/conformance/protocol"
)

// storeOf is what a session is kept in that the second client of a pair shares.
func (s *play) storeOf(of second) option {
	if of.process {
		return in(s.file())
	}
	return func(*setup) {}
}

// refreshedOnce has both clients call at the end of an access token.
func refreshedOnce(of second) func(s *play) {
	return func(s *play) {
		p := s.player()
		one, other := s.pair(p, of, accessToken(s.expired(p)))
		held := s.proxy.On("POST", refreshPath, 1, faultyproxy.HoldAnswer)
		var calls []*pending
		for _, c := range []*client{one, other, one, other} {
			calls = append(calls, c.start("animals", nil))
		}
		s.must(held.Begun(s.ctx, 1))
		held.Release()
		for _, call := range calls {
			s.ok(s.ended(call), nil)
		}
		s.came(1, "POST", refreshPath)
		s.came(4, "GET", animalsPath)
	}
}

func loggedOutTogether(of second) func(s *play) {
	return func(s *play) {
		one := s.anybody(s.storeOf(of))
		other := s.beside(one, of)
		s.ok(other.call("animals", nil), nil)
		s.ok(one.call("logout", nil), nil)
		s.fails(other.call("animals", nil), protocol.Ended)
		s.came(1, "GET", animalsPath)
	}
}

var storage = []scenario{
	{"restored", "A session that was stored before is there from the start: no log-in, no refresh.", func(s *play) {
		p := s.player()
		c := s.playing(p)
		var told session
		s.ok(c.call("session", nil), &told)
		s.equal("player", told.Username, p.Username)
		s.ok(c.call("animals", nil), nil)
		s.came(1, "", "")
		c.told()
	}},
	{"restored-after-a-week", "A session that was stored a week ago is refreshed and goes on.", func(s *play) {
		p := s.player()
		c := s.playing(p, aged(7*24*time.Hour), accessToken(s.expired(p)))
		s.ok(c.call("animals", nil), nil)
		s.came(2, "", "")
		c.told("sessionRefreshed")
	}},
	{"of-another-service", "A stored session of another service is none, and its tokens are sent nowhere.", func(s *play) {
		p := s.player()
		c := s.playing(p, func(o *setup) { o.session.API = "http://127.0.0.1:9" })
		s.endedBy(c.call("animals", nil), "none")
		s.came(0, "", "")
		s.ok(c.call("login", credentials(p)), nil)
		s.ok(c.call("animals", nil), nil)
	}},
	{"tabs-refresh-once", "Two tabs that share a session refresh it once.", refreshedOnce(anotherTab)},
	{"tabs-log-out-together", "Who logs out in one tab is logged out in the other.", loggedOutTogether(anotherTab)},
	{"tabs-log-in-together", "Who logs in in one tab is logged in in the other.", func(s *play) {
		p, show := s.player(), s.show("rookie", 50)
		one := s.client()
		other := s.client(sharing(one))
		s.fails(other.call("animals", nil), protocol.Ended)
		s.ok(one.call("login", credentials(p)), nil)
		s.ok(other.call("enter", args{"show": show.ID, "animal": p.animals[0].ID}), nil)
		s.gold(p, 450)
	}},
	{"tabs-ended-by-one", "A session that is refused in one tab has ended in the other, which sends nothing.", func(s *play) {
		p := s.player()
		s.revokes(p)
		one := s.playing(p, old)
		other := s.client(sharing(one))
		s.endedBy(one.call("animals", nil), "refused")
		s.fails(other.call("animals", nil), protocol.Ended)
		s.came(1, "", "")
	}},
	{"processes-refresh-once", "Two processes that share a session in a file refresh it once.", refreshedOnce(anotherProcess)},
	{"processes-log-out-together", "Who logs out in one process is logged out in the other one that shares the file.", loggedOutTogether(anotherProcess)},
	{"file-is-private", "A file with a session can be read by its owner alone.", func(s *play) {
		file := s.file()
		c := s.client(in(file))
		s.ok(c.call("login", credentials(s.player())), nil)
		found, err := os.Stat(strings.TrimPrefix(file, "file:"))
		s.must(err)
		s.equal("mode", found.Mode().Perm(), os.FileMode(0o600))
	}},
	{"file-is-rubbish", "A file with something else in it holds no session, and one can log in again.", func(s *play) {
		for _, rubbish := range []string{"", "null", `{"api":7}`, "{", "<html>", `{"api":"` + s.proxy.URL + `"}`} {
			file := s.file()
			s.must(os.WriteFile(strings.TrimPrefix(file, "file:"), []byte(rubbish), 0o600))
			c := s.client(in(file))
			s.endedBy(c.call("animals", nil), "none")
		}
		p, file := s.player(), s.file()
		s.must(os.WriteFile(strings.TrimPrefix(file, "file:"), []byte("{"), 0o600))
		c := s.client(in(file))
		s.ok(c.call("login", credentials(p)), nil)
		s.equal("player", c.stored().UserID, string(p.ID))
	}},
}
