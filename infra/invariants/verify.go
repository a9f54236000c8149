package invariants

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ranch-game/ranch/shared/game"
)

// Reader reads a table, as store.Store does.
type Reader interface {
	// EachPage calls visit with all rows of the table, a page at a time. It may miss rows that are written meanwhile.
	EachPage(ctx context.Context, visit func([]Row) error) error
	// RowsOf returns the rows of the partitions, and those with the keys (PK, SK), by strongly consistent reads.
	RowsOf(ctx context.Context, partitions []string, keys [][2]string) ([]Row, error)
}

const (
	// looks is the number of further reads of a show, user or season before Verify returns a problem in it. Before, a
	// write may be in progress, or not visible yet.
	looks = 5
	// between is the pause before each further read.
	between = 300 * time.Millisecond
)

// Verify reads a whole table once and returns the number of rows and the violations of invariants. Players may change
// the table during the scan. So Verify reads whatever seems wrong again, strongly consistently, up to five times 0.3 s
// apart. It keeps some 500 bytes for each row in memory. It calls progress with the number of rows so far after each
// page. If err is not nil, the problems are not confirmed.
func Verify(ctx context.Context, r Reader, progress func(rows int)) (rows int, problems []Problem, err error) {
	b := newBooks()
	err = r.EachPage(ctx, func(page []Row) error {
		for _, row := range page {
			b.add(row)
		}
		rows += len(page)
		progress(rows)
		return nil
	})
	if err != nil {
		return rows, nil, err
	}
	b.startersCount = true
	problems = b.check()
	for look := 0; look < looks && len(problems) > 0; look++ {
		select {
		case <-time.After(between):
		case <-ctx.Done():
			return rows, problems, ctx.Err()
		}
		if err := b.readAgain(ctx, r, problems); err != nil {
			return rows, problems, fmt.Errorf("cannot read again what seems wrong, so that the problems found are not confirmed: %w", err)
		}
		problems = b.check()
	}
	return rows, problems, nil
}

// readAgain replaces the rows of all subjects that the problems name by the table's current ones.
func (b *books) readAgain(ctx context.Context, r Reader, problems []Problem) error {
	subjects, keys := map[Subject]bool{}, map[Key]bool{}
	for _, p := range problems {
		subjects[p.Subject], subjects[subjectOf(p.Record)] = true, true
		if p.User != "" {
			subjects[aboutUser(p.User)] = true
		}
		keys[p.Record] = true
	}
	partitions := b.placesOf(subjects, keys)
	named := make([][2]string, 0, len(keys))
	for k := range keys {
		if k.SK != "" && !partitions[k.PK] {
			named = append(named, [2]string{k.PK, k.SK})
		}
	}
	rows, err := r.RowsOf(ctx, slices.Sorted(maps.Keys(partitions)), named)
	if err != nil {
		return err
	}
	b.forget(subjects, keys)
	for _, row := range rows {
		b.add(row)
	}
	return nil
}

// placesOf returns the partitions of the subjects. It adds to keys the keys of their rows in other partitions: those
// that the books have, and those that should exist.
func (b *books) placesOf(subjects map[Subject]bool, keys map[Key]bool) (partitions map[string]bool) {
	partitions = map[string]bool{}
	for s := range subjects {
		switch s.Kind {
		case "season":
			partitions["SEASON"] = true
		case "user":
			partitions[userKey(s.ID).PK] = true
			if u := b.users[s.ID]; u != nil && u.Status != game.UserDeleted {
				keys[addressKey(u.Email)], keys[usernameKey(u.Username)] = true, true
			}
		case "show":
			b.placesOfShow(s.ID, partitions, keys)
		}
	}
	for at, r := range b.reservations {
		if subjects[aboutUser(r.User)] {
			keys[at] = true
		}
	}
	return partitions
}

func (b *books) placesOfShow(id game.ID, partitions map[string]bool, keys map[Key]bool) {
	if id == "" { // a gate of a show that was created meanwhile: a board row of open shows has its id
		partitions["BOARD#open"] = true
		return
	}
	partitions[showKey(id).PK] = true
	for part := range 4 {
		partitions[fmt.Sprintf("SHOW#%s#%d", id, part)] = true
	}
	s := b.show(id)
	for _, r := range s.results {
		for _, k := range r.keys {
			partitions[k.PK] = true
		}
	}
	for board, row := range s.boards {
		keys[Key{board, row.boardSK()}] = true
	}
	for gate := range b.gates {
		if gate.isGateOf(id) {
			keys[gate] = true
		}
	}
	if s.item == nil {
		return
	}
	for _, status := range []game.ShowStatus{"all", game.ShowOpen, game.ShowCompleted, game.ShowCancelled} {
		for _, board := range s.item.boards(status) {
			keys[Key{board, s.item.boardSK()}] = true
		}
	}
	for k := range s.item.Gates {
		keys[s.item.gateKey(k)] = true
	}
}

// forget removes the subjects and the rows with the keys from the books.
func (b *books) forget(subjects map[Subject]bool, keys map[Key]bool) {
	of := func(user game.ID) bool { return subjects[aboutUser(user)] }
	maps.DeleteFunc(b.users, func(id game.ID, _ *userRow) bool { return of(id) })
	maps.DeleteFunc(b.ledgers, func(id game.ID, _ []game.LedgerEntry) bool { return of(id) })
	maps.DeleteFunc(b.animals, func(id [2]game.ID, _ animalRow) bool { return of(id[0]) })
	maps.DeleteFunc(b.parts, func(id [3]game.ID, _ participationRow) bool { return of(id[0]) })
	maps.DeleteFunc(b.reservations, func(at Key, r reservationRow) bool { return of(r.User) || keys[at] })
	maps.DeleteFunc(b.shows, func(id game.ID, _ *showBooks) bool { return subjects[aboutShow(id)] })
	maps.DeleteFunc(b.gates, func(k Key, _ gateRow) bool { return keys[k] })
	if slices.ContainsFunc(slices.Collect(maps.Keys(subjects)), func(s Subject) bool { return s.Kind == "season" }) {
		clear(b.seasons)
	}
	b.filed = slices.DeleteFunc(b.filed, func(p Problem) bool {
		return subjects[p.Subject] || subjects[subjectOf(p.Record)] || strings.HasPrefix(p.Record.PK, "BOARD#") && keys[p.Record]
	})
}
