package store_test

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/shared/operate"
)

// Every operation is in the tables that test outages, and TestBudget measures every operation that a function calls.
func TestEveryOperationIsInTheTables(t *testing.T) {
	t.Parallel()
	const scenes = "../../localstack/kit/storetest/players.go"
	played := calls(t, "outage_test.go", "writes_test.go", "store_test.go", "claim_test.go", "operator_ledgers_test.go", "operator_repair_test.go", scenes)
	measured := calls(t, "budget_test.go", "store_test.go", scenes)
	asked := matches(t, `(?m)^\t([A-Z]\w+)\(ctx context`, "../../functions/*/handler.go") // the functions' interfaces
	var operations []string
	for method := range reflect.TypeFor[operate.Desk]().Methods() {
		operations = append(operations, method.Name)
	}
	for method := range reflect.TypeFor[operate.Operator]().Methods() {
		operations = append(operations, method.Name)
	}
	parts := []string{ // of operations of operate and upkeep
		"AddressOf", "AllGates", "CompletedShow", "EntriesOf", "FinishNames", "HideName", "Misnamed", "NewJudgement", "NewLease", "NewTraitReader", "NoteRefunds", "Participations", "PendingRefunds", "Places", "RaiseRenamed", "Sheets",
		"Placings", "ShowItem", "UnrefundedOf",
	}
	for _, name := range operations {
		switch {
		case name == "Fill": // only for tests
		case name == "Operator", name == "WithChance", name == "WithCeiling": // they return a store or an operator
		case name == "DeleteRefreshRecord": // no transaction; TestLogoutSurvivesFaults
		case name == "PublishKeys": // likewise; TestPublishingSurvivesFaults
		case slices.Contains(parts, name):
		case !slices.Contains(played, name):
			t.Errorf("%s is neither among the reads of outage_test.go nor the writes of writes_test.go", name)
		}
		assert.True(t, !slices.Contains(asked, name) || slices.Contains(measured, name), "%s is not measured by TestBudget", name)
	}
}

// calls returns the names of the exported methods that the files call.
func calls(t *testing.T, files ...string) []string { return matches(t, `\.([A-Z]\w+)\(`, files...) }

// matches returns what a group matches in the files of the patterns.
func matches(t *testing.T, group string, patterns ...string) (all []string) {
	t.Helper()
	for _, pattern := range patterns {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatal(pattern, err)
		}
		for _, file := range files {
			text := must(os.ReadFile(file))(t)
			for _, match := range regexp.MustCompile(group).FindAllSubmatch(text, -1) {
				all = append(all, string(match[1]))
			}
		}
	}
	return all
}
