package game

import (
	"fmt"
)

// EntryRequest holds everything that decides whether an animal may enter a show. A missing record is a nil pointer.
type EntryRequest struct {
	Caller  *Account
	Show    *Show
	Animal  *Animal // also nil if the animal belongs to another player
	Entered bool    // the animal already has an entry in the show
	Full    bool    // the animal's gate (counter shard) has reached its share of the ceiling
	Now     Instant
}

// Check applies the rules for entering a show in the order of docs/rules.md, S4.7.7. It returns the refusal of the
// first rule that fails, or nil if the animal may enter.
func (r EntryRequest) Check() error {
	switch {
	case r.Caller == nil || r.Caller.Status != UserActive:
		return ErrUnauthorized
	case r.Show == nil || r.Full || !r.Show.AcceptsEntriesAt(r.Now):
		return ErrShowClosed
	case r.Animal == nil || r.Animal.DiedAt != nil:
		return ErrAnimalUnknown
	case r.Animal.Status == StatusPregnant:
		return ErrPregnant
	case r.Animal.Stage == StageCalf:
		return ErrCalf
	case r.Entered:
		return ErrDuplicateEntry
	case !r.Show.Free() && r.Caller.GoldBalance < r.Show.EntryFee:
		return InsufficientGold(r.Show.EntryFee)
	}
	return nil
}

// InsufficientGold returns the refusal of an entry whose fee, in gold, is more than the caller has.
func InsufficientGold(fee int64) *Refusal {
	return &Refusal{Code: CodeInsufficientGold, Message: fmt.Sprintf("Not enough gold: the entry fee is %d", fee)}
}
