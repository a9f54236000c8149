package costs

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
	"github.com/ranch-game/ranch/shared/game"
)

func template(t *testing.T) *samtemplate.Template {
	t.Helper()
	template, err := samtemplate.LoadRoot()
	require.NoError(t, err)
	return template
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(template(t).Root, name))
	require.NoError(t, err)
	return string(text)
}

// TestMonth compares Month with a price that was computed by hand. Each call has 8 RCU and 1.6 WCU, and computes for
// 5 ms on a whole processor. Each function has 256 MB.
func TestMonth(t *testing.T) {
	costs, processor := "| "+standingsFolded+" | 1 | 8 | 1.6 | 1 / - / 2 | 2.00 |\n", ""
	for _, step := range Session {
		costs += fmt.Sprintf("| %s | 1 | 8 | 1.6 | 1 / - / 2 | 2.00 |\n", step.Operation)
	}
	for _, program := range []string{
		"refresh", "claimreward", "getseason", "listanimals", "listshows", "getshow", "entershow", "judgeshow",
	} {
		processor += "| a call | " + program + " | 4.59 | 4.1 | 5.000 |\n"
		processor += "| a shorter call | " + program + " | 4.59 | 9.9 | 3.000 |\n"
	}
	template := template(t)
	template.Root = t.TempDir()
	for i := range template.Functions {
		template.Functions[i].MemoryMB = 256
	}
	name := filepath.Join(template.Root, "docs", "processor.md")
	require.NoError(t, errors.Join(os.Mkdir(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(processor), 0o600)))
	operations, err := Read(costs)
	require.NoError(t, err)
	lines, err := Month(operations, template, 50_000) // a million sessions
	require.True(t, err == nil && len(lines) == len(Session)+2, "%v, %v", lines, err)
	// $1 + $1 for the table, 5 ms on a share of a processor and 15 ms of waits, an invocation, and the gateway.
	seconds := 0.005*1769/256 + 0.015
	got, want := lines[0].Dollars(), 2+1e6*seconds*256/1024*0.0000133334+0.20+1
	assert.True(t, math.Abs(got-want) <= 1e-9, "a million calls are $%f, want $%f", got, want)
	// Standings of 50,000 players are folded each 25 minutes, for the price of five folds of 10,000 players.
	folds, sum := lines[len(Session)], lines[len(Session)+1]
	assert.True(t, folds.Calls == 1728 && math.Abs(folds.Dollars()-1728*5*2/1e6) <= 1e-9, "the folds are %+v", folds)
	assert.True(t, math.Abs(sum.Dollars()-7.01*lines[0].Dollars()-folds.Dollars()) <= 1e-9 && sum.Calls == 7_010_000+1728, "the sum is %+v", sum)
	delete(operations, "refresh")
	_, err = Month(operations, template, 1)
	assert.True(t, err != nil && strings.Contains(err.Error(), "refresh"), "without refreshes: %v", err)
}

// TestPrizesPerShow checks an assumption about the rules of the game: how many claims of a show bring gold.
func TestPrizesPerShow(t *testing.T) {
	for _, tier := range []string{game.TierRookie, game.TierPro, game.TierElite} {
		assert.True(t, game.Prize(tier, prizesPerShow) != 0 && game.Prize(tier, prizesPerShow+1) == 0,
			"a show of the tier %s does not pay %d prizes", tier, prizesPerShow)
	}
}

// TestMemoryGoals checks the goals for the functions' memory. ListShows and GetSeason must compute for at most 25 ms,
// and a month of 100,000 players must cost at most $48.
func TestMemoryGoals(t *testing.T) {
	template := template(t)
	p, err := readProcessor(template)
	require.NoError(t, err)
	for _, id := range []string{"ListShows", "GetSeason"} {
		f, _ := template.Function(id)
		own, err := p.own(f)
		assert.True(t, err == nil && own <= 0.025, "%s works for %.1f ms, %v", id, 1000*own, err)
	}
	operations, err := Read(read(t, "docs/costs.md"))
	require.NoError(t, err)
	lines, err := Month(operations, template, 100_000)
	if err != nil || lines[len(lines)-1].Dollars() > 48 {
		t.Errorf("a month costs $%.2f, %v", lines[len(lines)-1].Dollars(), err)
	}
}

// TestAlarmHasThePrices checks that the alarm on an hour's cost uses this package's prices, and that the dashboard
// computes the cost as the alarm does.
func TestAlarmHasThePrices(t *testing.T) {
	want := fmt.Sprintf("FILL(calls, 0) * %v / 1000000 + FILL(bytes, 0) * %v / 1000000000 + FILL(reads, 0) * %v / 1000000 + FILL(writes, 0) * %v / 1000000",
		perMillionGatewayCalls+perMillionInvocations, perGigabyteSent, perMillionReadUnits, perMillionWriteUnits)
	n := strings.Count(strings.Join(strings.Fields(read(t, "infra/alarms.yaml")), " "), want)
	assert.Equal(t, 2, n, "infra/alarms.yaml has %s %d times, want 2: in the alarm and on the dashboard", want, n)
}
