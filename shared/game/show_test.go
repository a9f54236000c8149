package game

import (
	"testing"
	"time"
)

func TestShowAcceptsEntriesUntilItsClosing(t *testing.T) {
	closing := InstantOf(time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC))
	for _, test := range []struct {
		status ShowStatus
		now    Instant
		want   bool
	}{
		{ShowOpen, closing - 1, true}, {ShowOpen, closing, false}, {ShowOpen, closing + 1, false},
		{ShowCompleted, closing - 1, false}, {"draft", closing - 1, false},
	} {
		show := Show{Status: test.status, EntryClosesAt: closing}
		if got := show.AcceptsEntriesAt(test.now); got != test.want {
			t.Errorf("%s at %v: %t", test.status, test.now, got)
		}
	}
}

func TestShowFree(t *testing.T) {
	for fee, want := range map[int64]bool{-5: true, 0: true, 1: false} {
		if got := (Show{EntryFee: fee}).Free(); got != want {
			t.Errorf("fee %d is free: %t", fee, got)
		}
	}
}
