package main

import (
	"testing"
	"time"

	"github.com/ranch-game/ranch/localstack/kit/functiontest"
	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
)

// The function deletes leftovers, hides names and counts cancelled shows without refunds, with the rights of its role,
// and says so. The next run finds the refunds alone.
func TestAuditClearsUp(t *testing.T) {
	t.Parallel()
	b := functiontest.NewJob(t, job)
	b.AddFair(t, storetest.Fee(50), storetest.Gates(1))
	bob := b.AddPlayer(t, storetest.Bob)
	cancelled, completed := b.AddShow(t), b.AddShow(t, storetest.Gates(1))
	b.MustEnter(t, b.Ann, b.Show, 0)
	b.MustEnter(t, bob, cancelled, 0)
	b.MustEnter(t, bob, completed, 0)

	// The scene's time is past. A judging then leaves results, and the first attempt to write a page is lost.
	b.Clock.Stop()
	b.Clock.Move(-time.Since(b.Now.Time()))
	judges, wire := b.Another(t)
	wire.Next("TransactWriteItems", storetest.Denied)
	if _, err := judges.Judge(t.Context(), b.Ann.ID, b.Show.ID, b.Now); err == nil {
		t.Error("the show is judged")
	}
	late, arrive := storetest.Late(storetest.Lost)
	wire.Next("PutItem", late)
	if _, err := judges.Judge(t.Context(), b.Ann.ID, completed.ID, b.Now); err != nil {
		t.Error(err)
	}
	b.MustJudge(t, b.Ann, b.Show)
	if err := b.Operator().CancelShow(t.Context(), cancelled.ID); err != nil {
		t.Error(err)
	}
	b.DeleteUser(t, bob.ID)
	arrive()

	b.Scene = b.AtTime(b.Now.Add(25 * time.Hour))
	figures := func(leftovers, hidden float64) map[string]float64 {
		all := found(2, 0)
		all["Leftovers"], all["NamesHidden"], all["UnfinishedWork"] = leftovers, hidden, 1
		return all
	}
	run := b.Run(t)
	if run.Metrics["Attempts"] < 2 {
		t.Errorf("%v attempts to write", run.Metrics["Attempts"])
	}
	delete(run.Metrics, "Attempts")
	delete(run.Line, "Attempts")
	check(t, run, figures(1, 1))
	_, entries, err := b.Rival.ShowWithEntries(t.Context(), completed.ID)
	if err != nil || len(entries) != 1 || entries[0].PlayerUsername != game.DeletedPlayer {
		t.Errorf("%+v, %v", entries, err)
	}
	b.Unchanged(t, func() { check(t, b.Run(t), figures(0, 0)) })
}
