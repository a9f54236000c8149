package store

import (
	"context"
	"fmt"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/records"
	"github.com/ranch-game/ranch/shared/table"
)

// traitReader scores the animals of a show as they are during its judging, without reading most of them. An entry has a
// copy of its animal's traits. Only ChangeAnimal changes traits, and writes a note for each changed animal. So
// traitReader reads all notes, and only the animals that have a note or whose entry has no traits.
//
// An entry's transaction has the condition that the animal is as read. So an entry lacks a change only if the entry
// committed before the change. The notes are read with strong consistency: a judging that begins after ChangeAnimal has
// returned finds the note.
type traitReader struct {
	store   *Store
	scorer  game.Scorer
	changed map[game.ID]bool        // nil: not read yet
	scores  map[game.ID]*game.Fixed // of the animals that were read; nil: no phenotype
}

// NewTraitReader returns a reader that has read nothing yet.
func (s *Store) NewTraitReader(show game.ID) traitReader {
	return traitReader{store: s, scorer: game.NewScorer(show), scores: map[game.ID]*game.Fixed{}}
}

// Contestants returns the entries whose animal has a phenotype, with their scores. The caller must have called
// ReadNotes. It costs 1 RCU for each animal that it reads. It reads an animal only once, even if a judging tries again.
func (r *traitReader) Contestants(ctx context.Context, entries []records.EntryItem) ([]game.Contestant, error) {
	var unread []table.Key
	for i := range entries {
		animal := records.IdIn(entries[i].SK)
		if _, read := r.scores[animal]; !read && (entries[i].Phenotype == nil || r.changed[animal]) {
			unread = append(unread, records.AnimalKey(entries[i].Player, animal))
		}
	}
	if err := r.read(ctx, unread); err != nil {
		return nil, err
	}
	contestants := make([]game.Contestant, 0, len(entries))
	for i := range entries {
		e := &entries[i]
		c := game.Contestant{Animal: records.IdIn(e.SK), Player: e.Player, Entered: e.CreatedAt}
		if score, read := r.scores[c.Animal]; !read {
			c.Score = r.scorer.Score(c.Animal, *e.Phenotype, e.Condition)
		} else if score != nil {
			c.Score = *score
		} else {
			continue
		}
		contestants = append(contestants, c)
	}
	return contestants, nil
}

// ReadNotes reads which animals were changed; a second call reads nothing. It costs 1 RCU for about 50 notes.
func (r *traitReader) ReadNotes(ctx context.Context) error {
	if r.changed != nil {
		return nil
	}
	changed, err := table.QueryAs(ctx, r.store.Table, table.Prefixed(records.ChangedAnimalsPK, records.AnimalPrefix), func(k *table.Key) game.ID { return records.IdIn(k.SK) })
	if err != nil {
		return fmt.Errorf("read which animals were changed: %w", err)
	}
	r.changed = make(map[game.ID]bool, len(changed))
	for _, animal := range changed {
		r.changed[animal] = true
	}
	return nil
}

// read reads the condition, health and phenotype of animals, and scores those with a phenotype. Health has no effect.
func (r *traitReader) read(ctx context.Context, animals []table.Key) error {
	found, err := r.store.Table.BatchGet(ctx, records.ProjectTraits, animals...)
	if err != nil {
		return fmt.Errorf("read the animals: %w", err)
	}
	for _, k := range animals {
		item, err := table.In[records.AnimalItem](found, k)
		if err != nil {
			return err
		}
		r.scores[records.IdIn(k.SK)] = nil
		if item != nil && item.Phenotype != nil {
			r.scores[records.IdIn(k.SK)] = new(r.scorer.Score(records.IdIn(k.SK), *item.Phenotype, item.Condition))
		}
	}
	return nil
}
