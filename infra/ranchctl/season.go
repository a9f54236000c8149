package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
)

func newSeason(a *app) *cobra.Command {
	return group("season", "Create, activate, close and list seasons, and show their standings",
		newSeasonCreate(a), newSeasonStandings(a), newSeasonRecount(a),
		newSeasonChange(a, true, "activate", "Make a season active; others stay as they are"),
		newSeasonChange(a, false, "close", "Make a season inactive after all its shows are over; others stay as they are", "deactivate"),
		&cobra.Command{Use: "list", Short: "List all seasons by their start", Example: "  ranchctl season list", RunE: a.parsing(func([]string) (reader, error) {
			return func(ctx context.Context, s operate.Desk) error { return seasons.list(a)(s.Seasons(ctx)) }, nil
		})},
	)
}

func newSeasonCreate(a *app) *cobra.Command {
	var name, start, end string
	var activate bool
	c := &cobra.Command{Use: "create --name NAME --start TIME --end TIME [--activate]", Short: "Create a season",
		Example: "  ranchctl season create --name Spring --start 2027-03-01T00:00:00Z --end +90d --activate"}
	f := c.Flags()
	f.StringVar(&name, "name", "", "its name, 1 to 100 characters")
	f.StringVar(&start, "start", "", "when it starts")
	f.StringVar(&end, "end", "", "when it ends; +90d is 90 days after the start")
	f.BoolVar(&activate, "activate", false, "make it active at once")
	markRequired(c, "name", "start", "end")
	return a.changes(c, func([]string) (planner, error) {
		season := game.Season{ID: a.newID(), Name: name, IsActive: activate}
		var err error
		if season.StartDate, err = a.instant("start", start); err != nil {
			return nil, err
		}
		from := a.now()
		if strings.HasPrefix(end, "+") {
			from = season.StartDate
		}
		if season.EndDate, err = instantFrom(from, "end", end); err != nil {
			return nil, err
		}
		if err := season.Validate(); err != nil {
			return nil, mark(wrongUsage, err)
		}
		return func(ctx context.Context, s operate.Desk) (plan, error) {
			notes, doubts, err := a.besideOthers(ctx, s, season)
			state := "not active"
			if activate {
				state = "active"
			}
			return plan{
				change: fmt.Sprintf("create the season %s: %v to %v, %s", name, season.StartDate, season.EndDate, state),
				notes:  notes, doubts: append(doubts, a.overSeason(&season)...), word: name,
				do:   func(ctx context.Context, o operate.Operator) error { return o.CreateSeason(ctx, season) },
				show: func(ctx context.Context) error { return seasons.one(a)(s.Season(ctx, season.ID)) },
			}, err
		}, nil
	})
}

// newSeasonChange returns a command that sets whether a season is active.
func newSeasonChange(a *app, active bool, name, short string, aliases ...string) *cobra.Command {
	c := &cobra.Command{Use: name + " ID", Aliases: aliases, Short: short, Example: "  ranchctl season " + name + " 7d3c1b8e-5f0a-4c57-9a0e-2f3b8f6f1d11"}
	return a.changes(c, a.ofSeason(func(ctx context.Context, s operate.Desk, season *game.Season) (plan, error) {
		return a.planSeason(ctx, s, season, name, active)
	}))
}

// ofSeason returns a function that plans a change of the season in its only argument, and then prints the season.
func (a *app) ofSeason(read func(ctx context.Context, s operate.Desk, season *game.Season) (plan, error)) func(args []string) (planner, error) {
	return func(args []string) (planner, error) {
		return func(ctx context.Context, s operate.Desk) (plan, error) {
			season, err := seasonMeant(ctx, s, args[0])
			if err != nil {
				return plan{}, err
			}
			p, err := read(ctx, s, season)
			p.show = func(ctx context.Context) error { return seasons.one(a)(s.Season(ctx, season.ID)) }
			return p, err
		}, nil
	}
}

func (a *app) planSeason(ctx context.Context, s operate.Desk, season *game.Season, name string, active bool) (plan, error) {
	shows, err := s.AllShows(ctx, game.ShowOpen)
	if err != nil {
		return plan{}, err
	}
	var open []string
	for _, show := range shows {
		if show.SeasonID == season.ID {
			open = append(open, named(show.Name, show.ID))
		}
	}
	p := plan{word: season.Name}
	p.change = fmt.Sprintf("%s the season %s, until %v: active: %v -> %v, %s", name, named(season.Name, season.ID), season.EndDate, season.IsActive, active,
		counted(len(open), "open show", "open shows"))
	if active {
		becomes := *season
		becomes.IsActive = true
		p.doubts = a.overSeason(season)
		p.notes, _, err = a.besideOthers(ctx, s, becomes)
	} else {
		prizes, gold, unread := s.UnclaimedPrizes(ctx, season.ID)
		if err = unread; prizes > 0 {
			p.notes = []string{fmt.Sprintf("%s of the season, %s gold, not claimed yet: players can still claim them", counted(prizes, "prize", "prizes"), grouped(gold))}
		}
	}
	if !active && len(open) > 0 {
		p.word = strconv.Itoa(len(open))
		p.doubts = []doubt{{openShows, counted(len(open), "show of the season is open: ", "shows of the season are open: ") + strings.Join(open, ", ")}}
	}
	p.do = func(ctx context.Context, o operate.Operator) error { return o.SetSeasonActive(ctx, season.ID, active) }
	return p, err
}

// besideOthers returns notes on other active seasons, and on an active season that has not started. If this season is
// active, it names all others. Otherwise it names those that overlap this season. doubts has one for each with the name.
func (a *app) besideOthers(ctx context.Context, s operate.Desk, season game.Season) (notes []string, doubts []doubt, err error) {
	all, err := s.Seasons(ctx)
	var others []string
	if season.IsActive && season.StartDate > a.present() {
		notes = append(notes, fmt.Sprintf("the season is active from now on, and starts only at %v", season.StartDate))
	}
	for _, other := range all {
		if strings.EqualFold(other.Name, season.Name) && other.ID != season.ID {
			doubts = append(doubts, doubtf(duplicates, "there is a season %s, from %v to %v", named(other.Name, other.ID), other.StartDate, other.EndDate))
		}
		switch {
		case !other.IsActive || other.ID == season.ID:
		case season.IsActive:
			others = append(others, named(other.Name, other.ID))
		case season.StartDate < other.EndDate && other.StartDate < season.EndDate:
			notes = append(notes, fmt.Sprintf("the season overlaps %s, which is active until %s", named(other.Name, other.ID), other.EndDate))
		}
	}
	if len(others) > 0 {
		notes = append(notes, fmt.Sprintf("also active: %s. Of all active seasons, the one with the earliest start counts", strings.Join(others, ", ")))
	}
	return notes, doubts, err
}

var seasons = listing[game.Season]{"ID NAME START END ACTIVE", func(s game.Season) []any {
	return []any{s.ID, s.Name, s.StartDate, s.EndDate, s.IsActive}
}}

func markRequired(c *cobra.Command, flags ...string) {
	for _, flag := range flags {
		if err := c.MarkFlagRequired(flag); err != nil {
			panic(err) // a flag that was not defined
		}
	}
}

func newSeasonStandings(a *app) *cobra.Command {
	var top int
	c := &cobra.Command{Use: "standings ID [--top N]", Short: "Show the standings of a season, as players see them",
		Long: `Show the standings of a season, as players see them: the snapshot that UpdateStandings wrote last. 120 players cost up
to 2 read units.`,
		Example: "  ranchctl season standings 7d3c1b8e-5f0a-4c57-9a0e-2f3b8f6f1d11 --top 10",
		RunE: a.parsing(func(args []string) (reader, error) {
			a.long = true
			if top < 0 {
				return nil, usagef("--top must be 1 or more, or 0 for all")
			}
			return func(ctx context.Context, s operate.Desk) error {
				season, err := seasonMeant(ctx, s, args[0])
				if err != nil {
					return err
				}
				page, err := s.TopStandings(ctx, season.ID, top)
				return standings.list(a)(page.Rows, err)
			}, nil
		})}
	c.Flags().IntVar(&top, "top", 0, "only the first N players (default: all)")
	return c
}

func newSeasonRecount(a *app) *cobra.Command {
	c := &cobra.Command{Use: "recount ID", Short: "Compute the standings of a season anew, from the results of all its completed shows",
		Long: `Compute the standings of a season anew, from the results of all its completed shows. This mends standings that differ
from the results, as table verify finds them after a restore. The command removes the present standings; the next run of
UpdateStandings, within a minute, writes new ones.`,
		Example: "  ranchctl season recount 7d3c1b8e-5f0a-4c57-9a0e-2f3b8f6f1d11"}
	return a.changes(c, a.ofSeason(func(_ context.Context, _ operate.Desk, season *game.Season) (plan, error) {
		return plan{
			change: fmt.Sprintf("compute the standings of the season %s anew; until the next run of UpdateStandings it has none", named(season.Name, season.ID)),
			do:     func(ctx context.Context, o operate.Operator) error { return o.RecountStandings(ctx, season.ID) },
		}, nil
	}))
}

var standings = listing[game.Standing]{"RANK USER USERNAME SCORE", func(x game.Standing) []any {
	return []any{x.Rank, x.PlayerID, x.PlayerUsername, x.Score}
}}
