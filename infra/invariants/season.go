package invariants

import (
	"strings"

	"github.com/ranch-game/ranch/shared/game"
)

// seasonRow is a season's own row, or the second copy that the table has while the season is active.
type seasonRow struct {
	ID     game.ID      `dynamodbav:"id"`
	Name   string       `dynamodbav:"na"`
	Start  game.Instant `dynamodbav:"sd"`
	End    game.Instant `dynamodbav:"ed"`
	Active bool         `dynamodbav:"av"`
}

type seasonBooks struct{ own, active *seasonRow }

func seasonKey(id game.ID) Key { return Key{"SEASON", "SEASON#" + string(id)} }

func (r seasonRow) activeKey() Key {
	return Key{"SEASON", "ACTIVE#" + r.Start.String() + "#" + string(r.ID)}
}

func (b *books) addSeason(key Key, av Row) error {
	row, err := decode[seasonRow](av)
	if b.seasons[row.ID] == nil {
		b.seasons[row.ID] = &seasonBooks{}
	}
	if strings.HasPrefix(key.SK, "ACTIVE#") {
		b.seasons[row.ID].active = &row
	} else {
		b.seasons[row.ID].own = &row
	}
	return err
}

// checkSeasons compares the two copies of each active season. It also reports shows whose season does not exist.
func (b *books) checkSeasons() {
	for id, s := range b.seasons {
		switch {
		case s.own == nil:
			b.report(aboutSeason(id), seasonKey(id), "the season is active, and its own row is missing")
		case s.own.Active && (s.active == nil || *s.active != *s.own):
			b.report(aboutSeason(id), s.own.activeKey(), "the season is active: this row is missing, or other than the season's own")
		case !s.own.Active && s.active != nil:
			b.report(aboutSeason(id), s.active.activeKey(), "the season is not active")
		}
	}
	for id, s := range b.shows {
		if s.item == nil {
			continue
		}
		if season := b.seasons[s.item.Season]; season == nil || season.own == nil {
			b.report(aboutSeason(s.item.Season), seasonKey(s.item.Season), "the show %s is of a season that does not exist", id)
		}
	}
}
