package main

import (
	"slices"

	"github.com/ranch-game/ranch/shared/game"
)

// checkStatus: nobody does anything while banned for sure, and nobody is turned away who was not banned.
func (e *evidence) checkStatus(user game.ID) {
	calls := e.byUser[user]
	bans, unbans := of(calls, kindBan), of(calls, kindUnban)
	for _, c := range of(calls, kindEnter, kindClaim, kindJudge, kindLogin, kindRefresh) {
		turnedAway := c.Code == string(game.CodeUnauthorized) || c.Code == string(game.CodeBanned)
		switch {
		case c.outcome == done && surely(bans, unbans, c):
			e.report(c.subject(), "%s #%d is done, by a user who was banned all the while", c.Kind, c.N)
		case turnedAway && !perhaps(bans, unbans, c):
			e.report(c.subject(), "%s #%d is turned away as %s, and the user was not banned", c.Kind, c.N, c.Code)
		}
	}
}

// surely reports whether the user was banned from the beginning of the call to its end: a ban was done before, and no
// change back can have come since.
func surely(bans, unbans []*call, c *call) bool {
	return slices.ContainsFunc(bans, func(ban *call) bool {
		return ban.outcome == done && ban.before(c) && !slices.ContainsFunc(unbans, func(u *call) bool {
			return u.possible() && u.Began < c.Ended && (u.outcome == unknown || u.Ended > ban.Began)
		})
	})
}

// perhaps reports whether the user may have been banned at some instant of the call: a ban may have come, and was not
// taken back for sure before the call began.
func perhaps(bans, unbans []*call, c *call) bool {
	return slices.ContainsFunc(bans, func(ban *call) bool {
		return ban.possible() && ban.Began < c.Ended && !slices.ContainsFunc(unbans, func(u *call) bool {
			return ban.outcome == done && u.outcome == done && ban.before(u) && u.before(c)
		})
	})
}

// checkSessions: a log-in leaves its session, and a log-out ends it, as a revocation does.
func (e *evidence) checkSessions(user game.ID) {
	calls := e.byUser[user]
	revocations := which(of(calls, kindRevoke, kindBan), happened)
	for _, c := range of(calls, kindLogin, kindLogout, kindRefresh) {
		if c.outcome != done || c.Session == "" {
			continue
		}
		_, kept := e.facts.Sessions[c.Session]
		same := which(of(calls, kindLogout), func(o *call) bool { return o.Session == c.Session })
		switch {
		case c.Kind == kindLogout && kept:
			e.report(c.subject(), "logout #%d is done, and its session is there", c.N)
		case c.Kind == kindLogin && !kept && len(which(same, (*call).possible)) == 0:
			e.report(c.subject(), "login #%d is done, and its session is not there", c.N)
		case c.Kind == kindRefresh && slices.ContainsFunc(same, func(o *call) bool { return o.outcome == done && o.before(c) }):
			e.report(c.subject(), "refresh #%d is done, and its session was over", c.N)
		}
		if c.Kind != kindRefresh {
			continue
		}
		from := which(of(calls, kindLogin), func(o *call) bool { return o.Session == c.Session })
		for _, o := range revocations {
			begun := len(from) == 0 || from[0].before(o) // before the revocation, for sure
			if o.Kind == kindRevoke && begun && o.before(c) {
				e.report(c.subject(), "refresh #%d is done, and its session was revoked by #%d", c.N, o.N)
			}
		}
	}
}

// checkScores: a season's score is the sum of whole judgings, all of those that were over and perhaps some of those
// that were not.
func (e *evidence) checkScores(user game.ID) {
	type points struct {
		points  int64
		from    []*call // what may have judged it
		entered []*call // the user's entries
	}
	var judged []points
	for id, show := range e.facts.Shows {
		p := points{
			from:    which(of(e.byShow[id], kindJudge, kindJudgeShow), happened),
			entered: which(of(e.byShow[id], kindEnter), func(c *call) bool { return c.User == user && c.outcome == done }),
		}
		for animal, entry := range show.Entries {
			if entry.Player == user {
				p.points += game.SeasonPoints(show.Placings[animal].Rank)
			}
		}
		if p.points > 0 {
			judged = append(judged, p)
		}
	}
	for _, c := range which(of(e.byUser[user], kindSeason), happened) {
		if c.Status != 200 {
			continue
		}
		sums := map[int64]bool{0: true}
		for _, p := range judged {
			earlier := func(o *call) bool { return o.before(c) }
			sure := slices.ContainsFunc(p.from, earlier) && slices.ContainsFunc(p.entered, earlier)
			with := map[int64]bool{}
			for sum := range sums {
				with[sum+p.points] = true
				if !sure {
					with[sum] = true
				}
			}
			sums = with
		}
		if !sums[c.Got.Score] {
			e.report(subject{user: user}, "season #%d was told a score of %d, which is no sum of whole judgings", c.N, c.Got.Score)
		}
	}
}

// checkNames: a name belongs to one account, of a registration that may have happened.
func (e *evidence) checkNames() {
	registrations := of(e.calls, kindRegister)
	byName, byEmail := map[string]game.ID{}, map[string]game.ID{}
	for id, u := range e.facts.Users {
		byName[u.Username], byEmail[u.Email] = id, id
	}
	for _, c := range registrations {
		rivals := which(registrations, func(o *call) bool { return o != c && (o.Name == c.Name || o.Email == c.Email) })
		id, there := byName[c.Name]
		switch {
		case c.outcome == done && (!there || byEmail[c.Email] != id || c.Status == 201 && id != c.Got.User):
			e.report(c.subject(), "register #%d of %s is done, and the name leads to %q", c.N, c.Name, id)
		case c.outcome == done && slices.ContainsFunc(rivals, happened):
			e.report(c.subject(), "register #%d of %s is done twice", c.N, c.Name)
		case c.Code == string(game.CodeConflict) && len(which(rivals, (*call).possible)) == 0:
			e.report(c.subject(), "register #%d of %s is refused, and nobody else wanted the name", c.N, c.Name)
		case c.outcome == refused && there && byEmail[c.Email] == id && len(which(rivals, (*call).possible)) == 0:
			e.report(c.subject(), "register #%d of %s is refused, and the account is there", c.N, c.Name)
		}
	}
}

// checkChanges: a change that is done has its record, and one that was refused has none.
func (e *evidence) checkChanges() {
	for _, c := range e.calls {
		if c.Change == "" {
			continue
		}
		switch _, recorded := e.facts.Changes[c.Change]; {
		case c.outcome == done && !recorded:
			e.report(c.subject(), "%s #%d is done, and has no record", c.Kind, c.N)
		case c.outcome == refused && recorded:
			e.report(c.subject(), "%s #%d failed, and has a record", c.Kind, c.N)
		}
	}
}

// checkLists: a list counts every entry that was made before, and none that was not made.
func (e *evidence) checkLists() {
	for _, c := range which(of(e.calls, kindList), happened) {
		for id, row := range c.Got.Entries {
			show := e.facts.Shows[id]
			before := int64(0)
			for _, o := range which(of(e.byShow[id], kindEnter), happened) {
				if o.before(c) {
					before++
				}
			}
			entries := int64(len(show.Entries))
			if row.Count < before || row.Count > entries || row.Status != game.ShowOpen && row.Count != entries {
				e.report(subject{show: id}, "list #%d counts %d entries of the %s show %s: %d were made before, and there are %d",
					c.N, row.Count, row.Status, id, before, entries)
			}
			if row.Status != game.ShowOpen && row.Status != show.Status {
				e.report(subject{show: id}, "list #%d says that show %s is %s, and it is %s", c.N, id, row.Status, show.Status)
			}
		}
	}
}

// checkGold: all the gold there is came into being by registrations, prizes, and operators, and went by fees.
func (e *evidence) checkGold() {
	is, should, adjustments := int64(0), int64(0), 0
	for _, u := range e.facts.Users {
		is, should = is+u.Gold, should+game.StartingGold
		for _, row := range u.Ledger {
			if row.Category == game.CategoryAdjustment {
				should += row.Amount
				adjustments++
			}
		}
	}
	for _, show := range e.facts.Shows {
		for _, entry := range show.Entries {
			if !entry.Refunded {
				should -= entry.Paid
			}
		}
		for _, receipt := range show.Receipts {
			should += receipt.Prize
		}
	}
	if is != should {
		e.report(subject{}, "there are %d gold, and should be %d", is, should)
	}
	changes := 0
	for _, action := range e.facts.Changes {
		if action == "adjust gold" {
			changes++
		}
	}
	if changes != adjustments {
		e.report(subject{}, "there are %d adjustments of gold, and %d records of them", adjustments, changes)
	}
}
