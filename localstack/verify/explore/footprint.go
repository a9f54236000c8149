package explore

import (
	"slices"

	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
)

// footprint is what a step touches: what it reads, what it makes others read, and what other transactions wait for.
// Two steps of different calls whose footprints do not meet can change places, and nobody can tell.
type footprint struct {
	reads  []protocol.Range
	writes []protocol.Key // items that others may read otherwise after it
	locks  []protocol.Key // items that it has conflicts about: its writes and its checks
}

// meets reports whether the order of two steps can make a difference.
func (f footprint) meets(g footprint) bool {
	return readsAny(f.reads, g.writes) || readsAny(g.reads, f.writes) || slices.ContainsFunc(f.locks, func(k protocol.Key) bool { return slices.Contains(g.locks, k) })
}

func readsAny(ranges []protocol.Range, keys []protocol.Key) bool {
	return slices.ContainsFunc(ranges, func(r protocol.Range) bool {
		return slices.ContainsFunc(keys, func(k protocol.Key) bool { return contains(r, k) })
	})
}

// contains reports whether the range has the key. A range of a whole table has no partition.
func contains(r protocol.Range, k protocol.Key) bool {
	switch {
	case r.Table != k.Table:
		return false
	case r.PK == "":
		return true
	case r.PK != k.PK:
		return false
	}
	return (r.From == "" || r.From <= k.SK) && (r.To == "" || k.SK <= r.To)
}
