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
)

// Times and numbers that tests need.
const (
	EntryConflicts = entryConflicts
	ListPatience   = listPatience
)

// GateOf returns the gate of an animal.
func GateOf(id game.ID, gates int) int { return gateOf(id, gates) }

// The keys of rows that tests read or change without the store.

func EmailKey(email string) (pk, sk string)             { return texts(emailKey(email)) }
func UsernameKey(username string) (pk, sk string)       { return texts(usernameKey(username)) }
func UserKey(user game.ID) (pk, sk string)              { return texts(userKey(user)) }
func AnimalKey(owner, animal game.ID) (pk, sk string)   { return texts(animalKey(owner, animal)) }
func LedgerKey(user game.ID, seq int64) (pk, sk string) { return texts(ledgerKey(user, seq)) }
func TokenKey(digest string) (pk, sk string)            { return texts(tokenKey(digest)) }
func ShowKey(show game.ID) (pk, sk string)              { return texts(showKey(show)) }
func GateKey(show game.Show, gate int) (pk, sk string)  { return texts(gateKey(show, gate)) }
func BoardKey(status game.ShowStatus, tier string, show game.Show) (pk, sk string) {
	return texts(boardKey(status, tier, show))
}
func EntryKey(show, animal game.ID, gates int) (pk, sk string) {
	return texts(entryKey(show, animal, gates))
}
func AuditKey(change game.ID) (pk, sk string) { return texts(auditKey(change)) }
func ParticipationKey(user, season, show, animal game.ID) (pk, sk string) {
	return texts(participationKey(user, season, show, animal))
}

// PageKey, SheetKey and ReceiptKey are keys of the results of a completed show.

func PageKey(ctx context.Context, s *Store, show game.ID, page int) (pk, sk string) {
	return texts(s.verdictOf(ctx, show).pageKey(page))
}
func SheetKey(ctx context.Context, s *Store, show game.ID, sheet int) (pk, sk string) {
	return texts(s.verdictOf(ctx, show).sheetKey(sheet))
}
func ReceiptKey(ctx context.Context, s *Store, show game.ID, place int) (pk, sk string) {
	return texts(s.verdictOf(ctx, show).claimKey(place))
}

// verdictOf also returns a verdict for a show that is not completed; it has no results.
func (s *Store) verdictOf(ctx context.Context, show game.ID) verdict {
	item, err := s.showItem(ctx, show)
	if err != nil {
		panic(err)
	}
	return verdict{show, cmp.Or(item.VerdictID, "none")}
}

func texts(k key) (pk, sk string) { return string(k.PK), string(k.SK) }

// TakeLease tries to take the lease of a show for the call with the id, and returns whether the call has got it.
func TakeLease(ctx context.Context, s *Store, show, call game.ID) (got bool, err error) {
	err = (&lease{store: s, show: show, call: call}).take(ctx)
	if errors.Is(err, errAtWork) {
		return false, nil
	}
	return err == nil, err
}

// KeepLease returns the functions with which a call keeps and ends the lease of a show.
func KeepLease(s *Store, show game.ID) (keep func(context.Context) error, rest func(), giveUp func(context.Context)) {
	l := &lease{store: s, show: show, call: game.NewID()}
	return l.keep, l.rest, l.giveUp
}

// Waits reports whether the call with the id must wait for a judging of the show.
func Waits(ctx context.Context, s *Store, show, call game.ID) (bool, error) {
	item, err := s.showItem(ctx, show)
	if err != nil {
		return false, err
	}
	return leased(item, game.InstantOf(s.clock()), call), nil
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
		counts[gateOf(animal, gates)]++
		traits := game.Phenotype{}
		for i := range traits {
			traits[i] = game.Fixed(rng.IntN(int(game.FixedMax)))
		}
		items = append(items, entryItem{
			key: entryKey(show.ID, animal, gates), Call: animal, Player: player, PlayerUsername: "player_" + string(player[:8]), AnimalName: "Buttercup",
			Breed: "Jersey", RarityTier: "common", CreatedAt: show.EntryClosesAt - 1, Condition: game.FixedMax, Health: 100, Phenotype: &traits,
		})
	}
	for k, count := range counts {
		items = append(items, gateItem{key: gateKey(show, k), Count: count})
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(4)
	for part := range slices.Chunk(items, transactionItems) {
		group.Go(func() error {
			t := s.table.Begin()
			for _, item := range part {
				t.Put(item, "", nil, nil)
			}
			return t.Commit(ctx)
		})
	}
	return group.Wait()
}

// Forge gives the record of a change the digest of its present content.
func Forge(record map[string]types.AttributeValue) error {
	item, err := unmarshal[auditItem](record)
	if err == nil {
		record["d"] = str(item.sum())
	}
	return err
}
