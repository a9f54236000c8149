package store

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/records"
	"github.com/ranch-game/ranch/shared/table"
)

// Times and numbers that tests need.
const (
	EntryConflicts = entryConflicts
	ListPatience   = listPatience
)

// GateOf returns the gate of an animal.
func GateOf(id game.ID, gates int) int { return records.GateOf(id, gates) }

// The keys of rows that tests read or change without the store.

func EmailKey(email string) (pk, sk string)             { return texts(records.EmailKey(email)) }
func UsernameKey(username string) (pk, sk string)       { return texts(records.UsernameKey(username)) }
func UserKey(user game.ID) (pk, sk string)              { return texts(records.UserKey(user)) }
func AnimalKey(owner, animal game.ID) (pk, sk string)   { return texts(records.AnimalKey(owner, animal)) }
func LedgerKey(user game.ID, seq int64) (pk, sk string) { return texts(records.LedgerKey(user, seq)) }
func TokenKey(digest string) (pk, sk string)            { return texts(records.TokenKey(digest)) }
func ShowKey(show game.ID) (pk, sk string)              { return texts(records.ShowKey(show)) }
func GateKey(show game.Show, gate int) (pk, sk string)  { return texts(records.GateKey(show, gate)) }
func BoardKey(status game.ShowStatus, tier string, show game.Show) (pk, sk string) {
	return texts(records.BoardKey(status, tier, show))
}
func EntryKey(show, animal game.ID, gates int) (pk, sk string) {
	return texts(records.EntryKey(show, animal, gates))
}
func AuditKey(change game.ID) (pk, sk string) { return texts(records.AuditKey(change)) }
func ParticipationKey(user, season, show, animal game.ID) (pk, sk string) {
	return texts(records.ParticipationKey(user, season, show, animal))
}

// PageKey, SheetKey and ReceiptKey are keys of the results of a completed show.

func PageKey(ctx context.Context, s *Store, show game.ID, page int) (pk, sk string) {
	return texts(s.verdictOf(ctx, show).PageKey(page))
}
func SheetKey(ctx context.Context, s *Store, show game.ID, sheet int) (pk, sk string) {
	return texts(s.verdictOf(ctx, show).SheetKey(sheet))
}
func ReceiptKey(ctx context.Context, s *Store, show game.ID, place int) (pk, sk string) {
	return texts(s.verdictOf(ctx, show).ClaimKey(place))
}

// verdictOf also returns a verdict for a show that is not completed; it has no results.
func (s *Store) verdictOf(ctx context.Context, show game.ID) records.Verdict {
	item, err := s.ShowItem(ctx, show)
	if err != nil {
		panic(err)
	}
	return records.Verdict{Show: show, Id: cmp.Or(item.VerdictID, "none")}
}

func texts(k table.Key) (pk, sk string) { return string(k.PK), string(k.SK) }

// TakeLease tries to take the lease of a show for the call with the id, and returns whether the call has got it.
func TakeLease(ctx context.Context, s *Store, show, call game.ID) (got bool, err error) {
	err = (&Lease{store: s, show: show, call: call}).take(ctx)
	if errors.Is(err, errAtWork) {
		return false, nil
	}
	return err == nil, err
}

// KeepLease returns the functions with which a call keeps and ends the lease of a show.
func KeepLease(s *Store, show game.ID) (keep func(context.Context) error, rest func(), giveUp func(context.Context)) {
	l := &Lease{store: s, show: show, call: game.NewID()}
	return l.Keep, l.Rest, l.GiveUp
}

// Waits reports whether the call with the id must wait for a judging of the show.
func Waits(ctx context.Context, s *Store, show, call game.ID) (bool, error) {
	item, err := s.ShowItem(ctx, show)
	if err != nil {
		return false, err
	}
	return leased(item, game.InstantOf(s.Clock()), call), nil
}

// Fill writes n entries of n players into an open show that has none, for tests that cannot enter so many one by one.
// The players have no accounts, and the animals exist only in their entries. The engine writes some 5,000 rows a
// second.
func (s *Store) Fill(ctx context.Context, show game.Show, gates, n int) error {
	counts := make([]int64, gates)
	rng := rand.New(rand.NewPCG(uint64(n), uint64(gates)))
	var items []any
	for range n {
		player, animal := game.NewID(), game.NewID()
		counts[records.GateOf(animal, gates)]++
		traits := game.Phenotype{}
		for i := range traits {
			traits[i] = game.Fixed(rng.IntN(int(game.FixedMax)))
		}
		items = append(items, records.EntryItem{
			Key: records.EntryKey(show.ID, animal, gates), Call: animal, Player: player, PlayerUsername: "player_" + string(player[:8]), AnimalName: "Buttercup",
			Breed: "Jersey", RarityTier: "common", CreatedAt: show.EntryClosesAt - 1, Condition: game.FixedMax, Health: 100, Phenotype: &traits,
		})
	}
	for k, count := range counts {
		items = append(items, records.GateItem{Key: records.GateKey(show, k), Count: count})
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(4)
	for part := range slices.Chunk(items, table.TransactionItems) {
		group.Go(func() error {
			t := s.Table.Begin()
			for _, item := range part {
				t.Replace(item)
			}
			return t.Commit(ctx)
		})
	}
	return group.Wait()
}

// Forge gives the record of a change the digest of its present content.
func Forge(record map[string]types.AttributeValue) error {
	item, err := table.Unmarshal[records.AuditItem](record)
	if err == nil {
		record["d"] = table.Str(item.Sum())
	}
	return err
}
