package store_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/ranch-game/ranch/localstack/storetest"
	"github.com/ranch-game/ranch/shared/game"
)

// reads are all kinds of reads, in a fair whose player has a judged entry, with what each answers.
var reads = map[string]func(ctx context.Context, f fair) (any, error){
	"account":  func(ctx context.Context, f fair) (any, error) { return f.Account(ctx, f.player.ID) },
	"by email": func(ctx context.Context, f fair) (any, error) { return f.AccountByEmail(ctx, f.player.Email) },
	"refresh": func(ctx context.Context, f fair) (any, error) {
		record, account, err := f.RefreshRecord(ctx, f.player.Refresh.Digest, f.player.ID)
		return []any{record, account}, err
	},
	"animals": func(ctx context.Context, f fair) (any, error) { return f.Animals(ctx, f.player.ID) },
	"ledger":  func(ctx context.Context, f fair) (any, error) { return f.Ledger(ctx, f.player.ID) },
	"list":    func(ctx context.Context, f fair) (any, error) { return f.Shows(ctx, "", "") },
	"detail": func(ctx context.Context, f fair) (any, error) {
		show, entries, err := f.ShowWithEntries(ctx, f.show.ID)
		return []any{show, entries}, err
	},
	"season":  func(ctx context.Context, f fair) (any, error) { return f.ActiveSeason(ctx) },
	"seasons": func(ctx context.Context, f fair) (any, error) { return f.Seasons(ctx) },
	"score":   func(ctx context.Context, f fair) (any, error) { return f.SeasonScore(ctx, f.player.ID, f.season.ID) },
}

// readsOfOneFair returns a fair with something to read: a completed show of three gates, and an open one.
func readsOfOneFair(t *testing.T) fair {
	t.Helper()
	f := newFair(t, game.TierRookie, 0, 3).judged(t, 0, 1, 2)
	f.MustEnter(t, f.player, f.Show(t, f.season, f.now, "pro", 0, 5), f.player.Animals[0], f.now)
	return f
}

func TestReadsSurviveFaults(t *testing.T) {
	t.Parallel()
	f := readsOfOneFair(t)
	want := map[string]any{}
	for name, read := range reads {
		answer, err := read(t.Context(), f)
		if err != nil {
			t.Fatal(name, err)
		}
		want[name] = answer
	}
	for label, fault := range map[string]storetest.Fault{
		"throttling": storetest.Throttle, "server error": storetest.Unavailable, "lost answer": storetest.LoseAnswer, "reset": storetest.Refuse,
		"half an answer": storetest.CutAnswer, "answer that stalls": storetest.StallAnswer,
	} {
		for name, read := range reads {
			for _, operation := range []string{"GetItem", "BatchGetItem", "Query"} {
				f.Wire.Next(operation, fault, fault, fault)
			}
			answer, err := read(t.Context(), f)
			if err != nil {
				t.Errorf("%s after a %s: %v", name, label, err)
			}
			checkEqual(t, name+" after a "+label, answer, want[name])
			f.Wire.Forget()
		}
	}
}

// Keys that the table left unprocessed are asked for again, until all are there: none is taken for missing.
func TestUnprocessedKeysAreAskedForAgain(t *testing.T) {
	t.Parallel()
	f := readsOfOneFair(t)
	for _, name := range []string{"refresh", "list", "score"} {
		want, err := reads[name](t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		f.Wire.Next("BatchGetItem", storetest.Unprocessed, storetest.Unprocessed, storetest.Unprocessed)
		answer, err := reads[name](t.Context(), f)
		if err != nil {
			t.Error(name, err)
		}
		checkEqual(t, name, answer, want)
		checkFaults(t, f.Table)
	}
	// The same in what leads to writes: the user, the animal and the show of an entry; the animals of a judging; the receipt of a claim.
	other := f.Show(t, f.season, f.now, game.TierRookie, 50, 2)
	f.Wire.Next("BatchGetItem", storetest.Unprocessed, storetest.Unprocessed)
	_, _, err := f.Enter(t.Context(), f.player.ID, other.ID, f.player.Animals[0].ID, f.now)
	checkError(t, err, nil)
	f.MustEnter(t, f.player, other, f.player.Animals[1], f.now)
	f.Wire.Next("BatchGetItem", storetest.Unprocessed, storetest.Unprocessed, storetest.Pass, storetest.Unprocessed, storetest.Unprocessed)
	ranked, err := f.Judge(t.Context(), f.player.ID, other.ID, f.now)
	if err != nil || len(ranked) != 2 {
		t.Error(ranked, err)
	}
	f.Wire.Next("BatchGetItem", storetest.Unprocessed, storetest.Pass, storetest.Pass, storetest.Unprocessed, storetest.Unprocessed)
	if _, prize, err := f.Claim(t.Context(), f.player.ID, other.ID, f.now); err != nil || prize != 100 {
		t.Error(prize, err)
	}
	checkFaults(t, f.Table)
	f.Invariants(t)
}

// Keys that stay unprocessed are a fault once the read's patience ends, not a wrong answer.
func TestKeysThatStayUnprocessed(t *testing.T) {
	t.Parallel()
	f := readsOfOneFair(t)
	for range 100 {
		f.Wire.Next("BatchGetItem", storetest.Unprocessed)
	}
	if score, err := f.SeasonScore(soon(t), f.player.ID, f.season.ID); err == nil && score != 190 {
		t.Errorf("got %d", score)
	}
}

// A table that is gone is an answer within seconds, whatever the caller's own deadline; when it is back, so is the service.
func TestTableIsGoneForAWhile(t *testing.T) {
	t.Parallel()
	silence := func(w *storetest.Wire) {
		for range 100 {
			for _, operation := range []string{"GetItem", "BatchGetItem", "Query"} {
				w.Next(operation, storetest.Hang)
			}
		}
	}
	for name, fail := range map[string]func(w *storetest.Wire){"refused": (*storetest.Wire).Cut, "silent": silence} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, labels := readsOfOneFair(t), slices.Collect(maps.Keys(reads))
			fail(f.Wire)
			atOnce(t, len(labels), func(i int) error {
				start := time.Now()
				if answer, err := reads[labels[i]](t.Context(), f); err == nil {
					t.Errorf("%s: got %v", labels[i], answer)
				}
				if took := time.Since(start); took < time.Second || took > 8*time.Second {
					t.Errorf("%s: took %v", labels[i], took)
				}
				return nil
			}, nil)
			f.Wire.Reconnect()
			f.Wire.Forget()
			for label, read := range reads {
				if _, err := read(t.Context(), f); err != nil {
					t.Errorf("%s: %v", label, err)
				}
			}
		})
	}
}

func TestWritesDuringAnOutage(t *testing.T) {
	t.Parallel()
	var fairs []fair
	for _, w := range writes {
		f := w.fair(t)
		f.Wire.Cut()
		fairs = append(fairs, f)
	}
	failAtOnce(t, fairs)
	for i, f := range fairs {
		f.Wire.Reconnect()
		if err := writes[i].do(t.Context(), f); err != nil {
			t.Errorf("%s: %v", writes[i].name, err)
		}
		writes[i].check(t, f)
		f.Invariants(t)
	}
}

// Logging out survives faults like a transaction: deleting twice is deleting once.
func TestLogoutSurvivesFaults(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	f.Wire.Next("DeleteItem", storetest.Throttle, storetest.Unavailable, storetest.LoseAnswer, storetest.Refuse)
	if err := f.DeleteRefreshRecord(t.Context(), f.player.Refresh.Digest); err != nil {
		t.Error(err)
	}
	checkFaults(t, f.Table)
	if record, _, err := f.RefreshRecord(t.Context(), f.player.Refresh.Digest, f.player.ID); record != nil || err != nil {
		t.Error(record, err)
	}
	f.Wire.Cut()
	if err := f.DeleteRefreshRecord(soon(t), f.player.Refresh.Digest); err == nil {
		t.Error("deleted without a table")
	}
}

// Seals survive faults, and a seal whose answer was lost is a seal.
func TestSealsSurviveFaults(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 2)
	late := f.graded(t)
	f.before(func() { f.MustEnter(t, late, f.show, late.Animals[0], f.now) })
	f.Wire.Next("UpdateItem", storetest.LoseAnswer, storetest.Throttle, storetest.ConflictPlainWrite, storetest.Unavailable, storetest.ConflictPlainWrite, storetest.LoseAnswer)
	ranked, err := f.Judge(t.Context(), f.player.ID, f.show.ID, f.now)
	if err != nil || len(ranked) != 1 {
		t.Error(ranked, err)
	}
	checkFaults(t, f.Table)
	f.Invariants(t)
}

// A caller who gives up ends the call.
func TestCancelledCallsEnd(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 1)
	ctx, cancel := context.WithCancel(t.Context())
	f.Wire.Next("TransactWriteItems", storetest.Conflict, storetest.Before(cancel))
	if err := f.enter(ctx, f.player, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	f.Wire.Next("BatchGetItem", storetest.Before(func() { t.Error("went on") }))
	if err := f.enter(ctx, f.player, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
