package main

import (
	"strings"
	"testing"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
)

// A spreadsheet reads the columns of the table: numbers are numbers, and what is absent is empty.
func TestCSV(t *testing.T) {
	x := newTool(t)
	x.AddFair(t, storetest.Fee(120))
	x.MustEnter(t, x.Ann, x.Show, 0)
	stdout, stderr, exit := x.run("ledger", "list", x.Ann.Email, "-o", "csv")
	lines := strings.Split(strings.TrimSuffix(stdout, "\n"), "\n")
	if exit != exitDone || len(lines) != 3 || lines[0] != "seq,at,category,amount,balance,description,ref" {
		t.Fatalf("exit %d: %s%s", exit, stdout, stderr)
	}
	for i, want := range []string{",500,500,", ",-120,380,"} {
		if !strings.Contains(lines[1+i], want) || strings.HasSuffix(lines[1+i], ",") != (i == 0) {
			t.Errorf("row %d: %s", i, lines[1+i])
		}
	}
	if stdout, _, exit = x.run("ledger", "verify", "-o", "csv"); exit != exitDone || stdout != "user,email,balance,rows,differences\n" {
		t.Errorf("exit %d: %q", exit, stdout)
	}
}

// Texts are in quotes, and numbers are not.
func TestCSVQuotes(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	a := &app{format: "csv", out: &out}
	row := []any{`x;=cmd|"1"`, game.ID("id"), int64(-5), game.Fixed(-50), absent, ""}
	if err := printRecords(a, true, [][]any{row}, "A B C D E F", func(r []any) []any { return r }); err != nil {
		t.Fatal(err)
	}
	storetest.Equal(t, "csv", out.String(), "a,b,c,d,e,f\n"+`"x;'=cmd|""1""","id",-5,-0.50,,""`+"\n")
}
