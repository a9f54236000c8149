package logcheck

import (
	"context"
	"fmt"
	"time"

	"github.com/ranch-game/ranch/shared/game"
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

// span is when a change may have committed, by the operator's clock.
type span struct{ from, until game.Instant }

// spanOf goes by when the change was written: it may have been begun long before, and repeated under its id. A record
// from before there was such an instant does not say more than that.
func spanOf(r store.AuditRecord) span {
	if r.WrittenAt == 0 {
		return span{r.At, r.At.Add(store.Repeatable)}
	}
	return span{r.WrittenAt, r.WrittenAt.Add(takingEffect)}
}

// mayPrecede reports whether what has the span may have committed before what has the other one, by whatever clocks.
func (s span) mayPrecede(other span) bool { return s.from.Add(-2*operatorsSkew) < other.until }

// ban is a time in which a user was banned or deleted for sure, by clocks that are right; until is 0 where it has not
// ended.
type ban struct {
	from, until game.Instant
	text        string
}

// readBans reads who was banned when, as operators' records have it.
func (c *Checker) readBans(ctx context.Context, s *store.Store) (map[game.ID][]ban, error) {
	earliest := c.report.From.Add(-beforeTheLog)
	records, err := s.Audit(ctx, earliest.Add(-store.Repeatable), c.report.To.Add(operatorsSkew)+1)
	if err != nil {
		return nil, err
	}
	unbans := map[game.ID][]span{}
	for _, r := range records {
		if user, is := r.User(); is && r.Action == "unban" {
			unbans[user] = append(unbans[user], spanOf(r))
		}
	}
	bans := map[game.ID][]ban{}
	for _, r := range records {
		user, is := r.User()
		said := map[string]string{"ban": "banned", "delete user": "deleted"}[r.Action]
		if !is || said == "" || r.At < earliest {
			continue
		}
		when := spanOf(r)
		b := ban{from: when.until.Add(operatorsSkew), text: fmt.Sprintf("user %s was %s at %v", user, said, when.from)}
		for _, unban := range unbans[user] {
			if until := unban.from.Add(-operatorsSkew); when.mayPrecede(unban) && (b.until == 0 || until < b.until) {
				b.until = until
			}
		}
		bans[user] = append(bans[user], b)
	}
	return bans, nil
}

// checkBans looks for calls that were done while their user was banned: that began when a ban had committed for sure,
// and ended before its end had begun.
func (c *Checker) checkBans(bans []ban, records []*Record) {
	for _, r := range records {
		for _, b := range bans {
			if r.Outcome == Done && c.before(b.from, r.Began) && (b.until == 0 || c.before(r.Ended, b.until)) {
				c.violation("banned", fmt.Sprintf("%s, and did something after it: %s", b.text, r.Kind), *r)
				break
			}
		}
	}
}
