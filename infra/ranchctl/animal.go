package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

func newAnimal(a *app) *cobra.Command {
	return group("animal", "List and change animals",
		&cobra.Command{Use: "list USER", Short: "List a user's animals", Args: cobra.ExactArgs(1), RunE: action(a.withUser(
			func(ctx context.Context, s *store.Store, user *game.Account) error {
				return animals.list(a)(s.Animals(ctx, user.ID))
			}))},
		newAnimalSet(a),
	)
}

func newAnimalSet(a *app) *cobra.Command {
	var user, stage, status, condition string
	var dead, alive, dropPhenotype bool
	c := &cobra.Command{
		Use:   "set ANIMAL --user USER [--stage S] [--status S] [--condition X] [--dead | --alive] [--drop-phenotype]",
		Short: "Change an animal", Args: cobra.ExactArgs(1),
	}
	f := c.Flags()
	f.StringVar(&user, "user", "", "its owner's e-mail address, username or id")
	f.StringVar(&stage, "stage", "", "its stage, such as adult or calf")
	f.StringVar(&status, "status", "", "its status, such as idle or pregnant")
	f.StringVar(&condition, "condition", "", "its condition, 0 to 100 with at most two decimals")
	f.BoolVar(&dead, "dead", false, "it has died, now")
	f.BoolVar(&alive, "alive", false, "it lives")
	f.BoolVar(&dropPhenotype, "drop-phenotype", false, "remove its phenotype record")
	require(c, "user")
	c.MarkFlagsMutuallyExclusive("dead", "alive")
	c.MarkFlagsOneRequired("stage", "status", "condition", "dead", "alive", "drop-phenotype")
	c.RunE = action(func(ctx context.Context, args []string) error {
		animal, err := id("animal", args[0])
		if err != nil {
			return err
		}
		change := store.AnimalChange{Alive: alive, DropPhenotype: dropPhenotype}
		for flag, value := range map[string]**string{"stage": &change.Stage, "status": &change.Status} {
			if text := f.Lookup(flag).Value.String(); f.Changed(flag) {
				if text == "" || len(text) > 64 {
					return usagef("--%s must have 1 to 64 bytes", flag)
				}
				*value = &text
			}
		}
		if f.Changed("condition") {
			fixed, err := game.ParseFixed(condition)
			if err != nil {
				return usagef("--condition: %w", err)
			}
			change.Condition = &fixed
		}
		if dead {
			now := a.now()
			change.DiedAt = &now
		}
		return a.changingUser(func(ctx context.Context, s *store.Store, o store.Operator, owner *game.Account) error {
			if err := o.ChangeAnimal(ctx, owner.ID, animal, change); err != nil {
				return err
			}
			return animals.changed(a)(s.Animal(ctx, owner.ID, animal))
		})(ctx, []string{user})
	})
	return changes(a, c)
}

var animals = table[game.Animal]{"ID NAME BREED SEX STAGE STATUS RARITY CONDITION DIED PHENOTYPE", func(x game.Animal) []any {
	return []any{x.ID, x.Name, x.Breed, x.Sex, x.Stage, x.Status, x.RarityTier, x.Condition, orDash(x.DiedAt), x.Phenotype != nil}
}}
