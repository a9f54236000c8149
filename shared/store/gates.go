package store

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/records"
	"github.com/ranch-game/ranch/shared/table"
)

// readGates returns the gates with these keys that exist, and any gates between them: it reads the range of the keys in
// each partition, in parallel. It costs 1 RCU for about 100 gates of one partition.
func (s *Store) readGates(ctx context.Context, keys []table.Key) (map[table.Key]*records.GateItem, error) {
	ranges := map[table.PK]table.Span{}
	for _, k := range keys {
		r, known := ranges[k.PK]
		if !known {
			r = table.Span{PK: k.PK, From: k.SK, To: k.SK}
		}
		r.From, r.To = min(r.From, k.SK), max(r.To, k.SK)
		ranges[k.PK] = r
	}
	found, err := table.InParallel(ctx, table.ParallelReads, slices.Collect(maps.Values(ranges)), func(ctx context.Context, r table.Span) ([]*records.GateItem, error) {
		return table.QueryAs(ctx, s.Table, r, func(i *records.GateItem) *records.GateItem { return i })
	})
	if err != nil {
		return nil, err
	}
	gates := make(map[table.Key]*records.GateItem, len(keys))
	for _, gate := range slices.Concat(found...) {
		gates[gate.Key] = gate
	}
	return gates, nil
}

// AllGates returns the gates of an open show by number. If a gate is missing, AllGates returns table.ErrStale and a
// DamagedShow: the gate has just moved, the show has just been judged or cancelled, or the table is damaged.
func (s *Store) AllGates(ctx context.Context, item *records.ShowItem) ([]*records.GateItem, error) {
	keys := records.GateKeys(item.Show(), item.Gates)
	found, err := s.readGates(ctx, keys)
	if err != nil {
		return nil, err
	}
	gates := make([]*records.GateItem, len(keys))
	for k, at := range keys {
		if gates[k] = found[at]; gates[k] == nil {
			return nil, missingGate(item.ID, k)
		}
	}
	return gates, nil
}

// missingGate is the error for an open show without this gate: table.Decide tries again for some seconds.
func missingGate(show game.ID, gate int) error {
	return fmt.Errorf("%w: %w", table.ErrStale, DamagedShow{show, fmt.Sprintf("gate %d of the open show is missing", gate)})
}

// CountOf returns the number of entries that the gates count.
func CountOf(gates []*records.GateItem) int64 {
	total := int64(0)
	for _, gate := range gates {
		total += gate.Count
	}
	return total
}
