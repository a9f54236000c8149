package invariants

import (
	"strings"

	"github.com/ranch-game/ranch/shared/game"
)

// IsGateOf reports whether a row is a gate (a counter shard) of the show. Only open shows should have gates.
func IsGateOf(row Row, show game.ID) bool {
	key, err := decode[Key](row)
	return err == nil && key.isGateOf(show)
}

func (k Key) isGateOf(show game.ID) bool {
	return strings.HasPrefix(k.PK, "G#") && len(k.SK) == 19 && k.SK[8:18] == gateShow(show)
}

// checkGates compares the gates of an open show, its counter shards, with counts, the number of entries by gate.
func (b *books) checkGates(id game.ID, s *showBooks, counts map[int]int64) {
	if s.item.Status != game.ShowOpen {
		return
	}
	for k := range s.item.Gates {
		at := s.item.gateKey(k)
		gate, there := b.gates[at]
		switch {
		case !there:
			b.report(aboutShow(id), at, "gate %d of the open show is missing; %d entries came through it", k, counts[k])
		case gate.Count != counts[k]:
			b.report(aboutShow(id), at, "gate %d counts %d entries, and there are %d", k, gate.Count, counts[k])
		case gate.Terms != s.item.Terms:
			b.report(aboutShow(id), at, "gate %d has the terms %d, and the show %d", k, gate.Terms, s.item.Terms)
		}
		b.known[at] = true
	}
}
