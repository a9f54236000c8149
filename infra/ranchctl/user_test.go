package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
)

// A user is named by an id, an e-mail address or a username, wherever one is.
func TestNamesOfUsers(t *testing.T) {
	x := newTool(t)
	p := x.AddPlayer(t, storetest.Ann)
	for _, name := range []string{"Ann", "ANN@example.com", string(p.ID)} {
		var user object
		if x.json(&user, "user", "get", name); user["id"] != string(p.ID) {
			t.Errorf("%s: got %v", name, user)
		}
		var animals []object
		if x.json(&animals, "animal", "list", name); len(animals) != 3 {
			t.Errorf("%s: got %v", name, animals)
		}
	}
	x.refused(1, "no such user", "user", "get", "ann") // usernames differ by case
	x.refused(2, "nor a username", "user", "get", "a n n")
}

func TestUserList(t *testing.T) {
	x := newTool(t)
	var want []string
	for i, who := range []storetest.Who{storetest.Cid, storetest.Ann, storetest.Bob} {
		p := x.AtTime(x.Now.Add(time.Duration(i-2) * time.Hour)).NewPlayer(who)
		x.Register(t, p)
		want = append(want, string(p.ID))
	}
	x.DeleteUser(t, game.ID(want[1]))
	for since, from := range map[string]int{"": 0, "-2h": 0, "-119m": 1, "2026-11-20T08:30:00Z": 1, "-1s": 2, "+1s": 3} {
		args := []string{"user", "list"}
		if since != "" {
			args = append(args, "--since", since)
		}
		var users []object
		x.json(&users, args...)
		got := []string{}
		for _, u := range users {
			got = append(got, u["id"].(string))
		}
		if !slices.Equal(got, want[from:]) {
			t.Errorf("since %q: %v, want %v", since, got, want[from:])
		}
	}
	x.refused(2, "--since", "user", "list", "--since", "yesterday")
	stdout, _, exit := x.run("user", "list")
	if lines := strings.Split(strings.TrimSpace(stdout), "\n"); exit != 0 || len(lines) != 4 ||
		!slices.Equal(strings.Fields(lines[2]), []string{want[1], "-", "-", "deleted", "500", "2026-11-20T08:30:00.000Z", "-", "false", "-"}) {
		t.Errorf("exit %d: %s", exit, stdout)
	}
}

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

func TestUserDelete(t *testing.T) {
	x := newTool(t)
	x.AddFair(t, storetest.Fee(20))
	x.MustEnter(t, x.Ann, x.Show, 0, 2)
	id := string(x.Ann.ID)
	var deleted object
	for range 2 { // again, as after a failure, by the id that is left
		if x.json(&deleted, "user", "delete", id); deleted["id"] != id || deleted["status"] != "deleted" || deleted["entries"] != 2.0 {
			t.Errorf("deleted %v", deleted)
		}
	}
	for _, name := range []string{"Ann", x.Ann.Email} {
		x.refused(1, "no such user", "user", "get", name)
	}
	var user object
	if x.json(&user, "user", "get", id); user["status"] != "deleted" || user["email"] != "" || user["ranch"] != nil || user["goldBalance"] != 460.0 {
		t.Errorf("got %v", user)
	}
	for _, command := range []string{"ban", "unban", "revoke-sessions"} {
		x.refused(1, "has been deleted", "user", command, id)
	}
}
