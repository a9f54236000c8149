package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// errNoSeason means that a show's season was neither said nor is one active.
var errNoSeason = errors.New("no season is active: activate one, or say --season")

// showFlags are those of show create.
type showFlags struct {
	file, name, tier, season, id string
	closing                      closingFlags
	fee                          int64
	gates                        int
	force, dryRun                bool
}

func newShowCreate(a *app) *cobra.Command {
	var f showFlags
	c := &cobra.Command{
		Use:   "create (--name NAME --tier TIER --fee GOLD (--closes-in DURATION | --closes-at TIME) [--season ID] [--gates N] [--id ID] | -f FILE)",
		Short: "Create an open show, or all those of a file",
		Long: `Create an open show, or all those of a file.

With -f, the shows are those of a CSV file, whose first line names the columns in any order:
name, tier, fee and closes-at (RFC 3339), and if wanted season, gates and id. All of it is checked
before anything is written. A show that is there already is skipped, be it of the same id or of the
same name, closing time and season; so is one that was created from such a line and has been changed
since, but not one that has been cancelled. So a file may be taken twice.

With an id a show is created once, however often the command is repeated.`,
		Args: cobra.NoArgs,
		RunE: action(func(ctx context.Context, args []string) error {
			if f.file != "" {
				return a.createFromFile(ctx, args, f)
			}
			return a.createOne(ctx, args, f)
		})}
	flags := c.Flags()
	flags.StringVarP(&f.file, "file", "f", "", "create the shows of a CSV file")
	flags.StringVar(&f.name, "name", "", "its name, 1 to 100 characters")
	flags.StringVar(&f.tier, "tier", "", "rookie, pro or elite; any other has no prizes")
	flags.Int64Var(&f.fee, "fee", 0, "the entry fee in gold; 0 is free")
	f.closing.add(flags)
	flags.StringVar(&f.season, "season", "", "its season (default: the active one)")
	flags.StringVar(&f.id, "id", "", "its id (default: a new one)")
	flags.IntVar(&f.gates, "gates", store.DefaultGates, "more gates let a larger crowd enter at once, and make judging dearer; fixed for good")
	flags.BoolVar(&f.force, "force", false, "also a tier without prizes, a closing time that has passed, a fee above the first prize")
	flags.BoolVar(&f.dryRun, "dry-run", false, "check everything, and create nothing")
	c.MarkFlagsOneRequired("file", "name")
	c.MarkFlagsRequiredTogether("name", "tier", "fee")
	for _, flag := range []string{"name", "closes-in", "closes-at", "season", "id", "gates"} {
		c.MarkFlagsMutuallyExclusive("file", flag)
	}
	c = changes(a, c)
	c.MarkFlagsMutuallyExclusive("file", "change")
	return c
}

// newShowDraft is a show that is about to be created.
type newShowDraft struct {
	game.Show
	gates int
}

// check refuses a show that cannot be created, or is hardly meant.
func (d newShowDraft) check() error {
	if err := d.Validate(); err != nil {
		return wrongInput(err)
	}
	if d.gates < 1 || d.gates > store.MaxGates {
		return usagef("--gates must be from 1 to %d", store.MaxGates)
	}
	return nil
}

func (a *app) createOne(ctx context.Context, args []string, f showFlags) error {
	d := newShowDraft{game.Show{ID: a.newID(), Name: f.name, Tier: f.tier, EntryFee: f.fee, Status: game.ShowOpen}, f.gates}
	var err error
	if d.EntryClosesAt, err = a.closing(f.closing); err != nil {
		return err
	}
	if err := d.check(); err != nil {
		return err
	}
	if err := a.refuseDoubts(d.Doubts(a.now()), f.force); err != nil {
		return err
	}
	if f.season != "" {
		if d.SeasonID, err = id("season", f.season); err != nil {
			return err
		}
	}
	if f.id != "" {
		if d.ID, err = id("show", f.id); err != nil {
			return err
		}
	}
	if f.dryRun {
		return a.with(func(ctx context.Context, s *store.Store, _ []string) error {
			if err := d.inSeason(ctx, s); err != nil {
				return err
			}
			return shows.one(a)(&game.ListedShow{Show: d.Show}, nil)
		})(ctx, args)
	}
	return a.changing(func(ctx context.Context, s *store.Store, o store.Operator, _ []string) error {
		if err := a.inSeasonAsAtFirst(ctx, s, &d); err != nil {
			return err
		}
		err := o.CreateShow(ctx, d.Show, d.gates)
		if errors.Is(err, store.ErrExists) && !errors.Is(err, store.ErrUnclear) && f.id != "" {
			a.warn("the show is there already: nothing was created")
			return a.printShow(ctx, s, d.ID)
		}
		if err != nil {
			return err
		}
		created, err := s.ShowRecord(ctx, d.ID)
		return shows.changed(a)(&created.ListedShow, err)
	})(ctx, args)
}

// inSeasonAsAtFirst is inSeason for a change that may be repeated: a show that it has created stays in its season,
// whichever is active by now.
func (a *app) inSeasonAsAtFirst(ctx context.Context, s *store.Store, d *newShowDraft) error {
	if a.repeated != "" && d.SeasonID == "" {
		created, err := s.ShowRecord(ctx, d.ID)
		if err == nil {
			d.SeasonID = created.SeasonID
		}
		if !errors.Is(err, store.ErrUnknownShow) {
			return err
		}
	}
	return d.inSeason(ctx, s)
}

// inSeason puts a show without a season into the active one, and checks that there is one.
func (d *newShowDraft) inSeason(ctx context.Context, s *store.Store) error {
	if d.SeasonID == "" {
		active, err := s.ActiveSeason(ctx)
		if err != nil {
			return err
		}
		if active == nil {
			return errNoSeason
		}
		d.SeasonID = active.ID
		return nil
	}
	season, err := s.Season(ctx, d.SeasonID)
	if err == nil && season == nil {
		err = store.ErrUnknownSeason
	}
	return err
}
