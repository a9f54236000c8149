package operate

import (
	"context"
	"errors"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/records"
	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/table"
)

var (
	// ErrNotOpen means that a show has been judged or cancelled already.
	ErrNotOpen = errors.New("the show is not open any more")
	// ErrHasEntries means that a change of the fee or the tier was refused, since the show has entries.
	ErrHasEntries = errors.New("the show has entries: its fee and its tier cannot change, but it can be cancelled")
	// ErrSameTerms means that a show has these terms already.
	ErrSameTerms = errors.New("the show is already like that: nothing is changed")
)

// ShowChange is a change of a show's terms. Fields that are nil change nothing.
type ShowChange struct {
	Name          *string
	Tier          *string
	EntryFee      *int64
	EntryClosesAt *game.Instant
}

// Apply returns the changed show.
func (c ShowChange) Apply(s game.Show) game.Show {
	override(&s.Name, c.Name)
	override(&s.Tier, c.Tier)
	override(&s.EntryFee, c.EntryFee)
	override(&s.EntryClosesAt, c.EntryClosesAt)
	return s
}

// SetShow changes the terms of an open show: name, closing time, fee and tier. If the show has entries, it cannot
// change the fee and the tier, and returns ErrHasEntries. The new terms hold for every entry that commits afterwards.
// SetShow returns ErrUnknownShow if the show does not exist, ErrNotOpen if it is not open, and ErrSameTerms if nothing
// would change. It also returns an error if the terms are invalid or a gate stays missing.
//
// The conditions of the write, and the race each stops:
//
//	show  open                  a judging or a cancellation in between
//	show  terms as read         another change of the show in between, which would be undone
//	gate  exists                no race: the update would create a gate that is missing, without its count
//	gate  count as read         if the gate moves (its key has tier and closing time), or the fee changes: an entry in
//	                            between, which would not be counted, or have another fee or tier than the show
//
// SetShow raises the number of the show's terms, in the show and its gates. An entry or a judging under way that has
// read other terms fails by this number (see Enter and Judge). From its second attempt on, SetShow first takes the
// show's lease (a lock with a time limit), or waits for the call that holds it.
func (o Operator) SetShow(ctx context.Context, show game.ID, c ShowChange) error {
	opened := o.desk.newOpening(show)
	defer opened.lease.GiveUp(ctx)
	return o.make(ctx, "set show", subjectShow(show), func(ctx context.Context, t *table.Transaction) (before, after any, err error) {
		item, gates, err := opened.read(ctx, t)
		if err != nil {
			return nil, nil, err
		}
		was, becomes := item.Show(), c.Apply(item.Show())
		if becomes == was {
			return nil, nil, ErrSameTerms
		}
		if err := becomes.Validate(); err != nil {
			return nil, nil, err
		}
		counted := becomes.EntryFee != was.EntryFee || becomes.Tier != was.Tier
		if counted && store.CountOf(gates) > 0 {
			return nil, nil, ErrHasEntries
		}
		setShow(t, item, becomes)
		setGates(t, gates, records.GateKeys(becomes, item.Gates), item.Terms+1, counted)
		return was, becomes, nil
	})
}

// setShow writes the new terms into the show and its rows on the boards, whose keys have the closing time and the tier.
func setShow(t *table.Transaction, item *records.ShowItem, becomes game.Show) {
	t.Update(item.Key, records.TermsSet(becomes, item.Terms+1), item.OpenAsRead(), table.ErrStale)
	was, fields := item.Show(), records.NewShowFields(becomes, item.Gates, 0)
	for _, status := range []game.ShowStatus{game.ShowOpen, ""} {
		for _, tiers := range [][2]string{{"", ""}, {was.Tier, becomes.Tier}} {
			from, to := records.BoardKey(status, tiers[0], was), records.BoardKey(status, tiers[1], becomes)
			if from != to {
				t.Remove(from)
			}
			t.Replace(records.BoardItem{Key: to, ShowFields: fields})
		}
	}
}

// setGates writes the number of terms into the gates, and moves the gates whose keys change. The count of a gate that
// moves must be as read, and if counted is set, so must all other counts.
func setGates(t *table.Transaction, gates []*records.GateItem, keys []table.Key, terms int64, counted bool) {
	for k, gate := range gates {
		switch {
		case gate.Key != keys[k]:
			t.Delete(gate.Key, gate.AsRead(), table.ErrStale)
			t.Create(records.GateItem{Key: keys[k], Count: gate.Count, Terms: terms}, table.ErrStale)
		case counted:
			t.Update(gate.Key, records.GateTermsSet(terms), gate.AsRead(), table.ErrStale)
		default:
			t.Update(gate.Key, records.GateTermsSet(terms), table.Present, table.ErrStale)
		}
	}
}

// openShow reads an open show for a change, and again if something comes in between.
type openShow struct {
	desk  Desk
	show  game.ID
	lease store.Lease
	tried bool // a write of what was read has been tried
}

func (d Desk) newOpening(show game.ID) *openShow {
	return &openShow{desk: d, show: show, lease: d.NewLease(show, game.NewID())}
}

// read reads the show and its gates for the transaction. From the second attempt on it takes the lease first.
func (o *openShow) read(ctx context.Context, t *table.Transaction) (*records.ShowItem, []*records.GateItem, error) {
	item, err := o.desk.ShowItem(ctx, o.show)
	switch {
	case err != nil:
		return nil, nil, err
	case item == nil:
		return nil, nil, store.ErrUnknownShow
	case item.Status != game.ShowOpen:
		return item, nil, ErrNotOpen
	}
	if o.tried {
		if err := o.hold(ctx, item); err != nil {
			return nil, nil, err
		}
	}
	gates, err := o.desk.AllGates(ctx, item)
	if err != nil {
		return nil, nil, err
	}
	t.MostConflicts, o.tried = store.JudgeConflicts, true
	return item, gates, nil
}

// hold takes the lease for a change of the show. If another call holds the lease, hold waits until that call ends or
// its lease expires, and then returns errAtWork, so that the caller reads the show again.
func (o *openShow) hold(ctx context.Context, item *records.ShowItem) error {
	if err := o.lease.Wait(ctx, item); err != nil {
		return err
	}
	defer o.lease.Rest() // the lease is not renewed while the change is written
	return o.lease.Keep(ctx)
}
