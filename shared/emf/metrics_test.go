package emf_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ranch-game/ranch/shared/emf"
)

// The names are a contract with the alarms, the dashboard and the queries of those who operate the service.
func TestMetrics(t *testing.T) {
	const perFunction = "[FunctionName FunctionVersion]"
	want := []string{
		"Faults Count [[] " + perFunction + "]",
		"ColdStarts Count [" + perFunction + "]",
		"Refusals Count [[Code]]",
		"RefreshRefusals Count [[]]",
		"Attempts Count [[]]",
		"Conflicts Count [[]]",
		"Retries Count [[]]",
		"Seals Count [[]]",
		"DamagedShows Count [[]]",
		"GoldPaid None [[]]",
		"GoldCharged None [[]]",
		"Entries Count [[]]",
		"JudgedEntries None [[]]",
		"JudgingDuration Milliseconds [[]]",
		"EarlyJudgings Count [[]]",
		"KeysUnparsable Count [[]]",
		"LedgersAudited Count [[]]",
		"LedgerDrift Count [[]]",
	}
	var got []string
	for _, m := range emf.Metrics() {
		got = append(got, fmt.Sprint(m.Name, " ", m.Unit, " ", m.Dimensions))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
