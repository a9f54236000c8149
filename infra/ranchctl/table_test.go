package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A sound table is right; each record that is missing or wrong is named, with whose it is.
func TestVerifyTable(t *testing.T) {
	x := newTool(t)
	x.AddFair(t)
	x.MustEnter(t, x.Ann, x.Show, 0)
	if stdout, stderr, exit := x.run("table", "verify"); exit != 0 || stdout != "21 records are right.\n" {
		t.Errorf("exit %d: %s%s", exit, stdout, stderr)
	}
	var none []violation
	if x.json(&none, "table", "verify"); len(none) != 0 || none == nil {
		t.Errorf("%v", none)
	}
	x.At("EMAIL#"+x.Ann.Email, "EMAIL").Delete(t)
	gate := x.Gate(t, x.Show)
	gate.Delete(t)
	stdout, stderr, exit := x.run("table", "verify", "-o", "csv")
	want := "subject,record,problem\n" +
		`"show/` + string(x.Show.ID) + `","` + gate.Key() + `","gate 0 of the open show is missing; 1 entries came through it"` + "\n" +
		`"user/` + string(x.Ann.ID) + `","EMAIL#ann@example.com EMAIL","the reservation is missing, or somebody else's"` + "\n"
	if exit != exitFailed || stderr != "ranchctl: 2 violations in 19 records\n" {
		t.Errorf("exit %d: %s", exit, stderr)
	}
	if diff := cmp.Diff(want, stdout); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
