package store

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"golang.org/x/sync/errgroup"
)

// readGates reads gates that stand near each other: of each partition the range that they are in, in parallel. It costs
// what they weigh together, 1 RCU for about 100 of one partition. A gate that is not in the answer is not there.
func (s *Store) readGates(ctx context.Context, keys []key) (map[key]*gateItem, error) {
	ranges := map[pk]*span{}
	for _, k := range keys {
		if r := ranges[k.PK]; r == nil {
			ranges[k.PK] = &span{PK: k.PK, from: k.SK, to: k.SK}
		} else {
			r.from, r.to = min(r.from, k.SK), max(r.to, k.SK)
		}
	}
	spans := slices.Collect(maps.Values(ranges))
	found := make([][]attributes, len(spans))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallelReads)
	for i, r := range spans {
		group.Go(func() error {
			var err error
			found[i], err = s.queryAll(ctx, *r)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	gates := make(map[key]*gateItem, len(keys))
	for _, av := range slices.Concat(found...) {
		gate, err := unmarshal[gateItem](av)
		if err != nil {
			return nil, err
		}
		gates[gate.key] = gate
	}
	return gates, nil
}

// allGates reads the gates of an open show. It returns errStale where one is not there: it has just been moved, or the
// show has been judged or cancelled.
func (s *Store) allGates(ctx context.Context, item *showItem) ([]*gateItem, error) {
	keys := gateKeys(item.show(), item.Gates)
	found, err := s.readGates(ctx, keys)
	if err != nil {
		return nil, err
	}
	gates := make([]*gateItem, len(keys))
	for k, at := range keys {
		if gates[k] = found[at]; gates[k] == nil {
			return nil, fmt.Errorf("gate %d: %w", k, errStale)
		}
	}
	return gates, nil
}

func countOf(gates []*gateItem) int64 {
	total := int64(0)
	for _, gate := range gates {
		total += gate.Count
	}
	return total
}
