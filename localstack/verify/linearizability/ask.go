package linearizability

import (
	"context"
	"fmt"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// Ask asks the store for an operation as the service's endpoints and the operators' tool do, and returns what a Call of
// it has.
func Ask(ctx context.Context, s *store.Store, op Op) (answer any, err error) {
	answer, err = ask(ctx, s, op)
	if err != nil {
		answer = nil
	}
	return answer, err
}

func ask(ctx context.Context, s *store.Store, op Op) (answer any, err error) {
	switch o := op.(type) {
	case Register:
		return nil, s.CreateAccount(ctx, o.Account, o.Animals, o.Ledger, o.Token)
	case Login:
		return o.ask(ctx, s)
	case Refresh:
		return o.ask(ctx, s)
	case Logout:
		return nil, s.DeleteRefreshRecord(ctx, o.Digest)
	case List:
		return s.Shows(ctx, o.Status, o.Tier)
	case Detail:
		show, entries, err := s.ShowWithEntries(ctx, o.Show)
		return Details{show, entries}, err
	case Enter:
		show, _, err := s.Enter(ctx, o.Caller, o.Show, o.Animal, o.Now)
		return show.EntryFee, err
	case Judge:
		return s.Judge(ctx, o.Caller, o.Show, o.Now)
	case Claim:
		rank, prize, err := s.Claim(ctx, o.Caller, o.Show, o.Now)
		return Prize{rank, prize}, err
	case Season:
		return s.SeasonScore(ctx, o.User, o.Season)
	case Ban:
		return nil, s.Operator(o.Change).Ban(ctx, o.User)
	case Unban:
		return nil, s.Operator(o.Change).Unban(ctx, o.User)
	case Revoke:
		return nil, s.Operator(o.Change).RevokeSessions(ctx, o.User)
	case ChangeAnimal:
		return nil, s.Operator(o.Change).ChangeAnimal(ctx, o.Owner, o.Animal, o.To)
	case Cancel:
		return nil, s.Operator(o.Change).CancelShow(ctx, o.Show)
	case Set:
		return nil, s.Operator(o.Change).SetShow(ctx, o.Show, o.To)
	case Refund:
		return nil, s.Operator(o.Change).Refund(ctx, o.Show, nil)
	}
	return nil, fmt.Errorf("no operation is a %T", op)
}

func (o Login) ask(ctx context.Context, s *store.Store) (any, error) {
	a, err := s.AccountByEmail(ctx, o.Email)
	if err != nil {
		return nil, err
	}
	if err := mayLogIn(a); err != nil {
		return nil, err
	}
	return *a, s.RecordLogin(ctx, *a, o.Token, game.Rehash{}, o.Now)
}

func (o Refresh) ask(ctx context.Context, s *store.Store) (any, error) {
	record, a, err := s.RefreshRecord(ctx, o.Digest, o.User)
	if err != nil {
		return nil, err
	}
	if err := o.may(record, a); err != nil {
		return nil, err
	}
	return *a, nil
}
