package store

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/ranch-game/ranch/shared/game"
)

// gateContents is all that one gate's partition holds.
type gateContents struct {
	gate    gateItem
	entries []entryItem
	claims  []claimItem
}

// readGate reads the partition of a gate from the sort key `from` on: entryPrefix leaves the receipts out. What does
// not fit one page of 1 MB is read in parallel ranges of ids. It costs what the items weigh, 1 RCU per 4 KB.
func (s *Store) readGate(ctx context.Context, show game.ID, gate int, from sk, projection string) (*gateContents, error) {
	whole := span{PK: gatePK(show, gate), from: from, to: gateSK, projection: projection}
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
	return newGateContents(items)
}

// newGateContents sorts a partition's items. A gate that is not there is one of a show that is just becoming visible:
// it is open, and nobody has entered through it.
func newGateContents(items []attributes) (*gateContents, error) {
	contents := &gateContents{gate: gateItem{Open: true}}
	for _, av := range items {
		k, err := unmarshal[key](av)
		if err != nil {
			return nil, err
		}
		switch {
		case k.SK == gateSK:
			gate, err := unmarshal[gateItem](av)
			if err != nil {
				return nil, err
			}
			contents.gate = *gate
		case k.SK[:len(entryPrefix)] == entryPrefix:
			entry, err := unmarshal[entryItem](av)
			if err != nil {
				return nil, err
			}
			contents.entries = append(contents.entries, *entry)
		default:
			claim, err := unmarshal[claimItem](av)
			if err != nil {
				return nil, err
			}
			contents.claims = append(contents.claims, *claim)
		}
	}
	return contents, nil
}

// queryRanges reads what follows `after` in the span, one range for each leading hex digit of the ids, in parallel.
func (s *Store) queryRanges(ctx context.Context, whole span, after sk) ([]attributes, error) {
	if after >= whole.to { // a page may end on the last item there is
		return nil, nil
	}
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

// readGates reads the partitions of all gates of a show, in parallel.
func (s *Store) readGates(ctx context.Context, show game.ID, gates int, from sk, projection string) ([]*gateContents, error) {
	contents := make([]*gateContents, gates)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallelReads)
	for k := range gates {
		group.Go(func() error {
			var err error
			contents[k], err = s.readGate(ctx, show, k, from, projection)
			return err
		})
	}
	return contents, group.Wait()
}

// stake is an animal's entry, and with it the gate that knows its result.
type stake struct {
	show   game.ID
	gates  int
	animal game.ID
}

func (st stake) gate() key { return gateKey(st.show, gateOf(st.animal, st.gates)) }

func (st stake) sheet(sheets int) key {
	return sheetKey(st.show, gateOf(st.animal, st.gates), sheetOf(st.animal, sheets))
}

// standing is what the results say of a stake.
type standing struct {
	judged bool // the stake's gate is closed
	rank   int  // 0: unranked
}

// standings reads what the gates, and where they have them the sheets, say of the stakes. A transaction becomes visible
// item by item: where a gate is closed and the sheet is not there yet, it reads that again. One round trip, two where
// there are sheets; each gate and sheet is read once, for 1 RCU per 4 KB. Gates that the caller has read just now are
// taken from known.
func (s *Store) standings(ctx context.Context, stakes []stake, known batch) (map[stake]standing, error) {
	gates := map[key]*gateItem{}
	var unread []key
	for _, st := range stakes {
		k := st.gate()
		if _, seen := gates[k]; !seen && known[k] == nil {
			unread = append(unread, k)
		}
		gates[k] = nil
	}
	found, err := s.batchGet(ctx, "", unread...)
	if err != nil {
		return nil, err
	}
	maps.Copy(found, known)
	for k := range gates {
		if gates[k], err = in[gateItem](found, k); err != nil {
			return nil, err
		}
		if gates[k] == nil {
			return nil, fmt.Errorf("%s: the gate is missing", k.PK)
		}
	}
	sheets, err := s.sheets(ctx, sheetKeys(stakes, gates))
	if err != nil {
		return nil, err
	}
	standings := make(map[stake]standing, len(stakes))
	for _, st := range stakes {
		gate := gates[st.gate()]
		switch {
		case gate.Open:
			standings[st] = standing{}
		default:
			results := sheet(gate.Results)
			if gate.Sheets > 0 {
				results = sheets[st.sheet(gate.Sheets)]
			}
			r, _ := results.find(st.animal)
			standings[st] = standing{judged: true, rank: r.rank}
		}
	}
	return standings, nil
}

// sheetKeys names the sheets of closed gates that the stakes are on.
func sheetKeys(stakes []stake, gates map[key]*gateItem) []key {
	keys := map[key]bool{}
	for _, st := range stakes {
		if gate := gates[st.gate()]; !gate.Open && gate.Sheets > 0 {
			keys[st.sheet(gate.Sheets)] = true
		}
	}
	return slices.Collect(maps.Keys(keys))
}

// sheets reads the sheets of closed gates, and reads again until all are there: they were written together with the
// gates.
func (s *Store) sheets(ctx context.Context, keys []key) (map[key]sheet, error) {
	sheets := make(map[key]sheet, len(keys))
	for attempt := 1; len(keys) > 0; attempt++ {
		found, err := s.batchGet(ctx, "", keys...)
		if err != nil {
			return nil, err
		}
		keys = slices.DeleteFunc(keys, func(k key) bool { return found[k] != nil })
		for k := range found {
			item, err := in[sheetItem](found, k)
			if err != nil {
				return nil, err
			}
			sheets[k] = item.Results
		}
		if len(keys) > 0 {
			if err := backoff(ctx, attempt); err != nil {
				return nil, fmt.Errorf("%d sheets of closed gates are missing: %w", len(keys), err)
			}
		}
	}
	return sheets, nil
}
