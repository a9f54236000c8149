package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

func newSeason(a *app) *cobra.Command {
	return group("season", "Create, activate, close and list seasons, and show their standings",
		newSeasonCreate(a), newSeasonClose(a), newSeasonStandings(a),
		changes(a, &cobra.Command{Use: "activate ID", Short: "Make a season active; others stay as they are", Args: cobra.ExactArgs(1), RunE: action(a.setSeason(true))}),
		changes(a, &cobra.Command{Use: "deactivate ID", Short: "Take a season from the active ones", Args: cobra.ExactArgs(1), RunE: action(a.setSeason(false))}),
		&cobra.Command{Use: "list", Short: "List all seasons by their start", Args: cobra.NoArgs, RunE: action(a.with(
			func(ctx context.Context, s *store.Store, _ []string) error {
				return seasons.list(a)(s.Seasons(ctx))
			}))},
	)
}

func newSeasonCreate(a *app) *cobra.Command {
	var name, start, end string
	var activate bool
	c := &cobra.Command{Use: "create --name NAME --start TIME --end TIME [--activate]", Short: "Create a season", Args: cobra.NoArgs,
		RunE: action(func(ctx context.Context, args []string) error {
			season := game.Season{ID: a.newID(), Name: name, IsActive: activate}
			var err error
			if season.StartDate, err = a.instant("start", start); err != nil {
				return err
			}
			if season.EndDate, err = a.instant("end", end); err != nil {
				return err
			}
			if err := season.Validate(); err != nil {
				return wrongInput(err)
			}
			return a.changing(func(ctx context.Context, s *store.Store, o store.Operator, _ []string) error {
				if err := o.CreateSeason(ctx, season); err != nil {
					return err
				}
				if season.EndDate <= a.now() {
					a.warn("the season is over already: it ends at %s", season.EndDate)
				}
				if activate {
					a.warnOtherActive(ctx, s, season.ID)
				} else {
					a.warnOverlap(ctx, s, season)
				}
				return seasons.changed(a)(s.Season(ctx, season.ID))
			})(ctx, args)
		})}
	f := c.Flags()
	f.StringVar(&name, "name", "", "its name, 1 to 100 characters")
	f.StringVar(&start, "start", "", "when it starts")
	f.StringVar(&end, "end", "", "when it ends")
	f.BoolVar(&activate, "activate", false, "make it active at once")
	require(c, "name", "start", "end")
	return changes(a, c)
}

func (a *app) setSeason(active bool) func(context.Context, []string) error {
	return func(ctx context.Context, args []string) error {
		season, err := id("season", args[0])
		if err != nil {
			return err
		}
		return a.changing(func(ctx context.Context, s *store.Store, o store.Operator, _ []string) error {
			if !active {
				return a.deactivate(ctx, s, o, season)
			}
			if err := o.SetSeasonActive(ctx, season, true); err != nil {
				return err
			}
			a.warnOtherActive(ctx, s, season)
			return seasons.changed(a)(s.Season(ctx, season))
		})(ctx, args)
	}
}

// deactivate takes a season from the active ones, and shows it.
func (a *app) deactivate(ctx context.Context, s *store.Store, o store.Operator, season game.ID) error {
	if err := o.SetSeasonActive(ctx, season, false); err != nil {
		return err
	}
	return seasons.changed(a)(s.Season(ctx, season))
}

// warnOverlap says which active seasons have not ended when a new one begins. What has been done stays done where that
// cannot be found out.
func (a *app) warnOverlap(ctx context.Context, s *store.Store, season game.Season) {
	all, err := s.Seasons(ctx)
	if err != nil {
		a.warn("it may begin before an active season ends: %v", err)
		return
	}
	for _, other := range all {
		if other.IsActive && other.ID != season.ID && season.StartDate < other.EndDate && other.StartDate < season.EndDate {
			a.warn("it begins before %s (%s) ends, which is active until %s", other.Name, other.ID, other.EndDate)
		}
	}
}

// warnOtherActive says which season counts where several are active. What has been done stays done where that cannot be
// found out.
func (a *app) warnOtherActive(ctx context.Context, s *store.Store, season game.ID) {
	all, err := s.Seasons(ctx)
	if err != nil {
		a.warn("other seasons may be active, too: %v", err)
		return
	}
	var others []string
	for _, other := range all {
		if other.IsActive && other.ID != season {
			others = append(others, other.Name+" ("+string(other.ID)+")")
		}
	}
	if len(others) > 0 {
		a.warn("also active: %s. Of all active seasons, the one with the earliest start counts", strings.Join(others, ", "))
	}
}

var seasons = table[game.Season]{"ID NAME START END ACTIVE", func(s game.Season) []any {
	return []any{s.ID, s.Name, s.StartDate, s.EndDate, s.IsActive}
}}

// require makes flags necessary.
func require(c *cobra.Command, flags ...string) {
	for _, flag := range flags {
		if err := c.MarkFlagRequired(flag); err != nil {
			panic(err) // a flag that was not defined
		}
	}
}

func newSeasonClose(a *app) *cobra.Command {
	var force bool
	c := &cobra.Command{Use: "close ID [--force]", Short: "Take a season whose shows are all over from the active ones", Args: cobra.ExactArgs(1),
		RunE: action(func(ctx context.Context, args []string) error {
			season, err := id("season", args[0])
			if err != nil {
				return err
			}
			return a.changing(func(ctx context.Context, s *store.Store, o store.Operator, _ []string) error {
				open, err := openShows(ctx, s, season)
				if err != nil {
					return err
				}
				if len(open) > 0 && !force {
					return fmt.Errorf("%d shows of the season are open: %s; judge or cancel them, or say --force", len(open), strings.Join(open, ", "))
				}
				if err := a.deactivate(ctx, s, o, season); err != nil {
					return err
				}
				if len(open) > 0 {
					a.warn("%d shows of the season are still open: %s", len(open), strings.Join(open, ", "))
				}
				return nil
			})(ctx, args)
		})}
	c.Flags().BoolVar(&force, "force", false, "although shows of it are open")
	return changes(a, c)
}

// openShows names the open shows of a season.
func openShows(ctx context.Context, s *store.Store, season game.ID) (names []string, err error) {
	open, err := s.AllShows(ctx, game.ShowOpen)
	for _, show := range open {
		if show.SeasonID == season {
			names = append(names, show.Name+" ("+string(show.ID)+")")
		}
	}
	return names, err
}

func newSeasonStandings(a *app) *cobra.Command {
	var top int
	c := &cobra.Command{Use: "standings ID [--top N]", Short: "Show the players of a season by the points of its completed shows", Args: cobra.ExactArgs(1),
		Long: `Show the players of a season by the points of its completed shows. It adds up the results of every show of the season,
2 read units or more for each, and reads the name of every player that it shows, 1 read unit each.`,
		RunE: action(func(ctx context.Context, args []string) error {
			season, err := id("season", args[0])
			if err != nil {
				return err
			}
			if top < 0 {
				return usagef("--top must be 1 or more, or 0 for all")
			}
			return a.patiently(func(ctx context.Context, s *store.Store, _ []string) error {
				switch known, err := s.Season(ctx, season); {
				case err != nil:
					return err
				case known == nil:
					return store.ErrUnknownSeason
				}
				return standings.list(a)(s.SeasonStandings(ctx, season, top))
			})(ctx, args)
		})}
	c.Flags().IntVar(&top, "top", 0, "only the first so many (default: all)")
	return c
}

var standings = table[game.Standing]{"RANK USER USERNAME POINTS", func(x game.Standing) []any {
	return []any{x.Rank, x.PlayerID, x.Username, x.Points}
}}
