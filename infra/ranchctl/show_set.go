package main

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

func newShowSet(a *app) *cobra.Command {
	var name, tier string
	var fee int64
	var closing closingFlags
	var force bool
	c := &cobra.Command{
		Use:   "set ID [--name NAME] [--tier TIER] [--fee GOLD] [--closes-in DURATION | --closes-at TIME] [--force]",
		Short: "Change an open show; its fee and its tier while nobody has entered", Args: cobra.ExactArgs(1),
	}
	c.RunE = showArgument(func(ctx context.Context, args []string, show game.ID) error {
		var change store.ShowChange
		given := c.Flags().Changed
		if given("name") {
			change.Name = &name
		}
		if given("tier") {
			change.Tier = &tier
		}
		if given("fee") {
			change.EntryFee = &fee
		}
		if given("closes-in") || given("closes-at") {
			at, err := a.closing(closing)
			if err != nil {
				return err
			}
			change.EntryClosesAt = &at
		}
		if change == (store.ShowChange{}) {
			return usagef("say at least one thing to change")
		}
		return a.changing(func(ctx context.Context, s *store.Store, o store.Operator, _ []string) error {
			if err := a.checkChange(ctx, s, show, change, force); err != nil {
				return err
			}
			if err := o.SetShow(ctx, show, change); err != nil {
				return err
			}
			return afterwards(a.printShow(ctx, s, show))
		})(ctx, args)
	})
	f := c.Flags()
	f.StringVar(&name, "name", "", "its name, 1 to 100 characters")
	f.StringVar(&tier, "tier", "", "rookie, pro or elite; any other has no prizes")
	f.Int64Var(&fee, "fee", 0, "the entry fee in gold; 0 is free")
	closing.add(f)
	f.BoolVar(&force, "force", false, "also to a tier without prizes, a closing time that has passed, a fee above the first prize")
	return changes(a, c)
}

// checkChange refuses a change that makes the show one that cannot be, or, unless it is forced, one that is hardly
// meant and was not so before.
func (a *app) checkChange(ctx context.Context, s *store.Store, show game.ID, change store.ShowChange, force bool) error {
	is, err := s.ShowRecord(ctx, show)
	if err != nil {
		return err
	}
	becomes := change.Apply(is.Show)
	if err := becomes.Validate(); err != nil {
		return wrongInput(err)
	}
	before := is.Doubts(a.now())
	return a.refuseDoubts(slices.DeleteFunc(becomes.Doubts(a.now()), func(doubt string) bool { return slices.Contains(before, doubt) }), force)
}
