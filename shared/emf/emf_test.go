package emf_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/shared/emf"
	"github.com/ranch-game/ranch/shared/tally"
)

var (
	source = emf.Source{Namespace: "ranch-prod", Function: "ranch-prod-Login-1", Version: "7"}
	at     = time.UnixMilli(1_795_167_000_123)
)

// written returns a log line with the values.
func written(s emf.Source, code string, values ...emf.Value) string {
	var b bytes.Buffer
	logger := slog.New(slog.NewJSONHandler(&b, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey || a.Key == slog.LevelKey {
			return slog.Attr{}
		}
		return a
	}}))
	logger.LogAttrs(context.Background(), slog.LevelInfo, "request", s.Append([]slog.Attr{slog.Int("status", 200)}, at, code, nil, values...)...)
	return strings.TrimSuffix(b.String(), "\n")
}

// The metrics of each set of dimensions have a directive of their own. A line without metrics has no member _aws.
func TestAppend(t *testing.T) {
	const head, end = `{"msg":"request","status":200`, `}`
	aws := func(directives ...string) string {
		return `,"_aws":{"Timestamp":1795167000123,"CloudWatchMetrics":[` + strings.Join(directives, ",") + `]}}`
	}
	directive := func(dimensions, metrics string) string {
		return `{"Namespace":"ranch-prod","Dimensions":` + dimensions + `,"Metrics":[` + metrics + `]}`
	}
	const function = `,"FunctionName":"ranch-prod-Login-1","FunctionVersion":"7"`
	for name, c := range map[string]struct {
		source emf.Source
		code   string
		values []emf.Value
		want   string
	}{
		"nothing":   {source, "", nil, head + end},
		"no metric": {source, "", []emf.Value{{tally.Gate, 3}}, head + `,"gate":3` + end},
		"gold": {source, "", []emf.Value{{tally.GoldCharged, 50}, {tally.Entries, 1}, {tally.Gate, 3}},
			head + `,"GoldCharged":50,"Entries":1,"gate":3` + aws(directive(`[[]]`, `{"Name":"GoldCharged"},{"Name":"Entries","Unit":"Count"}`))},
		"a zero that is said": {source, "", []emf.Value{{tally.LedgerDrift, 0}},
			head + `,"LedgerDrift":0` + aws(directive(`[[]]`, `{"Name":"LedgerDrift","Unit":"Count"}`))},
		"a refusal by a cold process": {source, "CONFLICT", []emf.Value{{tally.ColdStarts, 1}, {tally.Refusals, 1}, {tally.Attempts, 1}},
			head + `,"ColdStarts":1,"Refusals":1,"Attempts":1` + function + `,"Code":"CONFLICT"` + aws(
				directive(`[[]]`, `{"Name":"Attempts","Unit":"Count"}`),
				directive(`[["FunctionName","FunctionVersion"]]`, `{"Name":"ColdStarts","Unit":"Count"}`),
				directive(`[["Code"]]`, `{"Name":"Refusals","Unit":"Count"}`))},
		"a fault": {source, "", []emf.Value{{tally.Faults, 1}}, head + `,"Faults":1` + function + aws(
			directive(`[[],["FunctionName","FunctionVersion"]]`, `{"Name":"Faults","Unit":"Count"}`))},
		"no namespace": {emf.Source{Function: "f", Version: "7"}, "CONFLICT", []emf.Value{{tally.Refusals, 1}, {tally.Attempts, 2}},
			head + `,"Refusals":1,"Attempts":2` + end},
	} {
		assert.Empty(t, cmp.Diff(c.want, written(c.source, c.code, c.values...)), "%s (-want +got)", name)
	}
}

// A thousand joined errors leave a line below CloudWatch's limit of 256 kB, even in characters that JSON writes as six
// bytes. The error comes after the metrics.
func TestAppendManyErrors(t *testing.T) {
	gone := errors.New("table gone" + strings.Repeat("\x00", 600))
	err := errors.Join(slices.Repeat([]error{gone}, 1_000)...)
	line := source.Append(nil, at, "", err, emf.Value{Figure: tally.Faults, N: 1})
	text, last := line[len(line)-1].Value.String(), line[len(line)-1].Key
	var b bytes.Buffer
	slog.New(slog.NewJSONHandler(&b, nil)).LogAttrs(t.Context(), slog.LevelError, "run", line...)
	assert.True(t, b.Len() < 256_000 && last == "error" && strings.HasSuffix(text, "… and 590999 more bytes"),
		"%d bytes, the last member is %s: …%s", b.Len(), last, text[max(0, len(text)-50):])
	assert.ErrorIs(t, emf.Bounded(err), gone)
	assert.Equal(t, gone, emf.Bounded(gone))
}

// The alarms, the dashboard and operators' queries use these names, units and dimensions.
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
		"Leases Count [[]]",
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
		"Leftovers Count [[]]",
		"NamesHidden Count [[]]",
		"OldestUnfinished Seconds [[]]",
		"OldestOverdue Seconds [[]]",
		"OldestUnfolded Seconds [[]]",
		"SyntheticPlays Count [[]]",
		"TurnedAway Count [[]]",
	}
	var got []string
	for _, m := range emf.Metrics() {
		got = append(got, fmt.Sprint(m.Name, " ", m.Unit, " ", m.Dimensions))
	}
	assert.Empty(t, cmp.Diff(want, got), "(-want +got)")
}
