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
	"github.com/ranch-game/ranch/shared/store"
)

// searchPatience limits the time of a search, because many concurrent calls have too many orders.
const searchPatience = time.Minute

// ErrUndecided means that the search has found no valid order within a minute. There may still be one.
var ErrUndecided = errors.New("the history has too many orders to look through")

// history is the input of Explain.
type history struct {
	before World
	calls  []*Call
}

// entrant is a player with an animal that may have an entry in a show.
type entrant struct{ player, animal game.ID }

// entries returns the entries of a show before the history, and those that calls of the history may have added.
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

// Explain returns nil if some order of the calls explains their answers and the stored state after them. If no order
// does, Explain returns a *Violation, and if it finds none within a minute, ErrUndecided. The caller must read the
// state after when all answered calls have ended. A call without an answer may still take effect later.
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
	add(reading(nil, "what is stored in the end", func(w World) bool { return maps.Equal(flattened(w), stored) }), end+1, end+1)
	model := modelFrom(before)
	switch porcupine.CheckOperationsTimeout(model, operations, searchPatience) {
	case porcupine.Ok:
		return nil
	case porcupine.Unknown:
		return ErrUndecided
	}
	_, info := porcupine.CheckOperationsVerbose(model, operations, searchPatience)
	return newViolation(before, operations, info.PartialLinearizationsOperations()[0], stored)
}

// modelFrom returns porcupine's model of a history that begins with the world before. A state of the model is a set of
// worlds, because the effect of a call can be uncertain.
func modelFrom(before World) porcupine.Model {
	nondeterministic := porcupine.NondeterministicModel{
		Init: func() []any { return []any{before} },
		Step: func(state, input, _ any) []any {
			var next []any
			for _, w := range input.(step).take(state.(World)) {
				next = append(next, w)
			}
			return next
		},
		Equal: reflect.DeepEqual,
	}
	return nondeterministic.ToModel()
}

// step is one instant at which a call reads or changes the world w. take returns the worlds that can follow from w. If
// the call's answer is impossible in w, take returns none.
type step struct {
	call *Call
	part string // the name of the call's part, for violations; "" if the step is the whole call
	take func(w World) []World
}

// outcome is what the caller knows about the effect of a call.
type outcome int

const (
	done outcome = iota
	refused
	unknown
)

// refusals are the store's refusals, besides the refusals of the rules (game.Refusal).
var refusals = []error{
	store.ErrUnknownSeason, store.ErrUnknownShow, store.ErrUnknownUser, store.ErrDeletedUser, store.ErrUnknownAnimal, store.ErrExists,
	store.ErrNotOpen, store.ErrHasEntries, store.ErrSameTerms, store.ErrNotCancelled, store.ErrNotDue, store.ErrOtherChange, game.ErrBalance,
}

// outcomeOf returns the outcome of a call, and its refusal if it was refused.
func outcomeOf(c *Call) (outcome, error) {
	var refusal *game.Refusal
	switch {
	case c.Returned == Never, errors.Is(c.Err, store.ErrUnclear):
		return unknown, nil
	case c.Err == nil:
		return done, nil
	case errors.As(c.Err, &refusal):
		return refused, refusal
	}
	for _, known := range refusals {
		if errors.Is(c.Err, known) {
			return refused, known
		}
	}
	return unknown, nil
}

// Unknown reports whether the call's outcome is unknown: the call may have taken effect, or may still take effect.
func (c Call) Unknown() bool {
	kind, _ := outcomeOf(&c)
	return kind == unknown
}

// whole returns one step for a call, or a part of a call, that takes effect at one instant. do returns each possible
// next world with its answer, or the refusal of the rules. seen is the call's answer, in the form of do's answers.
func whole(c *Call, seen any, do func(w World) ([]result, error)) []step {
	kind, refusal := outcomeOf(c)
	return []step{{call: c, take: func(w World) (worlds []World) {
		results, err := do(w)
		switch {
		case kind == unknown:
			worlds = append(worlds, w)
			for _, r := range results {
				worlds = append(worlds, r.world)
			}
		case kind == refused && err != nil && errors.Is(err, refusal):
			return []World{w}
		case kind == done && err == nil:
			for _, r := range results {
				if reflect.DeepEqual(r.answer, seen) {
					worlds = append(worlds, r.world)
				}
			}
		}
		return worlds
	}}}
}

// result is a possible next world, with the answer that the call then has.
type result struct {
	world  World
	answer any
}

// only returns one possible result.
func only(w World, answer any) ([]result, error) { return []result{{w, answer}}, nil }

// reading returns a step that changes nothing. may reports whether the call can have its answer in the world w.
func reading(c *Call, part string, may func(w World) bool) step {
	return step{c, part, func(w World) []World {
		if may(w) {
			return []World{w}
		}
		return nil
	}}
}

// never returns a step that is impossible in every world, for an answer that the rules never give.
func never(c *Call) []step { return []step{reading(c, "", func(World) bool { return false })} }
