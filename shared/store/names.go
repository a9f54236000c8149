package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/records"
	"github.com/ranch-game/ranch/shared/table"
)

// entryNames writes a user's current name into all of their entries: game.DeletedPlayer, or a new username.
type entryNames struct {
	*Store
	user game.ID
	name string
}

// NamePatience is the longest time for a change of names, and for writing a new username into an entry or page.
const NamePatience = 20 * time.Second

var (
	// ErrRenamed means that the entries are to have another name than the call's.
	ErrRenamed = errors.New("the user has been deleted, or got another username")
	errNoEntry = errors.New("there is no such entry of the user's")
)

// show renames all entries and returns their number. It looks for them twice, 0.3 s apart, since an entry that was
// applied just before the user got the name may not be visible at first. No later entry can have the old name. If an
// entry is still missing at the fourth look, show returns ErrNotVisible. At last it notes the new name for the standings.
func (n entryNames) show(ctx context.Context) (int, error) {
	named, seasons := map[table.Key]bool{}, map[game.ID]bool{}
	for look := 1; ; look++ {
		complete, err := n.look(ctx, named, seasons)
		if err != nil {
			return 0, err
		}
		switch {
		case look >= 2 && complete:
			return len(named), n.inStandings(ctx, seasons)
		case look >= 2+EntryRereads:
			return 0, ErrNotVisible
		}
		if err := table.Pause(ctx, table.Settling); err != nil {
			return 0, err
		}
	}
}

// look writes the name into all entries that are not in named, and adds these to named, and the seasons of all entries to
// seasons. complete is false if an entry or its show is missing, perhaps because it is not visible yet, or if the show
// is damaged.
func (n entryNames) look(ctx context.Context, named map[table.Key]bool, seasons map[game.ID]bool) (complete bool, err error) {
	shows, lacking, err := n.Participations(ctx, n.user)
	if err != nil {
		return false, err
	}
	complete = len(lacking) == 0
	var keys []table.Key
	for show, animals := range shows {
		seasons[show.Season] = true
		for _, animal := range animals {
			if k := records.EntryKey(show.ID, animal, show.Gates); !named[k] {
				keys = append(keys, k)
			}
		}
	}
	slices.SortFunc(keys, func(a, b table.Key) int { return cmp.Or(cmp.Compare(a.PK, b.PK), cmp.Compare(a.SK, b.SK)) })
	there, err := table.InParallel(ctx, table.ParallelReads, keys, func(ctx context.Context, k table.Key) (bool, error) {
		err := n.put(ctx, k, records.EntryNamed(n.name), records.OfUser(n.user))
		if errors.Is(err, errNoEntry) {
			return false, nil
		}
		return err == nil, err
	})
	var renamed []game.ID // shows
	for i, k := range keys {
		if there[i] {
			named[k] = true
			renamed = append(renamed, records.ShowIn(k.PK))
		}
		complete = complete && there[i]
	}
	if err == nil {
		_, err = table.InParallel(ctx, table.ParallelReads, slices.Compact(renamed), // the keys of a show follow each other
			func(ctx context.Context, show game.ID) (struct{}, error) { return struct{}{}, n.inResults(ctx, show) })
	}
	return complete, err
}

// inResults writes the name into the show's pages of results, after the entries have it. An open show has no results,
// but a judging under way may have read the entries before. So inResults raises the number of renamings of an open
// show. This makes the judging fail and read the entries again.
func (n entryNames) inResults(ctx context.Context, show game.ID) error {
	err := n.RaiseRenamed(ctx, show)
	if !errors.Is(err, table.ErrRefused) {
		return err
	}
	item, err := table.Get[records.ShowItem](ctx, n.Table, records.ShowKey(show))
	if err != nil || item == nil {
		return err
	}
	placings, err := n.Placings(ctx, n.user, []*records.ShowItem{item}) // none if the show is not completed
	if err != nil {
		return err
	}
	for _, p := range placings[show] {
		named := records.PageNamed(p.Place%records.PagePlaces, n.name)
		if err := n.put(ctx, item.Verdict().PageKey(p.Place/records.PagePlaces), named, table.Condition{}); err != nil {
			return err
		}
	}
	return nil
}

// inStandings notes in the heads of the seasons' standings that the next fold must write the name. If a season has no
// head, the fold that creates it reads the results later, which have the name (see Fold). 1 WCU for each season.
func (n entryNames) inStandings(ctx context.Context, seasons map[game.ID]bool) error {
	for season := range seasons {
		err := n.Table.Update(ctx, records.StandingsKey(season), records.NameChanged(n.user, n.name), table.Present)
		if err != nil && !errors.Is(err, table.ErrRefused) {
			return err
		}
	}
	return nil
}

// put writes the name into an entry or a page of results. It returns errNoEntry if the condition fails.
// game.DeletedPlayer needs no transaction, since a deleted user never gets another name: 1 WCU for an entry, 6 for a
// page. A username needs one (4 WCU and 14), which fails with ErrRenamed if the user has been deleted or renamed since.
func (n entryNames) put(ctx context.Context, k table.Key, named table.Change, c table.Condition) error {
	if n.name == game.DeletedPlayer {
		err := n.Table.Update(ctx, k, named, c)
		if errors.Is(err, table.ErrRefused) {
			return errNoEntry
		}
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, NamePatience)
	defer cancel()
	return n.Table.Decide(ctx, "renaming entries", func(ctx context.Context) error {
		t := n.Table.Begin()
		t.Check(records.UserKey(n.user), records.HasUsername(n.name), ErrRenamed)
		t.Update(k, named, c, errNoEntry)
		return t.Commit(ctx)
	})
}

// RaiseRenamed raises the number of renamings of an open show. For any other show the write's condition fails. 1 WCU.
func (s *Store) RaiseRenamed(ctx context.Context, show game.ID) error {
	return s.Table.Update(ctx, records.ShowKey(show), records.PlayerRenamed(), records.ShowIsOpen())
}

// ErrNotVisible means that the table is damaged, or that a write takes longer than ever to become visible.
var ErrNotVisible = errors.New("a part of the data is not visible: repeat the command in a minute; if it fails again, the table is damaged: table verify names the records, show repair repairs a show")

// Participations returns the shows that a user has entries in, each with the user's animals there. lacking has an error
// for each of these shows that is missing or damaged.
func (s *Store) Participations(ctx context.Context, user game.ID) (shows map[*records.ShowItem][]game.ID, lacking []error, err error) {
	span := table.Prefixed(records.UserPK(user), records.SeasonPrefix)
	span.Projection = records.ProjectKeys
	items, err := table.QueryAs(ctx, s.Table, span, func(i *records.ParticipationItem) *records.ParticipationItem { return i })
	if err != nil {
		return nil, nil, err
	}
	animals := map[game.ID][]game.ID{}
	for _, item := range items {
		animals[item.Show()] = append(animals[item.Show()], records.IdIn(item.SK))
	}
	keys := make([]table.Key, 0, len(animals))
	for show := range animals {
		keys = append(keys, records.ShowKey(show))
	}
	found, err := s.Table.BatchGet(ctx, "", keys...)
	if err != nil {
		return nil, nil, err
	}
	shows = make(map[*records.ShowItem][]game.ID, len(animals))
	for _, k := range keys {
		switch item, err := table.In[records.ShowItem](found, k); {
		case err != nil:
			lacking = append(lacking, damagedRecord{Missing(k)})
		case item == nil:
			lacking = append(lacking, Missing(k))
		default:
			shows[item] = animals[item.ID]
		}
	}
	return shows, lacking, nil
}

// damagedRecord is the DamagedShow of a record that exists but cannot be decoded. errors.Is finds table.ErrDamaged in it.
type damagedRecord struct{ error }

func (d damagedRecord) Unwrap() error { return d.error }

func (damagedRecord) Is(target error) bool { return target == table.ErrDamaged }

// Missing returns the DamagedShow of a record of a show that is missing or damaged.
func Missing(k table.Key) error {
	show := records.ShowIn(k.PK)
	return DamagedShow{show, fmt.Sprintf("the record %s %s of the show %s is missing or damaged", k.PK, k.SK, show)}
}
