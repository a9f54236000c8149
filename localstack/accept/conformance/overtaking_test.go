package conformance

import (
	"time"

	"github.com/ranch-game/ranch/localstack/accept/conformance/faultyproxy"
	"github.com/ranch-game/ranch/localstack/accept/conformance/protocol"
)

// second says which client is the second one of a pair.
type second struct{ another, process bool }

var (
	itself         = second{} // there is but one
	anotherTab     = second{another: true}
	anotherProcess = second{another: true, process: true}
)

// pair makes a client with a player's old session, and the second one. Options are of both.
func (s *play) pair(p player, of second, options ...option) (one, other *client) {
	s.Helper()
	one = s.playing(p, append([]option{old, s.storeOf(of)}, options...)...)
	return one, s.beside(one, of, options...)
}

// beside returns the second client beside the first one.
func (s *play) beside(one *client, of second, options ...option) *client {
	s.Helper()
	if !of.another {
		return one
	}
	options = append(options, sharing(one))
	if of.process {
		options = append(options, otherProcess)
	}
	return s.client(options...)
}

// hangs has a client begin a call whose refresh the service has answered, and the answer does not come until the rule
// is released.
func (s *play) hangs(c *client) (*pending, *faultyproxy.Rule) {
	s.Helper()
	held := s.proxy.On("POST", refreshPath, 1, faultyproxy.HoldAnswer)
	before := s.proxy.Forwarded("POST", refreshPath)
	call := c.start("animals", nil)
	s.must(s.proxy.AwaitForwarded(s.ctx, "POST", refreshPath, before+1))
	return call, held
}

// overtaken checks that a call whose refresh came too late has ended for want of a session, or went on with the one
// that there is by now.
func (s *play) overtaken(call *pending) {
	s.Helper()
	if r := s.ended(call); r.failure != nil && r.failure.Kind != protocol.Ended {
		s.Errorf("got %s", r)
	}
}

func loggedOutDuring(of second) func(s *play) {
	return func(s *play) {
		p := s.player()
		one, other := s.pair(p, of)
		call, held := s.hangs(one)
		s.ok(other.call("logout", nil), nil) // and does not wait for the other's refresh
		s.equal("session", other.stored(), session{})
		s.refreshable(p, false)
		held.Release()
		s.fails(s.ended(call), protocol.Ended)
		s.equal("session", one.stored(), session{})
		s.came(0, "GET", animalsPath)
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
		held.Release()
		s.overtaken(call)
		s.equal("the session's player", one.stored().UserID, string(after.ID))
		one.neverTold("sessionRefreshed")
		if of == itself {
			one.told("sessionStarted")
		}
		s.ok(one.call("animals", nil), nil)
	}
}

// revokedDuring has the service refuse a refresh for good, and the player log in anew before the refusal comes.
func revokedDuring(of second) func(s *play) {
	return func(s *play) {
		p := s.player()
		s.revokes(p)
		one, other := s.pair(p, of)
		call, held := s.hangs(one)
		s.ok(other.call("login", credentials(p)), nil)
		fresh := other.stored().RefreshToken
		held.Release()
		s.overtaken(call)
		if stored := one.stored(); stored.RefreshToken != fresh {
			s.Fatalf("stored is %s, and not the session of the log-in", describe(stored))
		}
		one.neverTold("sessionEnded:refused")
		s.ok(one.call("animals", nil), nil)
	}
}

// atOnceInASlowStore has a refresh and something else store what they have at the same time.
func atOnceInASlowStore(of second) func(s *play) {
	return func(s *play) {
		for range 3 {
			before, after := s.player(), s.player()
			one, other := s.pair(before, of, slowStore)
			call, refresh := s.hangs(one)
			answer := s.proxy.On("POST", loginPath, 1, faultyproxy.HoldAnswer)
			came := s.proxy.Forwarded("POST", loginPath)
			login := other.start("login", credentials(after))
			s.must(s.proxy.AwaitForwarded(s.ctx, "POST", loginPath, came+1))
			refresh.Release()
			answer.Release()
			s.ok(s.ended(login), nil)
			s.overtaken(call)
			s.equal("the session's player", one.stored().UserID, string(after.ID))
			made := s.proxy.Came("POST", refreshPath)
			s.ok(other.call("animals", nil), nil) // with what the log-in has brought
			s.came(made, "POST", refreshPath)

			one, other = s.pair(before, of, slowStore)
			call, refresh = s.hangs(one)
			refresh.Release()
			s.ok(other.call("logout", nil), nil)
			s.overtaken(call)
			s.equal("session", one.stored(), session{})
		}
	}
}

// refreshedBeside has a refresh hang for good, while others have to go on.
func refreshedBeside(of second) func(s *play) {
	return func(s *play) {
		p := s.player()
		one, _ := s.pair(p, of, accessToken(s.expired(p)))
		other := s.beside(one, of, timeout(timeLimit))
		call, held := s.hangs(one)
		s.ok(other.call("animals", nil), nil)
		s.came(2, "POST", refreshPath)
		held.Release()
		s.ok(s.ended(call), nil)
		s.ok(one.call("animals", nil), nil)
	}
}

var overtaking = []scenario{
	{"tabs-log-out-during-a-refresh", "Who logs out in one tab while the other's refresh hangs is logged out at once, and stays so when the refresh is through.", loggedOutDuring(anotherTab)},
	{"processes-log-out-during-a-refresh", "So is who logs out in another process.", loggedOutDuring(anotherProcess)},
	{"tabs-log-in-during-a-refresh", "Who logs in as another in one tab while the other's refresh hangs is logged in at once, and is that other in both tabs, also when the refresh is through.", loggedInDuring(anotherTab)},
	{"processes-log-in-during-a-refresh", "So is who logs in in another process.", loggedInDuring(anotherProcess)},
	{"revoked-late", "A refresh that is refused for good, and whose answer comes when the player has logged in anew, does not end the new session, and tells nothing.", revokedDuring(itself)},
	{"tabs-revoked-late", "Nor does it where the log-in was in another tab.", revokedDuring(anotherTab)},
	{"processes-revoked-late", "Nor does it where the log-in was in another process.", revokedDuring(anotherProcess)},
	{"slow-store", "In a store that takes its time a log-in and a log-out count, also where a refresh is stored at the same time.", atOnceInASlowStore(itself)},
	{"tabs-slow-store", "So they do where two tabs share such a store.", atOnceInASlowStore(anotherTab)},
	{"processes-slow-store", "So they do where two processes share such a store.", atOnceInASlowStore(anotherProcess)},
	{"tabs-not-held-up", "A tab whose refresh hangs holds up the other for twice the other's time-out of an attempt; then that refreshes by itself.", refreshedBeside(anotherTab)},
	{"processes-not-held-up", "So does a process hold up another.", refreshedBeside(anotherProcess)},
}

// slowStore is a store each of whose operations takes a moment before it does anything, and one after.
func slowStore(o *setup) { o.request.SlowMs = (50 * time.Millisecond).Milliseconds() }
