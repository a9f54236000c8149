package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

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
