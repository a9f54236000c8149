package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

func newShow(a *app) *cobra.Command {
	return group("show", "Create, look at, change, cancel, judge and repair shows",
		newShowCreate(a), newShowList(a), newShowGet(a), newShowEntries(a), newShowSet(a), newShowCancel(a), newShowJudge(a), newShowRepair(a))
}

func newShowList(a *app) *cobra.Command {
	var status string
	c := &cobra.Command{Use: "list [--status STATUS]", Short: "List all shows by their closing time", Args: cobra.NoArgs,
		RunE: action(func(ctx context.Context, args []string) error {
			switch game.ShowStatus(status) {
			case "", game.ShowOpen, game.ShowCompleted, game.ShowCancelled:
			default:
				return usagef("--status must be %s, %s or %s", game.ShowOpen, game.ShowCompleted, game.ShowCancelled)
			}
			return a.with(func(ctx context.Context, s *store.Store, _ []string) error {
				listed, err := s.AllShows(ctx, game.ShowStatus(status))
				if err != nil {
					return err
				}
				unrefunded, err := s.Unrefunded(ctx, listed)
				rows := make([]listedShow, len(listed))
				for i, show := range listed {
					rows[i].ListedShow = show
					if show.Status == game.ShowCancelled {
						refunded := show.EntryCount - int64(unrefunded[show.ID])
						rows[i].Refunded = &refunded
					}
				}
				return listedShows.list(a)(rows, err)
			})(ctx, args)
		})}
	c.Flags().StringVar(&status, "status", "", "only open, completed or cancelled ones")
	return c
}

var shows = table[game.ListedShow]{"ID NAME TIER FEE CLOSES STATUS JUDGED ENTRIES SEASON", func(s game.ListedShow) []any {
	return []any{s.ID, s.Name, s.Tier, s.EntryFee, s.EntryClosesAt, s.Status, orDash(s.JudgedAt), s.EntryCount, s.SeasonID}
}}

// listedShow is a show with how many of its entries have got their fee back: nil if it is not cancelled.
type listedShow struct {
	game.ListedShow
	Refunded *int64 `json:"refundedEntries"`
}

var listedShows = table[listedShow]{"ID NAME TIER FEE CLOSES STATUS JUDGED ENTRIES REFUNDED SEASON", func(s listedShow) []any {
	return []any{s.ID, s.Name, s.Tier, s.EntryFee, s.EntryClosesAt, s.Status, orDash(s.JudgedAt), s.EntryCount, orDash(s.Refunded), s.SeasonID}
}}

// closingFlags are the two ways to say until when entries are accepted.
type closingFlags struct{ in, at string }

func (c *closingFlags) add(f *pflag.FlagSet) {
	f.StringVar(&c.in, "closes-in", "", "how long entries are accepted from now on")
	f.StringVar(&c.at, "closes-at", "", "until when entries are accepted")
}

func (a *app) closing(c closingFlags) (game.Instant, error) {
	switch {
	case (c.in == "") == (c.at == ""):
		return 0, usagef("say either --closes-in or --closes-at")
	case c.at != "":
		return a.instant("closes-at", c.at)
	default:
		d, err := duration("closes-in", c.in)
		return a.now().Add(d), err
	}
}

// refuseDoubts refuses what is hardly meant, unless it is forced: then it warns.
func (a *app) refuseDoubts(doubts []string, force bool) error {
	if len(doubts) > 0 && !force {
		return usagef("%s: --force lets it be so", strings.Join(doubts, "; "))
	}
	for _, doubt := range doubts {
		a.warn("%s", doubt)
	}
	return nil
}

// showArgument is a command's action on the show that its only argument names.
func showArgument(do func(ctx context.Context, args []string, show game.ID) error) func(*cobra.Command, []string) error {
	return action(func(ctx context.Context, args []string) error {
		show, err := id("show", args[0])
		if err != nil {
			return err
		}
		return do(ctx, args, show)
	})
}

// unknownShow is the error of operators where players are told less.
func unknownShow(err error) error {
	if errors.Is(err, game.ErrShowUnknown) {
		return store.ErrUnknownShow
	}
	return err
}

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

// judgePatience is what a judging of the largest shows needs, and what else judges is given.
const judgePatience = 60 * time.Second

func newShowJudge(a *app) *cobra.Command {
	return changes(a, &cobra.Command{Use: "judge ID", Short: "Judge an open show now, as a player might, whether or not it still accepts entries", Args: cobra.ExactArgs(1),
		RunE: showArgument(func(ctx context.Context, args []string, show game.ID) error {
			return a.changing(func(inner context.Context, s *store.Store, o store.Operator, _ []string) error {
				ctx, cancel := context.WithTimeout(ctx, judgePatience)
				defer cancel()
				if _, err := o.JudgeShow(ctx, show); err != nil {
					return err
				}
				return afterwards(a.printShow(ctx, s, show))
			})(ctx, args)
		})})
}

func newShowCancel(a *app) *cobra.Command {
	return changes(a, &cobra.Command{Use: "cancel ID", Short: "Cancel an open show for good, and give all entry fees back",
		Long: `Cancel an open show for good, and give all entry fees back.

Entries end at once. Each fee comes back as a row of its player's ledger, whoever that is by now.
Where that is interrupted, the same command goes on: no fee comes back twice.`,
		Args: cobra.ExactArgs(1),
		RunE: showArgument(func(ctx context.Context, args []string, show game.ID) error {
			return a.changing(func(inner context.Context, s *store.Store, o store.Operator, _ []string) error {
				if err := o.CancelShow(inner, show); err != nil {
					return err
				}
				if err := a.refund(ctx, o, show); err != nil { // which may take longer than one call
					return fmt.Errorf("the show is cancelled, but fees are still to be given back, and the same command goes on: %w", err)
				}
				ctx, cancel := context.WithTimeout(ctx, callPatience)
				defer cancel()
				return afterwards(a.printShow(ctx, s, show))
			})(ctx, args)
		})})
}

// refund gives a cancelled show's fees back, and tells how far it has come.
func (a *app) refund(ctx context.Context, o store.Operator, show game.ID) error {
	progress := a.progress("entries refunded")
	defer progress.end()
	return o.Refund(ctx, show, progress.at)
}
