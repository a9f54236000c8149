package costs

import (
	"math"
	"strings"
	"testing"

	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
	"github.com/ranch-game/ranch/shared/game"
)

const page = `
| Operation | Round trips | RCU | WCU | Budget | $ per million |
|---|---:|---:|---:|---|---:|
| refresh | 1 | 2 | 0 | 2 / 2 / 0 | 0.25 |
| judge (100 entries), 16 gates | 4 | 114.5 | 54 | 5 / - / 54 | 48.06 |
| Refresh | refresh | 2000000 | 0.50 | 0.07 | 0.40 | 2.00 | 2.97 |
`

func TestRead(t *testing.T) {
	got, err := Read(page)
	if err != nil || len(got) != 2 || got["refresh"] != (Operation{1, 2, 0}) || got["judge (100 entries), 16 gates"] != (Operation{4, 114.5, 54}) {
		t.Errorf("%+v, %v", got, err)
	}
	if got := got["judge (100 entries), 16 gates"].PerMillion(); got != 48.0625 {
		t.Errorf("a million judgings are $%f", got)
	}
}

// TestMonth reckons by hand what calls of one unit and a GB each come to.
func TestMonth(t *testing.T) {
	operations, template := map[string]Operation{}, &samtemplate.Template{}
	for _, step := range Session {
		operations[step.Operation] = Operation{RoundTrips: 1, RCU: 8, WCU: 1.6}
		template.Functions = append(template.Functions, samtemplate.Function{LogicalID: step.Function, MemoryMB: 1024})
	}
	lines, err := Month(operations, template, 50_000) // a million sessions
	if err != nil || len(lines) != len(Session)+1 {
		t.Fatal(lines, err)
	}
	// The table $1 + $1, 20 ms of 1 GB, an invocation, the gateway.
	if got, want := lines[0].Dollars(), 2+0.266668+0.20+1; math.Abs(got-want) > 1e-9 {
		t.Errorf("a million calls are $%f, want $%f", got, want)
	}
	sum := 0.0
	for _, l := range lines[:len(Session)] {
		sum += l.Dollars()
	}
	if last := lines[len(Session)]; math.Abs(last.Dollars()-sum) > 1e-9 || last.Calls != 7_010_000 {
		t.Errorf("the sum is %+v, want $%f", last, sum)
	}
	if got := Page(lines[:1]); !strings.Contains(got, "| Refresh | refresh | 1000000 | 2.00 | 0.27 | 0.20 | 1.00 | 3.47 |\n") {
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
		prizes := 0
		for rank := range EntriesPerShow {
			if game.Prize(tier, rank+1) > 0 {
				prizes++
			}
		}
		if prizes != prizesPerShow {
			t.Errorf("a show of the tier %s pays %d prizes, not %d", tier, prizes, prizesPerShow)
		}
	}
}
