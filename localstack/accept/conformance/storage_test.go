package conformance

import (
	"os"
	"strings"
	"time"

	"github.com/stretchr/testify/assert"
)

// second describes the second client of a pair.
type second struct{ another, process bool }

var (
	itself         = second{} // the same client
	anotherTab     = second{another: true}
	anotherProcess = second{another: true, process: true}
)

// pair makes a client with an old session of the player, and a second client (see beside), both with the options.
func (s *play) pair(p player, of second, options ...option) (one, other *client) {
	one = s.playing(p, append([]option{old, s.storeOf(of)}, options...)...)
	return one, s.beside(one, of, options...)
}

// beside returns the second client beside the first one.
func (s *play) beside(one *client, of second, options ...option) *client {
	if !of.another {
		return one
	}
	options = append(options, sharing(one))
	if of.process {
		options = append(options, otherProcess)
	}
	return s.make(one.player, session{}, options)
}

// hangs begins a call that needs a refresh. When the service has answered the refresh, the proxy holds the response
// until the test releases the returned rule.
func (s *play) hangs(c *client) (pending, *rule) {
	held := s.proxy.on(postRefresh, 1, holdAnswer)
	call := c.start("animals", nil)
	held.holds(1)
	return call, held
}

// overtaken checks that a call whose refresh came too late has succeeded, or failed because the session has ended.
func (s *play) overtaken(call pending) {
	r := s.ended(call)
	assert.True(s, r.Error == nil || r.Error.Kind == ended, "got %s", r)
}

func loggedOutDuring(of second) func(s *play) {
	return func(s *play) {
		p := s.player()
		one, other := s.pair(p, of)
		call, held := s.hangs(one)
		s.ok(other.call("logout", nil), nil) // the log-out does not wait for the refresh of the first client
		s.equal("session", other.stored(), session{})
		s.refreshable(p, false)
		held.release()
		s.fails(s.ended(call), ended)
		s.equal("session", one.stored(), session{})
		s.came(0, getAnimals)
		one.neverTold("sessionRefreshed")
		if of == itself {
			one.told("sessionEnded:logout")
		}
	}
}

func loggedInDuring(of second) func(s *play) {
	return func(s *play) {
		before, after := s.player(), s.player()
		one, other := s.pair(before, of)
		call, held := s.hangs(one)
		s.ok(other.call("login", credentials(after)), nil)
		s.equal("the session's player", other.stored().UserID, string(after.ID))
		held.release()
		s.overtaken(call)
		s.equal("the session's player", one.stored().UserID, string(after.ID))
		one.neverTold("sessionRefreshed")
		if of == itself {
			one.told("sessionStarted")
		}
		s.ok(one.call("animals", nil), nil)
	}
}

// revokedDuring plays a final refusal of a refresh that arrives after the player has logged in again.
func revokedDuring(s *play) {
	p := s.player()
	s.revokes(p)
	c := s.playing(p, old)
	call, held := s.hangs(c)
	s.ok(c.call("login", credentials(p)), nil)
	fresh := c.stored().RefreshToken
	held.release()
	s.overtaken(call)
	s.equal("the stored refresh token", c.stored().RefreshToken, fresh)
	c.neverTold("sessionEnded:refused")
	s.ok(c.call("animals", nil), nil)
}

// atOnceInASlowStore returns a scenario in which a refresh and a log-in, and then a refresh and a log-out, overlap.
func atOnceInASlowStore(of second) func(s *play) {
	return func(s *play) {
		for range 3 {
			before, after := s.player(), s.player()
			one, other := s.pair(before, of, slowStore)
			call, refresh := s.hangs(one)
			loggedIn := s.proxy.on(postLogin, 1, holdAnswer)
			login := other.start("login", credentials(after))
			loggedIn.holds(1)
			refresh.release()
			loggedIn.release()
			s.ok(s.ended(login), nil)
			s.overtaken(call)
			s.equal("the session's player", one.stored().UserID, string(after.ID))
			made := s.proxy.requests(postRefresh)
			s.ok(other.call("animals", nil), nil) // with the session of the log-in
			s.came(made, postRefresh)

			one, other = s.pair(before, of, slowStore)
			call, refresh = s.hangs(one)
			refresh.release()
			s.ok(other.call("logout", nil), nil)
			s.overtaken(call)
			s.equal("session", one.stored(), session{})
		}
	}
}

// refreshedBeside returns a scenario in which the response to one refresh is held back. Other calls must still succeed.
func refreshedBeside(of second) func(s *play) {
	return func(s *play) {
		p := s.player()
		one, _ := s.pair(p, of, s.expired)
		other := s.beside(one, of, timeout(timeLimit))
		call, held := s.hangs(one)
		s.ok(other.call("animals", nil), nil)
		s.came(2, postRefresh)
		held.release()
		s.ok(s.ended(call), nil)
		s.ok(one.call("animals", nil), nil)
	}
}

var overtaking = []scenario{
	{"tabs-log-out-during-a-refresh", loggedOutDuring(anotherTab)},
	{"tabs-log-in-during-a-refresh", loggedInDuring(anotherTab)},
	{"revoked-late", revokedDuring},
	{"tabs-slow-store", atOnceInASlowStore(anotherTab)},
	{"processes-slow-store", atOnceInASlowStore(anotherProcess)},
	{"tabs-not-held-up", refreshedBeside(anotherTab)},
	{"processes-not-held-up", refreshedBeside(anotherProcess)},
}

// slowStore gives a client a store whose operations each wait 50 ms at their beginning and at their end.
func slowStore(o *setup) { o.request.SlowMs = (50 * time.Millisecond).Milliseconds() }

// storeOf gives a client a store that the second client of a pair can share.
func (s *play) storeOf(of second) option {
	if of.process {
		return in(s.file())
	}
	return func(*setup) {}
}

// refreshedOnce returns a scenario in which two clients have the same old access token. They must refresh it once.
func refreshedOnce(of second) func(s *play) {
	return func(s *play) {
		p := s.player()
		one, other := s.pair(p, of, s.expired)
		held := s.proxy.on(postRefresh, 1, holdAnswer)
		calls := append(one.reads(2), other.reads(2)...)
		held.holds(1)
		held.release()
		s.succeed(calls)
		s.came(1, postRefresh)
		s.came(4, getAnimals)
		stored := one.stored()
		assert.True(s, stored.RefreshToken == p.Refresh && stored.Token != p.Access, "stored is %+v", stored)
	}
}

// loggedInAndOutTogether returns a scenario in which one client logs in, another one plays, and the first logs out.
func loggedInAndOutTogether(of second) func(s *play) {
	return func(s *play) {
		one := s.client(s.storeOf(of))
		other := s.beside(one, of)
		s.endedBy(other.call("animals", nil), "none")
		s.ok(one.call("login", credentials(s.player())), nil)
		s.ok(other.call("animals", nil), nil)
		s.ok(one.call("logout", nil), nil)
		s.fails(other.call("animals", nil), ended)
		s.came(1, getAnimals)
	}
}

var storage = []scenario{
	{"of-another-service", func(s *play) {
		c := s.anybody(func(o *setup) { o.session.API = "http://127.0.0.1:9" })
		s.endedBy(c.call("animals", nil), "none")
		s.came(0, "")
		s.ok(c.call("login", credentials(c.player)), nil)
		s.ok(c.call("animals", nil), nil)
	}},
	{"tabs-refresh-once", refreshedOnce(anotherTab)},
	{"tabs-log-in-and-out-together", loggedInAndOutTogether(anotherTab)},
	{"processes-refresh-once", refreshedOnce(anotherProcess)},
	{"processes-log-in-and-out-together", loggedInAndOutTogether(anotherProcess)},
	{"file-is-private", func(s *play) {
		file := s.file()
		c := s.client(in(file))
		s.ok(c.call("login", credentials(s.player())), nil)
		found, err := os.Stat(strings.TrimPrefix(file, "file:"))
		s.must(err)
		s.equal("mode", found.Mode().Perm(), os.FileMode(0o600))
	}},
	{"file-is-rubbish", func(s *play) {
		p := s.player()
		for _, rubbish := range []string{"", "null", `{"api":7}`, "{", "<html>", `{"api":"` + s.proxy.URL + `"}`} {
			file := s.file()
			s.must(os.WriteFile(strings.TrimPrefix(file, "file:"), []byte(rubbish), 0o600))
			c := s.client(in(file))
			s.endedBy(c.call("animals", nil), "none")
			s.ok(c.call("login", credentials(p)), nil)
			s.equal("player", c.stored().UserID, string(p.ID))
		}
	}},
}
