package store

import (
	"context"
	"errors"
	"fmt"
)

// Layout is the number of the table's layout that this program reads and writes. It grows if a program that knows only
// the one before would misread the table (docs/adr/0011-the-layouts-number.md). In layout 5, names with the same
// beginning share a partition.
const Layout = 5

// ErrOtherLayout means that the table has a layout that this program does not know, and must not use.
var ErrOtherLayout = errors.New("the table has another layout than this program knows")

// layoutItem has the table's layout. A table without it has no season and no show: its possible records are the same in
// all layouts.
type layoutItem struct {
	key
	Number int64 `dynamodbav:"n"`
}

// CheckLayout returns ErrOtherLayout if the table has another layout than Layout. A program checks it once when it
// starts. The number changes only if every running program knows the next one. One round trip, 1 RCU.
func (s *Store) CheckLayout(ctx context.Context) error {
	item, err := get[layoutItem](ctx, s, layoutKey())
	if err != nil {
		return err
	}
	found := int64(Layout)
	if item != nil {
		found = item.Number
	}
	if found != Layout {
		return fmt.Errorf("%w: it has layout %d, and this program needs %d: use ranchctl, or deploy the service, of a version for the table's layout", ErrOtherLayout, found, Layout)
	}
	return nil
}

// sayLayout writes the layout's number, and cancels the transaction if the table has another one.
func (s *Store) sayLayout(t *transaction) {
	t.put(layoutItem{layoutKey(), Layout}, "attribute_not_exists(PK) OR n = :layout", attributes{":layout": number(Layout)}, ErrOtherLayout)
}
