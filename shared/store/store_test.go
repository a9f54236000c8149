package store_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ranch-game/ranch/localstack/storetest"
	"github.com/ranch-game/ranch/shared/game"
)

func TestMain(m *testing.M) { storetest.Main(m) }

func now() game.Instant { return game.InstantOf(time.Now()) }

// fair is a table with an active season, an open show in it, and a player with three animals of grade 90.00, 50.00 and 10.00: in this order they
// rank among themselves.
type fair struct {
	*storetest.Table
	now    game.Instant
	season game.Season
	show   game.Show
	player storetest.Player
}

var grades = []game.Fixed{90_00, 50_00, 10_00}

func newFair(t *testing.T, tier string, fee int64, gates int) fair {
	t.Helper()
	f := fair{Table: storetest.New(t), now: now()}
	f.season = f.Season(t, f.now)
	f.show = f.Show(t, f.season, f.now, tier, fee, gates)
	f.player = f.graded(t)
	return f
}

// graded registers a player with the animals of a fair's player.
func (f fair) graded(t *testing.T) storetest.Player {
	t.Helper()
	p := storetest.NewPlayer(f.now)
	for i := range p.Animals {
		storetest.Grade(&p.Animals[i], grades[i])
	}
	f.Add(t, p, f.now)
	return p
}

// enter enters the player's animal i in the fair's show.
func (f fair) enter(ctx context.Context, p storetest.Player, i int) error {
	_, _, err := f.Enter(ctx, p.ID, f.show.ID, p.Animals[i].ID, f.now)
	return err
}

// judged enters animals of the player by their numbers and judges the show.
func (f fair) judged(t *testing.T, animals ...int) fair {
	t.Helper()
	for _, i := range animals {
		f.MustEnter(t, f.player, f.show, f.player.Animals[i], f.now)
	}
	f.MustJudge(t, f.player, f.show, f.now)
	return f
}

// account returns the player's account as it is now.
func (f fair) account(t *testing.T, p storetest.Player) game.Account {
	t.Helper()
	a, err := f.Rival.Account(t.Context(), p.ID)
	if err != nil || a == nil {
		t.Fatal(a, err)
	}
	return *a
}

// checkGold compares a player's balance and the amounts of its ledger rows.
func (f fair) checkGold(t *testing.T, p storetest.Player, balance int64, amounts ...int64) {
	t.Helper()
	rows, err := f.Rival.Ledger(t.Context(), p.ID)
	if err != nil {
		t.Fatal(err)
	}
	var got []int64
	for _, row := range rows {
		got = append(got, row.Amount)
	}
	checkEqual(t, "balance", f.account(t, p).GoldBalance, balance)
	checkEqual(t, "ledger", got, amounts)
}

// ranks returns the ranks in the show's list by animal; unranked entries have 0.
func (f fair) ranks(t *testing.T) map[game.ID]int {
	t.Helper()
	_, entries, err := f.Rival.ShowWithEntries(t.Context(), f.show.ID)
	if err != nil {
		t.Fatal(err)
	}
	ranks := map[game.ID]int{}
	for _, e := range entries {
		ranks[e.AnimalID] = 0
		if e.Rank != nil {
			ranks[e.AnimalID] = *e.Rank
		}
	}
	return ranks
}

// ban bans the player by the rival's hand.
func (f fair) ban(t *testing.T, p storetest.Player) {
	t.Helper()
	if err := f.Rival.SetUserStatus(t.Context(), p.ID, game.UserBanned); err != nil {
		t.Error(err)
	}
}

// rowsByKey returns the rows of a table by their keys, so that two scans can be compared.
func rowsByKey(rows []map[string]types.AttributeValue) map[string]map[string]types.AttributeValue {
	byKey := map[string]map[string]types.AttributeValue{}
	for _, row := range rows {
		byKey[row["PK"].(*types.AttributeValueMemberS).Value+" "+row["SK"].(*types.AttributeValueMemberS).Value] = row
	}
	return byKey
}

func checkError(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("got the error %v, want %v", err, want)
	}
}

// checkFaults checks that every fault that was laid out has had its turn: else the race did not take place.
func checkFaults(t *testing.T, table *storetest.Table) {
	t.Helper()
	if !table.Wire.Passed() {
		t.Error("not every fault had its turn")
	}
}

// soon returns a context that ends when an operation that cannot succeed has tried a few times.
func soon(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	t.Cleanup(cancel)
	return ctx
}

// atOnce runs n calls of do at once and returns how often each error occurred. The errors are those of wants, nil included; any other fails the test.
func atOnce(t *testing.T, n int, do func(i int) error, wants ...error) map[error]int {
	t.Helper()
	counts, errs, start := map[error]int{}, make([]error, n), make(chan struct{})
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() {
			<-start
			errs[i] = do(i)
		})
	}
	close(start)
	group.Wait()
next:
	for _, err := range errs {
		for _, want := range wants {
			if errors.Is(err, want) {
				counts[want]++
				continue next
			}
		}
		t.Errorf("unexpected error: %v", err)
	}
	return counts
}

// TestASeasonOfOnePlayer goes the way of a client through the whole service.
func TestASeasonOfOnePlayer(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 1)
	if err := f.enter(t.Context(), f.player, 0); err != nil {
		t.Fatal(err)
	}
	checkError(t, f.enter(t.Context(), f.player, 0), game.ErrDuplicateEntry)
	list, err := f.Shows(t.Context(), game.ShowOpen, "")
	if err != nil || len(list) != 1 || list[0].EntryCount != 1 {
		t.Error(list, err)
	}
	if ranked, err := f.Judge(t.Context(), f.player.ID, f.show.ID, f.now); err != nil || len(ranked) != 1 {
		t.Error(ranked, err)
	}
	if rank, prize, err := f.Claim(t.Context(), f.player.ID, f.show.ID, f.now); err != nil || rank != 1 || prize != 100 {
		t.Error(rank, prize, err)
	}
	_, entries, err := f.ShowWithEntries(t.Context(), f.show.ID)
	if err != nil || len(entries) != 1 || !entries[0].RewardClaimed || *entries[0].Rank != 1 {
		t.Error(entries, err)
	}
	if score, err := f.SeasonScore(t.Context(), f.player.ID, f.season.ID); err != nil || score != 100 {
		t.Error(score, err)
	}
	f.checkGold(t, f.player, 550, 500, -50, 100)
	f.Invariants(t)
}
