package linearizability

import (
	"errors"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// changing is the step of an operator's change, which is made once under its id.
func changing(c *Call, change store.Change, action, subject string, do func(w World) (World, error)) []step {
	return whole(c, c.Answer, func(w World) ([]result, error) {
		if made, there := w.Changes[change.ID]; there {
			if made.Action != action || made.Subject != subject {
				return nil, store.ErrOtherChange
			}
			return only(w, nil)
		}
		after, err := do(w)
		switch {
		case errors.Is(err, errNothing):
			return only(w, nil)
		case err != nil:
			return nil, err
		}
		after.Changes = with(after.Changes, change.ID, Record{action, subject, change.By, change.At, change.Reason})
		return only(after, nil)
	})
}

// errNothing means that nothing is to be changed, and nothing recorded.
var errNothing = errors.New("there is nothing to change")

func changingUser(c *Call, change store.Change, action string, user game.ID, do func(a *game.Account)) []step {
	return changing(c, change, action, "user "+string(user), func(w World) (World, error) {
		a := w.user(user)
		switch {
		case a == nil:
			return w, store.ErrUnknownUser
		case a.Status == game.UserDeleted:
			return w, store.ErrDeletedUser
		}
		do(a)
		return w.withAccount(*a), nil
	})
}

func (o Ban) steps(c *Call, _ *history) []step {
	return changingUser(c, o.Change, "ban", o.User, func(a *game.Account) {
		a.Status, a.SessionsFrom = game.UserBanned, a.Revocation(o.Change.At)
		a.StatusChanges++
	})
}

func (o Unban) steps(c *Call, _ *history) []step {
	return changingUser(c, o.Change, "unban", o.User, func(a *game.Account) {
		a.Status = game.UserActive
		a.StatusChanges++
	})
}

func (o Revoke) steps(c *Call, _ *history) []step {
	return changingUser(c, o.Change, "revoke sessions", o.User, func(a *game.Account) { a.SessionsFrom = a.Revocation(o.Change.At) })
}

func (o ChangeAnimal) steps(c *Call, _ *history) []step {
	return changing(c, o.Change, "change animal", "animal "+string(o.Animal), func(w World) (World, error) {
		was, there := w.Animals[o.Animal]
		if !there || was.Owner != o.Owner {
			return w, store.ErrUnknownAnimal
		}
		w.Animals = with(w.Animals, o.Animal, Animal{Animal: o.To.Apply(was.Animal), by: c, was: &was})
		return w, nil
	})
}

func changingShow(c *Call, change store.Change, action string, id game.ID, do func(s *Show) error) []step {
	return changing(c, change, action, "show "+string(id), func(w World) (World, error) {
		show, there := w.Shows[id]
		if !there {
			return w, store.ErrUnknownShow
		}
		if err := do(&show); err != nil {
			return w, err
		}
		return w.withRecord(show, c), nil
	})
}

func (o Set) steps(c *Call, _ *history) []step {
	return changingShow(c, o.Change, "set show", o.Show, func(s *Show) error {
		if s.Status != game.ShowOpen {
			return store.ErrNotOpen
		}
		becomes := o.To.Apply(s.Show)
		if err := becomes.Validate(); err != nil {
			return err
		}
		if (becomes.EntryFee != s.EntryFee || becomes.Tier != s.Tier) && len(s.Entries) > 0 {
			return store.ErrHasEntries
		}
		s.Show, s.Terms = becomes, s.Terms+1
		return nil
	})
}

func (o Cancel) steps(c *Call, _ *history) []step {
	return changingShow(c, o.Change, "cancel show", o.Show, func(s *Show) error {
		switch s.Status {
		case game.ShowCancelled:
			return errNothing
		case game.ShowOpen:
			s.Status = game.ShowCancelled
			return nil
		}
		return store.ErrNotOpen
	})
}
