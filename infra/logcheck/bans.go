package logcheck

import (
	"context"
	"time"

	"github.com/ranch-game/ranch/shared/store"
)

const (
	// takingEffect is how long after its record's WrittenAt a change has committed for sure: operators wait for one for
	// 20 seconds, and what was sent last may still be on its way.
	takingEffect = 30 * time.Second
	// operatorsSkew is by how much an operator's clock may be wrong.
	operatorsSkew = 30 * time.Second
	// beforeTheLog is how long before the first record a ban may have begun that is looked at.
	beforeTheLog = 31 * 24 * time.Hour
)

// addBans adds the bans, deletions and ends of bans that operators' records have. Each may have committed between when
// it was written and when it took effect; a record from before there was such an instant says only that it did within
// the time in which changes are repeated.
func (c *Checker) addBans(ctx context.Context, s *store.Store) error {
	earliest := c.report.From.Add(-beforeTheLog)
	records, err := s.Audit(ctx, earliest.Add(-store.Repeatable), c.report.To.Add(operatorsSkew)+1)
	if err != nil {
		return err
	}
	for _, r := range records {
		user, is := r.User()
		kind := Kind(r.Action)
		if !is || kind != Unban && (kind != Ban && kind != DeleteUser || r.At < earliest) {
			continue
		}
		from, until := r.WrittenAt, r.WrittenAt.Add(takingEffect)
		if from == 0 {
			from, until = r.At, r.At.Add(store.Repeatable)
		}
		c.byUser[c.intern(user)] = append(c.byUser[user], &Record{
			Kind: kind, Outcome: Done, User: user, Began: from.Add(-operatorsSkew), Ended: until.Add(operatorsSkew),
		})
	}
	return nil
}
