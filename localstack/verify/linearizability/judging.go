package linearizability

import (
	"slices"

	"github.com/ranch-game/ranch/shared/game"
)

func (o Judge) steps(c *Call, _ *history) []step {
	answered, _ := c.Answer.([]game.Contestant)
	return whole(c, append(contestants{}, answered...), func(w World) ([]result, error) {
		caller := w.user(o.Caller)
		show, there := w.Shows[o.Show]
		switch {
		case caller == nil || caller.Status != game.UserActive:
			return nil, game.ErrUnauthorized
		case !there || show.Status != game.ShowOpen:
			return nil, game.ErrShowNotOpen
		}
		show.Status, show.JudgedAt, show.JudgedBy = game.ShowCompleted, &o.Now, string(o.Caller)
		var results []result
		for _, ranked := range rankings(w, show, c) {
			judged := show
			judged.Results = map[game.ID]Placing{}
			for _, contestant := range ranked {
				judged.Results[contestant.Animal] = Placing{contestant.Rank, contestant.Score}
			}
			results = append(results, result{w.withRecord(judged, c), ranked})
		}
		return results, nil
	})
}

// contestants are the answer of a judging; without any contestant it is empty, never nil.
type contestants []game.Contestant

// rankings returns what a judging may come to: more than one where animals are changed while it is under way.
func rankings(w World, show Show, c *Call) []contestants {
	scorer := game.NewScorer(show.ID)
	all := []contestants{{}}
	for animal, entry := range show.Entries {
		var longer []contestants
		for _, score := range scores(scorer, w.Animals[animal], c) {
			for _, others := range all {
				others = slices.Clone(others)
				if score != nil {
					others = append(others, game.Contestant{Animal: animal, Player: entry.Player, Entered: entry.CreatedAt, Score: *score})
				}
				longer = append(longer, others)
			}
		}
		all = longer
	}
	for _, ranked := range all {
		game.Rank(ranked)
	}
	return all
}

// scores returns what the animal may score in a judging, nil where it takes no part: as it is, and as it was before
// changes that are under way.
func scores(scorer game.Scorer, a Animal, judging *Call) []*game.Fixed {
	var scores []*game.Fixed
	for {
		var score *game.Fixed
		if a.Phenotype != nil {
			s := scorer.Score(a.ID, *a.Phenotype, a.Condition)
			score = &s
		}
		if !slices.ContainsFunc(scores, func(other *game.Fixed) bool {
			return (score == nil) == (other == nil) && (score == nil || *score == *other)
		}) {
			scores = append(scores, score)
		}
		if a.was == nil || !underWay(a.by, judging) {
			return scores
		}
		a = *a.was
	}
}
