package store

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/ranch-game/ranch/shared/game"
)

// readGates returns the gates with these keys that exist, and any gates between them: it reads the range of the keys in
// each partition, in parallel. It costs 1 RCU for about 100 gates of one partition.
func (s *Store) readGates(ctx context.Context, keys []key) (map[key]*gateItem, error) {
	ranges := map[pk]span{}
	for _, k := range keys {
		r, known := ranges[k.PK]
		if !known {
			r = span{PK: k.PK, From: k.SK, To: k.SK}
		}
		r.From, r.To = min(r.From, k.SK), max(r.To, k.SK)
		ranges[k.PK] = r
	}
	found, err := inParallelMax(ctx, parallelReads, slices.Collect(maps.Values(ranges)), func(ctx context.Context, r span) ([]*gateItem, error) {
		return queryAs(ctx, s.table, r, func(i *gateItem) *gateItem { return i })
	})
	if err != nil {
		return nil, err
	}
	gates := make(map[key]*gateItem, len(keys))
	for _, gate := range slices.Concat(found...) {
		gates[gate.key] = gate
	}
	return gates, nil
}

// allGates returns the gates of an open show by number. If a gate is missing, allGates returns errStale and a
// DamagedShow: the gate has just moved, the show has just been judged or cancelled, or the table is damaged.
func (s *Store) allGates(ctx context.Context, item *showItem) ([]*gateItem, error) {
	keys := gateKeys(item.show(), item.Gates)
	found, err := s.readGates(ctx, keys)
	if err != nil {
		return nil, err
	}
	gates := make([]*gateItem, len(keys))
	for k, at := range keys {
		if gates[k] = found[at]; gates[k] == nil {
			return nil, missingGate(item.ID, k)
		}
	}
	return gates, nil
}

// missingGate is the error for an open show without this gate: table.Decide tries again for some seconds.
func missingGate(show game.ID, gate int) error {
	return fmt.Errorf("%w: %w", errStale, DamagedShow{show, fmt.Sprintf("gate %d of the open show is missing", gate)})
}

func countOf(gates []*gateItem) int64 {
	total := int64(0)
	for _, gate := range gates {
		total += gate.Count
	}
	return total
}
