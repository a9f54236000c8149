package functiontest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/google/go-cmp/cmp"

	"github.com/ranch-game/ranch/localstack/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/token"
)

// Who and what is what in scenes, by the numbers of their IDs.
const (
	Ann = 100 // players; the ranch has the number after, the animals those from 2 after on
	Bob = 200
	Cid = 300

	Fair   = 9000 // a show
	Autumn = 9900 // a season
)

var names = map[int]string{Ann: "Ann", Bob: "Bob", Cid: "Cid"}

// ID is the same in every run, and told apart from ids that the service makes.
func ID(n int) game.ID { return game.ID(fmt.Sprintf("%08d-0000-4000-8000-000000000000", n)) }

// NewPlayer returns one of the players with 500 gold, who is not registered yet. Its animals have the grades: 90.00, 50.00 and 10.00 where none are
// given. Grades 7.00 apart rank in their order, whatever the show.
func (b *Bench) NewPlayer(n int, grades ...game.Fixed) storetest.Player {
	if len(grades) == 0 {
		grades = []game.Fixed{90_00, 50_00, 10_00}
	}
	form := game.Registration{Email: names[n] + "@example.com", Username: names[n], RanchName: "Ranch of " + names[n]}
	p := storetest.Player{Account: game.NewAccount(form, "no hash: nobody logs in", b.Now)}
	p.ID, p.Ranch.ID = ID(n), ID(n+1)
	for rng := rand.New(rand.NewPCG(uint64(n), 0)); len(p.Animals) < len(grades); {
		p.Animals = append(p.Animals, game.Starters(rng, p.ID, p.Ranch.ID, b.Now)...)
	}
	p.Animals = p.Animals[:len(grades)]
	for i, grade := range grades {
		p.Animals[i].ID = ID(n + 2 + i)
		storetest.Grade(&p.Animals[i], grade)
	}
	p.Starter, p.Refresh = game.StarterEntry(p.ID, b.Now), storetest.NewRefresh(p.ID, b.Now)
	return p
}

// Player registers one of the players.
func (b *Bench) Player(t testing.TB, n int, grades ...game.Fixed) storetest.Player {
	t.Helper()
	p := b.NewPlayer(n, grades...)
	b.Add(t, p, b.Now)
	return p
}

// Session registers Ann with a refresh token that the keys issue now.
func (b *Bench) Session(t testing.TB, keys *token.Keys) (ann storetest.Player, refresh string) {
	t.Helper()
	ann = b.NewPlayer(Ann)
	refresh, ann.Refresh = RefreshBy(t, keys, ann.ID, b.Now)
	b.Add(t, ann, b.Now)
	return ann, refresh
}

// AddSeason creates an active season.
func (b *Bench) AddSeason(t testing.TB, n int, change func(*game.Season)) game.Season {
	t.Helper()
	s := game.Season{ID: ID(n), Name: "Autumn", StartDate: b.Now.Add(-time.Hour), EndDate: b.Now.Add(30 * 24 * time.Hour), IsActive: true}
	change(&s)
	if err := b.Rival.CreateSeason(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	return s
}

// AsItIs changes nothing.
func AsItIs[V any](*V) {}

// AddShow creates a show of the season Autumn: open for another hour, rookie, for 50 gold.
func (b *Bench) AddShow(t testing.TB, n int, change func(*game.Show)) game.Show {
	t.Helper()
	s := game.Show{
		ID: ID(n), Name: "County Fair", Tier: game.TierRookie, EntryFee: 50, EntryClosesAt: b.Now.Add(time.Hour), Status: game.ShowOpen, SeasonID: ID(Autumn),
	}
	change(&s)
	if err := b.Rival.CreateShow(t.Context(), s, 1); err != nil {
		t.Fatal(err)
	}
	return s
}

// Fairground creates the season Autumn and the show Fair in it, and registers Ann.
func (b *Bench) Fairground(t testing.TB) (game.Show, storetest.Player) {
	t.Helper()
	b.AddSeason(t, Autumn, AsItIs)
	return b.AddShow(t, Fair, AsItIs), b.Player(t, Ann)
}

// EnterAll enters the player's animals by their numbers, one millisecond after the other.
func (b *Bench) EnterAll(t testing.TB, p storetest.Player, show game.Show, animals ...int) {
	t.Helper()
	for n, i := range animals {
		b.MustEnter(t, p, show, p.Animals[i], b.Now+game.Instant(n))
	}
}

// Ban bans a user.
func (b *Bench) Ban(t testing.TB, user game.ID) {
	t.Helper()
	if err := b.Rival.SetUserStatus(t.Context(), user, game.UserBanned); err != nil {
		t.Error(err)
	}
}

// Unban lets a banned user be active again.
func (b *Bench) Unban(t testing.TB, user game.ID) {
	t.Helper()
	if err := b.Rival.SetUserStatus(t.Context(), user, game.UserActive); err != nil {
		t.Error(err)
	}
}

// DeleteUser deletes the user's own row, as an operator might.
func (b *Bench) DeleteUser(t testing.TB, user game.ID) {
	b.At("USER#"+string(user), "PROFILE").Delete(t)
}

// AccountOf returns an account as it is stored.
func (b *Bench) AccountOf(t testing.TB, user game.ID) game.Account {
	t.Helper()
	a, err := b.Rival.Account(t.Context(), user)
	if err != nil || a == nil {
		t.Fatalf("user %s: %v, %v", user, a, err)
	}
	return *a
}

// CheckGold compares a balance with what it should be, and all amounts of the ledger.
func (b *Bench) CheckGold(t testing.TB, user game.ID, balance int64, amounts ...int64) {
	t.Helper()
	var got []int64
	for _, row := range b.LedgerOf(t, user) {
		got = append(got, row.Amount)
	}
	if gold := b.AccountOf(t, user).GoldBalance; gold != balance || !slices.Equal(got, amounts) {
		t.Errorf("balance %d, ledger %v, want %d, %v", gold, got, balance, amounts)
	}
}

// LedgerOf returns the rows of a user's ledger.
func (b *Bench) LedgerOf(t testing.TB, user game.ID) []game.LedgerEntry {
	t.Helper()
	rows, err := b.Rival.Ledger(t.Context(), user)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// Rows returns all that is stored, by the rows' keys.
func (b *Bench) Rows(t testing.TB) map[string]map[string]any {
	t.Helper()
	rows := map[string]map[string]any{}
	for _, av := range b.Scan(t) {
		var row map[string]any
		if err := attributevalue.UnmarshalMap(av, &row); err != nil {
			t.Fatal(err)
		}
		rows[fmt.Sprint(row["PK"], " ", row["SK"])] = row
	}
	return rows
}

// Unchanged checks that nothing is stored otherwise after do than before.
func (b *Bench) Unchanged(t testing.TB, do func()) {
	t.Helper()
	before := b.Rows(t)
	do()
	if diff := cmp.Diff(before, b.Rows(t)); diff != "" {
		t.Errorf("the table has changed (-before +after):\n%s", diff)
	}
}

// Changed returns the keys of the rows that are new, other or gone after do, in their order.
func (b *Bench) Changed(t testing.TB, do func()) []string {
	t.Helper()
	before := b.Rows(t)
	do()
	after := b.Rows(t)
	changed := map[string]bool{}
	for key := range before {
		changed[key] = !cmp.Equal(before[key], after[key])
	}
	for key := range after {
		changed[key] = !cmp.Equal(before[key], after[key])
	}
	maps.DeleteFunc(changed, func(_ string, is bool) bool { return !is })
	return slices.Sorted(maps.Keys(changed))
}
