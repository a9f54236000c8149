package store

import (
	"context"
	"slices"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/records"
	"github.com/ranch-game/ranch/shared/table"
)

// EntriesOf returns all entries of a show, in no particular order. It reads the partitions in parallel. If a partition
// exceeds one page of 1 MB, it reads the rest in parallel ranges of ids. It costs 1 RCU per 4 KB, which is 12 entries.
// The projection is "" for whole items, or includes PK and SK.
func (s *Store) EntriesOf(ctx context.Context, show game.ID, gates int, projection string) ([]records.EntryItem, error) {
	spans := make([]table.Span, records.ShowParts(gates))
	for number := range spans {
		spans[number] = table.Prefixed(records.PartPK(show, number), records.EntryPrefix)
		spans[number].Projection = projection
	}
	parts, err := table.InParallel(ctx, table.ParallelReads, spans, s.readPart)
	return slices.Concat(parts...), err
}

func (s *Store) readPart(ctx context.Context, whole table.Span) ([]records.EntryItem, error) {
	entries, last, err := table.QueryPage(ctx, s.Table, whole, "", 0, func(i *records.EntryItem) records.EntryItem { return *i })
	if err != nil || last == "" {
		return entries, err
	}
	var ranges []table.Span
	whole.From = last + "\x00" // the next possible key; no bound equals a key, so that no item is read twice
	for _, digit := range "0123456789abcdef" {
		if bound := records.EntryPrefix + table.SK(digit); bound > last {
			part := whole
			part.To, whole.From = bound, bound
			ranges = append(ranges, part)
		}
	}
	parts, err := table.InParallel(ctx, table.ParallelReads, append(ranges, whole), func(ctx context.Context, part table.Span) ([]records.EntryItem, error) {
		return table.QueryAs(ctx, s.Table, part, func(i *records.EntryItem) records.EntryItem { return *i })
	})
	return append(entries, slices.Concat(parts...)...), err
}
