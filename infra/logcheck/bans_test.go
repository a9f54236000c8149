package logcheck_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// change is an operator's change of Ann. It was begun and written these times before the calls.
type change struct {
	do             func(context.Context, store.Operator, game.ID) error
	begun, written time.Duration
	old            bool // its record has no time of writing
}

func ban(begun, written time.Duration) change {
	return change{do: func(ctx context.Context, o store.Operator, user game.ID) error { return o.Ban(ctx, user) }, begun: begun, written: written}
}

func unban(ago time.Duration) change {
	return change{do: func(ctx context.Context, o store.Operator, user game.ID) error { return o.Unban(ctx, user) }, begun: ago, written: ago}
}

func deletion(ago time.Duration) change {
	return change{do: func(ctx context.Context, o store.Operator, user game.ID) error {
		_, err := o.DeleteUser(ctx, user)
		return err
	}, begun: ago, written: ago}
}

func (c change) asOld() change {
	c.old = true
	return c
}

func (s *service) change(c change) {
	s.t.Helper()
	s.Clock.Stop()
	s.Clock.Move(s.Now.Add(-c.written).Time().Sub(s.Clock.Now()))
	made := store.NewChange("tester", "", s.Now.Add(-c.begun))
	require.NoError(s.t, c.do(s.t.Context(), s.Rival.Operator(made), s.ann.ID))
	if c.old {
		s.At("AUDIT#"+made.At.Time().Format("2006-01"), string(made.ID)).Edit(s.t, "REMOVE wr", nil)
	}
}

// A banned player must not have done anything between the latest time of the ban and the earliest time of its end.
func TestBans(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for name, c := range map[string]struct {
		changes []change
		want    string // violation; "" is none
	}{
		"banned":                       {[]change{ban(2*time.Minute, 2*time.Minute)}, "the user was banned, by ban"},
		"deleted":                      {[]change{deletion(2 * time.Minute)}, "the user was banned, by delete user"},
		"just banned":                  {[]change{ban(30*time.Second, 30*time.Second)}, ""},
		"a question that waited":       {[]change{ban(time.Hour, 0)}, ""},
		"repeated after hours":         {[]change{ban(5*time.Hour, 2*time.Minute)}, "the user was banned, by ban"},
		"unbanned":                     {[]change{ban(2*time.Hour, 2*time.Hour), unban(time.Hour)}, ""},
		"unbanned afterwards":          {[]change{ban(2*time.Minute, 2*time.Minute), unban(-2 * time.Minute)}, "the user was banned, by ban"},
		"unbanned by a fast clock":     {[]change{ban(2*time.Minute, 2*time.Minute), unban(-20 * time.Second)}, ""},
		"repeated after an unban":      {[]change{ban(3*time.Hour, time.Hour), unban(2 * time.Hour)}, "the user was banned, by ban"},
		"unbanned at the same time":    {[]change{ban(2*time.Hour, 2*time.Hour), unban(2*time.Hour + 10*time.Second)}, ""},
		"banned again":                 {[]change{ban(3*time.Hour, 3*time.Hour), unban(2 * time.Hour), ban(time.Hour, time.Hour)}, "the user was banned, by ban"},
		"an old record":                {[]change{ban(8*day, 0).asOld()}, "the user was banned, by ban"},
		"an old record of that week":   {[]change{ban(6*day, 0).asOld()}, ""},
		"an old record, then unbanned": {[]change{ban(9*day, 0).asOld(), unban(time.Hour)}, ""},
		"months ago":                   {[]change{ban(40*day, 40*day)}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := played(t)
			for _, change := range c.changes {
				s.change(change)
			}
			r := s.check(true)
			if c.want != "" {
				s.wantFound(r, c.want)
			} else if r.Found > 0 {
				t.Error(r.Violations)
			}
		})
	}
}
