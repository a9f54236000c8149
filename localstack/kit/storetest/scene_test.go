package storetest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
)

func TestMain(m *testing.M) { storetest.Main(m) }

const now game.Instant = 1_795_167_000_007

// recorder counts the errors of a check instead of failing.
type recorder struct {
	testing.TB
	errors int
}

func (r *recorder) Error(...any)          { r.errors++ }
func (r *recorder) Errorf(string, ...any) { r.errors++ }

// TestChecksNotice tests that the checks of this package report a difference, and only then.
func TestChecksNotice(t *testing.T) {
	t.Parallel()
	s := storetest.NewScene(t, now)
	s.AddFair(t)
	s.MustEnter(t, s.Ann, s.Show, 0)
	row := s.At("USER#"+string(s.Ann.ID), "PROFILE")
	set := func(gold int64) func() {
		return func() { row.Edit(t, "SET g = :g", map[string]any{":g": gold}) }
	}
	set(1 << 60)() // two numbers of this size are equal as floating point
	for name, c := range map[string]struct {
		check func(tb testing.TB)
		want  int
	}{
		"equal":            {func(tb testing.TB) { storetest.Equal(tb, "lists", []int{}, nil) }, 0},
		"not equal":        {func(tb testing.TB) { storetest.Equal(tb, "lists", []int{1}, nil) }, 1},
		"gold":             {func(tb testing.TB) { s.CheckGold(tb, s.Ann.ID, 1<<60, 500, -50) }, 0},
		"another balance":  {func(tb testing.TB) { s.CheckGold(tb, s.Ann.ID, 450, 500, -50) }, 1},
		"another ledger":   {func(tb testing.TB) { s.CheckGold(tb, s.Ann.ID, 1<<60, 500) }, 1},
		"unchanged":        {func(tb testing.TB) { s.Unchanged(tb, set(1<<60)) }, 0},
		"changed":          {func(tb testing.TB) { s.Unchanged(tb, set(1<<60+1)) }, 1},
		"faults to come":   {func(tb testing.TB) { s.Meanwhile(func() {}); s.CheckFaults(tb) }, 1},
		"no faults at all": {func(tb testing.TB) { s.CheckFaults(tb) }, 0},
	} {
		r := &recorder{TB: t}
		c.check(r)
		assert.Equal(t, c.want, r.errors, "%s: %d errors, want %d", name, r.errors, c.want)
		set(1 << 60)()
		s.Wire.Forget()
	}
	other := s.At("BARN", "BARN")
	changed := s.Changed(t, func() {
		set(0)()
		s.At("USER#"+string(s.Ann.ID), "PROFILE").Delete(t)
		other.Edit(t, "SET na = :n", map[string]any{":n": "new"})
	})
	storetest.Equal(t, "changed rows", changed, []string{"BARN BARN", "USER#" + string(s.Ann.ID) + " PROFILE"})
}
