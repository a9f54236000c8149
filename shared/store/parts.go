package store

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/ranch-game/ranch/shared/game"
)

// part is what one of a show's partitions holds.
type part struct {
	entries []entryItem
	claims  []claimItem
}

// readPart reads a partition of a show from the sort key `from` on: entryPrefix leaves the receipts out. What does not
// fit one page of 1 MB is read in parallel ranges of ids. It costs what the items weigh, 1 RCU per 4 KB.
func (s *Store) readPart(ctx context.Context, show game.ID, number int, from sk, projection string) (*part, error) {
	whole := span{PK: partPK(show, number), from: from, to: partEnd, projection: projection}
	items, last, err := s.query(ctx, whole, "", 0)
	if err != nil {
		return nil, err
	}
	if last != "" {
		rest, err := s.queryRanges(ctx, whole, last)
		if err != nil {
			return nil, err
		}
		items = append(items, rest...)
	}
	return newPart(items)
}

func newPart(items []attributes) (*part, error) {
	contents := &part{}
	for _, av := range items {
		k, err := unmarshal[key](av)
		if err != nil {
			return nil, err
		}
		if k.SK[:len(entryPrefix)] == entryPrefix {
			entry, err := unmarshal[entryItem](av)
			if err != nil {
				return nil, err
			}
			contents.entries = append(contents.entries, *entry)
			continue
		}
		claim, err := unmarshal[claimItem](av)
		if err != nil {
			return nil, err
		}
		contents.claims = append(contents.claims, *claim)
	}
	return contents, nil
}

// queryRanges reads what follows `after` in the span, one range for each leading hex digit of the ids, in parallel.
func (s *Store) queryRanges(ctx context.Context, whole span, after sk) ([]attributes, error) {
	var bounds []sk
	for _, prefix := range []sk{claimPrefix, entryPrefix} {
		for _, digit := range "0123456789abcdef" {
			if bound := prefix + sk(digit); bound > after {
				bounds = append(bounds, bound)
			}
		}
	}
	bounds = append(bounds, whole.to)
	parts := make([][]attributes, len(bounds))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallelReads)
	from := after + "\x00" // the next key there can be; no bound is a key itself, so that no item is read twice
	for i, bound := range bounds {
		part := whole
		part.from, part.to = from, bound
		from = bound
		group.Go(func() error {
			var err error
			parts[i], err = s.queryAll(ctx, part)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return slices.Concat(parts...), nil
}

// readParts reads all partitions of a show, in parallel.
func (s *Store) readParts(ctx context.Context, show game.ID, gates int, from sk, projection string) ([]*part, error) {
	parts := make([]*part, showParts(gates))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallelReads)
	for number := range parts {
		group.Go(func() error {
			var err error
			parts[number], err = s.readPart(ctx, show, number, from, projection)
			return err
		})
	}
	return parts, group.Wait()
}
