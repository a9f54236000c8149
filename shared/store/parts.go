package store

import (
	"context"
	"slices"

	"github.com/ranch-game/ranch/shared/game"
)

// entriesOf returns all entries of a show, in no particular order. It reads the partitions in parallel. If a partition
// exceeds one page of 1 MB, it reads the rest in parallel ranges of ids. It costs 1 RCU per 4 KB, which is 12 entries.
// The projection is "" for whole items, or includes PK and SK.
func (s *Store) entriesOf(ctx context.Context, show game.ID, gates int, projection string) ([]entryItem, error) {
	spans := make([]span, showParts(gates))
	for number := range spans {
		spans[number] = prefixed(partPK(show, number), entryPrefix)
		spans[number].Projection = projection
	}
	parts, err := inParallelMax(ctx, parallelReads, spans, s.readPart)
	return slices.Concat(parts...), err
}

func (s *Store) readPart(ctx context.Context, whole span) ([]entryItem, error) {
	entries, last, err := queryPage(ctx, s.table, whole, "", 0, func(i *entryItem) entryItem { return *i })
	if err != nil || last == "" {
		return entries, err
	}
	var ranges []span
	whole.From = last + "\x00" // the next possible key; no bound equals a key, so that no item is read twice
	for _, digit := range "0123456789abcdef" {
		if bound := entryPrefix + sk(digit); bound > last {
			part := whole
			part.To, whole.From = bound, bound
			ranges = append(ranges, part)
		}
	}
	parts, err := inParallelMax(ctx, parallelReads, append(ranges, whole), func(ctx context.Context, part span) ([]entryItem, error) {
		return queryAs(ctx, s.table, part, func(i *entryItem) entryItem { return *i })
	})
	return append(entries, slices.Concat(parts...)...), err
}
