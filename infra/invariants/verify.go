package invariants

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
	"github.com/ranch-game/ranch/shared/records"
	"github.com/ranch-game/ranch/shared/table"
)

// Reader reads a table, as *table.Table does.
type Reader interface {
	EachPage(ctx context.Context, filter table.Filter, visit func([]table.Attributes) error) error
	QueryAll(ctx context.Context, span table.Span) ([]table.Attributes, error)
	BatchGet(ctx context.Context, projection string, keys ...table.Key) (table.Batch, error)
}

// looks is the number of further reads of a show, user or season before Verify returns a problem in it. Before, a write
// may be in progress, or not visible yet.
const looks = 5

// Verify reads a whole table once and returns the number of rows and the violations of invariants. Players may change
// the table during the scan. So Verify reads whatever seems wrong again, strongly consistently, up to five times 0.3 s
// apart. It keeps some 500 bytes for each row in memory. It calls progress with the number of rows so far after each
// page. If err is not nil, the problems are not confirmed.
func Verify(ctx context.Context, r Reader, progress func(rows int)) (rows int, problems []Problem, err error) {
	b := newBooks()
	err = r.EachPage(ctx, table.Filter{}, func(page []table.Attributes) error {
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
		if err := table.Pause(ctx, table.Settling); err != nil {
			return rows, problems, err
		}
		if err := b.readAgain(ctx, r, problems); err != nil {
			return rows, problems, fmt.Errorf("cannot read again what seems wrong, so the problems are not confirmed: %w", err)
		}
		problems = b.check()
	}
	return rows, problems, nil
}

// readAgain replaces the rows of all subjects that the problems name by the table's current ones.
func (b *books) readAgain(ctx context.Context, r Reader, problems []Problem) error {
	partitions, keys := b.placesOf(problems)
	var rows []table.Attributes
	for _, pk := range slices.Sorted(maps.Keys(partitions)) {
		items, err := r.QueryAll(ctx, table.Span{PK: pk})
		if err != nil {
			return err
		}
		rows = append(rows, items...)
	}
	items, err := r.BatchGet(ctx, "", slices.Collect(maps.Keys(keys))...)
	if err != nil {
		return err
	}
	maps.DeleteFunc(b.rows, func(k table.Key, _ any) bool { return partitions[k.PK] || keys[k] })
	for _, row := range slices.AppendSeq(rows, maps.Values(items)) {
		b.add(row)
	}
	return nil
}

// placesOf returns where the rows of the problems' subjects are: whole partitions, and keys in others. It includes the
// latest records of operators' changes, which explain changes of gold and the earlier names of shows.
func (b *books) placesOf(problems []Problem) (partitions map[table.PK]bool, keys map[table.Key]bool) {
	now := time.Now()
	partitions = map[table.PK]bool{records.AuditPK(now): true, records.AuditPK(now.Add(-operate.Repeatable)): true}
	subjects, keys := map[Subject]bool{}, map[table.Key]bool{}
	for _, p := range problems {
		subjects[p.Subject], subjects[b.subjectOf(p.Record)], keys[p.Record] = true, true, true
		if p.User != "" {
			subjects[aboutUser(p.User)] = true
		}
	}
	for s := range subjects {
		switch s.Kind {
		case "season":
			partitions[records.SeasonsPK] = true
			b.placesOfStandings(s.ID, partitions, keys)
		case "user":
			partitions[records.UserPK(s.ID)] = true
			if u := b.user(s.ID); u != nil && u.Status != game.UserDeleted {
				keys[records.EmailKey(u.Email)], keys[records.UsernameKey(u.Username)] = true, true
			}
		case "show":
			b.placesOfShow(s.ID, partitions, keys)
		}
	}
	for k := range b.rows {
		if _, _, isGate := records.GateIn(k); !isGate && subjects[b.subjectOf(k)] {
			keys[k] = true
		}
	}
	for k := range keys {
		if kind, _, _ := strings.Cut(string(k.PK), "#"); kind == "USER" || kind == "SHOW" || kind == "SEASON" {
			partitions[k.PK] = true
		}
	}
	maps.DeleteFunc(keys, func(k table.Key, _ bool) bool { return partitions[k.PK] })
	return partitions, keys
}

// placesOfShow adds where rows of the show should be, whether they exist or not.
func (b *books) placesOfShow(id game.ID, partitions map[table.PK]bool, keys map[table.Key]bool) {
	if id == "" { // a gate of a show that was created meanwhile: a board row of open shows has its id
		partitions[records.BoardPK(game.ShowOpen, "")] = true
		return
	}
	partitions[records.ShowKey(id).PK] = true
	for part := range records.ShowParts(records.MaxGates) {
		partitions[records.PartPK(id, part)] = true
	}
	s := b.show(id)
	if !s.sound() {
		return
	}
	for _, status := range []game.ShowStatus{game.ShowOpen, game.ShowCompleted, game.ShowCancelled} {
		for _, k := range s.boardKeys(status) {
			keys[k] = true
		}
	}
	for _, k := range records.GateKeys(s.item.Show(), s.item.Gates) {
		keys[k] = true
	}
}

// subjectOf returns the show, season or user that the row with the key belongs to.
func (b *books) subjectOf(k table.Key) Subject {
	switch item := b.rows[k].(type) {
	case *records.ReservationItem:
		return aboutUser(item.User)
	case *records.RefreshItem:
		return aboutUser(item.User)
	}
	switch kind, _, _ := strings.Cut(string(k.PK), "#"); {
	case kind == "G":
		return b.showOfGate(k)
	case kind == "SHOW":
		return aboutShow(records.ShowIn(k.PK))
	case kind == "BOARD", k == records.PendingRefundsKey(records.IdIn(k.SK)):
		return aboutShow(records.IdIn(k.SK))
	case kind == "SEASON", k.PK == records.StandingsPK:
		return aboutSeason(records.IdIn(k.SK))
	case kind == string(records.StandingsPK):
		return aboutSeason(records.SeasonIn(k.PK))
	case k.PK == records.JudgedPK:
		return aboutShow(records.IdIn(k.SK))
	case kind == "PENDING":
		return aboutUser(records.IdIn(k.SK))
	default:
		return aboutUser(ownerOf(k))
	}
}

// showOfGate returns the show to which a gate (counter shard) with the key may belong. The key has only part of its id.
func (b *books) showOfGate(k table.Key) Subject {
	for id := range b.shows {
		if records.IsGateOf(k, id) {
			return aboutShow(id)
		}
	}
	return aboutShow("") // the table has no row of that show but the gate
}
