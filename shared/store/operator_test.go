package store_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
	"github.com/ranch-game/ranch/shared/store"
)

// A record has who changed what, when and why, and the states before and after.
func TestChangesAreRecorded(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	f.Clock.Stop()
	change := operate.NewChange("arn:aws:iam::000000000000:user/ann", "cheated", f.Now+10)
	checkError(t, f.Desk.Operator(change).Ban(t.Context(), f.Ann.ID), nil)

	records := must(f.Audit(t.Context(), f.Now+1, f.Now+11))(t)
	for i := range records {
		records[i].Link = operate.Link{} // TestAuditForgeriesAreFound checks links
	}
	storetest.Equal(t, "records", records, []operate.AuditRecord{{
		ID: change.ID, At: change.At, WrittenAt: game.InstantOf(f.Clock.Now()), By: change.By, Action: "ban", Subject: "user " + string(f.Ann.ID), Reason: "cheated",
		Before: json.RawMessage(`{"status":"active"}`),
		After:  json.RawMessage(`{"status":"banned","sessionsFrom":"` + (f.Now + 11).String() + `"}`),
	}})
	for name, window := range map[string][2]game.Instant{"before": {0, f.Now + 10}, "after": {f.Now + 11, f.Now + 1000}} {
		records := must(f.Audit(t.Context(), window[0], window[1]))(t)
		assert.False(t, slices.ContainsFunc(records, func(r operate.AuditRecord) bool { return r.ID == change.ID }), "%s: %v", name, records)
	}
}

// WrittenAt is the start of the attempt that made the change, not of the change. The SDK's retries are one attempt.
func TestWhenChangesAreWritten(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	f.Clock.Stop()
	began := game.InstantOf(f.Clock.Now())
	after := func(d time.Duration, fault storetest.Fault) storetest.Fault {
		return func(r *http.Request, pass http.RoundTripper) (*http.Response, error) {
			f.Clock.Move(d)
			return fault(r, pass)
		}
	}
	f.Wire.Next("TransactWriteItems", after(time.Minute, storetest.Cancelled("ConditionalCheckFailed")), // read again
		after(time.Second, storetest.Lost), after(time.Second, storetest.Pass))
	change := f.Change()
	checkError(t, f.Desk.Operator(change).Ban(t.Context(), f.Ann.ID), nil)
	r := must(f.AuditRecord(t.Context(), change.ID))(t)
	storetest.Equal(t, "when it was written", r.WrittenAt, began.Add(time.Minute))
}

// The record of a creation has no state before it, and a change that was not made has no record.
func TestWhatRecordsSay(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	season, animal := f.NewSeason(starting(1, false)), f.Ann.Animals[0]
	for _, c := range []struct{ action, subject, before, after string }{
		{"create season", "season " + string(season.ID), "", `"isActive":false`},
		{"activate season", "season " + string(season.ID), `"isActive":false`, `"isActive":true`},
		{"deactivate season", "season " + string(season.ID), `"isActive":true`, `"isActive":false`},
		{"change animal", "animal " + string(animal.ID), `"phenotype":true`, `"phenotype":false`},
	} {
		change := f.Change()
		none, err := f.AuditRecord(t.Context(), change.ID)
		assert.True(t, none == nil && err == nil, "%v, %v", none, err)
		o := f.Desk.Operator(change)
		switch c.action {
		case "create season":
			err = o.CreateSeason(t.Context(), season)
		case "change animal":
			err = o.ChangeAnimal(t.Context(), f.Ann.ID, animal.ID, operate.AnimalChange{DropPhenotype: true})
		default:
			err = o.SetSeasonActive(t.Context(), season.ID, c.action == "activate season")
		}
		checkError(t, err, nil)
		r := must(f.AuditRecord(t.Context(), change.ID))(t)
		assert.True(t, r.Action == c.action && r.Subject == c.subject && strings.Contains(string(r.After), c.after) && (len(r.Before) == 0) == (c.before == "") && strings.Contains(string(r.Before), c.before),
			"the record is %+v, want %+v", r, c)
	}
}

// checkRecorded checks that the change left a record with this action, and these texts in the states before and after.
func (f fair) checkRecorded(t *testing.T, change operate.Change, action, before, after string) {
	t.Helper()
	r := must(f.Rival.AuditRecord(t.Context(), change.ID))(t)
	assert.True(t, r != nil && r.Action == action && r.Subject == "show "+string(f.Show.ID) && r.By == change.By && strings.Contains(string(r.Before), before) && strings.Contains(string(r.After), after),
		"the record is %+v, want %s, from %s to %s", r, action, before, after)
}

// Audit returns the records of several months, oldest first, and reads only the months that it was asked for.
func TestAuditOfMonths(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	p := s.AddPlayer(t, storetest.Ann)
	var want []game.ID
	for _, days := range []game.Instant{0, 20, 40, 60, 120} {
		change := s.AtTime(s.Now + days*24*3600*1000).Change()
		checkError(t, s.Desk.Operator(change).Unban(t.Context(), p.ID), nil)
		want = append(want, change.ID)
	}
	records := must(s.Audit(t.Context(), s.Now, s.Now+121*24*3600*1000))(t)
	var got []game.ID
	for _, r := range records {
		got = append(got, r.ID)
	}
	storetest.Equal(t, "changes", got, want)

	first := game.InstantOf(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	s.Wire.Reset()
	must(s.Audit(t.Context(), first-1, first))(t)
	storetest.Equal(t, "months read for the last millisecond of one", s.Wire.Cost().Requests, 1)
}

// Repeating a change under its id changes nothing, and another change under the same id is refused.
func TestAChangeIsMadeOnce(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	o := f.changes()
	checkError(t, o.Ban(t.Context(), f.Ann.ID), nil)
	f.Unban(t, f.Ann.ID)
	f.Unchanged(t, func() {
		checkError(t, o.Ban(t.Context(), f.Ann.ID), nil)
		checkError(t, o.Unban(t.Context(), f.Ann.ID), operate.ErrOtherChange)
		checkError(t, o.Ban(t.Context(), game.NewID()), operate.ErrOtherChange)
	})
	storetest.Equal(t, "status", f.AccountOf(t, f.Ann.ID).Status, game.UserActive)
	again := f.NewShow()
	create := f.changes()
	checkError(t, create.CreateShow(t.Context(), again, 2), nil)
	season := f.NewSeason(starting(1, true))
	found := f.changes()
	checkError(t, found.CreateSeason(t.Context(), season), nil)
	adjust := f.changes()
	checkError(t, adjust.AdjustGold(t.Context(), f.Ann.ID, 25, mended), nil)
	f.Unchanged(t, func() {
		checkError(t, create.CreateShow(t.Context(), again, 2), nil)
		checkError(t, found.CreateSeason(t.Context(), season), nil)
		checkError(t, adjust.AdjustGold(t.Context(), f.Ann.ID, 25, mended), nil)
		again.Name, season.Name = "Other", "Other"
		checkError(t, create.CreateShow(t.Context(), again, 2), operate.ErrOtherChange)
		checkError(t, found.CreateSeason(t.Context(), season), operate.ErrOtherChange)
		checkError(t, adjust.AdjustGold(t.Context(), f.Ann.ID, -400, mended), operate.ErrOtherChange)
	})
}

// Two calls make the same change at once. Both return success, and the change happens once.
func TestAChangeIsMadeOnceAtOnce(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	change := f.Change()
	f.Meanwhile(func() { checkError(t, f.Rival.Operator(change).Ban(t.Context(), f.Ann.ID), nil) })
	checkError(t, f.Desk.Operator(change).Ban(t.Context(), f.Ann.ID), nil)
	f.Invariants(t)

	// The same holds if the ledger has got more rows since.
	change = f.Change()
	f.Meanwhile(func() {
		mustAdjust(t, f, f.Change(), 50)
		mustAdjust(t, f, change, 100)
	})
	checkError(t, f.Desk.Operator(change).AdjustGold(t.Context(), f.Ann.ID, 100, mended), nil)
	f.CheckGold(t, f.Ann.ID, 650, 500, 50, 100)

	// The same holds if another change has reversed it since.
	change = f.Change()
	f.Meanwhile(func() {
		checkError(t, f.Rival.Operator(change).SetSeasonActive(t.Context(), f.Season.ID, false), nil)
		checkError(t, f.Operator().SetSeasonActive(t.Context(), f.Season.ID, true), nil)
	})
	checkError(t, f.Desk.Operator(change).SetSeasonActive(t.Context(), f.Season.ID, false), nil)
	checkActive(t, f.Scene, &f.Scene.Season)
}

// A conflict has written nothing, so a refusal after conflicts is not unclear.
func TestRefusedAfterConflicts(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	last := func(r *http.Request, pass http.RoundTripper) (*http.Response, error) {
		checkError(t, f.Rival.Operator(f.Change()).CancelShow(context.WithoutCancel(t.Context()), f.Show.ID), nil)
		return storetest.Conflict(r, pass)
	}
	f.Wire.Next("TransactWriteItems", storetest.Conflict, storetest.Conflict, last)
	err := f.changes().SetShow(t.Context(), f.Show.ID, operate.ShowChange{Name: new("Other")})
	assert.True(t, errors.Is(err, operate.ErrNotOpen) && !errors.Is(err, operate.ErrUnclear), "error %v", err)
}

// A refusal does not show whether an earlier lost attempt was applied, or still will be.
func TestRefusedAfterALostAttempt(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	account := game.NewExternalAccount("ext@example.com", "ext", f.Now)
	other := game.NewExternalAccount("ext@example.com", "ext", f.Now)
	f.Wire.Next("TransactWriteItems", storetest.Lost, storetest.Before(func() {
		checkError(t, f.Rival.Operator(f.Change()).CreateExternalAccount(context.WithoutCancel(t.Context()), other), nil)
	}))
	checkError(t, f.changes().CreateExternalAccount(t.Context(), account), operate.ErrUnclear)
	f.CheckFaults(t)

	bob := f.NewPlayer(storetest.Bob)
	f.Wire.Next("TransactWriteItems", storetest.Lost, storetest.Before(func() { f.Register(t, bob) }))
	checkError(t, errOf(f.changes().SetUser(t.Context(), f.Ann.ID, username(bob.Username))), operate.ErrUnclear)
	f.CheckFaults(t)

	// If the change's record exists, the lost attempt was applied, whatever its repetition returns.
	f.Wire.Next("TransactWriteItems", storetest.LoseAnswer, storetest.Cancelled("ConditionalCheckFailed"))
	checkError(t, f.changes().CreateShow(t.Context(), f.NewShow(), 2), nil)
}

// Only the change's own record shows whether a lost attempt was applied: no later refusal, and no other record.
func TestAttemptsAfterALostOne(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	show := f.NewShow()
	// In the transaction the record follows the season, the show, two gates and four rows of boards.
	stale := storetest.Cancelled(append(slices.Repeat([]string{"None"}, 8), "ConditionalCheckFailed")...)
	f.Wire.Next("TransactWriteItems", storetest.Lost, stale, storetest.Before(func() {
		checkError(t, f.Operator().CreateShow(t.Context(), show, 2), nil)
	}))
	err := f.changes().CreateShow(t.Context(), show, 2)
	checkError(t, err, operate.ErrUnclear)
	checkError(t, err, operate.ErrExists)
	f.CheckFaults(t)

	change := f.Change()
	f.Wire.Next("TransactWriteItems", storetest.Lost, storetest.Before(func() {
		checkError(t, f.Rival.Operator(change).RevokeSessions(t.Context(), f.Ann.ID), nil)
	}))
	err = f.Desk.Operator(change).Ban(t.Context(), f.Ann.ID)
	checkError(t, err, operate.ErrUnclear)
	checkError(t, err, operate.ErrOtherChange)
	f.CheckFaults(t)

	// If a later attempt succeeds, make does not look for the record.
	f.Wire.Next("TransactWriteItems", storetest.Lost, storetest.Cancelled("ConditionalCheckFailed"), storetest.Pass)
	f.Wire.Reset()
	checkError(t, f.changes().Ban(t.Context(), f.Ann.ID), nil)
	storetest.Equal(t, "requests", f.Wire.Cost().Requests, 2*3) // the record, the user and the transaction, twice
}

// If the table denies access, the change has certainly failed, unless an earlier attempt was lost.
func TestDeniedChanges(t *testing.T) {
	t.Parallel()
	for unclear, faults := range map[bool][]storetest.Fault{false: {storetest.Denied}, true: {storetest.Lost, storetest.Denied}} {
		f := newFair(t, game.TierRookie, 0, 1)
		f.Wire.Next("TransactWriteItems", faults...)
		f.Unchanged(t, func() {
			err := f.changes().Ban(t.Context(), f.Ann.ID)
			assert.True(t, err != nil && errors.Is(err, operate.ErrUnclear) == unclear, "got the error %v, want it unclear: %t", err, unclear)
		})
		f.CheckFaults(t)
	}
}

// If the change's record or the head of the chain cannot be decoded, a change fails at once, and says so.
func TestChangesAfterADamagedRecord(t *testing.T) {
	t.Parallel()
	f := bareFair(t)
	change := f.Change()
	checkError(t, f.Desk.Operator(change).Ban(t.Context(), f.Ann.ID), nil)
	for _, damaged := range []storetest.Row{f.At(store.AuditKey(change.ID)), f.At("AUDIT", "HEAD")} {
		was := damaged.Read(t)
		damaged.Edit(t, "SET nu = :damaged", map[string]any{":damaged": "first"})
		err := f.Desk.Operator(change).Ban(soon(t), f.Ann.ID)
		assert.True(t, err != nil && !errors.Is(err, context.DeadlineExceeded), "%s: %v", damaged.Key(), err)
		damaged.Restore(t, was)
	}
}

// If all answers are lost, the change was made if its record exists. Otherwise its outcome is unknown.
func TestUnclearChanges(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault storetest.Fault
		want  error
	}{
		"applied": {storetest.LoseAnswer, nil},
		"not yet": {storetest.Unavailable, operate.ErrUnclear},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFair(t, game.TierRookie, 0, 1)
			ctx, cancel := context.WithCancel(t.Context())
			f.Wire.Next("TransactWriteItems", c.fault, c.fault, func(r *http.Request, pass http.RoundTripper) (*http.Response, error) {
				cancel() // the caller gives up
				return c.fault(r, pass)
			})
			change := f.Change()
			checkError(t, f.Desk.Operator(change).Ban(ctx, f.Ann.ID), c.want)
			checkError(t, f.Desk.Operator(change).Ban(context.WithoutCancel(t.Context()), f.Ann.ID), nil)
			storetest.Equal(t, "status", f.AccountOf(t, f.Ann.ID).Status, game.UserBanned)
		})
	}
}
