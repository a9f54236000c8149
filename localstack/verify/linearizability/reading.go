package linearizability

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// Extent names what a World has. The shows of a user's in it are all that the user has entered.
type Extent struct {
	Users   []game.ID
	Shows   []game.ID
	Seasons []game.ID
	Digests []string  // of refresh tokens
	Changes []game.ID // of operators
}

// Read reads what is stored, by the store's own reads, while nothing is being changed. What is not there is not in the
// World either. Where reads contradict each other, it says so in the World.
func Read(ctx context.Context, s *store.Store, of Extent) (World, error) {
	r := reader{Store: s, lists: map[List][]game.ListedShow{}, world: World{
		Users: map[game.ID]User{}, Animals: map[game.ID]Animal{}, Shows: map[game.ID]Show{}, Seasons: map[game.ID]game.Season{},
		Tokens: map[string]game.RefreshRecord{}, Changes: map[game.ID]Record{},
	}}
	err := errors.Join(
		each(ctx, of.Seasons, r.season), each(ctx, of.Shows, r.show), each(ctx, of.Users, r.user),
		each(ctx, of.Digests, r.token), each(ctx, of.Changes, r.change), each(ctx, of.Shows, r.boards),
	)
	return r.world, err
}

func each[T any](ctx context.Context, all []T, read func(context.Context, T) error) error {
	for _, one := range all {
		if err := read(ctx, one); err != nil {
			return fmt.Errorf("reading %v: %w", one, err)
		}
	}
	return nil
}

type reader struct {
	*store.Store
	world World
	lists map[List][]game.ListedShow // read so far
}

// list reads a list once.
func (r *reader) list(ctx context.Context, o List) ([]game.ListedShow, error) {
	if list, read := r.lists[o]; read {
		return list, nil
	}
	list, err := r.Shows(ctx, o.Status, o.Tier)
	r.lists[o] = list
	return list, err
}

func (r *reader) contradiction(format string, args ...any) {
	r.world.Contradictions = append(r.world.Contradictions, fmt.Sprintf(format, args...))
}

func (r *reader) season(ctx context.Context, id game.ID) error {
	season, err := r.Season(ctx, id)
	if season != nil {
		r.world.Seasons[id] = *season
	}
	return err
}

func (r *reader) token(ctx context.Context, digest string) error {
	record, _, err := r.RefreshRecord(ctx, digest, "")
	if record != nil {
		r.world.Tokens[digest] = *record
	}
	return err
}

func (r *reader) change(ctx context.Context, id game.ID) error {
	record, err := r.AuditRecord(ctx, id)
	if record != nil {
		r.world.Changes[id] = Record{record.Action, record.Subject, record.By, record.At, record.Reason}
	}
	return err
}

// show reads a show; its receipts come with its players.
func (r *reader) show(ctx context.Context, id game.ID) error {
	record, err := r.ShowRecord(ctx, id)
	if errors.Is(err, store.ErrUnknownShow) {
		return nil
	} else if err != nil {
		return err
	}
	_, entries, err := r.ShowWithEntries(ctx, id)
	if err != nil {
		return err
	}
	show := Show{
		Show: record.Show, Terms: record.Terms, JudgedBy: record.JudgedBy, RefundedAt: record.RefundedAt,
		Entries: map[game.ID]Entry{}, Results: map[game.ID]Placing{}, Receipts: map[game.ID]Receipt{},
	}
	for _, e := range entries {
		show.Entries[e.AnimalID] = Entry{
			Player: e.PlayerID, Username: e.PlayerUsername, AnimalName: e.AnimalName, Breed: e.Breed, RarityTier: e.RarityTier, CreatedAt: e.CreatedAt,
		}
		if e.Rank != nil {
			p := Placing{Rank: *e.Rank}
			if e.Score != nil {
				p.Score = *e.Score
			}
			show.Results[e.AnimalID] = p
		}
	}
	if record.EntryCount != int64(len(entries)) {
		r.contradiction("show %s counts %d entries, and there are %d", id, record.EntryCount, len(entries))
	}
	r.world.Shows[id] = show
	return nil
}

func (r *reader) user(ctx context.Context, id game.ID) error {
	account, err := r.Account(ctx, id)
	if account == nil || err != nil {
		return err
	}
	ledger, err := r.Ledger(ctx, id)
	if err != nil {
		return err
	}
	animals, err := r.Animals(ctx, id)
	if err != nil {
		return err
	}
	user := User{Account: *account}
	for _, row := range ledger {
		user.Ledger = append(user.Ledger, newRow(row))
	}
	for _, difference := range game.AuditLedger(*account, ledger) {
		r.contradiction("user %s: %s", id, difference)
	}
	for _, a := range animals {
		r.world.Animals[a.ID] = Animal{Animal: a}
	}
	r.world.Users[id] = user
	return errors.Join(r.played(ctx, id), r.points(ctx, id))
}

// played reads what a user has claimed, and compares what the user has entered with the shows' own entries.
func (r *reader) played(ctx context.Context, user game.ID) error {
	played, err := r.PlayedShows(ctx, user)
	if err != nil {
		return err
	}
	entries := map[game.ID]int{}
	for _, p := range played {
		show, read := r.world.Shows[p.Show.ID]
		if !read {
			continue
		}
		entries[p.Show.ID] = len(p.Entries)
		for _, e := range p.Entries {
			if stored, there := show.Entries[e.AnimalID]; !there || stored.Player != user {
				r.contradiction("user %s has entered animal %s in show %s, which has no such entry", user, e.AnimalID, show.ID)
			}
		}
		if p.Receipt != nil {
			receipt := Receipt{Prize: p.Receipt.Prize, ClaimedAt: p.Receipt.ClaimedAt}
			if p.Receipt.Rank != nil {
				receipt.Rank = *p.Receipt.Rank
			}
			show.Receipts[user] = receipt
		}
	}
	for id, show := range r.world.Shows {
		theirs := 0
		for _, e := range show.Entries {
			if e.Player == user {
				theirs++
			}
		}
		if theirs != entries[id] {
			r.contradiction("show %s has %d entries of user %s, who has entered it with %d", id, theirs, user, entries[id])
		}
	}
	return nil
}

// points compares the user's scores in the seasons with the shows' results.
func (r *reader) points(ctx context.Context, user game.ID) error {
	for season := range r.world.Seasons {
		score, err := r.SeasonScore(ctx, user, season)
		if err != nil {
			return err
		}
		sum := int64(0)
		for _, show := range r.world.Shows {
			if show.SeasonID == season {
				points, _ := show.points(user, &Call{})
				sum += points
			}
		}
		if score != sum {
			r.contradiction("user %s has a score of %d in season %s, and results of %d", user, score, season, sum)
		}
	}
	return nil
}

// boards compares a show with its rows in the lists, where these are short enough to have all shows.
func (r *reader) boards(ctx context.Context, id game.ID) error {
	show, there := r.world.Shows[id]
	if !there {
		return nil
	}
	want := game.ListedShow{Show: show.Show, EntryCount: int64(len(show.Entries))}
	for _, status := range []game.ShowStatus{"", game.ShowOpen, game.ShowCompleted, game.ShowCancelled} {
		for _, tier := range []string{"", show.Tier} {
			o := List{status, tier}
			list, err := r.list(ctx, o)
			if err != nil {
				return err
			}
			at := slices.IndexFunc(list, func(row game.ListedShow) bool { return row.ID == id })
			switch asked := o.asksFor(show.Show); {
			case at >= 0 && !asked:
				r.contradiction("the list of status %q and tier %q has show %s, which is %s", status, tier, id, brief(show.Show))
			case at >= 0 && !equal(list[at], want):
				r.contradiction("the list of status %q and tier %q has show %s as %s, which is %s", status, tier, id, brief(list[at]), brief(want))
			case at < 0 && asked && len(list) < listLimit:
				r.contradiction("the list of status %q and tier %q does not have show %s", status, tier, id)
			}
		}
	}
	return nil
}
