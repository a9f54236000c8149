package linearizability

import (
	"errors"
	"maps"
	"slices"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// changing returns the step of an operator's change. do applies the change to a world; a change that a world already
// has under its id does nothing more.
func changing(c *Call, change store.Change, action, subject string, do func(w World) (World, error)) []step {
	return whole(c, nil, func(w World) ([]result, error) {
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

// errNothing means that a change has nothing to change. Such a change leaves no record.
var errNothing = errors.New("there is nothing to change")

func changingUser(c *Call, change store.Change, action string, user game.ID, do func(a *game.Account)) []step {
	return changing(c, change, action, "user "+string(user), func(w World) (World, error) {
		a, err := w.present(user)
		if err != nil {
			return w, err
		}
		do(a)
		return w.withAccount(*a), nil
	})
}

// present returns the user's account. It returns an error if the user is unknown or has been deleted.
func (w World) present(user game.ID) (*game.Account, error) {
	switch a := w.user(user); {
	case a == nil:
		return nil, store.ErrUnknownUser
	case a.Status == game.UserDeleted:
		return nil, store.ErrDeletedUser
	default:
		return a, nil
	}
}

func (o Adjust) steps(c *Call, _ *history) []step {
	return changing(c, o.Change, "adjust gold", "user "+string(o.User), func(w World) (World, error) {
		a, err := w.present(o.User)
		if err != nil {
			return w, err
		}
		row, err := game.AdjustmentEntry(*a, o.Amount, o.Change.Reason, o.Change.At)
		if err != nil {
			return w, err
		}
		return w.withGold(row, c), nil
	})
}

func (o Activate) steps(c *Call, _ *history) []step {
	action := "activate season"
	if !o.Active {
		action = "deactivate season"
	}
	return changing(c, o.Change, action, "season "+string(o.Season), func(w World) (World, error) {
		season, there := w.Seasons[o.Season]
		if !there {
			return w, store.ErrUnknownSeason
		}
		season.IsActive = o.Active
		w.Seasons = with(w.Seasons, o.Season, season)
		return w, nil
	})
}

// errNameLeft means that an entry has another name than its user.
var errNameLeft = errors.New("an entry has another name than its user")

// steps returns a step for the account, a step for the name in each possible entry of the user, and one for the number
// of entries. Deleting a deleted user again leaves the account unchanged.
func (o Delete) steps(c *Call, h *history) []step {
	steps := changing(c, o.Change, "delete user", "user "+string(o.User), func(w World) (World, error) {
		a, err := w.present(o.User)
		switch {
		case errors.Is(err, store.ErrDeletedUser):
			return w, errNothing
		case err != nil:
			return w, err
		}
		a.Status, a.StatusChanges = game.UserDeleted, a.StatusChanges+1
		a.Email, a.Username, a.LastLoginAt, a.SessionsFrom, a.Ranch = "", "", nil, 0, nil
		user := w.Users[o.User]
		user.Account, user.Hash = *a, ""
		w.Users = with(w.Users, o.User, user)
		return w, nil
	})
	return append(steps, naming(c, h, o.Change, o.User, game.DeletedPlayer)...)
}

// naming returns the steps that put a user's new name into entries: a step for each possible entry, and one for the
// number of entries. If a later change has set another name, these steps change nothing.
func naming(c *Call, h *history, change store.Change, user game.ID, name string) (steps []step) {
	if kind, _ := outcomeOf(c); kind == refused {
		return nil
	}
	add := func(part string, seen any, do func(w World) ([]result, error)) {
		s := whole(c, seen, do)[0]
		s.part = part
		steps = append(steps, s)
	}
	called := func(w World) (bool, error) {
		u := w.Users[user]
		if u.Status == game.UserDeleted && name == game.DeletedPlayer || u.Status != game.UserDeleted && u.Username == name {
			return true, nil
		}
		if _, made := w.Changes[change.ID]; !made {
			return false, errNothing
		}
		return false, nil
	}
	for _, id := range slices.Sorted(maps.Keys(h.before.Shows)) {
		for _, e := range h.entries(id) {
			if e.player != user {
				continue
			}
			add("the name in the entry of animal "+string(e.animal)+" in show "+string(id), nil, func(w World) ([]result, error) {
				is, err := called(w)
				if err != nil {
					return nil, err
				}
				show := w.Shows[id]
				if entry, there := show.Entries[e.animal]; there && is {
					entry.Username = name
					show.Entries = with(show.Entries, e.animal, entry)
				}
				return only(w.withShow(show), nil)
			})
		}
	}
	add("the entries", c.Answer, func(w World) ([]result, error) {
		switch is, err := called(w); {
		case err != nil:
			return nil, err
		case !is:
			return only(w, 0)
		}
		count := 0
		for _, show := range w.Shows {
			for _, e := range show.Entries {
				switch {
				case e.Player != user:
				case e.Username != name:
					return nil, errNameLeft
				default:
					count++
				}
			}
		}
		return only(w, count)
	})
	return steps
}

// steps returns a step for the account. If the change sets a username, it also returns the steps for the name in
// entries.
func (o Rename) steps(c *Call, h *history) []step {
	steps := changing(c, o.Change, "set user", "user "+string(o.User), func(w World) (World, error) {
		a, err := w.present(o.User)
		if err != nil {
			return w, err
		}
		changed, set := o.To.Apply(*a)
		for _, u := range w.Users {
			if u.ID != a.ID && u.Status != game.UserDeleted && (u.Email == changed.Email || u.Username == changed.Username) {
				return w, game.ErrTaken
			}
		}
		if len(set) == 0 {
			return w, errNothing
		}
		changed.StatusChanges++
		return w.withAccount(changed), nil
	})
	if o.To.Username == nil {
		if kind, _ := outcomeOf(c); kind == done {
			steps = append(steps, whole(c, c.Answer, func(w World) ([]result, error) { return only(w, 0) })[0])
			steps[1].part = "no entries"
		}
		return steps
	}
	return append(steps, naming(c, h, o.Change, o.User, *o.To.Username)...)
}

func (o Reset) steps(c *Call, _ *history) []step {
	return changing(c, o.Change, "reset password", "user "+string(o.User), func(w World) (World, error) {
		a, err := w.present(o.User)
		if err != nil {
			return w, err
		}
		user := w.Users[o.User]
		user.SessionsFrom, user.Hash = a.Revocation(o.Change.At), o.Hash
		user.StatusChanges++
		w.Users = with(w.Users, o.User, user)
		return w, nil
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
		if becomes == s.Show {
			return store.ErrSameTerms
		}
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

// errFeesLeft means that some fees are not refunded.
var errFeesLeft = errors.New("there are fees that have not been given back")

// steps returns one step for each entry that the show may have, which refunds its fee. One more step records that all
// fees are refunded.
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

// feesOf returns the fees that a player has paid in a show and has not got back.
func (w World) feesOf(player, show game.ID) []int64 {
	var fees []int64
	for _, row := range w.Users[player].Ledger {
		switch {
		case row.Ref != show:
		case row.Category == game.CategoryFee:
			fees = append(fees, -row.Amount)
		case row.Category == game.CategoryRefund && len(fees) > 0: // the fee of a show with entries does not change
			fees = fees[1:]
		}
	}
	return fees
}
