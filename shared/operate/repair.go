package operate

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/records"
	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/table"
)

// repairPatience is the longest time for each change of a repair.
const repairPatience = 60 * time.Second

// Repair is what RepairShow has done to one record, or the reason why it has left the record.
type Repair struct {
	Record string `json:"record"` // the partition key and the sort key, with a space between them
	Done   bool   `json:"done"`
	What   string `json:"what"`
}

// RepairShow repairs a show whose transactions are only partly in the table, as after a restore. It restores gates,
// board rows, counts and missing results from the entries, a missing entry from its participation, and a missing
// participation from its entry. It restores the item of an open or cancelled show from its rows on the boards, and
// begins refunds again if a fee is not given back. It moves no gold. It never guesses: if a repair is not certain, it
// returns a Repair with Done false. It does not check prizes and other data of users.
//
// RepairShow makes one change or several, each with its audit record. It first restores entries and participations, as
// far as it can, and then the rest. If it is called again under the first change's id, it also returns what was done
// before, and goes on. If the show is sound, RepairShow changes nothing and writes no record. If the show's own item is
// missing and cannot be restored, it returns ErrUnknownShow and a Repair for each other record of the show.
//
// The conditions of a write, and the race each stops:
//
//	show           status, terms, refunds as read  a judging, a cancellation, other terms, the end of the refunds
//	gate           count and terms as read         an entry in between
//	entry          must not exist                  another repair
//	participation  must not exist                  another repair; an entry that was not visible yet
//	user           status as read                  a deletion, after which the entry would still show the name
//
// RepairShow reads the gates first and the entries 0.3 s later. So it sees every entry that a gate counts, and a later
// entry makes the write of the gate fail. It reads entries, gates, rows and results of after TracesOf, but no receipts.
func (o Operator) RepairShow(ctx context.Context, traces Traces) ([]Repair, error) {
	r := o.desk.newRepairing(traces, o.change.At)
	defer r.lease.GiveUp(ctx)
	repairs := []Repair{}
	for {
		made, err := o.repair(ctx, r)
		repairs = append(repairs, made...)
		switch {
		case errors.Is(err, errSound):
			return append(repairs, r.left...), nil
		case errors.Is(err, store.ErrUnknownShow):
			return append(repairs, r.orphans()...), err
		case err != nil:
			return repairs, err
		}
		o.change = o.change.Part("next")
	}
}

// PlanRepair returns the repairs that RepairShow would begin with (Done is true), and the records that it would leave.
// It writes nothing. It costs the reads of one change of RepairShow, and returns the same errors. With ErrUnknownShow,
// it returns a Repair for each other record of the show, and with any other error none.
func (d Desk) PlanRepair(ctx context.Context, traces Traces) ([]Repair, error) {
	r := d.newRepairing(traces, 0)
	err := r.read(ctx)
	if err == nil {
		err = r.plan(ctx)
	}
	switch {
	case errors.Is(err, store.ErrUnknownShow):
		return r.orphans(), err
	case err != nil:
		return nil, err
	}
	var planned []Repair
	for _, f := range r.fixes {
		planned = append(planned, f.Repair)
	}
	return append(planned, r.left...), nil
}

func (d Desk) newRepairing(t Traces, now game.Instant) *repairRun {
	return &repairRun{openShow: d.newOpening(t.show), id: t.show, now: now, traces: t.keys}
}

// orphans returns a Repair for each record of a show whose own item is missing.
func (r *repairRun) orphans() []Repair {
	for _, k := range r.traces {
		r.leave(k, "the show is missing")
	}
	return r.left
}

var errSound = errors.New("nothing is left to repair")

// repair makes one change, and returns the repairs in its record. It returns errSound if there is nothing to do.
func (o Operator) repair(ctx context.Context, r *repairRun) ([]Repair, error) {
	ctx, cancel := context.WithTimeout(ctx, repairPatience)
	defer cancel()
	r.tried = false
	err := o.make(ctx, "repair show", subjectShow(r.id), func(ctx context.Context, t *table.Transaction) (before, after any, err error) {
		if err := r.read(ctx); err != nil {
			return nil, nil, err
		}
		if err := r.plan(ctx); err != nil {
			return nil, nil, err
		}
		if len(r.fixes) == 0 {
			return nil, nil, errSound
		}
		return nil, r.fill(t), nil
	})
	if err != nil {
		return nil, err
	}
	record, err := o.desk.AuditRecord(ctx, o.change.ID)
	if err != nil {
		return nil, err
	}
	var made map[string]string
	if err := json.Unmarshal(record.After, &made); err != nil {
		return nil, err
	}
	var repairs []Repair
	for _, k := range slices.Sorted(maps.Keys(made)) {
		repairs = append(repairs, Repair{k, true, made[k]})
	}
	return repairs, nil
}

// Traces has the keys of all records of a show in the table, in order.
type Traces struct {
	show game.ID
	keys []table.Key
}

// TracesOf finds the records of a show for RepairShow. It scans the whole table once by eventually consistent reads:
// half an RCU for every 4 KB.
//
// The key of a gate has only the first seven bytes of the show's id. So TracesOf leaves out the gates of every other
// show whose id begins with these bytes, as ids that contain a time often do.
func (d Desk) TracesOf(ctx context.Context, show game.ID) (Traces, error) {
	id := uuid.MustParse(string(show))
	gate := records.Sortable.EncodeToString(id[:records.GateID])
	filter := table.Filter{Items: records.TracesOf(show, gate), Projection: records.ProjectKeys}
	var traces []table.Key
	var alike []game.ID
	err := d.table.EachPage(ctx, filter, func(rows []table.Attributes) error {
		for _, av := range rows {
			k, err := table.Unmarshal[table.Key](av)
			if err != nil {
				return err
			}
			if isOf(*k, show, gate) {
				traces = append(traces, *k)
			} else if k.SK == records.ShowKey(show).SK {
				alike = append(alike, records.ShowIn(k.PK))
			}
		}
		return nil
	})
	if err != nil {
		return Traces{}, err
	}
	for _, other := range alike {
		item, err := d.ShowItem(ctx, other)
		if err != nil {
			return Traces{}, err
		}
		if item != nil {
			theirs := records.GateKeys(item.Show(), item.Gates)
			traces = slices.DeleteFunc(traces, func(k table.Key) bool { return slices.Contains(theirs, k) })
		}
	}
	slices.SortFunc(traces, compareKeys)
	return Traces{show, traces}, nil
}

// isOf reports whether the key belongs to the show. A key that has the show's id only inside a name does not. The key
// of a gate has only the first bytes of the show's id, encoded as in gate.
func isOf(k table.Key, show game.ID, gate string) bool {
	switch kind, _, _ := strings.Cut(string(k.PK), "#"); kind {
	case "G":
		return len(k.SK) == len(records.GateTime(0))+len(gate)+1 && string(k.SK[len(records.GateTime(0)):len(k.SK)-1]) == gate
	case "BOARD":
		return records.IdIn(k.SK) == show
	case "USER":
		return strings.Contains(string(k.SK), "#SHOW#"+string(show)+"#")
	}
	return strings.HasPrefix(string(k.PK), string(records.ShowKey(show).PK))
}

func compareKeys(a, b table.Key) int { return cmp.Or(cmp.Compare(a.PK, b.PK), cmp.Compare(a.SK, b.SK)) }

// repairRun is one call of RepairShow.
type repairRun struct {
	*openShow
	id     game.ID
	now    game.Instant // of the change
	traces []table.Key

	// The state at the last read.
	item     *records.ShowItem // nil: missing
	show     game.Show
	found    table.Batch // board rows, gates, results and receipts
	entries  []records.EntryItem
	byAnimal map[game.ID]*records.EntryItem
	claims   []records.ClaimItem
	parts    table.Batch                  // participations
	placings map[game.ID]records.Placings // by player; nil: not completed, or results are missing
	busy     map[game.ID]bool             // users with a repair in this change

	// The plan.
	fixes     []fix
	left      []Repair
	count     int64 // the number of entries that the show's item is to have
	refunding bool  // the show's item must no longer say that all fees are given back
}

// fix is a repair with its writes.
type fix struct {
	Repair
	write func(t *table.Transaction)
}

func (r *repairRun) fix(k table.Key, what string, write func(t *table.Transaction)) {
	r.fixes = append(r.fixes, fix{Repair{string(k.PK) + " " + string(k.SK), true, what}, write})
}

// leave notes why a record is not repaired.
func (r *repairRun) leave(k table.Key, why string, args ...any) {
	r.left = append(r.left, Repair{Record: string(k.PK) + " " + string(k.SK), What: fmt.Sprintf(why, args...)})
}

// read reads all records that the show has or should have: entries and participations 0.3 s after all others.
func (r *repairRun) read(ctx context.Context) error {
	item, err := r.desk.ShowItem(ctx, r.id)
	switch {
	case err != nil:
		return err
	case item == nil:
		r.item = nil
		return nil
	case r.tried && item.Status == game.ShowOpen:
		if err := r.hold(ctx, item); err != nil {
			return err
		}
	}
	r.item, r.show = item, item.Show()
	keys, participations := map[table.Key]bool{}, map[table.Key]bool{}
	for _, k := range slices.Concat(r.boardKeys(), records.GateKeys(r.show, item.Gates), r.resultKeys()) {
		keys[k] = true
	}
	for _, k := range r.traces {
		switch {
		case k.PK == records.UserPK(records.IdIn(table.SK(k.PK))):
			participations[k] = k == records.ParticipationKey(records.IdIn(table.SK(k.PK)), r.show.SeasonID, r.id, records.IdIn(k.SK))
		case !strings.HasPrefix(string(k.PK), string(records.ShowKey(r.id).PK)) || strings.HasPrefix(string(k.SK), string(records.ClaimPrefix)):
			keys[k] = true
		}
	}
	if r.found, err = r.desk.table.BatchGet(ctx, "", slices.Collect(maps.Keys(keys))...); err != nil {
		return err
	}
	if err := table.Pause(ctx, table.Settling); err != nil {
		return err
	}
	if r.entries, err = r.desk.EntriesOf(ctx, r.id, item.Gates, ""); err != nil {
		return err
	}
	r.claims, r.byAnimal = nil, map[game.ID]*records.EntryItem{}
	for i := range r.entries {
		e := &r.entries[i]
		r.byAnimal[records.IdIn(e.SK)] = e
		participations[r.participation(e)] = true
	}
	for _, k := range r.traces {
		claim, err := table.In[records.ClaimItem](r.found, k)
		if err != nil {
			return err
		}
		if claim != nil && strings.HasPrefix(string(k.SK), string(records.ClaimPrefix)) {
			r.claims = append(r.claims, *claim)
		}
	}
	maps.DeleteFunc(participations, func(_ table.Key, is bool) bool { return !is })
	r.parts, err = r.desk.table.BatchGet(ctx, "", slices.Collect(maps.Keys(participations))...)
	return err
}

// boardKeys returns the keys of the rows that the show should have on the boards.
func (r *repairRun) boardKeys() (keys []table.Key) {
	for _, tier := range []string{"", r.show.Tier} {
		keys = append(keys, records.BoardKey(r.show.Status, tier, r.show), records.BoardKey("", tier, r.show))
	}
	return keys
}

// ResultKeys returns the keys of the items that hold the results of a completed show, besides its own item.
func (r *repairRun) resultKeys() []table.Key {
	if r.show.Status != game.ShowCompleted {
		return nil
	}
	return r.item.Verdict().ResultKeys(r.item.Sheets, (int(r.item.Count)+records.PagePlaces-1)/records.PagePlaces)
}

func (r *repairRun) participation(e *records.EntryItem) table.Key {
	return records.ParticipationKey(e.Player, r.show.SeasonID, r.id, records.IdIn(e.SK))
}

// plan decides what to repair next: entries and participations, or if none of these can be restored, all the rest.
func (r *repairRun) plan(ctx context.Context) error {
	r.fixes, r.left, r.busy, r.refunding = nil, nil, map[game.ID]bool{}, false
	if r.item == nil {
		return r.rebuild(ctx)
	}
	r.count = r.item.Count
	if err := r.unpack(); err != nil {
		return err
	}
	for _, k := range slices.SortedFunc(maps.Keys(r.parts), compareKeys) {
		if err := r.checkEntryOf(ctx, k); err != nil {
			return err
		}
	}
	for i := range r.entries {
		e := &r.entries[i]
		if k := r.participation(e); r.parts[k] == nil && !r.busy[e.Player] {
			if err := r.participate(ctx, e, records.ParticipationItem{Key: k, AnimalName: e.AnimalName, CreatedAt: e.CreatedAt}); err != nil {
				return err
			}
		}
	}
	if len(r.fixes) > 0 {
		return nil
	}
	if err := r.checkResults(ctx); err != nil {
		return err
	}
	if err := errors.Join(r.checkRefunds(), r.checkBoards()); err != nil {
		return err
	}
	return r.checkGates()
}

// transactionRoom is how many items the repairs of one change may have, besides the show's item, record and head.
const transactionRoom = table.TransactionItems - 3

// fill adds repairs to the transaction while there is room, and a check of the show. It returns them by record.
func (r *repairRun) fill(t *table.Transaction) map[string]string {
	repairs := map[string]string{}
	t.MostConflicts, r.tried = store.JudgeConflicts, true
	for _, f := range r.fixes {
		n := t.Len()
		if f.write(t); t.Len() > transactionRoom {
			t.Truncate(n)
			break
		}
		repairs[f.Record] = f.What
	}
	if r.item == nil {
		return repairs // the first repair has a condition on the show
	}
	asRead := r.item.StateAsRead()
	switch {
	case r.count != r.item.Count:
		t.Update(r.item.Key, records.Counted(r.count), asRead, table.ErrStale)
	case r.refunding:
		t.Update(r.item.Key, records.RefundsBegunAgain(), asRead, table.ErrStale)
	default:
		t.Check(r.item.Key, asRead, table.ErrStale)
	}
	return repairs
}
