package operate

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/records"
	"github.com/ranch-game/ranch/shared/table"
)

// making returns a function for Operator.same: it reports whether the state after a record's change is the given value.
func making(after any) func(*records.AuditItem) bool {
	return func(i *records.AuditItem) bool {
		text, err := json.Marshal(after)
		return err == nil && i.After == string(text)
	}
}

// AuditRecord is the record of an operator's change. Before and After never contain an e-mail address.
type AuditRecord struct {
	ID        game.ID         `json:"id"`
	At        game.Instant    `json:"at"`                 // when the change was first begun
	WrittenAt game.Instant    `json:"writtenAt,omitzero"` // when the successful attempt began; 0: unknown
	By        string          `json:"by"`
	Action    string          `json:"action"`           // such as "ban"
	Subject   string          `json:"subject"`          // such as "user 7d3c…"
	Before    json.RawMessage `json:"before,omitempty"` // the state before; absent for creations, new names and repairs
	After     json.RawMessage `json:"after,omitempty"`
	Reason    string          `json:"reason,omitempty"`
	Link      Link            `json:"-"`
}

func recordOf(i *records.AuditItem) AuditRecord {
	return AuditRecord{
		ID: game.ID(i.SK), At: i.At, WrittenAt: i.Written, By: i.By, Action: i.Action, Subject: i.Subject,
		Before: json.RawMessage(i.Before), After: json.RawMessage(i.After), Reason: i.Reason,
		Link: Link{i.Number, i.Previous, i.Digest},
	}
}

// User returns the id of the user who was changed; false if the subject of the change is not a user.
func (r AuditRecord) User() (game.ID, bool) {
	id, is := strings.CutPrefix(r.Subject, subjectUser(""))
	return game.ID(id), is
}

// AuditRecord returns the record of a change, or nil if the table has none. One round trip, 1 RCU for every 4 KB.
func (d Desk) AuditRecord(ctx context.Context, change game.ID) (*AuditRecord, error) {
	item, err := table.Get[records.AuditItem](ctx, d.table, records.AuditKey(change))
	if err != nil || item == nil {
		return nil, err
	}
	return new(recordOf(item)), nil
}

// Audit returns the records of all changes with from <= At < to, oldest first. If to is 0, it returns all from from on,
// also those of a fast clock, which costs 1 RCU more. It reads a partition for each month: at least one round trip for
// each, and 1 RCU for about 10 records.
func (d Desk) Audit(ctx context.Context, from, to game.Instant) ([]AuditRecord, error) {
	if to == 0 {
		head, err := d.AuditHead(ctx)
		if err != nil {
			return nil, err
		}
		to = head.end(game.InstantOf(d.Clock()))
	}
	items, err := d.auditItems(ctx, from, to)
	records := make([]AuditRecord, len(items))
	for i, item := range items {
		records[i] = recordOf(item)
	}
	return records, err
}

func (d Desk) auditItems(ctx context.Context, from, to game.Instant) (all []*records.AuditItem, err error) {
	for month := from.Time(); ; month = month.AddDate(0, 1, 0) {
		first := time.Date(month.Year(), month.Month(), 1, 0, 0, 0, 0, time.UTC)
		if game.InstantOf(first) >= to {
			return all, nil
		}
		items, err := table.QueryAs(ctx, d.table, table.Span{PK: records.AuditPK(first)}, func(i *records.AuditItem) *records.AuditItem { return i })
		if err != nil {
			return nil, err
		}
		for _, item := range items {
			if item.At >= from && item.At < to {
				all = append(all, item)
			}
		}
		month = first
	}
}

func newAuditItem(c Change, written game.Instant, action, subject string, before, after any) (records.AuditItem, error) {
	item := records.AuditItem{Key: records.AuditKey(c.ID), By: c.By, At: c.At, Written: written, Action: action, Subject: subject, Reason: c.Reason}
	for into, value := range map[*string]any{&item.Before: before, &item.After: after} {
		if value == nil {
			continue
		}
		text, err := json.Marshal(value)
		if err != nil {
			return records.AuditItem{}, fmt.Errorf("the record of %s: %w", action, err)
		}
		*into = string(text)
	}
	return item, nil
}
