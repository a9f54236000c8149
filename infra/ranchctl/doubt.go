package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/ranch-game/ranch/shared/game"
)

const (
	// mostGold is the most gold that a change may move without a doubt: a hundred times a usual compensation.
	mostGold = 10_000
	// mostChanges is the most changes of a file without a doubt. An operator can check so many lines by eye.
	mostChanges = 20
)

// The kinds of doubts, which --force names.
const (
	deletion   = "deletion"   // a user is deleted for good
	duplicates = "duplicates" // the same payment or season was made before
	early      = "early"      // a show is judged before its closing time
	withEntry  = "entries"    // a show with entries is cancelled for good
	large      = "large"      // above mostGold or mostChanges
	openShows  = "open"       // the season has open shows
	outside    = "outside"    // the show closes outside its season
	over       = "over"       // the season is over
	terms      = "terms"      // the show has no prizes, or has closed, or its fee is above the first prize
	unread     = "unread"     // the user's ledger cannot be read
)

// noDoubt is the value of --force without a value. It waives nothing.
const noDoubt = "none"

var doubtKinds = []string{deletion, duplicates, early, withEntry, large, openShows, outside, over, terms, unread}

// doubt is a reason why a change may be a mistake. It needs --force with the doubt's kind or, at a terminal, the typed
// word of its plan.
type doubt struct {
	Kind string `json:"doubt"`
	Why  string `json:"why"`
}

func doubtf(kind, format string, args ...any) doubt { return doubt{kind, fmt.Sprintf(format, args...)} }

// termsOf returns the doubts about the terms of a show in the season. See game.Show.Doubts.
func (a *app) termsOf(show game.Show, season *game.Season) (doubts []doubt) {
	for _, why := range show.Doubts(a.present()) {
		doubts = append(doubts, doubt{terms, why})
	}
	if season != nil && season.EndDate > a.present() && (show.EntryClosesAt < season.StartDate || show.EntryClosesAt > season.EndDate) {
		doubts = append(doubts, doubtf(outside, "it closes outside its season, %v to %v", season.StartDate, season.EndDate))
	}
	return doubts
}

// overSeason returns a doubt if the season is over, because a change of its shows may be a mistake.
func (a *app) overSeason(season *game.Season) []doubt {
	if season == nil || season.EndDate > a.present() {
		return nil
	}
	return []doubt{doubtf(over, "the season %s has been over since %v", named(season.Name, season.ID), season.EndDate)}
}

// unwaived returns the doubts that --force does not name.
func (a *app) unwaived(doubts []doubt) []doubt {
	return slices.DeleteFunc(slices.Clone(doubts), func(d doubt) bool { return slices.Contains(a.force, d.Kind) })
}

// forcing returns the flag that waives the doubts.
func forcing(doubts []doubt) string {
	kinds := make([]string, len(doubts))
	for i, d := range doubts {
		kinds[i] = d.Kind
	}
	slices.Sort(kinds)
	return "--force=" + strings.Join(slices.Compact(kinds), ",")
}

// reasons joins the reasons of the first mostShown doubts, and adds how many others there are.
func reasons(doubts []doubt) string {
	texts := make([]string, 0, mostShown+1)
	for i, d := range doubts {
		if i == mostShown {
			texts = append(texts, fmt.Sprintf("and %d more", len(doubts)-i))
			break
		}
		texts = append(texts, d.Why)
	}
	return strings.Join(texts, "; ")
}

// production finds the environment prod in the name of a table, such as ranch-prod-Table-1ABC.
var production = regexp.MustCompile(`(?i)(?:^|[-_.])(prod|production)(?:[-_.]|$)`)

// guarded returns the name of the environment that the operator must type before a change in production, and ""
// elsewhere.
func (a *app) guarded() string {
	if found := production.FindStringSubmatch(a.table); found != nil && !a.onThisMachine() {
		return found[1]
	}
	return ""
}
