package operate

import (
	"context"

	"github.com/ranch-game/ranch/shared/table"
)

// Rows are raw items of the table, for code that checks the table itself.
type Rows = []table.Attributes

// EachPage calls visit with all items of the table, as table.Table.EachPage does: half an RCU for every 4 KB.
func (d Desk) EachPage(ctx context.Context, visit func(Rows) error) error {
	return d.table.EachPage(ctx, table.Filter{}, visit)
}

// RowsOf returns all items of these partitions, and those of the items with these distinct keys that exist. The reads
// are strongly consistent: 1 RCU for every 4 KB of a partition, and at least 1 for every key.
func (d Desk) RowsOf(ctx context.Context, partitions []string, keys [][2]string) (Rows, error) {
	var rows Rows
	for _, partition := range partitions {
		items, err := d.table.QueryAll(ctx, table.Span{PK: table.PK(partition)})
		if err != nil {
			return nil, err
		}
		rows = append(rows, items...)
	}
	named := make([]table.Key, len(keys))
	for i, k := range keys {
		named[i] = table.Key{PK: table.PK(k[0]), SK: table.SK(k[1])}
	}
	found, err := d.table.BatchGet(ctx, "", named...)
	for _, av := range found {
		rows = append(rows, av)
	}
	return rows, err
}
