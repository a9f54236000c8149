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
	"github.com/ranch-game/ranch/shared/operate"
	"github.com/ranch-game/ranch/shared/store"
)

func newShow(a *app) *cobra.Command {
	return group("show", "Create, look at, change, cancel, judge and repair shows",
		newShowCreate(a), newShowList(a), newShowGet(a), newShowEntries(a), newShowExplain(a), newShowSet(a), newShowCancel(a), newShowJudge(a), newShowRepair(a))
}

var tiers = []string{game.TierRookie, game.TierPro, game.TierElite}

var statuses = []string{string(game.ShowOpen), string(game.ShowCompleted), string(game.ShowCancelled)}

func newShowList(a *app) *cobra.Command {
	var status string
	c := &cobra.Command{Use: "list [--status STATUS]", Short: "List all shows by their closing time", Example: "  ranchctl show list --status open -o csv",
		RunE: a.parsing(func([]string) (reader, error) {
			if err := oneOf("--status", status, statuses...); status != "" && err != nil {
				return nil, err
			}
			return func(ctx context.Context, s operate.Desk) error {
				listed, err := s.AllShows(ctx, game.ShowStatus(strings.ToLower(status)))
				if err != nil {
					return err
				}
				unrefunded, err := s.Unrefunded(ctx, listed)
				rows := make([]listedShow, len(listed))
				for i, show := range listed {
					rows[i].ListedShow = show
					if show.Status == game.ShowCancelled {
						rows[i].Refunded = new(show.EntryCount - int64(unrefunded[show.ID].Left))
					}
				}
				return listedShows.list(a)(rows, err)
			}, nil
		})}
	c.Flags().StringVar(&status, "status", "", "only open, completed or cancelled shows")
	complete(c, "status", statuses)
	return c
}

var shows = listing[game.ListedShow]{"ID NAME TIER FEE CLOSES STATUS JUDGED ENTRIES SEASON", func(s game.ListedShow) []any {
	return []any{s.ID, s.Name, s.Tier, s.EntryFee, s.EntryClosesAt, s.Status, orDash(s.JudgedAt), s.EntryCount, s.SeasonID}
}}

// listedShow is a show with the number of its refunded entries, which is nil if the show is not cancelled.
type listedShow struct {
	game.ListedShow
	Refunded *int64 `json:"refundedEntries"`
}

var listedShows = listing[listedShow]{"ID NAME TIER FEE CLOSES STATUS JUDGED ENTRIES REFUNDED SEASON", func(s listedShow) []any {
	return []any{s.ID, s.Name, s.Tier, s.EntryFee, s.EntryClosesAt, s.Status, orDash(s.JudgedAt), s.EntryCount, orDash(s.Refunded), s.SeasonID}
}}

// closingFlags are the two flags for the closing time.
type closingFlags struct{ in, at string }

func (c *closingFlags) add(f *pflag.FlagSet) {
	f.StringVar(&c.in, "closes-in", "", "how long from now the show accepts entries")
	f.StringVar(&c.at, "closes-at", "", "until when the show accepts entries")
}

func (a *app) closing(c closingFlags) (game.Instant, error) {
	switch {
	case (c.in == "") == (c.at == ""):
		return 0, usagef("give either --closes-in or --closes-at")
	case c.at != "":
		return a.instant("closes-at", c.at)
	default:
		d, err := duration("closes-in", c.in)
		return a.now().Add(d), err
	}
}

// readingShow returns the RunE of a command that reads the show in its only argument.
func (a *app) readingShow(do func(ctx context.Context, s operate.Desk, show game.ID) error) func(*cobra.Command, []string) error {
	return a.parsing(func(args []string) (reader, error) {
		return func(ctx context.Context, s operate.Desk) error {
			show, err := showMeant(ctx, s, args[0])
			if err == nil {
				err = do(ctx, s, show)
			}
			if errors.Is(err, store.ErrUnknownShow) {
				return fmt.Errorf("show %s: %w", show, err)
			}
			return err
		}, nil
	})
}

// unknownShow replaces the players' error for an unknown show by the operators' error, which has more details.
func unknownShow(err error) error {
	if errors.Is(err, game.ErrShowUnknown) {
		return store.ErrUnknownShow
	}
	return err
}

func newShowGet(a *app) *cobra.Command {
	return &cobra.Command{Use: "get ID", Example: "  ranchctl show get 7d3c1b8e-5f0a-4c57-9a0e-2f3b8f6f1d11",
		Short: "Show everything about a show: who judged it, how often it was changed, whether its fees were given back",
		RunE:  a.readingShow(a.printShow)}
}

func (a *app) printShow(ctx context.Context, s operate.Desk, show game.ID) error {
	record, err := s.ShowRecord(ctx, show)
	return showRecords.one(a)(&record, err)
}

var showRecords = listing[operate.ShowRecord]{"ID NAME TIER FEE CLOSES STATUS JUDGED JUDGED-BY ENTRIES REFUNDED TERMS GATES SEASON", func(s operate.ShowRecord) []any {
	return []any{
		s.ID, s.Name, s.Tier, s.EntryFee, s.EntryClosesAt, s.Status, orDash(s.JudgedAt), orAbsent(s.JudgedBy), s.EntryCount, orDash(s.RefundedAt),
		s.Terms, s.Gates, s.SeasonID,
	}
}}

func newShowEntries(a *app) *cobra.Command {
	return &cobra.Command{Use: "entries ID", Example: "  ranchctl show entries 7d3c1b8e-5f0a-4c57-9a0e-2f3b8f6f1d11 -o csv",
		Short: "List a show's entries, the best first",
		RunE: a.readingShow(func(ctx context.Context, s operate.Desk, show game.ID) error {
			_, entries, err := s.ShowWithEntries(ctx, show)
			return showEntries.list(a)(entries, unknownShow(err))
		})}
}

var showEntries = listing[game.Entry]{"RANK SCORE ENTERED PLAYER USERNAME ANIMAL NAME BREED RARITY CLAIMED ID", func(e game.Entry) []any {
	return []any{
		orDash(e.Rank), orDash(e.Score), e.CreatedAt, e.PlayerID, e.PlayerUsername, e.AnimalID, e.AnimalName, e.Breed, e.RarityTier,
		e.RewardClaimed, e.ID,
	}
}}

// judgePatience is the time limit of a judging, which is enough for the largest shows.
const judgePatience = 60 * time.Second

func newShowJudge(a *app) *cobra.Command {
	return a.ofMany(&cobra.Command{Use: "judge (ID | -f FILE)", Short: "Judge an open show now, for good; with --force=early even if it still accepts entries",
		Example: "  ranchctl show judge 7d3c1b8e-5f0a-4c57-9a0e-2f3b8f6f1d11\n  ranchctl show judge -f due.csv"}, listedShows.columns,
		a.ofShow(func(_ context.Context, _ operate.Desk, show operate.ShowRecord) (plan, error) {
			p := plan{long: true, word: grouped(show.EntryCount)}
			p.change = fmt.Sprintf("judge %s: %s", named(show.Name, show.ID), counted(int(show.EntryCount), "entry", "entries"))
			if show.AcceptsEntriesAt(a.present()) {
				p.doubts = []doubt{doubtf(early, "%s accepts entries until %v, and a judging is for good", show.Name, show.EntryClosesAt)}
			}
			if show.Status != game.ShowOpen {
				p.refused = errNotJudged
			}
			p.do = func(ctx context.Context, o operate.Operator) error {
				ctx, cancel := context.WithTimeout(ctx, judgePatience)
				defer cancel()
				_, err := o.JudgeShow(ctx, show.ID)
				if errors.Is(err, game.ErrShowNotOpen) && !errors.Is(err, operate.ErrUnclear) {
					return fmt.Errorf("show %s: %w", show.ID, errNotJudged)
				}
				return err
			}
			return p, nil
		}), "show")
}

// errNotJudged is the operators' form of game.ErrShowNotOpen.
var errNotJudged = errors.New("the show is not open, so it was not judged and nothing was changed")

// ofShow returns a function that plans a change of the show in its only argument. After the change it prints the show.
func (a *app) ofShow(read func(ctx context.Context, s operate.Desk, show operate.ShowRecord) (plan, error)) func(args []string) (planner, error) {
	return func(args []string) (planner, error) {
		return func(ctx context.Context, s operate.Desk) (plan, error) {
			show, err := showMeant(ctx, s, args[0])
			if err != nil {
				return plan{}, err
			}
			record, err := s.ShowRecord(ctx, show)
			if err != nil {
				return plan{}, fmt.Errorf("show %s: %w", show, err)
			}
			p, err := read(ctx, s, record)
			p.show = func(ctx context.Context) error { return a.printShow(ctx, s, show) }
			if p.about = show; p.refused != nil {
				p.refused = fmt.Errorf("%s is %s: %w", named(record.Name, show), record.Status, p.refused)
			}
			return p, err
		}, nil
	}
}

func newShowCancel(a *app) *cobra.Command {
	return a.ofMany(&cobra.Command{Use: "cancel (ID | -f FILE)", Short: "Cancel an open show for good, and give all entry fees back",
		Long: `Cancel an open show for good, and give all entry fees back.

The show stops accepting entries at once. Each fee returns as a row of its player's ledger, also to a banned or deleted
user. If the refunds are interrupted, repeat the same command: it refunds no fee twice. It first counts the entries, for
at least half a read unit each.`,
		Example: "  ranchctl show cancel 7d3c1b8e-5f0a-4c57-9a0e-2f3b8f6f1d11 --reason 'ticket 4711'\n  ranchctl show cancel -f wrong.csv --dry-run"}, listedShows.columns,
		a.ofShow(a.planCancel), "show")
}

func (a *app) planCancel(ctx context.Context, s operate.Desk, show operate.ShowRecord) (plan, error) {
	p := plan{long: true, word: show.Name}
	season, err := s.Season(ctx, show.SeasonID)
	if err != nil {
		return p, err
	}
	subject, there := named(show.Name, show.ID), int(show.EntryCount)
	switch p.doubts = a.overSeason(season); {
	case show.Status == game.ShowCompleted:
		p.refused = operate.ErrNotOpen
	case show.RefundedAt != nil:
		p.change, p.same = subject+" is cancelled, and all fees are given back", true
	case show.Status == game.ShowCancelled: // the operator has agreed to the cancellation before
		pending, err := s.Unrefunded(ctx, []game.ListedShow{show.ListedShow})
		if err != nil {
			return p, err
		}
		there = pending[show.ID].Entries
		p.change, p.doubts = fmt.Sprintf("continue the refunds of the cancelled %s: %s left", subject, counted(pending[show.ID].Left, "entry is", "entries are")), nil
	default:
		_, entries, err := s.ShowWithEntries(ctx, show.ID)
		if err != nil {
			return p, unknownShow(err)
		}
		players := map[game.ID]bool{}
		there = len(entries)
		for _, e := range entries {
			players[e.PlayerID] = true
		}
		p.gold = max(0, show.EntryFee) * int64(len(entries))
		p.change = fmt.Sprintf("cancel %s: %s, %s gold refunded to %s", subject,
			counted(there, "entry", "entries"), grouped(p.gold), counted(len(players), "player", "players"))
		if there > 0 {
			p.word = grouped(int64(there))
			p.doubts = append(p.doubts, doubtf(withEntry, "%s has %s, and a cancellation is for good", show.Name, counted(there, "entry", "entries")))
		}
	}
	if there < int(show.EntryCount) {
		p.notes = []string{fmt.Sprintf("the show counts %s, and %d are there. First run: %s", counted(int(show.EntryCount), "entry", "entries"), there, a.toRepair(show.ID))}
	}
	p.do = func(ctx context.Context, o operate.Operator) error {
		once, cancel := context.WithTimeout(ctx, callPatience)
		defer cancel()
		if err := o.CancelShow(once, show.ID); err != nil {
			return err
		}
		err := a.refund(ctx, o, show.ID)
		switch {
		case errors.As(err, new(store.DamagedShow)): // explain adds what to do
			return fmt.Errorf("the show is cancelled, but %w", err)
		case err != nil:
			return fmt.Errorf("the show is cancelled, but not all fees are given back; repeat the same command: %w", err)
		}
		return nil
	}
	return p, nil
}

// refund gives a cancelled show's fees back. Without -f it also prints its progress.
func (a *app) refund(ctx context.Context, o operate.Operator, show game.ID) error {
	if a.file != "" { // the file's progress is shown
		return o.Refund(ctx, show, nil)
	}
	progress := a.progress("entries refunded")
	defer progress.End()
	return o.Refund(ctx, show, progress.At)
}
