package main

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
)

func newShowSet(a *app) *cobra.Command {
	var name, tier string
	var fee int64
	var closing closingFlags
	c := &cobra.Command{
		Use:   "set ID [--name NAME] [--tier TIER] [--fee GOLD] [--closes-in DURATION | --closes-at TIME]",
		Short: "Change an open show; the fee and the tier only while it has no entries",
		Long: `Change an open show; the fee and the tier only while it has no entries. If nothing would change, it writes nothing.

A tier without prizes, a closing time that has passed and a fee above the first prize need --force=terms.`,
		Example: "  ranchctl show set 7d3c1b8e-5f0a-4c57-9a0e-2f3b8f6f1d11 --closes-in 2h --reason 'ticket 4711'",
	}
	f := c.Flags()
	f.StringVar(&name, "name", "", "its name, 1 to 100 characters")
	f.StringVar(&tier, "tier", "", "rookie, pro or elite; any other has no prizes")
	complete(c, "tier", tiers)
	f.Int64Var(&fee, "fee", 0, "the entry fee in gold; 0 is free")
	closing.add(f)
	return a.changes(c, func(args []string) (planner, error) {
		var change operate.ShowChange
		if f.Changed("name") {
			change.Name = &name
		}
		if f.Changed("tier") {
			change.Tier = &tier
		}
		if f.Changed("fee") {
			change.EntryFee = &fee
		}
		if f.Changed("closes-in") || f.Changed("closes-at") {
			at, err := a.closing(closing)
			if err != nil {
				return nil, err
			}
			change.EntryClosesAt = &at
		}
		if change == (operate.ShowChange{}) {
			return nil, usagef("give at least one flag with a change")
		}
		return a.ofShow(func(ctx context.Context, s operate.Desk, show operate.ShowRecord) (plan, error) {
			return a.planSet(ctx, s, show, change)
		})(args)
	})
}

// planSet plans a change of a show. Its doubts are a season that is over, and probable mistakes of the change itself.
func (a *app) planSet(ctx context.Context, s operate.Desk, show operate.ShowRecord, change operate.ShowChange) (plan, error) {
	was, becomes := show.Show, change.Apply(show.Show)
	if err := becomes.Validate(); err != nil {
		return plan{}, mark(wrongUsage, err)
	}
	var d differences
	differ(&d, "name", was.Name, becomes.Name)
	differ(&d, "tier", was.Tier, becomes.Tier)
	differ(&d, "fee", was.EntryFee, becomes.EntryFee)
	differ(&d, "closes", was.EntryClosesAt, becomes.EntryClosesAt)
	p := d.set(named(was.Name, was.ID))
	season, err := s.Season(ctx, show.SeasonID)
	before := a.termsOf(was, season)
	p.doubts = append(slices.DeleteFunc(a.termsOf(becomes, season), func(d doubt) bool { return slices.Contains(before, d) }), a.overSeason(season)...)
	p.word = was.Name
	switch {
	case was.Status != game.ShowOpen:
		p.refused = operate.ErrNotOpen
	case show.EntryCount > 0 && (was.EntryFee != becomes.EntryFee || was.Tier != becomes.Tier):
		p.refused = operate.ErrHasEntries
	}
	p.do = func(ctx context.Context, o operate.Operator) error { return o.SetShow(ctx, was.ID, change) }
	return p, err
}
