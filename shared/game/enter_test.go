package game

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// impediments are the reasons against an entry, in the order of the rules.
var impediments = []struct {
	name  string
	apply func(*EntryRequest)
	want  error
}{
	{"no caller", func(r *EntryRequest) { r.Caller = nil }, ErrUnauthorized},
	{"banned caller", func(r *EntryRequest) { r.Caller.Status = UserBanned }, ErrUnauthorized},
	{"no show", func(r *EntryRequest) { r.Show = nil }, ErrShowClosed},
	{"show completed", func(r *EntryRequest) { r.Show.Status = ShowCompleted }, ErrShowClosed},
	{"show full", func(r *EntryRequest) { r.Full = true }, ErrShowClosed},
	{"show closes now", func(r *EntryRequest) { r.Show.EntryClosesAt = r.Now }, ErrShowClosed},
	{"no animal", func(r *EntryRequest) { r.Animal = nil }, ErrAnimalUnknown},
	{"dead animal", func(r *EntryRequest) { r.Animal.DiedAt = new(r.Now - 1) }, ErrAnimalUnknown},
	{"pregnant animal", func(r *EntryRequest) { r.Animal.Status = StatusPregnant }, ErrPregnant},
	{"calf", func(r *EntryRequest) { r.Animal.Stage = StageCalf }, ErrCalf},
	{"entered already", func(r *EntryRequest) { r.Entered = true }, ErrDuplicateEntry},
	{"too little gold", func(r *EntryRequest) { r.Caller.GoldBalance = r.Show.EntryFee - 1 }, InsufficientGold(40)},
}

// allowedEntry is an entry that costs all of the caller's gold, one millisecond before the closing time.
func allowedEntry() EntryRequest {
	const now = Instant(1_000)
	return EntryRequest{
		Caller: &Account{User: User{Status: UserActive, GoldBalance: 40}},
		Show:   &Show{Status: ShowOpen, EntryFee: 40, EntryClosesAt: now + 1},
		Animal: &Animal{Stage: StageAdult, Status: StatusIdle},
		Now:    now,
	}
}

func TestEntryAllowed(t *testing.T) {
	assert.NoError(t, allowedEntry().Check())
	for _, fee := range []int64{0, -1} {
		free := allowedEntry()
		free.Caller.GoldBalance, free.Show.EntryFee = 0, fee
		err := free.Check()
		assert.NoError(t, err, "fee %d without gold", fee)
	}
}

// If several rules fail, Check returns the refusal of the first in the order of docs/rules.md, S4.7.7.
func TestEntryRefusalsInOrder(t *testing.T) {
	for i, first := range impediments {
		for _, second := range impediments[i:] { // the first pair is one reason alone
			r := allowedEntry()
			second.apply(&r)
			first.apply(&r)
			err := r.Check()
			assert.ErrorIs(t, err, first.want, "%s and %s: got %v, want %v", first.name, second.name, err, first.want)
		}
	}
}
