package costs

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
	"github.com/ranch-game/ranch/shared/game"
)

var update = flag.Bool("update", false, "rewrite the table of a flood in docs/security.md")

func template(t *testing.T) *samtemplate.Template {
	t.Helper()
	template, err := samtemplate.LoadRoot()
	if err != nil {
		t.Fatal(err)
	}
	return template
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(template(t).Root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestRead(t *testing.T) {
	got, err := Read(`
| Operation | Round trips | RCU | WCU | Budget | $ per million |
|---|---:|---:|---:|---|---:|
| refresh | 1 | 2 | 0 | 2 / 2 / 0 | 0.25 |
| judgeShow (100 entries), 16 gates | 4 | 114.5 | 54 | 5 / - / 54 | 48.06 |
| refresh | 2000000 | 0.50 | 0.07 | 0.40 | 2.00 | 2.97 |
`)
	judging := got["judgeShow (100 entries), 16 gates"]
	if err != nil || len(got) != 2 || got["refresh"] != (Operation{1, 2, 0}) || judging != (Operation{4, 114.5, 54}) || judging.PerMillion() != 48.0625 {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestMonth reckons by hand what calls of one unit each come to, with functions of 1 GB.
func TestMonth(t *testing.T) {
	template, operations := template(t), map[string]Operation{}
	for i := range template.Functions {
		template.Functions[i].MemoryMB = 1024
	}
	for _, step := range Session {
		operations[step.Operation] = Operation{RoundTrips: 1, RCU: 8, WCU: 1.6}
	}
	lines, err := Month(operations, template, 50_000) // a million sessions
	if err != nil || len(lines) != len(Session)+1 {
		t.Fatal(lines, err)
	}
	// The table $1 + $1, 20 ms of 1 GB, an invocation, the gateway.
	if got, want := lines[0].Dollars(), 2+0.266668+0.20+1; math.Abs(got-want) > 1e-9 {
		t.Errorf("a million calls are $%f, want $%f", got, want)
	}
	if sum := lines[len(Session)]; math.Abs(sum.Dollars()-7.01*lines[0].Dollars()) > 1e-9 || sum.Calls != 7_010_000 {
		t.Errorf("the sum is %+v", sum)
	}
	if got := Page(lines[:1]); !strings.Contains(got, "| refresh | 1000000 | 2.00 | 0.27 | 0.20 | 1.00 | 3.47 |\n") {
		t.Error(got)
	}
	delete(operations, "refresh")
	if _, err := Month(operations, template, 1); err == nil || !strings.Contains(err.Error(), "refresh") {
		t.Errorf("without refreshes: %v", err)
	}
}

// The script of play stands on rules of the game: how many claims of a show bring gold.
func TestPrizesPerShow(t *testing.T) {
	for _, tier := range []string{game.TierRookie, game.TierPro, game.TierElite} {
		if game.Prize(tier, prizesPerShow) == 0 || game.Prize(tier, prizesPerShow+1) != 0 {
			t.Errorf("a show of the tier %s does not pay %d prizes", tier, prizesPerShow)
		}
	}
}

// docs/security.md says what a flood costs by the limits of template.yaml and the costs of docs/costs.md.
func TestFlood(t *testing.T) {
	operations, err := Read(read(t, "docs/costs.md"))
	if err != nil {
		t.Fatal(err)
	}
	want, err := Flood(operations, template(t))
	if err != nil {
		t.Fatal(err)
	}
	page := read(t, "docs/security.md")
	table := regexp.MustCompile(`(?m)^\| Route \|.*\n(\|.*\n)+`)
	if *update {
		page = table.ReplaceAllLiteralString(page, want)
		if err := os.WriteFile(filepath.Join(template(t).Root, "docs/security.md"), []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if table.FindString(page) != want {
		t.Errorf("docs/security.md does not have this table; go test ./localstack/bench/costs -update writes it:\n%s", want)
	}
	if _, err := Flood(map[string]Operation{}, template(t)); err == nil || !strings.Contains(err.Error(), "Register") {
		t.Error("without costs:", err)
	}
}

// The alarm on an hour's cost reckons with the prices of docs/costs.md, and the dashboard as the alarm does.
func TestAlarmHasThePrices(t *testing.T) {
	want := fmt.Sprintf("FILL(calls, 0) * %v / 1000000 + FILL(reads, 0) * %v / 1000000 + FILL(writes, 0) * %v / 1000000",
		perMillionGatewayCalls+perMillionInvocations, perMillionReadUnits, perMillionWriteUnits)
	if n := strings.Count(read(t, samtemplate.FileName), want); n != 2 {
		t.Errorf("template.yaml has %s %d times, want 2: in the alarm and on the dashboard", want, n)
	}
}
