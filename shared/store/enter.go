package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/records"
	"github.com/ranch-game/ranch/shared/table"
	"github.com/ranch-game/ranch/shared/tally"
)

// errEntered means that the entry, or its participation, exists already.
var errEntered = fmt.Errorf("the animal has an entry in the show: %w", table.ErrAgain)

// entryConflicts is how many conflicts an entry tolerates, in about a second, before it looks for a lease.
const entryConflicts = 7

// Enter enters the caller's animal in a show under the rules of game.EntryRequest, and returns the show and the animal
// as they were read. It treats the show "" as unknown.
//
// The reads only decide whether to try. The conditions of the write decide the outcome; each stops a race:
//
//	gate           there, closesAt > now     a judging or the closing time in between (the key has the closing time)
//	gate           terms as read             a change of the fee, the name or other terms in between
//	gate           below the ceiling         more entries than a judging can complete
//	entry          must not exist            the same animal entered twice at once
//	animal         there, not changed        a change of the animal in between, even if undone
//	user           status as read            a ban in between, even if undone
//	user           ledger number as read     another change of the balance, even if undone (only with a fee)
//	participation  must not exist            a row of the ledger that is overwritten
//
// Each gate accepts its share of the ceiling. While another call has the show's lease, Enter waits.
//
// It charges the fee that it has read. If no condition fails, two round trips, 3 RCU, 10 WCU. A refusal because of the
// animal or the gold costs one more read, since a full show comes before them.
func (s *Store) Enter(ctx context.Context, caller, show, animal game.ID, now game.Instant) (game.Show, game.Animal, error) {
	e := entryCall{store: s, caller: caller, show: show, animal: animal, now: now, id: game.NewID()}
	if err := s.Table.Decide(ctx, "entering", e.try); err != nil {
		return game.Show{}, game.Animal{}, err
	}
	tally.Add(ctx, tally.Entries, 1)
	if !e.to.Free() {
		tally.Add(ctx, tally.GoldCharged, e.to.EntryFee)
	}
	tally.Add(ctx, tally.Gate, int64(records.GateOf(e.animal, e.item.Gates))+1)
	return e.to, *e.entrant.Animal(), nil
}

// entryCall is one call of Enter.
type entryCall struct {
	store                *Store
	caller, show, animal game.ID
	now                  game.Instant
	id                   game.ID // of the entry, by which the call recognises it

	// What was read last.
	item    *records.ShowItem
	to      game.Show // as item has it
	entrant *records.AnimalItem

	// How the attempts to write have ended so far.
	tried     bool
	stale     bool // the last attempt failed: a record had changed since it was read
	duplicate bool // the last attempt failed: the animal had an entry
}

// try reads, decides and writes once. If a condition fails, Decide calls it again, and the rules decide by new values.
// So the answer is the first refusal in the order of the rules, whatever the order of the failed conditions.
func (e *entryCall) try(ctx context.Context) error {
	s := e.store
	r, err := e.read(ctx)
	if err != nil {
		return err
	}
	refusal := r.Check()
	if refusal != nil && r.Show != nil && (e.tried || isShortOfGold(refusal)) {
		// Look for the entry first. In the order of the rules, a duplicate comes before short gold. And a lost attempt
		// of this call may have caused the refusal: its fee may be visible before its entry.
		entry, err := table.GetSettled[records.EntryItem](ctx, s.Table, records.EntryKey(e.show, e.animal, e.item.Gates))
		switch {
		case err != nil:
			return err
		case entry != nil && entry.Call == e.id:
			return nil
		}
		r.Entered = entry != nil
		refusal = r.Check()
	}
	if refusal != nil && !e.stale && !r.Entered && !errors.Is(refusal, game.ErrUnauthorized) && !errors.Is(refusal, game.ErrShowClosed) {
		// In the order of the rules, a full show comes before the animal and the gold. A stale attempt has read it.
		if r.Full, err = e.full(ctx); err != nil {
			return err
		}
		refusal = r.Check()
	}
	if refusal != nil {
		return refusal
	}
	lease := s.NewLease(e.show, "")
	if err := lease.Wait(ctx, e.item); err != nil {
		return err
	}
	err = e.transaction(r).Commit(ctx)
	e.tried, e.duplicate = true, errors.Is(err, errEntered)
	e.stale = errors.Is(err, table.ErrStale) && !errors.Is(err, errEntered)
	return err
}

func isShortOfGold(refusal error) bool {
	var r *game.Refusal
	return errors.As(refusal, &r) && r.Code == game.CodeInsufficientGold
}

// read reads the user, the animal and the show. If the last attempt was stale, it also reads whether the gate is full.
func (e *entryCall) read(ctx context.Context) (game.EntryRequest, error) {
	keys := []table.Key{records.UserKey(e.caller), records.AnimalKey(e.caller, e.animal)}
	if e.show != "" {
		keys = append(keys, records.ShowKey(e.show))
	}
	found, err := e.store.Table.BatchGet(ctx, "", keys...)
	if err != nil {
		return game.EntryRequest{}, err
	}
	user, userErr := table.In[records.UserItem](found, records.UserKey(e.caller))
	entrant, animalErr := table.In[records.AnimalItem](found, records.AnimalKey(e.caller, e.animal))
	item, showErr := table.In[records.ShowItem](found, records.ShowKey(e.show))
	if err := errors.Join(userErr, animalErr, showErr); err != nil {
		return game.EntryRequest{}, err
	}
	r := game.EntryRequest{Caller: user.Account(), Animal: entrant.Animal(), Entered: e.duplicate, Now: e.now}
	if e.item, e.entrant = item, entrant; item == nil {
		return r, nil
	}
	e.to = item.Show()
	r.Show = &e.to
	if e.stale {
		r.Full, err = e.full(ctx)
	}
	return r, err
}

// full reports whether the animal's gate has reached its share of the ceiling. One round trip, 1 RCU.
func (e *entryCall) full(ctx context.Context) (bool, error) {
	gate, err := table.Get[records.GateItem](ctx, e.store.Table, records.GateKey(e.to, records.GateOf(e.animal, e.item.Gates)))
	return gate != nil && gate.Count >= e.mostThroughGate(), err
}

// mostThroughGate is a gate's share of the ceiling, at least 1.
func (e *entryCall) mostThroughGate() int64 { return max(e.store.most/int64(e.item.Gates), 1) }

func (e *entryCall) transaction(r game.EntryRequest) *table.Transaction {
	show, animal, caller := e.to, *r.Animal, *r.Caller
	t := e.store.Table.Begin()
	t.MostConflicts = entryConflicts
	accepts := records.GateAccepts(e.now, e.mostThroughGate()).And(e.item.GateTermsAsRead())
	t.Update(records.GateKey(show, records.GateOf(animal.ID, e.item.Gates)), records.OneMore(), accepts, table.ErrStale)
	t.Create(records.EntryItem{
		Key: records.EntryKey(show.ID, animal.ID, e.item.Gates), Call: e.id, Player: caller.ID, PlayerUsername: caller.Username,
		AnimalName: animal.Name, Breed: animal.Breed, RarityTier: animal.RarityTier, CreatedAt: r.Now,
		Condition: animal.Condition, Health: animal.Health, Phenotype: animal.Phenotype,
	}, errEntered)
	t.Check(records.AnimalKey(caller.ID, animal.ID), e.entrant.AsRead(), table.ErrStale)
	part := records.ParticipationItem{
		Key: records.ParticipationKey(caller.ID, show.SeasonID, show.ID, animal.ID), AnimalName: animal.Name, CreatedAt: r.Now,
	}
	if show.Free() {
		t.Check(records.UserKey(caller.ID), records.UserAsRead(caller), table.ErrStale)
	} else {
		row := game.FeeEntry(caller, show, r.Now)
		MoveGold(t, caller, row)
		part.Charge(row)
	}
	t.Create(part, errEntered)
	return t
}
