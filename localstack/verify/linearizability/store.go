package linearizability

import (
	"context"
	"fmt"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// Extent selects the part of the stored state that Read returns. Shows must have all shows that the users have entered.
type Extent struct {
	Users   []game.ID
	Shows   []game.ID
	Seasons []game.ID
	Digests []string  // of refresh tokens
	Changes []game.ID // of operators' changes
}

// Read reads a World, the model's state, from the store. Nothing may change meanwhile. The World lacks users, tokens
// and changes that the store lacks. Read does not check whether the records agree; package invariants does.
func Read(ctx context.Context, s *store.Store, of Extent) (World, error) {
	r := reader{s, World{
		Users: map[game.ID]User{}, Animals: map[game.ID]Animal{}, Shows: map[game.ID]Show{}, Seasons: map[game.ID]game.Season{},
		Tokens: map[string]game.RefreshRecord{}, Changes: map[game.ID]Record{},
	}}
	for _, id := range of.Seasons {
		season, err := s.Season(ctx, id)
		if err != nil {
			return r.world, err
		}
		r.world.Seasons[id] = *season
	}
	for _, digest := range of.Digests {
		record, _, err := s.RefreshRecord(ctx, digest, "")
		if err != nil {
			return r.world, err
		}
		if record != nil {
			r.world.Tokens[digest] = *record
		}
	}
	for _, id := range of.Changes {
		record, err := s.AuditRecord(ctx, id)
		if err != nil {
			return r.world, err
		}
		if record != nil {
			r.world.Changes[id] = Record{record.Action, record.Subject, record.By, record.At, record.Reason}
		}
	}
	for _, id := range of.Shows {
		if err := r.show(ctx, id); err != nil {
			return r.world, err
		}
	}
	for _, id := range of.Users {
		if err := r.user(ctx, id); err != nil {
			return r.world, err
		}
	}
	return r.world, nil
}

type reader struct {
	*store.Store
	world World
}

// show reads a show without its receipts, which user reads.
func (r *reader) show(ctx context.Context, id game.ID) error {
	record, err := r.ShowRecord(ctx, id)
	if err != nil {
		return err
	}
	_, entries, err := r.ShowWithEntries(ctx, id)
	if err != nil {
		return err
	}
	show := Show{
		Show: record.Show, Terms: record.Terms, JudgedBy: record.JudgedBy, RefundedAt: record.RefundedAt,
		Entries: map[game.ID]Entry{}, Results: map[game.ID]Placing{}, Receipts: map[game.ID]Receipt{},
	}
	for _, e := range entries {
		show.Entries[e.AnimalID] = Entry{
			Player: e.PlayerID, Username: e.PlayerUsername, AnimalName: e.AnimalName, Breed: e.Breed, RarityTier: e.RarityTier, CreatedAt: e.CreatedAt,
		}
		if e.Rank != nil {
			p := Placing{Rank: *e.Rank}
			if e.Score != nil {
				p.Score = *e.Score
			}
			show.Results[e.AnimalID] = p
		}
	}
	r.world.Shows[id] = show
	return nil
}

func (r *reader) user(ctx context.Context, id game.ID) error {
	account, err := r.Account(ctx, id)
	if account == nil || err != nil {
		return err
	}
	ledger, err := r.Ledger(ctx, id)
	if err != nil {
		return err
	}
	animals, err := r.Animals(ctx, id)
	if err != nil {
		return err
	}
	user := User{Account: *account}
	if account.Status != game.UserDeleted {
		if _, user.Hash, err = r.AccountByEmail(ctx, account.Email); err != nil {
			return err
		}
	}
	for _, row := range ledger {
		user.Ledger = append(user.Ledger, newRow(row))
	}
	for _, a := range animals {
		r.world.Animals[a.ID] = Animal{Animal: a}
	}
	r.world.Users[id] = user
	played, err := r.PlayedShows(ctx, id)
	for _, p := range played {
		if p.Receipt != nil {
			receipt := Receipt{Prize: p.Receipt.Prize, ClaimedAt: p.Receipt.ClaimedAt}
			if p.Receipt.Rank != nil {
				receipt.Rank = *p.Receipt.Rank
			}
			r.world.Shows[p.Show.ID].Receipts[id] = receipt
		}
	}
	return err
}

// Ask executes an operation on the store, as the service's endpoints and ranchctl do. It returns the answer in the form
// of Call.Answer, or nil with an error.
func Ask(ctx context.Context, s *store.Store, op Op) (answer any, err error) {
	defer func() {
		if err != nil {
			answer = nil
		}
	}()
	switch o := op.(type) {
	case Register:
		return nil, s.CreateAccount(ctx, o.Account, registeredHash, o.Animals, o.Ledger, o.Token)
	case Login:
		return o.ask(ctx, s)
	case Refresh:
		return o.ask(ctx, s)
	case Logout:
		return nil, s.DeleteRefreshRecord(ctx, o.Digest)
	case List:
		page, err := s.Shows(ctx, store.ShowQuery{Status: o.Status, Tier: o.Tier})
		return page.Shows, err
	case Detail:
		show, entries, err := s.ShowWithEntries(ctx, o.Show)
		return Details{show, entries}, err
	case Enter:
		show, _, err := s.Enter(ctx, o.Caller, o.Show, o.Animal, o.Now)
		return show.EntryFee, err
	case Judge:
		return s.Judge(ctx, o.Caller, o.Show, o.Now)
	case Due:
		return s.JudgeDue(ctx, o.Show, o.Now)
	case Claim:
		rank, prize, err := s.Claim(ctx, o.Caller, o.Show, o.Now)
		return Prize{rank, prize}, err
	case Season:
		return s.SeasonScore(ctx, o.User, o.Season)
	case Refund:
		return nil, s.Operator(o.Change).Refund(ctx, o.Show, nil)
	case Operation:
		return o.ask(ctx, s.Operator(o.Change))
	}
	return nil, fmt.Errorf("no operation is a %T", op)
}

func (o Login) ask(ctx context.Context, s *store.Store) (any, error) {
	a, hash, err := s.AccountByEmail(ctx, o.Email)
	if err != nil {
		return nil, err
	}
	if err := o.may(a, hash); err != nil {
		return nil, err
	}
	return *a, s.RecordLogin(ctx, *a, o.Token, game.Rehash{Old: hash}, o.Now)
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
