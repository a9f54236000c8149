package invariants_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/infra/invariants"
	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
	"github.com/ranch-game/ranch/shared/table"
)

func TestMain(m *testing.M) { storetest.Main(m) }

func newScene(t *testing.T) *storetest.Scene {
	t.Helper()
	s := storetest.NewScene(t, game.InstantOf(time.Now()))
	s.AddFair(t, storetest.Gates(2))
	return s
}

func verify(t *testing.T, r invariants.Reader) []invariants.Problem {
	t.Helper()
	rows, problems, err := invariants.Verify(t.Context(), r, func(int) {})
	assert.True(t, err == nil && rows != 0, "%v, %v", rows, err)
	return problems
}

// mixed is a table whose scan returns the rows given. Other reads return the current rows.
type mixed struct {
	*table.Table
	rows []table.Attributes
}

func (m mixed) EachPage(_ context.Context, _ table.Filter, visit func([]table.Attributes) error) error {
	return visit(m.rows)
}

func pkOf(row table.Attributes) string { return row["PK"].(*types.AttributeValueMemberS).Value }

// During a scan, the table may change between two pages. Verify finds no problem in a correct table, whichever kinds of
// rows it has read before the change.
func TestVerifyWhileTheTableChanges(t *testing.T) {
	t.Parallel()
	closes := game.InstantOf(time.Now()).Add(2 * time.Hour)
	for name, change := range map[string]func(t *testing.T, s *storetest.Scene, bob storetest.Player){
		"a registration": func(t *testing.T, s *storetest.Scene, _ storetest.Player) { s.AddPlayer(t, storetest.Anybody) },
		"an entry":       func(t *testing.T, s *storetest.Scene, bob storetest.Player) { s.MustEnter(t, bob, s.Show, 1) },
		"a judging":      func(t *testing.T, s *storetest.Scene, _ storetest.Player) { s.MustJudge(t, s.Ann, s.Show) },
		"a judging and a claim": func(t *testing.T, s *storetest.Scene, bob storetest.Player) {
			s.MustJudge(t, s.Ann, s.Show)
			s.MustClaim(t, s.Ann, s.Show)
			s.MustClaim(t, bob, s.Show)
		},
		"a judging and a fold": func(t *testing.T, s *storetest.Scene, _ storetest.Player) {
			s.MustJudge(t, s.Ann, s.Show)
			s.MustFold(t)
		},
		"a fold, a judging, a deletion and a fold": func(t *testing.T, s *storetest.Scene, bob storetest.Player) {
			s.MustFold(t)
			s.MustJudge(t, s.Ann, s.Show)
			s.DeleteUser(t, bob.ID)
			s.AtTime(s.Now + 1).MustFold(t)
		},
		"a cancellation and refunds": func(t *testing.T, s *storetest.Scene, _ storetest.Player) {
			s.MustCancel(t, s.Show)
			assert.NoError(t, s.Operator().Refund(t.Context(), s.Show.ID, nil))
		},
		"an animal's change": func(t *testing.T, s *storetest.Scene, bob storetest.Player) {
			s.MustChange(t, bob, 0, operate.AnimalChange{DropPhenotype: true})
		},
		"a deletion": func(t *testing.T, s *storetest.Scene, bob storetest.Player) { s.DeleteUser(t, bob.ID) },
		"other terms": func(t *testing.T, s *storetest.Scene, _ storetest.Player) {
			s.MustSet(t, s.Show, operate.ShowChange{EntryClosesAt: &closes})
		},
		"another name": func(t *testing.T, s *storetest.Scene, _ storetest.Player) {
			s.MustSet(t, s.Show, operate.ShowChange{Name: new("Autumn Fair")})
		},
		"an adjustment": func(t *testing.T, s *storetest.Scene, bob storetest.Player) {
			assert.NoError(t, s.Operator().AdjustGold(t.Context(), bob.ID, 5, "a gift"))
		},
		"a show": func(t *testing.T, s *storetest.Scene, _ storetest.Player) { s.AddShow(t) },
		"a season's end": func(t *testing.T, s *storetest.Scene, _ storetest.Player) {
			assert.NoError(t, s.Operator().SetSeasonActive(t.Context(), s.Season.ID, false))
		},
		"a season's start": func(t *testing.T, s *storetest.Scene, _ storetest.Player) { s.AddSeason(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t)
			bob := s.AddPlayer(t, storetest.Bob)
			s.MustEnter(t, s.Ann, s.Show, 0)
			s.MustEnter(t, bob, s.Show, 0)
			before := s.Scan(t)
			change(t, s, bob)
			after := s.Scan(t)
			var looks sync.WaitGroup // at once, since they wait
			for _, kind := range []string{"USER#", "SHOW#", "BOARD#", "G#", "EMAIL#", "SEASON", "CHANGED", "PENDING", "AUDIT#", "JUDGED", "STANDINGS"} {
				for early, rows := range map[bool][2][]table.Attributes{true: {before, after}, false: {after, before}} {
					ofKind := func(row table.Attributes) bool { return strings.HasPrefix(pkOf(row), kind) }
					others := slices.DeleteFunc(slices.Clone(rows[1]), ofKind)
					these := slices.DeleteFunc(slices.Clone(rows[0]), func(row table.Attributes) bool { return !ofKind(row) })
					looks.Go(func() {
						problems := verify(t, mixed{s.Desk.Table, slices.Concat(these, others)})
						assert.Empty(t, problems, "rows of the kind %s are read earlier: %t\n%v", kind, early, problems)
					})
				}
			}
			looks.Wait()
		})
	}
}

// Verify reports a missing row although it reads the row's partition again, and although the table changes meanwhile.
func TestVerifyADamagedTable(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.MustEnter(t, s.Ann, s.Show, 0)
	assert.Empty(t, verify(t, s.Desk.Table))
	animal := s.At("USER#"+string(s.Ann.ID), "ANIMAL#"+string(s.Ann.Animals[2].ID)) // which has entered nothing
	there := animal.Read(t)
	animal.Delete(t)
	problems := verify(t, s.Desk.Table)
	assert.True(t, len(problems) == 1 && problems[0].Record.SK == "ANIMAL#", "%v", problems)
	animal.Restore(t, there)
	pk, sk := "USER#"+string(s.Ann.ID), "LEDGER#000000000001"
	s.At(pk, sk).Delete(t)
	before := s.Scan(t)
	s.MustJudge(t, s.Ann, s.Show)
	for _, r := range []invariants.Reader{s.Desk.Table, mixed{s.Desk.Table, before}} {
		problems := verify(t, r)
		assert.True(t, len(problems) != 0 &&
			problems[0].Record == table.Key{PK: table.PK(pk), SK: table.SK(sk)} && problems[0].Subject.ID == s.Ann.ID, "%v", problems)
	}
}
