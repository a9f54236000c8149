package linearizability

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// Operation is an operator's change, with the action and subject of its audit record. All changes of a history have
// different ids. The answer is nil, but for Delete and Rename the number of entries with the new username.
type Operation struct {
	Change          store.Change
	Action, Subject string

	ask asks
	// do applies the change to a world, or returns the refusal of the rules. It returns errNothing if there is nothing
	// to change: the store then writes no audit record.
	do func(w *World, c *Call) error
	// user and username are set for Delete and Rename. If the change sets no username, username is "".
	user     game.ID
	username string
}

type asks = func(ctx context.Context, s store.Operator) (answer any, err error)

var errNothing = errors.New("there is nothing to change")

// steps returns a step for the change. If the change sets a username and was not refused, steps also returns the steps
// of naming.
func (o Operation) steps(c *Call, h *history) []step {
	seen, answer := c.Answer, any(nil)
	switch {
	case o.username != "":
		seen = nil
	case o.user != "":
		answer = 0
	}
	steps := whole(c, seen, func(w World) ([]result, error) {
		switch err := o.do(&w, c); {
		case errors.Is(err, errNothing):
			return only(w, answer)
		case err != nil:
			return nil, err
		}
		w.Changes = with(w.Changes, o.Change.ID, Record{o.Action, o.Subject, o.Change.By, o.Change.At, o.Change.Reason})
		return only(w, answer)
	})
	if kind, _ := outcomeOf(c); o.username == "" || kind == refused {
		return steps
	}
	return append(steps, o.naming(c, h)...)
}

// changesUser returns a change of a user. If the user is deleted, the change is refused with store.ErrDeletedUser.
func changesUser(change store.Change, action string, user game.ID, ask asks, do func(w World, c *Call, u *User) error) Operation {
	return Operation{Change: change, Action: action, Subject: "user " + string(user), ask: ask, do: func(w *World, c *Call) error {
		u := w.Users[user]
		if u.Status == game.UserDeleted {
			return store.ErrDeletedUser
		}
		if err := do(*w, c, &u); err != nil {
			return err
		}
		w.Users = with(w.Users, user, u)
		return nil
	}}
}

func Ban(change store.Change, user game.ID) Operation {
	ban := func(ctx context.Context, s store.Operator) (any, error) { return nil, s.Ban(ctx, user) }
	return changesUser(change, "ban", user, ban, func(_ World, _ *Call, u *User) error {
		u.Status, u.SessionsFrom = game.UserBanned, u.Revocation(change.At)
		u.StatusChanges++
		return nil
	})
}

func Unban(change store.Change, user game.ID) Operation {
	unban := func(ctx context.Context, s store.Operator) (any, error) { return nil, s.Unban(ctx, user) }
	return changesUser(change, "unban", user, unban, func(_ World, _ *Call, u *User) error {
		u.Status = game.UserActive
		u.StatusChanges++
		return nil
	})
}

func Revoke(change store.Change, user game.ID) Operation {
	revoke := func(ctx context.Context, s store.Operator) (any, error) { return nil, s.RevokeSessions(ctx, user) }
	return changesUser(change, "revoke sessions", user, revoke, func(_ World, _ *Call, u *User) error {
		u.SessionsFrom = u.Revocation(change.At)
		return nil
	})
}

// Reset sets the hash of a user's password, and ends the user's sessions.
func Reset(change store.Change, user game.ID, hash string) Operation {
	reset := func(ctx context.Context, s store.Operator) (any, error) { return nil, s.ResetPassword(ctx, user, hash) }
	return changesUser(change, "reset password", user, reset, func(_ World, _ *Call, u *User) error {
		u.SessionsFrom, u.Hash = u.Revocation(change.At), hash
		u.StatusChanges++
		return nil
	})
}

// Adjust adds an amount to a user's gold, which may be negative. The ledger's row has the change's reason.
func Adjust(change store.Change, user game.ID, amount int64) Operation {
	adjust := func(ctx context.Context, s store.Operator) (any, error) {
		return nil, s.AdjustGold(ctx, user, amount, change.Reason)
	}
	return changesUser(change, "adjust gold", user, adjust, func(_ World, c *Call, u *User) error {
		row, err := game.AdjustmentEntry(u.Account, amount, change.Reason, change.At)
		if err == nil {
			u.add(row, c)
		}
		return err
	})
}

// Delete deletes a user, and the user's name in entries. The World must have all shows that the user has entered.
func Delete(change store.Change, user game.ID) Operation {
	remove := func(ctx context.Context, s store.Operator) (any, error) { return s.DeleteUser(ctx, user) }
	o := changesUser(change, "delete user", user, remove, func(_ World, _ *Call, u *User) error {
		u.Status, u.StatusChanges = game.UserDeleted, u.StatusChanges+1
		u.Email, u.Username, u.LastLoginAt, u.SessionsFrom, u.Ranch, u.Hash = "", "", nil, 0, nil, ""
		return nil
	})
	changes := o.do
	o.do = func(w *World, c *Call) error {
		err := changes(w, c)
		if errors.Is(err, store.ErrDeletedUser) {
			return errNothing // but entries can still have the old name (naming)
		}
		return err
	}
	o.user, o.username = user, game.DeletedPlayer
	return o
}

// Rename changes a user's e-mail address, username, or both. If it sets no username, or if a later change has set
// another, the answer is 0. The World must have all shows that the user has entered.
func Rename(change store.Change, user game.ID, to store.UserChange) Operation {
	set := func(ctx context.Context, s store.Operator) (any, error) { return s.SetUser(ctx, user, to) }
	o := changesUser(change, "set user", user, set, func(w World, _ *Call, u *User) error {
		changed, fields := to.Apply(u.Account)
		for _, other := range w.Users {
			if other.ID != u.ID && other.hasNameOf(changed) {
				return game.ErrTaken
			}
		}
		if len(fields) == 0 {
			return errNothing
		}
		u.Account = changed
		u.StatusChanges++
		return nil
	})
	o.user = user
	if to.Username != nil {
		o.username = *to.Username
	}
	return o
}

// hasNameOf reports whether the user has the e-mail address or the username of a, so that a cannot have it.
func (u User) hasNameOf(a game.Account) bool {
	return u.Status != game.UserDeleted && (u.Email == a.Email || u.Username == a.Username)
}

var (
	errNameLeft = errors.New("an entry has another name than its user")
	errNotYet   = errors.New("the user does not have the new name yet")
)

// naming returns the steps that put a user's new name into entries: one for each possible entry, and one for the number
// of entries in the answer. If a later change has set another name, these steps change nothing.
func (o Operation) naming(c *Call, h *history) (steps []step) {
	add := func(part string, seen any, do func(w World, later bool) ([]result, error)) {
		s := whole(c, seen, func(w World) ([]result, error) {
			name := w.Users[o.user].Username
			if w.Users[o.user].Status == game.UserDeleted {
				name = game.DeletedPlayer
			}
			if _, made := w.Changes[o.Change.ID]; !made && name != o.username {
				return nil, errNotYet
			}
			return do(w, name != o.username)
		})[0]
		s.part = part
		steps = append(steps, s)
	}
	for _, id := range slices.Sorted(maps.Keys(h.before.Shows)) {
		for _, e := range h.entries(id) {
			if e.player != o.user {
				continue
			}
			add("the name in the entry of animal "+string(e.animal)+" in show "+string(id), nil, func(w World, later bool) ([]result, error) {
				show := w.Shows[id]
				if entry, there := show.Entries[e.animal]; there && !later {
					entry.Username = o.username
					show.Entries = with(show.Entries, e.animal, entry)
				}
				return only(w.withShow(show), nil)
			})
		}
	}
	add("the entries", c.Answer, func(w World, later bool) ([]result, error) {
		if later {
			return only(w, 0)
		}
		count := 0
		for _, show := range w.Shows {
			for _, e := range show.Entries {
				switch {
				case e.Player != o.user:
				case e.Username != o.username:
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

// ChangeAnimal changes an animal of a player, who must own it.
func ChangeAnimal(change store.Change, owner, animal game.ID, to store.AnimalChange) Operation {
	return Operation{
		Change: change, Action: "change animal", Subject: "animal " + string(animal),
		ask: func(ctx context.Context, s store.Operator) (any, error) {
			return nil, s.ChangeAnimal(ctx, owner, animal, to)
		},
		do: func(w *World, c *Call) error {
			was := w.Animals[animal]
			w.Animals = with(w.Animals, animal, Animal{Animal: to.Apply(was.Animal), by: c, was: &was})
			return nil
		},
	}
}

// Activate begins or ends a season.
func Activate(change store.Change, season game.ID, active bool) Operation {
	action := map[bool]string{true: "activate season", false: "deactivate season"}[active]
	return Operation{
		Change: change, Action: action, Subject: "season " + string(season),
		ask: func(ctx context.Context, s store.Operator) (any, error) {
			return nil, s.SetSeasonActive(ctx, season, active)
		},
		do: func(w *World, _ *Call) error {
			s := w.Seasons[season]
			s.IsActive = active
			w.Seasons = with(w.Seasons, season, s)
			return nil
		},
	}
}

func changesShow(change store.Change, action string, show game.ID, ask asks, do func(s *Show) error) Operation {
	return Operation{Change: change, Action: action, Subject: "show " + string(show), ask: ask, do: func(w *World, c *Call) error {
		s := w.Shows[show]
		if err := do(&s); err != nil {
			return err
		}
		*w = w.withRecord(s, c)
		return nil
	}}
}

// Set changes the terms of an open show: name, tier, fee or closing time.
func Set(change store.Change, show game.ID, to store.ShowChange) Operation {
	set := func(ctx context.Context, s store.Operator) (any, error) { return nil, s.SetShow(ctx, show, to) }
	return changesShow(change, "set show", show, set, func(s *Show) error {
		becomes := to.Apply(s.Show)
		switch {
		case s.Status != game.ShowOpen:
			return store.ErrNotOpen
		case becomes == s.Show:
			return store.ErrSameTerms
		case (becomes.EntryFee != s.EntryFee || becomes.Tier != s.Tier) && len(s.Entries) > 0:
			return store.ErrHasEntries
		}
		s.Show, s.Terms = becomes, s.Terms+1
		return nil
	})
}

func Cancel(change store.Change, show game.ID) Operation {
	cancel := func(ctx context.Context, s store.Operator) (any, error) { return nil, s.CancelShow(ctx, show) }
	return changesShow(change, "cancel show", show, cancel, func(s *Show) error {
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

// errFeesLeft means that some fees are not refunded yet.
var errFeesLeft = errors.New("there are fees that have not been given back")

// steps returns a step for each possible entry of the show, which refunds one fee of its player, and a step that
// records that all fees are refunded.
func (o Refund) steps(c *Call, h *history) []step {
	part := func(name string, do func(w World, s Show) ([]result, error)) step {
		s := whole(c, c.Answer, func(w World) ([]result, error) {
			if w.Shows[o.Show].Status != game.ShowCancelled {
				return nil, store.ErrNotCancelled
			}
			return do(w, w.Shows[o.Show])
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
		if s.RefundedAt == nil { // the first note stays
			s.RefundedAt = &o.Change.At
		}
		return only(w.withShow(s), nil)
	}))
}

// feesOf returns the fees that a player has paid for a show and has not got back.
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
