package operate

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/ranch-game/ranch/shared/game"
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
//	show                         status as read  a judging
//	gate                         count as read   an entry in between
//	what was missing             must not exist  an entry that was not visible yet
//	user whose entry is restored status as read  a deletion, after which the entry would still show the name
//
// Other changes by operators, such as of the terms or another repair, meet it at the head of the chain of records. Rows
// of boards have no condition: they change only together with the show's status or terms.
//
// RepairShow reads the gates first and the entries 0.3 s later. So it sees every entry that a gate counts, and a later
// entry makes the write of the gate fail. It reads entries, gates, rows and results of after TracesOf, but no receipts.
func (o Operator) RepairShow(ctx context.Context, traces Traces) ([]Repair, error) {
	opened := o.desk.newOpening(traces.show)
	defer opened.lease.GiveUp(ctx)
	repairs := []Repair{}
	for {
		made, left, err := o.repair(ctx, opened, traces)
		repairs = append(repairs, made...)
		switch {
		case errors.Is(err, errSound):
			return append(repairs, left...), nil
		case errors.Is(err, store.ErrUnknownShow):
			return append(repairs, left...), err
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
	p, err := d.newOpening(traces.show).planRepair(ctx, traces, 0)
	var planned []Repair
	for _, f := range p.fixes {
		planned = append(planned, f.Repair)
	}
	return append(planned, p.left...), err
}

func (o *openShow) planRepair(ctx context.Context, traces Traces, now game.Instant) (plan, error) {
	rows, err := o.readRows(ctx, traces)
	if err != nil {
		return plan{}, err
	}
	return newPlan(rows, now)
}

var errSound = errors.New("nothing is left to repair")

// repair makes one change, and returns the repairs in its record. If there is nothing to do, it returns errSound and
// what is left. If the show's item is missing and cannot be restored, it returns ErrUnknownShow and what is left.
func (o Operator) repair(ctx context.Context, opened *openShow, traces Traces) (made, left []Repair, err error) {
	ctx, cancel := context.WithTimeout(ctx, repairPatience)
	defer cancel()
	opened.tried = false
	try := func(ctx context.Context, t *table.Transaction) (before, after any, err error) {
		p, err := opened.planRepair(ctx, traces, o.change.At)
		left = p.left
		if err == nil && len(p.fixes) == 0 {
			err = errSound
		}
		if err != nil {
			return nil, nil, err
		}
		t.MostConflicts, opened.tried = store.JudgeConflicts, true
		return nil, p.fill(t), nil
	}
	if err := o.make(ctx, "repair show", subjectShow(traces.show), try); err != nil {
		return nil, left, err
	}
	record, err := o.desk.AuditRecord(ctx, o.change.ID)
	if err != nil {
		return nil, nil, err
	}
	var texts map[string]string
	if err := json.Unmarshal(record.After, &texts); err != nil {
		return nil, nil, err
	}
	for _, k := range slices.Sorted(maps.Keys(texts)) {
		made = append(made, Repair{k, true, texts[k]})
	}
	return made, nil, nil
}

// transactionRoom is how many items the fixes of one change may have, besides the show's item, record and head.
const transactionRoom = table.TransactionItems - 3

// fill adds fixes to the transaction while there is room, and the show's guard. It returns their texts by record.
func (p *plan) fill(t *table.Transaction) map[string]string {
	repairs := map[string]string{}
	for _, f := range p.fixes {
		if t.Len()+len(f.writes) > transactionRoom {
			break
		}
		for _, w := range f.writes {
			w.addTo(t)
		}
		repairs[f.Record] = f.What
	}
	if p.item != nil { // otherwise the first fix has a condition on the show
		p.guard(t)
	}
	return repairs
}

// addTo adds the write to the transaction.
func (w write) addTo(t *table.Transaction) {
	switch {
	case w.item != nil:
		t.Put(w.item, w.condition, table.ErrStale)
	case w.removes:
		t.Remove(w.key)
	default:
		t.Check(w.key, w.condition, table.ErrStale)
	}
}

// guard adds a check of the show, or the update that corrects it, to the transaction.
func (p *plan) guard(t *table.Transaction) {
	if change := p.item.Corrected(p.show); change.IsNone() {
		t.Check(p.item.Key, p.item.StatusAsRead(), table.ErrStale)
	} else {
		t.Update(p.item.Key, change, p.item.StatusAsRead(), table.ErrStale)
	}
}
