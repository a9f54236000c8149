package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
)

// What a user is given is all that the table has of them, and no secret.
func TestUserExport(t *testing.T) {
	x := newTool(t)
	x.AddFair(t, storetest.Fee(20))
	bob := x.AddPlayer(t, storetest.Bob)
	x.MustEnter(t, bob, x.Show, 0)
	x.MustEnter(t, x.Ann, x.Show, 0, 1)
	x.MustJudge(t, x.Ann, x.Show)
	x.MustClaim(t, x.Ann, x.Show)
	x.MustEnter(t, x.Ann, x.AddShow(t, func(d *storetest.ShowDraft) { d.EntryClosesAt++ }), 2)
	x.Ban(t, x.Ann.ID)
	x.Ban(t, bob.ID)
	var document struct {
		ExportedAt         string
		User               object
		Animals, Ledger    []object
		Shows              []object
		ChangesByOperators []object
	}
	x.json(&document, "user", "export", "Ann")
	if document.ExportedAt != "2026-11-20T09:30:00.000Z" || document.User["email"] != x.Ann.Email || document.User["status"] != "banned" ||
		document.User["ranch"].(object)["name"] != "Ranch of Ann" {
		t.Errorf("exported at %s: %v", document.ExportedAt, document.User)
	}
	if len(document.Animals) != 3 || document.Animals[0]["phenotype"] == nil || len(document.Ledger) != 5 {
		t.Errorf("animals %v, ledger %v", document.Animals, document.Ledger)
	}
	if len(document.Shows) != 2 || len(document.Shows[0]["entries"].([]any)) != 2 || document.Shows[1]["claim"] != nil {
		t.Fatalf("shows %v", document.Shows)
	}
	claim, entry := document.Shows[0]["claim"].(object), document.Shows[0]["entries"].([]any)[0].(object)
	if claim["rank"] != entry["rank"] || claim["claimedAt"] == nil || entry["enteredAt"] == nil || entry["playerId"] != string(x.Ann.ID) || entry["score"] == nil {
		t.Errorf("claim %v, entry %v", claim, entry)
	}
	if changes := document.ChangesByOperators; len(changes) != 1 || changes[0]["action"] != "ban" || changes[0]["by"] != nil {
		t.Errorf("changes %v", changes)
	}
	stdout, _, _ := x.run("user", "export", "Ann")
	for _, secret := range []string{x.Ann.PasswordHash, string(bob.ID), bob.Email, bob.Username} {
		if strings.Contains(stdout, secret) {
			t.Errorf("%q is in the export: %s", secret, stdout)
		}
	}
}

// An account is created at the instant of its change, so that its export has the change.
func TestAnExternalAccountIsAsOldAsItsChange(t *testing.T) {
	x := newTool(t)
	x.AddFair(t)
	now := fixed
	clock := func() time.Time { now = now.Add(time.Second); return now }
	var out, errs strings.Builder
	args := []string{"--endpoint", storetest.Endpoint(), "--table", x.Name, "user", "create-external", "--email", "ext@example.com", "--username", "ext"}
	if exit := run(t.Context(), args, &out, &errs, clock); exit != exitDone {
		t.Fatalf("exit %d: %s", exit, errs.String())
	}
	var document struct{ ChangesByOperators []object }
	out.Reset()
	if exit := run(t.Context(), append(args[:4], "user", "export", "ext"), &out, &errs, clock); exit != exitDone {
		t.Fatalf("exit %d: %s", exit, errs.String())
	}
	if err := json.Unmarshal([]byte(out.String()), &document); err != nil || len(document.ChangesByOperators) != 1 {
		t.Errorf("%v: %s", err, out.String())
	}
}
