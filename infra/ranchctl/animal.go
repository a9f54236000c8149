package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
)

func newAnimal(a *app) *cobra.Command {
	return group("animal", "List and change animals",
		&cobra.Command{Use: "list USER", Short: "List a user's animals", Example: "  ranchctl animal list ann@example.com", RunE: a.readingUser(
			func(ctx context.Context, s operate.Desk, user *game.Account) error {
				return animals.list(a)(s.Animals(ctx, user.ID))
			})},
		newAnimalSet(a),
	)
}

func newAnimalSet(a *app) *cobra.Command {
	var user, stage, status, condition string
	var dead, alive, dropPhenotype bool
	c := &cobra.Command{
		Use:     "set ANIMAL --user USER [--stage S] [--status S] [--condition X] [--dead | --alive] [--drop-phenotype]",
		Short:   "Change an animal",
		Example: "  ranchctl animal set 7d3c1b8e-5f0a-4c57-9a0e-2f3b8f6f1d11 --user ann@example.com --status idle",
	}
	f := c.Flags()
	f.StringVar(&user, "user", "", "its owner's e-mail address, username or id")
	f.StringVar(&stage, "stage", "", "its stage, such as adult or calf")
	f.StringVar(&status, "status", "", "its status, such as idle or pregnant")
	f.StringVar(&condition, "condition", "", "its condition, 0 to 100 with at most two decimals")
	f.BoolVar(&dead, "dead", false, "it has died now")
	f.BoolVar(&alive, "alive", false, "it lives again")
	f.BoolVar(&dropPhenotype, "drop-phenotype", false, "remove its phenotype record")
	markRequired(c, "user")
	c.MarkFlagsMutuallyExclusive("dead", "alive")
	c.MarkFlagsOneRequired("stage", "status", "condition", "dead", "alive", "drop-phenotype")
	return a.changes(c, func(args []string) (planner, error) {
		animal, err := id("animal", args[0])
		if err != nil {
			return nil, err
		}
		change := operate.AnimalChange{Alive: alive, DropPhenotype: dropPhenotype}
		for flag, value := range map[string]**string{"stage": &change.Stage, "status": &change.Status} {
			if text := f.Lookup(flag).Value.String(); f.Changed(flag) {
				if text == "" || len(text) > 64 {
					return nil, usagef("--%s must have 1 to 64 bytes", flag)
				}
				*value = &text
			}
		}
		if f.Changed("condition") {
			fixed, err := game.ParseFixed(condition)
			if err != nil {
				return nil, usagef("--condition: %w", err)
			}
			change.Condition = &fixed
		}
		if dead {
			change.DiedAt = new(a.now())
		}
		return a.ofUser(user, func(ctx context.Context, s operate.Desk, owner *game.Account) (plan, error) {
			is, err := s.Animal(ctx, owner.ID, animal)
			if err != nil {
				return plan{}, err
			}
			becomes := change.Apply(*is)
			var d differences
			differ(&d, "stage", is.Stage, becomes.Stage)
			differ(&d, "status", is.Status, becomes.Status)
			differ(&d, "condition", is.Condition, becomes.Condition)
			differ(&d, "died", orDash(is.DiedAt), orDash(becomes.DiedAt))
			differ(&d, "phenotype", is.Phenotype != nil, becomes.Phenotype != nil)
			p := d.set(named(is.Name, animal) + " of " + namedUser(owner))
			p.do = func(ctx context.Context, o operate.Operator) error {
				return o.ChangeAnimal(ctx, owner.ID, animal, change)
			}
			p.show = func(ctx context.Context) error { return animals.one(a)(s.Animal(ctx, owner.ID, animal)) }
			return p, nil
		})
	})
}

var animals = listing[game.Animal]{"ID NAME BREED SEX STAGE STATUS RARITY CONDITION DIED PHENOTYPE", func(x game.Animal) []any {
	return []any{x.ID, x.Name, x.Breed, x.Sex, x.Stage, x.Status, x.RarityTier, x.Condition, orDash(x.DiedAt), x.Phenotype != nil}
}}
