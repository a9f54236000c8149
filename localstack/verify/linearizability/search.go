package linearizability

import (
	"cmp"
	"errors"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/ranch-game/ranch/shared/game"
)

// searchPatience bounds a search: whether there is an order is a question that takes long where many calls are under
// way at once.
const searchPatience = time.Minute

// ErrUndecided means that no order has been found in the time there is, and that there may be one.
var ErrUndecided = errors.New("the history has too many orders to look through")

// history is what Explain looks at.
type history struct {
	before World
	calls  []*Call
}

// entrant is an animal that may have an entry in a show, and its player.
type entrant struct{ player, animal game.ID }

// entries returns the entries that a show has or may get.
func (h *history) entries(show game.ID) []entrant {
	players := map[game.ID]game.ID{}
	for animal, e := range h.before.Shows[show].Entries {
		players[animal] = e.Player
	}
	for _, c := range h.calls {
		if o, is := c.Op.(Enter); is && o.Show == show {
			if kind, _ := outcomeOf(c); kind != refused {
				players[o.Animal] = h.before.Animals[o.Animal].Owner
			}
		}
	}
	var entrants []entrant
	for animal, player := range players {
		entrants = append(entrants, entrant{player, animal})
	}
	slices.SortFunc(entrants, func(a, b entrant) int { return cmp.Compare(a.animal, b.animal) })
	return entrants
}

// Explain returns nil where there is an order of the calls that explains their answers and what is stored after them,
// else a *Violation, or ErrUndecided. The world after was read when all calls had ended that have; a call
// without an answer may still take effect after it.
func Explain(before World, calls []Call, after World) error {
	h := &history{before: before}
	end := int64(0)
	for i := range calls {
		c := calls[i]
		if end = max(end, c.Called); c.Returned != Never {
			end = max(end, c.Returned)
		}
		end = max(end, c.Over)
		if kind, _ := outcomeOf(&c); kind == unknown {
			c.Returned = Never
		}
		h.calls = append(h.calls, &c)
	}
	var operations []porcupine.Operation
	add := func(s step, called, returned int64) {
		operations = append(operations, porcupine.Operation{Input: s, Call: called, Return: returned})
	}
	for _, c := range h.calls {
		for _, s := range c.Op.steps(c, h) {
			add(s, c.Called, min(c.end(), end+2))
		}
	}
	stored := flattened(after)
	add(step{part: "what is stored in the end", take: func(w World) ([]World, string) {
		if follows := flattened(w); !maps.Equal(follows, stored) {
			return nil, follows.differences(stored)[0]
		}
		return []World{w}, ""
	}}, end+1, end+1)
	model := modelFrom(before)
	switch porcupine.CheckOperationsTimeout(model, operations, searchPatience) {
	case porcupine.Ok:
		return nil
	case porcupine.Unknown:
		return ErrUndecided
	}
	_, info := porcupine.CheckOperationsVerbose(model, operations, searchPatience)
	return newViolation(before, operations, info.PartialLinearizationsOperations()[0])
}

// modelFrom is the model of a history that begins with a world. Its states are sets of worlds, since a call
// without an answer may have taken effect or not.
func modelFrom(before World) porcupine.Model {
	nondeterministic := porcupine.NondeterministicModel{
		Init: func() []any { return []any{before} },
		Step: func(state, input, _ any) []any {
			worlds, _ := input.(step).take(state.(World))
			next := make([]any, len(worlds))
			for i, w := range worlds {
				next[i] = w
			}
			return next
		},
		Equal: reflect.DeepEqual,
	}
	return nondeterministic.ToModel()
}
