package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/ranch-game/ranch/shared/game"
)

// errEntered is the failed condition of an entry that must not exist.
var errEntered = errors.New("the animal has an entry in the show")

// Enter enters the caller's animal in a show under the rules of game.EntryRequest, and returns the show and the animal as they were read. A zero
// show names none.
//
// What was read only decides whether to try; the conditions of the write decide. Each stops one race:
//
//	gate    open, closesAt > now      a judging or the closing time in between
//	gate    not sealed                a judging that entries keep overtaking
//	entry   must not exist            the same animal entered twice at once
//	animal  alive, status and stage   an animal that died, got pregnant, or was changed in between
//	user    active                    a ban in between
//	user    ledger number as read     any other change of the balance in between, also one that came back to it
//	ledger  must not exist            a gap or a double in the ledger
//
// The fee charged is the fee that was read: fees never change. Two round trips, 3 RCU, 12 WCU (free: 10) when nothing is in the way.
func (s *Store) Enter(ctx context.Context, caller, show, animal game.ID, now game.Instant) (game.Show, game.Animal, error) {
	id, entered := game.NewID(), false // the entry's id, by which this call knows its own
	var known game.Animal
	for attempt := 1; ; attempt++ {
		r, gates, err := s.entryRequest(ctx, caller, show, animal, now)
		if err != nil {
			return game.Show{}, game.Animal{}, err
		}
		if r.Animal != nil {
			known = *r.Animal
		}
		r.Entered = entered
		refusal := r.Check()
		if refusal != nil && r.Show != nil && (attempt > 1 || isShortOfGold(refusal)) {
			// Look before answering: a duplicate comes before short gold, and what is in the way may be an attempt of this call that was given up as lost.
			entry, err := get[entryItem](ctx, s, entryKey(show, animal, gates))
			switch {
			case err != nil:
				return game.Show{}, game.Animal{}, err
			case entry != nil && entry.ID == id:
				return *r.Show, known, nil
			}
			r.Entered = entry != nil
			refusal = r.Check()
		}
		if refusal != nil {
			return game.Show{}, game.Animal{}, refusal
		}
		err = s.commit(ctx, s.entryTransaction(r, gates, id))
		switch {
		case err == nil:
			return *r.Show, known, nil
		case errors.Is(err, errEntered):
			entered = true // entries never go away: read again, for what comes before a duplicate in the order of the rules
		case errors.Is(err, errStale):
			if err := s.awaitGate(ctx, gateKey(show, gateOf(animal, gates)), attempt); err != nil {
				return game.Show{}, game.Animal{}, err
			}
		default:
			return game.Show{}, game.Animal{}, err
		}
	}
}

func isShortOfGold(refusal error) bool {
	var r *game.Refusal
	return errors.As(refusal, &r) && r.Code == game.CodeInsufficientGold
}

// entryRequest reads what decides an entry, and the number of the show's gates.
func (s *Store) entryRequest(ctx context.Context, caller, show, animal game.ID, now game.Instant) (game.EntryRequest, int, error) {
	keys := []key{userKey(caller), animalKey(caller, animal)}
	if show != "" {
		keys = append(keys, showKey(show))
	}
	found, err := s.batchGet(ctx, "", keys...)
	if err != nil {
		return game.EntryRequest{}, 0, err
	}
	user, userErr := in[userItem](found, userKey(caller))
	entrant, animalErr := in[animalItem](found, animalKey(caller, animal))
	item, showErr := in[showItem](found, showKey(show))
	if err := errors.Join(userErr, animalErr, showErr); err != nil {
		return game.EntryRequest{}, 0, err
	}
	r := game.EntryRequest{Caller: user.account(), Animal: entrant.animal(), Now: now}
	gates := 0
	if item != nil {
		show := item.show()
		r.Show, gates = &show, item.Gates
	}
	return r, gates, nil
}

func (s *Store) entryTransaction(r game.EntryRequest, gates int, id game.ID) *transaction {
	show, animal, caller := *r.Show, *r.Animal, *r.Caller
	t := s.begin()
	t.update(gateKey(show.ID, gateOf(animal.ID, gates)), "ADD n :one",
		"op = :true AND cl > :now AND (attribute_not_exists(su) OR su <= :clock)",
		attributes{":one": number(1), ":true": boolean(true), ":now": number(r.Now), ":clock": number(game.InstantOf(s.clock()))}, errStale)
	t.create(entryItem{
		key: entryKey(show.ID, animal.ID, gates), ID: id, Player: caller.ID, PlayerUsername: caller.Username,
		AnimalName: animal.Name, Breed: animal.Breed, RarityTier: animal.RarityTier, CreatedAt: r.Now,
	}, errEntered)
	t.check(animalKey(caller.ID, animal.ID), "attribute_not_exists(di) AND st = :st AND sg = :sg",
		attributes{":st": str(animal.Status), ":sg": str(animal.Stage)}, errStale)
	if show.Free() {
		t.check(userKey(caller.ID), "st = :active", attributes{":active": str(string(game.UserActive))}, errStale)
	} else {
		s.moveGold(t, caller, game.FeeEntry(caller, show, r.Now))
	}
	t.update(participationKey(caller.ID, show.SeasonID, show.ID), "ADD an :animal SET gn = :gates", "",
		attributes{":animal": stringSet(animal.ID), ":gates": number(gates)}, nil)
	return t
}

// awaitGate backs off before an entry's next attempt, and waits by plain reads, which disturb nobody, for as long as the gate is sealed.
func (s *Store) awaitGate(ctx context.Context, k key, attempt int) error {
	for ; ; attempt++ {
		if err := backoff(ctx, attempt); err != nil {
			return fmt.Errorf("entering: %w", err)
		}
		gate, err := get[gateItem](ctx, s, k)
		if err != nil {
			return err
		}
		if gate == nil || !gate.Open || gate.SealedUntil <= game.InstantOf(s.clock()) {
			return nil
		}
	}
}
