package costs

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ranch-game/ranch/localstack/bench/figures"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
	"github.com/ranch-game/ranch/shared/game"
)

var update = flag.Bool("update", false, "rewrite the tables of docs/security.md, docs/processor.md and, of floods, docs/costs.md")

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

// measured returns a template whose functions have the given memory in megabytes. Its root has the page as
// docs/processor.md.
func measured(t *testing.T, megabytes int, page string) *samtemplate.Template {
	t.Helper()
	template := template(t)
	template.Root = t.TempDir()
	for i := range template.Functions {
		template.Functions[i].MemoryMB = megabytes
	}
	name := filepath.Join(template.Root, "docs", "processor.md")
	if err := errors.Join(os.Mkdir(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(page), 0o600)); err != nil {
		t.Fatal(err)
	}
	return template
}

// measuredCalls returns a page with a processor time of 5 ms for a call of each function that a session uses.
func measuredCalls() (page string) {
	for _, program := range []string{"refresh", "claimreward", "getseason", "listanimals", "listshows", "getshow", "entershow", "judgeshow"} {
		page += "| a call | " + program + " | 4.59 | 4.1 | 3.5 | 5.000 | 1174 | 195 |\n"
	}
	return page
}

// TestOwn checks the share of a processor that Lambda gives to a call. It depends on the function's memory, and is at
// most a whole processor. Of a function's calls, the longest one counts.
func TestOwn(t *testing.T) {
	page := measuredCalls() + "| another | refresh | 4.59 | 9.9 | 3.5 | 3.000 | 1174 | 195 |\n"
	for megabytes, milliseconds := range map[int]float64{1769: 5, 3538: 5, 256: 5 * 1769.0 / 256} {
		template := measured(t, megabytes, page)
		p, err := readProcessor(template)
		if err != nil {
			t.Fatal(err)
		}
		refresh, _ := template.Function("Refresh")
		if own, err := p.own(refresh); err != nil || math.Abs(own-milliseconds/1000) > 1e-9 {
			t.Errorf("with %d MB: %f, %v", megabytes, own, err)
		}
		login, _ := template.Function("Login")
		if _, err := p.own(login); err == nil || !strings.Contains(err.Error(), "Login") {
			t.Errorf("without a measurement: %v", err)
		}
	}
}

// TestMonth compares Month with a price that was computed by hand. Each call costs one unit, and each function has a
// whole processor.
func TestMonth(t *testing.T) {
	template, operations := measured(t, 1769, measuredCalls()), map[string]Operation{}
	for _, step := range Session {
		operations[step.Operation] = Operation{RoundTrips: 1, RCU: 8, WCU: 1.6}
	}
	lines, err := Month(operations, template, 50_000) // a million sessions
	if err != nil || len(lines) != len(Session)+1 {
		t.Fatal(lines, err)
	}
	// The price is: $1 + $1 for the table, 5 ms of processor time and 15 ms of waits with 1,769 MB, an invocation, and
	// the gateway.
	if got, want := lines[0].Dollars(), 2+0.266668*1769/1024+0.20+1; math.Abs(got-want) > 1e-9 {
		t.Errorf("a million calls are $%f, want $%f", got, want)
	}
	if sum := lines[len(Session)]; math.Abs(sum.Dollars()-7.01*lines[0].Dollars()) > 1e-9 || sum.Calls != 7_010_000 {
		t.Errorf("the sum is %+v", sum)
	}
	if got := Page(lines[:1]); !strings.Contains(got, "| refresh | 1000000 | 2.00 | 0.46 | 0.20 | 1.00 | 3.66 |\n") {
		t.Error(got)
	}
	delete(operations, "refresh")
	if _, err := Month(operations, template, 1); err == nil || !strings.Contains(err.Error(), "refresh") {
		t.Errorf("without refreshes: %v", err)
	}
}

// TestPrizesPerShow checks an assumption about the rules of the game: how many claims of a show bring gold.
func TestPrizesPerShow(t *testing.T) {
	for _, tier := range []string{game.TierRookie, game.TierPro, game.TierElite} {
		if game.Prize(tier, prizesPerShow) == 0 || game.Prize(tier, prizesPerShow+1) != 0 {
			t.Errorf("a show of the tier %s does not pay %d prizes", tier, prizesPerShow)
		}
	}
}

// TestPages checks tables on other pages that are computed from docs/costs.md, docs/processor.md and template.yaml.
// They are the price of a flood, by the rate limits of the routes, and the duration of calls, by the functions' memory.
func TestPages(t *testing.T) {
	operations, err := Read(read(t, "docs/costs.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		page, block string
		reckon      func(map[string]Operation, *samtemplate.Template) (string, error)
	}{{"docs/security.md", "flood", Flood}, {"docs/processor.md", "lambda", InLambda}} {
		want, err := c.reckon(operations, template(t))
		if err != nil {
			t.Fatal(err)
		}
		block := figures.Block{Page: c.page, Name: c.block, Tolerance: "none (`TestPages`)"}
		if *update {
			if err := block.Write(template(t).Root, want); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := block.Read(template(t).Root); err != nil || got != want {
			t.Errorf("%s does not have this table, %v; go test ./localstack/bench/costs -update writes it:\n%s", c.page, err, want)
		}
		if _, err := c.reckon(map[string]Operation{}, template(t)); err == nil || !strings.Contains(err.Error(), "Register") {
			t.Errorf("%s without costs: %v", c.page, err)
		}
	}
}

// TestWatching checks that docs/costs.md has the price of detecting floods.
func TestWatching(t *testing.T) {
	want := Watching(template(t))
	block := figures.Block{Page: "docs/costs.md", Name: "watching", Tolerance: "none (`TestWatching`)"}
	if *update {
		if err := block.Write(template(t).Root, want); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := block.Read(template(t).Root); err != nil || got != want {
		t.Errorf("docs/costs.md does not have this table, %v; go test ./localstack/bench/costs -update writes it:\n%s", err, want)
	}
	if line := fmt.Sprintf("the access log's line about %d.", lineOfAccess); !strings.Contains(read(t, "docs/costs.md"), line) {
		t.Errorf("docs/costs.md does not say: %s", line)
	}
}

// TestMemoryGoals checks the goals for the functions' memory. A list and a season must compute for at most 25 ms, and
// the month of docs/costs.md must cost at most $46.
func TestMemoryGoals(t *testing.T) {
	template := template(t)
	p, err := readProcessor(template)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"ListShows", "GetSeason"} {
		f, _ := template.Function(id)
		if own, err := p.own(f); err != nil || own > 0.025 {
			t.Errorf("%s works for %.1f ms, %v", id, 1000*own, err)
		}
	}
	operations, err := Read(read(t, "docs/costs.md"))
	if err != nil {
		t.Fatal(err)
	}
	lines, err := Month(operations, template, 100_000)
	if err != nil || lines[len(lines)-1].Dollars() > 46 {
		t.Errorf("a month costs $%.2f, %v", lines[len(lines)-1].Dollars(), err)
	}
}

// TestAlarmHasThePrices checks that the alarm on an hour's cost uses the prices of docs/costs.md, and that the
// dashboard computes the cost as the alarm does.
func TestAlarmHasThePrices(t *testing.T) {
	want := fmt.Sprintf("FILL(calls, 0) * %v / 1000000 + FILL(reads, 0) * %v / 1000000 + FILL(writes, 0) * %v / 1000000",
		perMillionGatewayCalls+perMillionInvocations, perMillionReadUnits, perMillionWriteUnits)
	if n := strings.Count(read(t, samtemplate.FileName), want); n != 2 {
		t.Errorf("template.yaml has %s %d times, want 2: in the alarm and on the dashboard", want, n)
	}
}
