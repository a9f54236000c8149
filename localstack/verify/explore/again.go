package explore

import (
	"slices"

	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
)

// asking is the last attempt of a call about its subject.
type asking struct {
	*attempt
	at     int64 // when it was released
	told   State // what it was told, by the sum of that; zero: nothing yet
	before State // what the one before it was told
}

// ask notes that an attempt of the call is released.
func (s *schedule) ask(c *calling, a *attempt) *asking {
	now := &asking{attempt: a, at: s.clock}
	if last := c.asked[a.subject()]; last != nil {
		now.before = last.told
	}
	s.polled = s.polled || s.polls(c, a)
	c.asked[a.subject()] = now
	return now
}

// tell gives the call the answer to what it has asked.
func (s *schedule) tell(c *calling, asked *asking, t answer) {
	if asked.told = t.sum(); asked.told != asked.before {
		c.news = s.clock
	}
	c.heard = append(c.heard, heard{asked.attempt, asked.told, s.now()})
	asked.answer <- t
}

// polls reports whether the attempt is in vain: the call has asked the same before and has heard nothing new since, and
// nothing has changed in what it asks about. It will be told what it was told, or what it could have been told then.
func (s *schedule) polls(c *calling, a *attempt) bool {
	last := c.asked[a.subject()]
	return last != nil && s.vain(c, last)
}

// vain reports whether it would be in vain to ask again.
func (s *schedule) vain(c *calling, last *asking) bool {
	if c.news > last.at {
		return false
	}
	for k, at := range s.changed {
		if at > last.at && (readsAny(last.Reads, []protocol.Key{k}) || slices.Contains(last.locks(), k)) {
			return false
		}
	}
	return true
}

// change notes that the step under way changes what is stored in the items, what can be seen of that, or who has them.
func (s *schedule) change(items ...protocol.Key) {
	for _, k := range items {
		s.changed[k] = s.clock
	}
}
