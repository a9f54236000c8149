package store

import (
	"context"
	"fmt"

	"github.com/ranch-game/ranch/shared/game"
)

// traitReader scores the animals of a show. It reads each animal once a judging, however often the judging has to try.
type traitReader struct {
	store  *Store
	scorer game.Scorer
	scores map[game.ID]*game.Fixed // nil: no phenotype
}

// contestants returns the entries whose animal has a phenotype, with their scores. New animals cost 1 RCU each.
func (r *traitReader) contestants(ctx context.Context, entries [][]entryItem) ([]game.Contestant, error) {
	var unread []key
	for _, throughGate := range entries {
		for i := range throughGate {
			animal := idIn(throughGate[i].SK)
			if _, read := r.scores[animal]; !read {
				unread = append(unread, animalKey(throughGate[i].Player, animal))
			}
		}
	}
	if err := r.read(ctx, unread); err != nil {
		return nil, err
	}
	var contestants []game.Contestant
	for _, throughGate := range entries {
		for i := range throughGate {
			e := &throughGate[i]
			if score := r.scores[idIn(e.SK)]; score != nil {
				contestants = append(contestants, game.Contestant{Animal: idIn(e.SK), Player: e.Player, Entered: e.CreatedAt, Score: *score})
			}
		}
	}
	return contestants, nil
}

// read reads the condition, health and phenotype of animals and scores them. Health is read and, so far, takes no part
// in the score. An animal that is gone has no phenotype.
func (r *traitReader) read(ctx context.Context, animals []key) error {
	found, err := r.store.batchGet(ctx, "PK, SK, co, he, ph", animals...)
	if err != nil {
		return fmt.Errorf("read the animals: %w", err)
	}
	for _, k := range animals {
		item, err := in[animalItem](found, k)
		if err != nil {
			return err
		}
		r.scores[idIn(k.SK)] = nil
		if item != nil && item.Phenotype != nil {
			score := r.scorer.Score(idIn(k.SK), *item.Phenotype, item.Condition)
			r.scores[idIn(k.SK)] = &score
		}
	}
	return nil
}
