package operate

import (
	"context"
	"errors"
	"slices"

	"github.com/ranch-game/ranch/shared/game"
)

// ErrNotEntered means that an animal has no entry in a show.
var ErrNotEntered = errors.New("the animal is not in the show")

// ExplainedEntry is an entry with what its score is computed from.
type ExplainedEntry struct {
	game.Entry
	Traits    *game.Phenotype `json:"phenotype"` // of the animal as it is now
	Condition game.Fixed      `json:"condition"` // the same
	Now       *game.Fixed     `json:"scoreNow"`  // of these; another score was judged before the animal changed
}

// ExplainEntry returns an animal's entry in a show, between its neighbours in the show's list, and the show's weights of
// the traits. It returns ErrUnknownShow and ErrNotEntered. It reads all entries of the show, and up to three animals.
func (d Desk) ExplainEntry(ctx context.Context, show, animal game.ID) (around []ExplainedEntry, weights [game.TraitCount]int64, err error) {
	_, entries, err := d.ShowWithEntries(ctx, show)
	if err != nil {
		return nil, weights, err
	}
	at := slices.IndexFunc(entries, func(e game.Entry) bool { return e.AnimalID == animal })
	if at < 0 {
		return nil, weights, ErrNotEntered
	}
	scorer := game.NewScorer(show)
	for _, e := range entries[max(0, at-1):min(len(entries), at+2)] {
		explained := ExplainedEntry{Entry: e}
		is, err := d.Animal(ctx, e.PlayerID, e.AnimalID)
		if err != nil {
			return nil, weights, err
		}
		explained.Traits, explained.Condition = is.Phenotype, is.Condition
		if is.Phenotype != nil {
			explained.Now = new(scorer.Score(e.AnimalID, *is.Phenotype, is.Condition))
		}
		around = append(around, explained)
	}
	return around, scorer.Weights(), nil
}
