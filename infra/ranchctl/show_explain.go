package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
)

// explanation is the printed form of an animal's place in a show.
type explanation struct {
	Weights [game.TraitCount]int64   `json:"weights"`
	Entries []operate.ExplainedEntry `json:"entries"` // the animal's, between its neighbours
}

var explanations = listing[operate.ExplainedEntry]{"RANK SCORE NOW USERNAME ANIMAL NAME CONDITION TRAITS", func(e operate.ExplainedEntry) []any {
	return []any{orDash(e.Rank), orDash(e.Score), orDash(e.Now), e.PlayerUsername, e.AnimalID, e.AnimalName, e.Condition, orDash(e.Traits)}
}}

func newShowExplain(a *app) *cobra.Command {
	return &cobra.Command{Use: "explain SHOW ANIMAL", Example: "  ranchctl show explain 7d3c1b8e-5f0a-4c57-9a0e-2f3b8f6f1d11 0b7e4d6a-1f2c-4e3d-8b9a-5c6d7e8f9a0b",
		Short: "Show why an animal has its place in a show: its traits and score beside its neighbours, and the show's weights",
		Long: `Show why an animal has its place in a show: its traits and score beside its neighbours, and the show's weights.

A score is the mean of the traits by the show's weights, lowered by up to 30 % for the condition, with a spread of up to 3
that depends on the animal and the show (docs/scoring.md). NOW is the score by the present traits and condition. It
differs from SCORE if the animal was changed after the judging. It reads all entries of the show.`,
		RunE: a.parsing(func(args []string) (reader, error) {
			animal, err := id("animal", args[1])
			return func(ctx context.Context, s operate.Desk) error {
				show, err := showMeant(ctx, s, args[0])
				if err != nil {
					return err
				}
				around, weights, err := s.ExplainEntry(ctx, show, animal)
				if err == nil && a.format == "table" {
					fmt.Fprintf(a.out, "The weights of the traits: %v\n", weights)
				}
				return explanations.print(a, explanation{weights, around}, around, unknownShow(err))
			}, err
		})}
}
