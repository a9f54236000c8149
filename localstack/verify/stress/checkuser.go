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
		if show.Status != game.ShowCompleted {
			continue
		}
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

// checkNames: a name belongs to one account, of a registration that may have happened. Who is refused it has a rival
// who was there before.
func (e *evidence) checkNames() {
	registrations := of(e.calls, kindRegister)
	byName, byEmail := map[string]game.ID{}, map[string]game.ID{}
	for id, u := range e.facts.Users {
		byName[u.Username], byEmail[u.Email] = id, id
	}
	for _, c := range registrations {
		rivals := which(registrations, func(o *call) bool { return o != c && (o.Name == c.Name || o.Email == c.Email) })
		earlier := func(o *call) bool { return o.possible() && o.Began < c.Ended }
		id, there := byName[c.Name]
		switch {
		case c.outcome == done && (!there || byEmail[c.Email] != id || c.Status == 201 && id != c.Got.User):
			e.report(c.subject(), "register #%d of %s is done, and the name leads to %q", c.N, c.Name, id)
		case c.outcome == done && slices.ContainsFunc(rivals, happened):
			e.report(c.subject(), "register #%d of %s is done twice", c.N, c.Name)
		case c.Code == string(game.CodeConflict) && !slices.ContainsFunc(rivals, earlier):
			e.report(c.subject(), "register #%d of %s is refused, and nobody else wanted the name", c.N, c.Name)
		case c.outcome == refused && there && byEmail[c.Email] == id && len(which(rivals, (*call).possible)) == 0:
			e.report(c.subject(), "register #%d of %s is refused, and the account is there", c.N, c.Name)
		}
	}
}
