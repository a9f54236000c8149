package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
	"github.com/ranch-game/ranch/shared/records"
	"github.com/ranch-game/ranch/shared/store"
)

// errNoSeason means that a new show names no season, and no season is active.
var errNoSeason = errors.New("no season is active: activate one, or give --season")

// showFlags are the flags of 'show create'.
type showFlags struct {
	name, tier, season, id string
	closing                closingFlags
	fee                    int64
	gates                  int
}

func newShowCreate(a *app) *cobra.Command {
	var f showFlags
	c := &cobra.Command{
		Use:   "create (--name NAME --tier TIER --fee GOLD (--closes-in DURATION | --closes-at TIME) [--season ID] [--gates N] [--id ID] | -f FILE)",
		Short: "Create an open show, or all those of a file",
		Long: `Create an open show, or all those of a file.

With -f, it creates the shows of a CSV file. The first line names the columns in any order: name, tier, fee and closes-at
(RFC 3339), and optionally season, gates and id. The output of 'show list -o csv' is such a file, too. It checks the whole
file before it writes, and prints all problems. It skips a show that exists: one with the same id, or with the same name,
closing time and season. It also skips one that the same line created and that was changed since, unless it is cancelled.
So a file may be used twice.

With --id, a show is created once, however often the command is repeated.

A tier without prizes, a closing time that has passed and a fee above the first prize need --force=terms.`,
		Example: "  ranchctl show create --name 'Spring Cup' --tier rookie --fee 25 --closes-in 7d\n  ranchctl show create -f shows.csv --dry-run"}
	flags := c.Flags()
	flags.StringVarP(&a.file, "file", "f", "", "create the shows of a CSV file")
	flags.StringVar(&f.name, "name", "", "its name, 1 to 100 characters")
	flags.StringVar(&f.tier, "tier", "", "rookie, pro or elite; any other has no prizes")
	complete(c, "tier", tiers)
	flags.Int64Var(&f.fee, "fee", 0, "the entry fee in gold; 0 is free")
	f.closing.add(flags)
	flags.StringVar(&f.season, "season", "", "its season (default: the active one)")
	flags.StringVar(&f.id, "id", "", "its id (default: a new one)")
	flags.IntVar(&f.gates, "gates", records.DefaultGates, "more gates let more players enter at once, and make judging cost more; cannot be changed later")
	c.MarkFlagsOneRequired("file", "name")
	c.MarkFlagsRequiredTogether("name", "tier", "fee")
	for _, flag := range []string{"name", "closes-in", "closes-at", "season", "id", "gates"} {
		c.MarkFlagsMutuallyExclusive("file", flag)
	}
	return a.changes(c, func([]string) (planner, error) {
		if a.long = a.file != ""; a.long {
			return a.createFromFile()
		}
		return a.createOne(f)
	})
}

// newShowDraft is a show that is to be created.
type newShowDraft struct {
	game.Show
	gates int
}

// check returns a usage error if the show breaks the rules for new shows.
func (d newShowDraft) check() error {
	err := d.Validate()
	if d.gates < 1 || d.gates > records.MaxGates {
		err = errors.Join(err, fmt.Errorf("--gates %d: must be from 1 to %d", d.gates, records.MaxGates))
	}
	return mark(wrongUsage, err)
}

func (a *app) createOne(f showFlags) (planner, error) {
	d := newShowDraft{game.Show{ID: a.newID(), Name: f.name, Tier: f.tier, EntryFee: f.fee, Status: game.ShowOpen}, f.gates}
	var err error
	if d.EntryClosesAt, err = a.closing(f.closing); err != nil {
		return nil, err
	}
	if err := d.check(); err != nil {
		return nil, err
	}
	if f.id != "" {
		if d.ID, err = id("show", f.id); err != nil {
			return nil, err
		}
	}
	return func(ctx context.Context, s operate.Desk) (plan, error) {
		if a.repeated != "" && f.season == "" { // the show keeps its season, if it was created before
			created, err := s.ShowRecord(ctx, d.ID)
			if err != nil && !errors.Is(err, store.ErrUnknownShow) {
				return plan{}, err
			}
			d.SeasonID = created.SeasonID
		}
		if f.season == "" {
			if err := d.inSeason(ctx, s); err != nil {
				return plan{}, err
			}
			f.season = string(d.SeasonID)
		}
		season, err := seasonMeant(ctx, s, f.season)
		if err != nil {
			return plan{}, err
		}
		d.SeasonID = season.ID
		p, there := a.planShow(d, season, d.Name), false
		p.do = func(ctx context.Context, o operate.Operator) error {
			err := o.CreateShow(ctx, d.Show, d.gates)
			if there = f.id != "" && errors.Is(err, operate.ErrExists) && !errors.Is(err, operate.ErrUnclear); !there {
				return err
			}
			a.warn("the show exists already: nothing was created")
			return nil
		}
		p.show = func(ctx context.Context) error {
			created, err := s.ShowRecord(ctx, d.ID)
			if there {
				return showRecords.one(a)(&created, err)
			}
			return shows.one(a)(&created.ListedShow, err)
		}
		return p, nil
	}, nil
}

// planShow returns the plan for a new show, with doubts about probable mistakes.
func (a *app) planShow(d newShowDraft, season *game.Season, called string) plan {
	return plan{
		change: fmt.Sprintf("create %s: tier %s, fee %s gold, closes %v, %s, in %s", called, d.Tier, grouped(d.EntryFee), d.EntryClosesAt,
			counted(d.gates, "gate", "gates"), named(season.Name, season.ID)),
		word: d.Name, doubts: append(a.termsOf(d.Show, season), a.overSeason(season)...),
	}
}

// inSeason puts a show without a season into the active one.
func (d *newShowDraft) inSeason(ctx context.Context, s operate.Desk) error {
	if d.SeasonID != "" {
		return nil
	}
	active, err := s.ActiveSeason(ctx)
	switch {
	case err != nil:
		return err
	case active == nil:
		return errNoSeason
	}
	d.SeasonID = active.ID
	return nil
}
