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

// A text that a spreadsheet would compute, or a terminal obey, is only a text; of any text FuzzCSV knows it.
func TestCSVCells(t *testing.T) {
	t.Parallel()
	for cell, want := range map[any]string{
		"=1+1": "'=1+1", "+1": "'+1", "-1": "'-1", "@SUM(A1)": "'@SUM(A1)", "＝1+1": "'＝1+1", "-": "'-", "": "", "a=b": "a=b", "x;=cmd|' /C calc'!A0": "x;'=cmd|' /C calc'!A0", "a;b;": "a;b;", "\t=1": `\t=1`, "\r\n": `\r\n`,
		hostileName: hostileNameInTables, int64(-120): "-120", game.Fixed(-50): "-0.50", true: "true", absent: "", game.UserBanned: "banned", game.ID("-x"): "'-x",
		game.Instant(0): "1970-01-01T00:00:00.000Z",
	} {
		if got := csvCell(cell); got != want {
			t.Errorf("%q is %q, want %q", cell, got, want)
		}
	}
}
