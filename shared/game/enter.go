package game

import "fmt"

// EntryRequest has everything that decides whether an animal may enter a show. A nil pointer stands for a missing
// record.
type EntryRequest struct {
	Caller  *Account
	Show    *Show
	Animal  *Animal // nil if it belongs to another player, too
	Entered bool    // the animal already has an entry in the show
	Full    bool    // the show takes no more entries
	Now     Instant
}

// Check applies the rules of entering a show in their order (docs/rules.md, S4.7.9) and returns the first refusal, or
// nil. The order is the order of the checks, not the order in which storage reports.
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

// InsufficientGold refuses an entry that the caller cannot pay.
func InsufficientGold(fee int64) *Refusal {
	return &Refusal{Code: CodeInsufficientGold, Message: fmt.Sprintf("Not enough gold: the entry fee is %d", fee)}
}
