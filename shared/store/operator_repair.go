package store

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/google/uuid"

	"github.com/ranch-game/ranch/shared/game"
)

// repairPatience bounds one of the changes that a repair makes.
const repairPatience = 60 * time.Second

// Repair is what RepairShow has done with one record, or why it could not.
type Repair struct {
	Record string `json:"record"` // the partition key and the sort key, with a space between them
	Done   bool   `json:"done"`
	What   string `json:"what"`
}

// RepairShow repairs a show of which the table holds half a transaction, as a restored table can. It makes gates, board
// rows, counts and missing results again from the entries, and a missing entry from its participation, or the reverse.
// It never guesses: it returns what is not certain as a Repair that is not done. It does not look at refunds, prizes
// and what a user has besides.
//
// A repair is one change or several, each with its record: first entries and participations until all are paired, then
// the rest. A repetition under the first one's id also returns what was done then, and goes on. A repair of a show that
// is right changes nothing, and leaves no record. It returns ErrUnknownShow, with the records that are left, if the
// show's own item is missing.
//
// The conditions of a write, and the race each stops:
//
//	show           status, terms, refunds as read  a judging, a cancellation, other terms, the end of the refunds
//	gate           count and terms as read         an entry in between
//	entry          must not exist                  another repair
//	participation  must not exist                  another repair; an entry that was just becoming visible
//	user           status as read                  a deletion, after which the entry would still show the name
//	user           ledger number as read           any other change of the balance, if the fee is paid now
//
// It reads the gates before the entries, with time between them for a transaction to become visible: an entry that the
// gate counts is seen then, and one that it does not count yet fails the write. It reads the whole table once by
// eventually consistent reads, to find what belongs to the show: half an RCU for every 4 KB.
func (o Operator) RepairShow(ctx context.Context, show game.ID) ([]Repair, error) {
	r, err := o.store.newRepairing(ctx, show)
	if err != nil {
		return nil, err
	}
	defer r.lease.giveUp(ctx)
	repairs := []Repair{}
	for {
		made, err := o.repair(ctx, r)
		repairs = append(repairs, made...)
		switch {
		case errors.Is(err, errSound):
			return append(repairs, r.left...), nil
		case errors.Is(err, ErrUnknownShow):
			return append(repairs, r.orphans()...), err
		case err != nil:
			return repairs, err
		}
		o.change = o.change.Part("next")
	}
}

// PlanRepair returns what RepairShow would do first (Done), and what it would leave. It writes nothing, and reads and
// fails as RepairShow does.
func (s *Store) PlanRepair(ctx context.Context, show game.ID) ([]Repair, error) {
	r, err := s.newRepairing(ctx, show)
	if err != nil {
		return nil, err
	}
	if err := r.read(ctx); err != nil {
		return r.orphans(), err
	}
	err = r.plan(ctx)
	var planned []Repair
	for _, f := range r.fixes {
		planned = append(planned, f.Repair)
	}
	return append(planned, r.left...), err
}

func (s *Store) newRepairing(ctx context.Context, show game.ID) (*repairing, error) {
	traces, err := s.traces(ctx, show)
	return &repairing{opening: s.newOpening(show), id: show, traces: traces}, err
}

// orphans are the records of a show whose own item is missing.
func (r *repairing) orphans() []Repair {
	for _, k := range r.traces {
		r.leave(k, "the show is missing")
	}
	return r.left
}

// errSound means that there is nothing that a repair could do.
var errSound = errors.New("nothing is left to repair")

// repair makes one change, and returns what the change's record says of it. It returns errSound if there is nothing to
// do.
func (o Operator) repair(ctx context.Context, r *repairing) ([]Repair, error) {
	ctx, cancel := context.WithTimeout(ctx, repairPatience)
	defer cancel()
	r.tried = false
	err := o.make(ctx, "repair show", subjectShow(r.id), func(ctx context.Context, t *transaction) (before, after any, err error) {
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
	record, err := o.store.AuditRecord(ctx, o.change.ID)
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

// traces returns the keys of all records of a show, wherever they are, in order.
func (s *Store) traces(ctx context.Context, show game.ID) ([]key, error) {
	id := uuid.MustParse(string(show))
	gate := sortable.EncodeToString(id[:7])
	request := dynamodb.ScanInput{
		FilterExpression:     aws.String("contains(PK, :show) OR contains(SK, :show) OR begins_with(PK, :gates) AND contains(SK, :gate)"),
		ProjectionExpression: aws.String("PK, SK"),
		ExpressionAttributeValues: attributes{
			":show": str(string(show)), ":gates": str("G#"), ":gate": str(gate),
		},
	}
	var mu sync.Mutex
	var traces []key
	err := s.scan(ctx, request, func(_ context.Context, each func(func(Rows) error) error) error {
		return each(func(rows Rows) error {
			mu.Lock()
			defer mu.Unlock()
			for _, av := range rows {
				k, err := unmarshal[key](av)
				if err != nil {
					return err
				}
				if k.isOf(show, gate) {
					traces = append(traces, *k)
				}
			}
			return nil
		})
	})
	slices.SortFunc(traces, compareKeys)
	return traces, err
}

// isOf reports whether the key is of the show, and not of something whose name contains the show's id. gate is what of
// the id is in the keys of gates.
func (k key) isOf(show game.ID, gate string) bool {
	switch kind, _, _ := strings.Cut(string(k.PK), "#"); kind {
	case "G":
		return len(k.SK) == len(gateTime(0))+len(gate)+1 && string(k.SK[len(gateTime(0)):len(k.SK)-1]) == gate
	case "BOARD":
		return idIn(k.SK) == show
	case "USER":
		return strings.Contains(string(k.SK), "#SHOW#"+string(show)+"#")
	}
	return strings.HasPrefix(string(k.PK), string(showKey(show).PK))
}

func compareKeys(a, b key) int { return cmp.Or(cmp.Compare(a.PK, b.PK), cmp.Compare(a.SK, b.SK)) }

// repairing is one call of RepairShow.
type repairing struct {
	*opening
	id     game.ID
	traces []key

	// What was read last.
	item     *showItem
	show     game.Show
	found    batch // board rows, gates, results and receipts
	entries  []*entryItem
	byAnimal map[game.ID]*entryItem
	claims   []claimItem
	parts    batch                // participations
	placings map[game.ID]placings // by player; nil: not completed, or results are missing
	busy     map[game.ID]bool     // users whose item is in the transaction

	// What is to be done.
	fixes     []fix
	left      []Repair
	count     int64 // that the show's item is to have
	refunding bool  // the show's item must not say any more that all fees are given back
}

// fix is a repair with its writes.
type fix struct {
	Repair
	write func(t *transaction)
}

func (r *repairing) fix(k key, what string, write func(t *transaction)) {
	r.fixes = append(r.fixes, fix{Repair{string(k.PK) + " " + string(k.SK), true, what}, write})
}

// leave notes why a record is not repaired.
func (r *repairing) leave(k key, why string, args ...any) {
	r.left = append(r.left, Repair{Record: string(k.PK) + " " + string(k.SK), What: fmt.Sprintf(why, args...)})
}

// read reads all that is or should be there of the show; what tells of a transaction comes first, and entries and
// participations last.
func (r *repairing) read(ctx context.Context) error {
	item, err := r.store.showItem(ctx, r.id)
	switch {
	case err != nil:
		return err
	case item == nil:
		return ErrUnknownShow
	case r.tried && item.Status == game.ShowOpen:
		if err := r.hold(ctx, item); err != nil {
			return err
		}
	}
	r.item, r.show = item, item.show()
	keys, participations := map[key]bool{}, map[key]bool{}
	for _, k := range slices.Concat(r.boardKeys(), gateKeys(r.show, item.Gates), r.resultKeys()) {
		keys[k] = true
	}
	for _, k := range r.traces {
		switch {
		case k.PK == userPK(idIn(sk(k.PK))):
			participations[k] = k == participationKey(idIn(sk(k.PK)), r.show.SeasonID, r.id, idIn(k.SK))
		case !strings.HasPrefix(string(k.PK), string(showKey(r.id).PK)) || strings.HasPrefix(string(k.SK), string(claimPrefix)):
			keys[k] = true
		}
	}
	if r.found, err = r.store.batchGet(ctx, "", slices.Collect(maps.Keys(keys))...); err != nil {
		return err
	}
	if err := pause(ctx, settling); err != nil {
		return err
	}
	entries, err := r.store.entriesOf(ctx, r.id, item.Gates, "")
	if err != nil {
		return err
	}
	r.entries, r.claims, r.byAnimal = nil, nil, map[game.ID]*entryItem{}
	for i := range entries {
		e := &entries[i]
		r.entries = append(r.entries, e)
		r.byAnimal[idIn(e.SK)] = e
		participations[r.participation(e)] = true
	}
	for _, k := range r.traces {
		claim, err := in[claimItem](r.found, k)
		if err != nil {
			return err
		}
		if claim != nil && strings.HasPrefix(string(k.SK), string(claimPrefix)) {
			r.claims = append(r.claims, *claim)
		}
	}
	maps.DeleteFunc(participations, func(_ key, is bool) bool { return !is })
	r.parts, err = r.store.batchGet(ctx, "", slices.Collect(maps.Keys(participations))...)
	return err
}

// boardKeys are the rows that the show has on the boards.
func (r *repairing) boardKeys() (keys []key) {
	for _, tier := range []string{"", r.show.Tier} {
		keys = append(keys, boardKey(r.show.Status, tier, r.show), boardKey("", tier, r.show))
	}
	return keys
}

// resultKeys are the items that have the results of a completed show, beside its own.
func (r *repairing) resultKeys() (keys []key) {
	if r.show.Status != game.ShowCompleted {
		return nil
	}
	for j := range r.item.Sheets {
		keys = append(keys, r.item.verdict().sheetKey(j))
	}
	for page := range (int(r.item.Count) + pagePlaces - 1) / pagePlaces {
		keys = append(keys, r.item.verdict().pageKey(page))
	}
	return keys
}

func (r *repairing) participation(e *entryItem) key {
	return participationKey(e.Player, r.show.SeasonID, r.id, idIn(e.SK))
}

// plan decides what to do next: first the entries and participations that can be made again, and, if all have been, the
// rest, which goes by the entries.
func (r *repairing) plan(ctx context.Context) error {
	r.fixes, r.left, r.busy, r.count, r.refunding = nil, nil, map[game.ID]bool{}, r.item.Count, false
	if err := r.unpack(); err != nil {
		return err
	}
	for _, k := range slices.SortedFunc(maps.Keys(r.parts), compareKeys) {
		if err := r.checkEntryOf(ctx, k); err != nil {
			return err
		}
	}
	for _, e := range r.entries {
		if k := r.participation(e); r.parts[k] == nil && !r.busy[e.Player] {
			if err := r.participate(ctx, e, participationItem{key: k, AnimalName: e.AnimalName, CreatedAt: e.CreatedAt}); err != nil {
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
	if err := r.checkBoards(); err != nil {
		return err
	}
	return r.checkGates()
}

// transactionRoom leaves room for the show's item and the record.
const transactionRoom = transactionItems - 3

// fill fills the transaction in as far as there is room, and returns what it repairs, by record.
func (r *repairing) fill(t *transaction) map[string]string {
	repairs := map[string]string{}
	t.mostConflicts, r.tried = judgeConflicts, true
	for _, f := range r.fixes {
		n := len(t.items)
		if f.write(t); len(t.items) > transactionRoom {
			t.items, t.failure = t.items[:n], t.failure[:n]
			break
		}
		repairs[f.Record] = f.What
	}
	values := attributes{":status": str(string(r.item.Status))}
	condition := "st = :status AND " + asRead(values, "tm", r.item.Terms) + " AND " + asRead(values, "rf", r.item.RefundedAt)
	switch {
	case r.count != r.item.Count:
		values[":count"] = number(r.count)
		t.update(r.item.key, "SET n = :count", condition, values, errStale)
	case r.refunding:
		t.update(r.item.key, "REMOVE rf", condition, values, errStale)
	default:
		t.check(r.item.key, condition, values, errStale)
	}
	return repairs
}
