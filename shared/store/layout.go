package store

import (
	"context"
	"errors"
	"fmt"
)

// Layout is the number of the layout (the form of keys and records) that this program reads and writes. A change of the
// layout raises it if older programs would misread the table (docs/adr/0011-the-layouts-number.md). In layout 5, names
// with the same beginning share a partition.
const Layout = 5

// ErrOtherLayout means that the table has another layout. The program must not use the table.
var ErrOtherLayout = errors.New("the table has another layout than this program knows")

// layoutItem holds the number of the table's layout. The first season writes it. So a table without it has no season
// and no show, and CheckLayout accepts it.
type layoutItem struct {
	key
	Number int64 `dynamodbav:"n"`
}

// CheckLayout returns ErrOtherLayout if the table has another layout than Layout. A program calls it when it starts,
// and need not repeat it: the number changes only if every running program knows the next one. One round trip, 1 RCU.
func (s *Store) CheckLayout(ctx context.Context) error {
	item, err := get[layoutItem](ctx, s, layoutKey())
	if err != nil || item == nil || item.Number == Layout {
		return err
	}
	return fmt.Errorf("%w: it has layout %d, and this program needs %d: use ranchctl, or deploy the service, of a version for the table's layout", ErrOtherLayout, item.Number, Layout)
}

// sayLayout adds a write of the layout's number. If the table has another number, commit returns ErrOtherLayout.
func (s *Store) sayLayout(t *transaction) {
	t.put(layoutItem{layoutKey(), Layout}, "attribute_not_exists(PK) OR n = :layout", attributes{":layout": number(Layout)}, ErrOtherLayout)
}
