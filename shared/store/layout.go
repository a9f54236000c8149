package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/ranch-game/ranch/shared/records"
	"github.com/ranch-game/ranch/shared/table"
)

// ErrOtherLayout means that the table has another layout. The program must not use the table.
var ErrOtherLayout = errors.New("the table has another layout than this program knows")

// CheckLayout returns ErrOtherLayout if the table has another layout than Layout. A program calls it when it starts,
// and need not repeat it: the number changes only if every running program knows the next one. One round trip, 1 RCU.
func (s *Store) CheckLayout(ctx context.Context) error {
	item, err := table.Get[records.LayoutItem](ctx, s.Table, records.LayoutKey())
	if err != nil || item == nil || item.Number == records.Layout {
		return err
	}
	return fmt.Errorf("%w: it has layout %d, and this program needs %d: use ranchctl, or deploy the service, of a version for the table's layout", ErrOtherLayout, item.Number, records.Layout)
}

// SayLayout adds a write of the layout's number. If the table has another number, Commit returns ErrOtherLayout.
func SayLayout(t *table.Transaction) {
	t.Put(records.LayoutItem{Key: records.LayoutKey(), Number: records.Layout}, records.NoOtherLayout(), ErrOtherLayout)
}
