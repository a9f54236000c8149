package linearizability

import (
	"errors"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// errFeesLeft means that not all fees have been given back.
var errFeesLeft = errors.New("there are fees that have not been given back")

// steps are a fee of each entry that the show may have, and the note that all have been given back.
func (o Refund) steps(c *Call, h *history) []step {
	part := func(name string, do func(w World, s Show) ([]result, error)) step {
		s := whole(c, c.Answer, func(w World) ([]result, error) {
			show, there := w.Shows[o.Show]
			switch {
			case !there:
				return nil, store.ErrUnknownShow
			case show.Status != game.ShowCancelled:
				return nil, store.ErrNotCancelled
			}
			return do(w, show)
		})[0]
		s.part = name
		return s
	}
	if kind, _ := outcomeOf(c); kind == refused {
		return []step{part("", func(w World, _ Show) ([]result, error) { return only(w, nil) })}
	}
	var steps []step
	for _, e := range h.entries(o.Show) {
		steps = append(steps, part("a fee of "+string(e.player), func(w World, s Show) ([]result, error) {
			if fees := w.feesOf(e.player, s.ID); len(fees) > 0 {
				w = w.withGold(game.RefundEntry(w.Users[e.player].Account, s.Show, fees[0], o.Change.At), c)
			}
			return only(w, nil)
		}))
	}
	return append(steps, part("the note that all fees have been given back", func(w World, s Show) ([]result, error) {
		for _, e := range s.Entries {
			if len(w.feesOf(e.Player, s.ID)) > 0 {
				return nil, errFeesLeft
			}
		}
		if s.RefundedAt == nil { // the first such note stays
			s.RefundedAt = &o.Change.At
		}
		return only(w.withShow(s), nil)
	}))
}

// feesOf returns the fees that a player has paid in a show and not got back.
func (w World) feesOf(player, show game.ID) []int64 {
	var fees []int64
	for _, row := range w.Users[player].Ledger {
		switch {
		case row.Ref != show:
		case row.Category == game.CategoryFee:
			fees = append(fees, -row.Amount)
		case row.Category == game.CategoryRefund && len(fees) > 0: // while there were entries, the fee has not changed
			fees = fees[1:]
		}
	}
	return fees
}
