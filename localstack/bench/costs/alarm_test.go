package costs

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// The alarm on an hour's cost reckons with the prices of docs/costs.md, and the dashboard as the alarm does.
func TestAlarmHasThePrices(t *testing.T) {
	template, err := samtemplate.LoadRoot()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(template.Alarms, func(a samtemplate.Alarm) bool { return a.LogicalID == "CostAlarm" })
	if i < 0 {
		t.Fatal("there is no CostAlarm")
	}
	want := fmt.Sprintf("FILL(calls, 0) * %v / 1000000 + FILL(reads, 0) * %v / 1000000 + FILL(writes, 0) * %v / 1000000",
		perMillionGatewayCalls+perMillionInvocations, perMillionReadUnits, perMillionWriteUnits)
	for _, m := range template.Alarms[i].Metrics {
		if m.Compared && m.Expression != want {
			t.Errorf("the alarm reckons %s, want %s", m.Expression, want)
		}
	}
	text, err := os.ReadFile(filepath.Join(template.Root, samtemplate.FileName))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), want); n != 2 {
		t.Errorf("template.yaml has %s %d times, want 2: in the alarm and on the dashboard", want, n)
	}
}
