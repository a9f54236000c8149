package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/localstack/kit/functiontest"
	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
)

// With the rights of its role, the function deletes leftovers (results that no show points to), removes names of
// deleted players and notes pending refunds. The next run finds nothing.
func TestAuditClearsUp(t *testing.T) {
	t.Parallel()
	b := functiontest.NewJob(t, job)
	b.AddFair(t, storetest.Fee(50), storetest.Gates(1))
	bob := b.AddPlayer(t, storetest.Bob)
	cancelled, completed := b.AddShow(t), b.AddShow(t, storetest.Gates(1))
	b.MustEnter(t, b.Ann, b.Show, 0)
	b.MustEnter(t, bob, cancelled, 0)
	b.MustEnter(t, bob, completed, 0)

	// The store's clock shows the bench's time, because the audit, 25 hours later, deletes only results older than a
	// day. The first judging of b.Show fails and leaves results behind. Bob's name is
	// in an entry again after his deletion, as in a table that was restored without the note of this work.
	b.Clock.Stop()
	b.Clock.Move(-time.Since(b.Now.Time()))
	judges, wire := b.Another(t)
	wire.Next("TransactWriteItems", storetest.Denied)
	if _, err := judges.Judge(t.Context(), b.Ann.ID, b.Show.ID, b.Now); err == nil {
		t.Error("the show is judged")
	}
	if _, err := judges.Judge(t.Context(), b.Ann.ID, completed.ID, b.Now); err != nil {
		t.Error(err)
	}
	b.MustJudge(t, b.Ann, b.Show)
	assert.NoError(t, b.Operator().CancelShow(t.Context(), cancelled.ID))
	b.DeleteUser(t, bob.ID)
	b.At("SHOW#"+string(completed.ID)+"#0", "ENTRY#"+string(bob.Animals[0].ID)).Edit(t, "SET un = :name", map[string]any{":name": bob.Username})

	note := b.At("PENDING", "REFUNDS#"+string(cancelled.ID))
	note.Delete(t)
	b = b.After(25 * time.Hour)
	figures := func(leftovers, hidden float64) map[string]float64 {
		all := found(2, 0)
		all["Leftovers"], all["NamesHidden"] = leftovers, hidden
		return all
	}
	run := b.Run(t)
	assert.True(t, run.Metrics["Attempts"] >= 3 && note.Read(t) != nil, "%v attempts to write", run.Metrics["Attempts"])
	delete(run.Metrics, "Attempts")
	delete(run.Line, "Attempts")
	check(t, run, figures(1, 1))
	_, entries, err := b.Rival.ShowWithEntries(t.Context(), completed.ID)
	assert.True(t, err == nil && len(entries) == 1 && entries[0].PlayerUsername == game.DeletedPlayer, "%+v, %v", entries, err)
	b.Unchanged(t, func() {
		run := b.Run(t)
		delete(run.Metrics, "Attempts") // from noting the refunds
		delete(run.Line, "Attempts")
		check(t, run, figures(0, 0))
	})
}
