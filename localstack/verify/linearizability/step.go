package linearizability

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// step is an instant of a call: what follows from a world at that instant. Where the call cannot have been answered as
// it was, nothing follows, and why says what contradicts it.
type step struct {
	call *Call
	part string // of the call, for people; "" for all of it
	take func(w World) (worlds []World, why string)
}

// outcome is what is known of a call.
type outcome int

const (
	done outcome = iota
	refused
	unknown
)

// refusals are the store's, beside those of the rules.
var refusals = []error{
	store.ErrUnknownSeason, store.ErrUnknownShow, store.ErrUnknownUser, store.ErrDeletedUser, store.ErrUnknownAnimal, store.ErrExists,
	store.ErrNotOpen, store.ErrHasEntries, store.ErrNotCancelled, store.ErrNotDue, store.ErrOtherChange,
}

// outcomeOf returns what is known of a call, and the refusal.
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

// Unknown reports whether the outcome of the call is unknown: it may have been done, or may yet be.
func (c Call) Unknown() bool {
	kind, _ := outcomeOf(&c)
	return kind == unknown
}

// whole is the one step of a call that the rules decide at one instant. do returns the worlds that may follow, each
// with its answer, or the rules' refusal; seen is the call's answer, as far as do's answers have it.
func whole(c *Call, seen any, do func(w World) ([]result, error)) []step {
	kind, refusal := outcomeOf(c)
	return []step{{call: c, take: func(w World) ([]World, string) {
		results, err := do(w)
		switch {
		case kind == unknown:
			worlds := []World{w}
			for _, r := range results {
				worlds = append(worlds, r.world)
			}
			return worlds, ""
		case kind == refused && err == nil:
			return nil, "the rules do not refuse it"
		case kind == refused && !errors.Is(err, refusal):
			return nil, fmt.Sprintf("the rules say %v", err)
		case kind == refused:
			return []World{w}, ""
		case err != nil:
			return nil, fmt.Sprintf("the rules say %v", err)
		}
		var worlds []World
		for _, r := range results {
			if reflect.DeepEqual(r.answer, seen) {
				worlds = append(worlds, r.world)
			}
		}
		if len(worlds) == 0 {
			return nil, fmt.Sprintf("the rules answer %s", Brief(results[0].answer))
		}
		return worlds, ""
	}}}
}

// result is what may follow from a world, and what is answered then.
type result struct {
	world  World
	answer any
}

// only is the result of what can only go one way.
func only(w World, answer any) ([]result, error) { return []result{{w, answer}}, nil }

// reading is a step of a call that only reads: why says what contradicts it, "" where nothing does.
func reading(c *Call, part string, why func(w World) string) step {
	return step{c, part, func(w World) ([]World, string) {
		if why := why(w); why != "" {
			return nil, why
		}
		return []World{w}, ""
	}}
}
