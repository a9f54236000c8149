package logs

import (
	"context"
	"fmt"
	"time"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// takingEffect is the longest from when an operator begins a change to when it has committed.
const takingEffect = 30 * time.Second

// beforeTheLog is how long before the first record a ban may have begun that is looked at.
const beforeTheLog = 31 * 24 * time.Hour

// ban is a time in which a user was banned or deleted, by when the changes began; until is 0 where it has not ended.
type ban struct{ from, until game.Instant }

// readBans reads who was banned when, as operators' records have it.
func (c *Checker) readBans(ctx context.Context, s *store.Store) (map[game.ID][]ban, error) {
	records, err := s.Audit(ctx, c.report.From.Add(-beforeTheLog), c.report.To+1)
	if err != nil {
		return nil, err
	}
	bans := map[game.ID][]ban{}
	for _, r := range records {
		user, is := r.User()
		if !is {
			continue
		}
		theirs := bans[user]
		open := len(theirs) > 0 && theirs[len(theirs)-1].until == 0
		switch {
		case (r.Action == "ban" || r.Action == "delete user") && !open:
			bans[user] = append(theirs, ban{from: r.At})
		case r.Action == "unban" && open:
			theirs[len(theirs)-1].until = r.At
		}
	}
	return bans, nil
}

// checkBan looks for calls that were done while their user was banned: that began when the ban had committed for sure,
// and ended before its end had begun.
func (c *Checker) checkBan(user game.ID, b ban, records []*Record) {
	for _, r := range records {
		if r.Outcome == Done && c.before(b.from.Add(takingEffect), r.Began) && (b.until == 0 || c.before(r.Ended, b.until)) {
			c.violation("banned", fmt.Sprintf("user %s was banned at %v, and did something after it: %s", user, b.from, r.Kind), *r)
		}
	}
}
