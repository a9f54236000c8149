package emf_test

import (
	"bytes"
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ranch-game/ranch/localstack/sam/cloudwatch"
	"github.com/ranch-game/ranch/shared/emf"
	"github.com/ranch-game/ranch/shared/tally"
)

var (
	source = emf.Source{Namespace: "ranch-prod", Function: "ranch-prod-Login-1", Version: "7"}
	at     = time.UnixMilli(1_795_167_000_123)
)

// written returns the line that has the values.
func written(s emf.Source, code string, values ...emf.Value) string {
	var b bytes.Buffer
	logger := slog.New(slog.NewJSONHandler(&b, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey || a.Key == slog.LevelKey {
			return slog.Attr{}
		}
		return a
	}}))
	logger.LogAttrs(context.Background(), slog.LevelInfo, "request", s.Append([]slog.Attr{slog.Int("status", 200)}, at, code, values...)...)
	return strings.TrimSuffix(b.String(), "\n")
}

// Each kind of dimensions has a directive of its own; what is no metric, and a line without any, has none.
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
		if diff := cmp.Diff(c.want, written(c.source, c.code, c.values...)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// A line with all there is keeps to the format, and becomes the metrics of the list, no more and no less.
func TestEveryMetricIsReadBack(t *testing.T) {
	var values []emf.Value
	for i, f := range tally.Figures() {
		values = append(values, emf.Value{Figure: f, N: int64(i)})
	}
	data, err := cloudwatch.ReadEMF([]byte(written(source, "CONFLICT", values...)))
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{emf.FunctionName: source.Function, emf.FunctionVersion: source.Version, emf.Code: "CONFLICT"}
	var want []cloudwatch.Datum
	for i, m := range emf.Metrics() { // the figures' order, and the figure without a metric is the last
		for _, set := range m.Dimensions {
			dimensions := map[string]string{}
			for _, key := range set {
				dimensions[key] = texts[key]
			}
			want = append(want, cloudwatch.Datum{
				Namespace: "ranch-prod", Name: m.Name, Unit: m.Unit, Dimensions: dimensions, Value: float64(i), At: at.UnixMilli(),
			})
		}
	}
	order := func(a, b cloudwatch.Datum) int {
		return 2*int(a.Value-b.Value) + len(a.Dimensions) - len(b.Dimensions)
	}
	slices.SortFunc(data, order)
	slices.SortFunc(want, order)
	if diff := cmp.Diff(want, data); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
