package store_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
	"github.com/ranch-game/ranch/shared/store"
)

// deleteAnn deletes Ann under a new change, and returns the number of her entries.
func (f fair) deleteAnn(t *testing.T) (int, error) {
	t.Helper()
	return f.changes().DeleteUser(t.Context(), f.Ann.ID)
}

// enteredFair is a fair in whose show Ann has an entry.
func enteredFair(t *testing.T) fair {
	f := newFair(t, game.TierRookie, 50, 1)
	f.MustEnter(t, f.Ann, f.Show, 0)
	return f
}

// names returns the usernames in the show's entries, by animal.
func (f fair) names(t *testing.T, show game.ID) map[game.ID]string {
	t.Helper()
	_, entries, err := f.Rival.ShowWithEntries(t.Context(), show)
	checkError(t, err, nil)
	names := map[game.ID]string{}
	for _, e := range entries {
		names[e.AnimalID] = e.PlayerUsername
	}
	return names
}

// A deletion keeps the user's ledger, animals and entries, and removes the e-mail address and both names.
func TestADeletedUserIsNobody(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 2)
	checkError(t, errOf(f.RecordLogin(t.Context(), f.Ann.Account, f.NewRefresh(f.Ann.ID), game.Rehash{}, f.Now)), nil)
	checkError(t, f.changes().RevokeSessions(t.Context(), f.Ann.ID), nil)
	bob := f.AddPlayer(t, storetest.Bob)
	open := f.AddShow(t, storetest.Fee(0), storetest.Gates(5))
	f.MustEnter(t, bob, f.Show, 0)
	f.MustEnter(t, f.Ann, open)
	f.judged(t, 0, 1)
	ranks, ledger := f.ranks(t), f.LedgerOf(t, f.Ann.ID)

	entries := must(f.deleteAnn(t))(t)
	storetest.Equal(t, "entries", entries, 5)
	row := f.At(store.UserKey(f.Ann.ID)).Read(t)
	storetest.Equal(t, "attributes", slices.Sorted(maps.Keys(row)), []string{"PK", "SK", "ca", "g", "ls", "mr", "pm", "pp", "st", "uc"})
	storetest.Equal(t, "account", f.AccountOf(t, f.Ann.ID), game.Account{LedgerSeq: 3, Changes: 1, User: game.User{
		ID: f.Ann.ID, Status: game.UserDeleted, GoldBalance: 400, CreatedAt: f.Ann.CreatedAt, MarketRestrictedUntil: f.Ann.MarketRestrictedUntil,
	}})
	for key, row := range f.Rows(t) {
		text := must(json.Marshal(row))(t)
		for _, gone := range []string{f.Ann.Email, f.Ann.Username, f.Ann.Ranch.Name} {
			assert.False(t, strings.Contains(key+string(text), gone), "%q is still in %s: %s", gone, key, text)
		}
	}
	storetest.Equal(t, "ledger", f.LedgerOf(t, f.Ann.ID), ledger)
	storetest.Equal(t, "ranks", f.ranks(t), ranks)
	for _, show := range []game.ID{f.Show.ID, open.ID} {
		for animal, name := range f.names(t, show) {
			own := animal == bob.Animals[0].ID
			assert.True(t, own == (name == bob.Username) && own != (name == game.DeletedPlayer), "an entry is under the name %q", name)
		}
	}
}

// Changes between the read and the write of a deletion break no invariant, such as that a deleted user has no names.
func TestChangesDuringADeletion(t *testing.T) {
	t.Parallel()
	for name, meanwhile := range map[string]func(t *testing.T, f fair){
		"login": func(t *testing.T, f fair) {
			checkError(t, errOf(f.Rival.RecordLogin(t.Context(), f.Ann.Account, f.NewRefresh(f.Ann.ID), game.Rehash{Old: f.Ann.PasswordHash, New: "new"}, f.Now)), nil)
		},
		"paid entry": func(t *testing.T, f fair) { f.MustEnter(t, f.Ann, f.Show, 0) },
		"free entry": func(t *testing.T, f fair) { f.MustEnter(t, f.Ann, f.AddShow(t, storetest.Fee(0)), 0, 1) },
		"adjustment": func(t *testing.T, f fair) { mustAdjust(t, f, f.Change(), 10) },
		"ban":        func(t *testing.T, f fair) { f.Ban(t, f.Ann.ID) },
		"revocation": func(t *testing.T, f fair) { checkError(t, f.Operator().RevokeSessions(t.Context(), f.Ann.ID), nil) },
		"judging": func(t *testing.T, f fair) {
			f.MustEnter(t, f.Ann, f.Show, 0)
			f.MustJudge(t, f.Ann, f.Show)
			f.MustClaim(t, f.Ann, f.Show)
		},
		"another deletion": func(t *testing.T, f fair) { f.DeleteUser(t, f.Ann.ID) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFair(t, game.TierRookie, 50, 2)
			f.Meanwhile(func() { meanwhile(t, f) })
			must(f.deleteAnn(t))(t)
		})
	}
}

// Another player registers under the names while they are becoming free.
func TestNamesAreTakenOverDuringADeletion(t *testing.T) {
	t.Parallel()
	f := bareFair(t)
	again := f.NewPlayer(storetest.Ann)
	f.Meanwhile(func() {
		checkError(t, again.Create(t.Context(), f.Rival.Store), game.ErrTaken)
		f.DeleteUser(t, f.Ann.ID)
		f.Register(t, again)
	})
	must(f.deleteAnn(t))(t)
	storetest.Equal(t, "account", f.AccountOf(t, again.ID), again.Account)
}

// A deletion also renames an entry that was applied just before it and becomes visible after it.
func TestAnEntryBecomesVisibleDuringADeletion(t *testing.T) {
	t.Parallel()
	participation := func(_, sk string) bool { return strings.HasPrefix(sk, "SEASON#") }
	entry := func(_, sk string) bool { return strings.HasPrefix(sk, "ENTRY#") }
	for name, looks := range map[string][]func(pk, sk string) bool{ // what appears before each of them
		"as a whole":              {nil, ofAll},
		"the participation first": {nil, participation, ofAll},
		"the entry first":         {entry, ofAll},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFair(t, game.TierRookie, 0, 1)
			held := f.holdEntry(t, 0)
			f.Apply(t, held.Take(func(pk, sk string) bool {
				return sk == "PROFILE" || strings.HasPrefix(sk, "ANIMAL#") || ofGates(pk, sk)
			}))
			for _, appears := range looks {
				if appears == nil {
					f.Wire.Next("Query", storetest.Pass)
				} else {
					f.then(t, "Query", 1, held.Take(appears))
				}
			}
			entries := must(f.deleteAnn(t))(t)
			storetest.Equal(t, "entries", entries, 1)
			f.Invariants(t)
		})
	}
}

// A deletion waits for each entry: if two entries become visible one after the other, it renames both.
func TestADeletionWaitsForEachEntry(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	first, second := 0, 1 // in the order of their participations
	if f.Ann.Animals[first].ID > f.Ann.Animals[second].ID {
		first, second = second, first
	}
	part, whole := f.holdEntry(t, first), f.holdEntry(t, second)
	for _, held := range []*storetest.Held{part, whole} {
		f.Apply(t, held.Take(func(pk, sk string) bool { return !strings.HasPrefix(sk, "SEASON#") && !strings.HasPrefix(sk, "ENTRY#") }))
	}
	f.Wire.Next("Query", storetest.Pass, storetest.Before(func() {
		f.Apply(t, part.Take(func(_, sk string) bool { return strings.HasPrefix(sk, "SEASON#") }))
		f.Apply(t, whole.Take(ofAll))
	}), storetest.Before(func() { f.Apply(t, part.Take(ofAll)) }))
	entries := must(f.deleteAnn(t))(t)
	storetest.Equal(t, "entries", entries, 2)
	f.Invariants(t)
}

// A deletion looks for entries twice, and renames each once. It gives up if an entry stays invisible for four looks.
func TestHowOftenADeletionLooks(t *testing.T) {
	t.Parallel()
	f := enteredFair(t)
	f.Wire.Reset()
	must(f.deleteAnn(t))(t)
	// The record, the user, the transaction; twice the participations and shows; an entry and its show; the standings; twice
	// the note.
	storetest.Equal(t, "requests", f.Wire.Cost().Requests, 3+2*2+2+1+2)

	f.At(store.EntryKey(f.Show.ID, f.Ann.Animals[0].ID, 1)).Delete(t)
	f.Wire.Reset()
	_, err := f.deleteAnn(t)
	assert.Error(t, err, "an entry is missing")
	// The record, the user, who is deleted, and the note; four times the participations, the shows and the entry.
	storetest.Equal(t, "requests", f.Wire.Cost().Requests, 3+4*3)
}

// If a change of names is interrupted after its write, repeating it renames every entry, and writes no second record.
func TestAChangeOfNamesIsCutOff(t *testing.T) {
	t.Parallel()
	for action, c := range map[string]struct {
		do        func(ctx context.Context, f fair) (entries int, err error)
		operation string // the one that renames an entry
		answered  int    // such requests before the interruption
		advice    string
	}{
		"delete user": {func(ctx context.Context, f fair) (int, error) { return f.changes().DeleteUser(ctx, f.Ann.ID) }, "UpdateItem", 1, "delete the user again"},
		"set user": {func(ctx context.Context, f fair) (int, error) {
			return f.changes().SetUser(ctx, f.Ann.ID, username("Annie"))
		}, "TransactWriteItems", 2, "set the username again"},
	} {
		f := newFair(t, game.TierRookie, 0, 3)
		f.MustEnter(t, f.Ann, f.Show)
		ctx, cancel := context.WithCancel(t.Context())
		f.Wire.Next(c.operation, append(slices.Repeat([]storetest.Fault{storetest.Pass}, c.answered), storetest.Before(cancel))...)
		_, err := c.do(ctx, f)
		assert.True(t, errors.Is(err, context.Canceled) && strings.Contains(err.Error(), c.advice), "got %v", err)
		for range 2 {
			storetest.Equal(t, "entries", must(c.do(t.Context(), f))(t), 3)
			f.Invariants(t)
		}
		storetest.Equal(t, "records", len(f.recordsOf(t, action)), 1)
	}
}

// recordsOf returns the records with this action, which are all of the fair's time.
func (f fair) recordsOf(t *testing.T, action string) []operate.AuditRecord {
	t.Helper()
	records := must(f.Rival.Audit(t.Context(), f.Now, f.Now+1))(t)
	return slices.DeleteFunc(records, func(r operate.AuditRecord) bool { return r.Action != action })
}

// Renaming entries survives faults, including a lost answer.
func TestNamesAreTakenFromEntriesDespiteFaults(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 3)
	f.MustEnter(t, f.Ann, f.Show)
	f.Wire.Next("UpdateItem", storetest.LoseAnswer, storetest.Throttle, storetest.ConflictPlainWrite, storetest.Unavailable, storetest.LoseAnswer)
	entries := must(f.deleteAnn(t))(t)
	storetest.Equal(t, "entries", entries, 3)
}

// If a deletion cannot read a show whose results have the name, it fails, and repeating it completes it.
func TestADeletionCannotReadAShow(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1).judged(t, 0)
	f.Wire.Next("GetItem", storetest.Pass, storetest.Pass, storetest.Denied) // the user, the note, the show
	_, err := f.deleteAnn(t)
	assert.Error(t, err, "deleted whole")
	must(f.deleteAnn(t))(t)
	storetest.Equal(t, "names", f.names(t, f.Show.ID), map[game.ID]string{f.Ann.Animals[0].ID: game.DeletedPlayer})
}

// If the reservation of a name is another user's, a deletion changes nothing.
func TestADeletionTakesNobodyElsesName(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	f.At(store.UsernameKey(f.Ann.Username)).Edit(t, "SET u = :other", map[string]any{":other": string(game.NewID())})
	f.Unchanged(t, func() {
		_, err := f.deleteAnn(t)
		assert.True(t, err != nil && strings.Contains(err.Error(), "damaged"), "got %v", err)
	})
}
