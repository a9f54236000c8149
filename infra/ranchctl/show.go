package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

func newShow(a *app) *cobra.Command {
	return group("show", "Create and list shows", newShowCreate(a), newShowList(a))
}

func newShowCreate(a *app) *cobra.Command {
	var name, tier, closesIn, closesAt, season string
	var fee int64
	var gates int
	c := &cobra.Command{
		Use:   "create --name NAME --tier TIER --fee GOLD (--closes-in DURATION | --closes-at TIME) [--season ID] [--gates N]",
		Short: "Create an open show", Args: cobra.NoArgs,
		RunE: action(func(ctx context.Context, args []string) error {
			show := game.Show{ID: a.newID(), Name: name, Tier: tier, EntryFee: fee, Status: game.ShowOpen}
			var err error
			if show.EntryClosesAt, err = a.closing(closesIn, closesAt); err != nil {
				return err
			}
			if err := show.Validate(); err != nil {
				return wrongInput(err)
			}
			if gates < 1 || gates > store.MaxGates {
				return usagef("--gates must be from 1 to %d", store.MaxGates)
			}
			if season != "" {
				if show.SeasonID, err = id("season", season); err != nil {
					return err
				}
			}
			return a.changing(func(ctx context.Context, s *store.Store, o store.Operator, _ []string) error {
				return a.createShow(ctx, s, o, show, gates)
			})(ctx, args)
		})}
	f := c.Flags()
	f.StringVar(&name, "name", "", "its name, 1 to 100 characters")
	f.StringVar(&tier, "tier", "", "rookie, pro or elite; any other has no prizes")
	f.Int64Var(&fee, "fee", 0, "the entry fee in gold; 0 is free")
	f.StringVar(&closesIn, "closes-in", "", "how long entries are accepted; may be negative")
	f.StringVar(&closesAt, "closes-at", "", "until when entries are accepted")
	f.StringVar(&season, "season", "", "its season (default: the active one)")
	f.IntVar(&gates, "gates", store.DefaultGates, "more gates let a larger crowd enter at once, and make judging dearer; fixed for good")
	require(c, "name", "tier", "fee")
	return changes(a, c)
}

func (a *app) closing(in, at string) (game.Instant, error) {
	switch {
	case (in == "") == (at == ""):
		return 0, usagef("say either --closes-in or --closes-at")
	case at != "":
		return a.instant("closes-at", at)
	default:
		d, err := duration("closes-in", in)
		return a.now().Add(d), err
	}
}

func (a *app) createShow(ctx context.Context, s *store.Store, o store.Operator, show game.Show, gates int) error {
	if show.SeasonID == "" {
		active, err := s.ActiveSeason(ctx)
		if err != nil {
			return err
		}
		if active == nil {
			return errors.New("no season is active: activate one, or say --season")
		}
		show.SeasonID = active.ID
	}
	if err := o.CreateShow(ctx, show, gates); err != nil {
		return err
	}
	if !game.HasPrizes(show.Tier) {
		a.warn("the tier %q has no prize table: the show will pay nothing", show.Tier)
	}
	return a.printShows(false, game.ListedShow{Show: show})
}

func newShowList(a *app) *cobra.Command {
	var status string
	c := &cobra.Command{Use: "list [--status STATUS]", Short: "List all shows by their closing time", Args: cobra.NoArgs,
		RunE: action(func(ctx context.Context, args []string) error {
			switch game.ShowStatus(status) {
			case "", game.ShowOpen, game.ShowCompleted:
			default:
				return usagef("--status must be %s or %s", game.ShowOpen, game.ShowCompleted)
			}
			return a.with(func(ctx context.Context, s *store.Store, _ []string) error {
				shows, err := s.AllShows(ctx, game.ShowStatus(status))
				if err != nil {
					return err
				}
				return a.printShows(true, shows...)
			})(ctx, args)
		})}
	c.Flags().StringVar(&status, "status", "", "only open or completed ones")
	return c
}

func (a *app) printShows(list bool, shows ...game.ListedShow) error {
	return printRecords(a, list, shows, "ID NAME TIER FEE CLOSES STATUS JUDGED ENTRIES SEASON", func(s game.ListedShow) []any {
		return []any{s.ID, s.Name, s.Tier, s.EntryFee, s.EntryClosesAt, s.Status, orDash(s.JudgedAt), s.EntryCount, s.SeasonID}
	})
}
