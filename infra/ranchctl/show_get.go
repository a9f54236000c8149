package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

func newShowGet(a *app) *cobra.Command {
	return &cobra.Command{Use: "get ID", Short: "Show all about a show: who judged it, how often it was changed, whether its fees were given back",
		Args: cobra.ExactArgs(1), RunE: showArgument(func(ctx context.Context, args []string, show game.ID) error {
			return a.with(func(ctx context.Context, s *store.Store, _ []string) error { return a.printShow(ctx, s, show) })(ctx, args)
		})}
}

func (a *app) printShow(ctx context.Context, s *store.Store, show game.ID) error {
	record, err := s.ShowRecord(ctx, show)
	return showRecords.one(a)(&record, err)
}

const showColumns = "ID NAME TIER FEE CLOSES STATUS JUDGED JUDGED-BY ENTRIES REFUNDED TERMS GATES SEASON"

var showRecords = table[store.ShowRecord]{showColumns, func(s store.ShowRecord) []any {
	return []any{
		s.ID, s.Name, s.Tier, s.EntryFee, s.EntryClosesAt, s.Status, orDash(s.JudgedAt), orAbsent(s.JudgedBy), s.EntryCount, orDash(s.RefundedAt),
		s.Terms, s.Gates, s.SeasonID,
	}
}}

func newShowEntries(a *app) *cobra.Command {
	return &cobra.Command{Use: "entries ID", Short: "List a show's entries, the best first", Args: cobra.ExactArgs(1),
		RunE: showArgument(func(ctx context.Context, args []string, show game.ID) error {
			return a.with(func(ctx context.Context, s *store.Store, _ []string) error {
				_, entries, err := s.ShowWithEntries(ctx, show)
				return showEntries.list(a)(entries, unknownShow(err))
			})(ctx, args)
		})}
}

var showEntries = table[game.Entry]{"RANK SCORE ENTERED PLAYER USERNAME ANIMAL NAME BREED RARITY CLAIMED ID", func(e game.Entry) []any {
	return []any{
		orDash(e.Rank), orDash(e.Score), e.CreatedAt, e.PlayerID, e.PlayerUsername, e.AnimalID, e.AnimalName, e.Breed, e.RarityTier,
		e.RewardClaimed, e.ID,
	}
}}
