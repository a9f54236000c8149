package main

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

func newShow(a *app) *cobra.Command {
	return group("show", "Create, look at, change, cancel and judge shows",
		newShowCreate(a), newShowList(a), newShowGet(a), newShowEntries(a), newShowSet(a), newShowCancel(a), newShowJudge(a))
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
				return shows.list(a)(s.AllShows(ctx, game.ShowStatus(status)))
			})(ctx, args)
		})}
	c.Flags().StringVar(&status, "status", "", "only open, completed or cancelled ones")
	return c
}

var shows = table[game.ListedShow]{"ID NAME TIER FEE CLOSES STATUS JUDGED ENTRIES SEASON", func(s game.ListedShow) []any {
	return []any{s.ID, s.Name, s.Tier, s.EntryFee, s.EntryClosesAt, s.Status, orDash(s.JudgedAt), s.EntryCount, s.SeasonID}
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
