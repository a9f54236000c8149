package functiontest_test

import (
	"bytes"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ranch-game/ranch/localstack/sam/cloudwatch"
	"github.com/ranch-game/ranch/shared/emf"
	"github.com/ranch-game/ranch/shared/tally"
)

// FuzzDocument: a line of any figures is read by CloudWatch's rules, which find just those that are metrics, each with
// its value, in each of its sets of dimensions.
func FuzzDocument(f *testing.F) {
	f.Add("Function", "7", "NOT_FOUND", "text", int64(1_795_167_000_000), []byte{0, 1, 2, 3})
	f.Add("", "", "", "\u2028\x00\"", int64(0), []byte{255, 9, 9, 8, 7, 6, 5, 4})
	f.Fuzz(func(t *testing.T, function, version, code, text string, at int64, drawn []byte) {
		within := func(s string) bool { return s != "" && len(s) < 300 }
		if !within(function) || !within(version) || !within(code) || len(text) > 10_000 {
			return // names of AWS's and of our own, which are not empty
		}
		source := emf.Source{Namespace: "ranch-dev", Function: function, Version: version}
		var values []emf.Value
		want := map[string]float64{}
		for i, b := range drawn {
			all := tally.Figures()
			figure := all[int(b)%len(all)]
			if _, double := want[figure.String()]; !double {
				values, want[figure.String()] = append(values, emf.Value{Figure: figure, N: int64(i) << (b % 50)}), float64(int64(i)<<(b%50))
			}
		}
		var line bytes.Buffer
		attrs := source.Append([]slog.Attr{slog.String("error", text)}, time.UnixMilli(at), code, values...)
		slog.New(slog.NewJSONHandler(&line, nil)).LogAttrs(t.Context(), slog.LevelInfo, "request", attrs...)
		data, err := cloudwatch.ReadEMF(line.Bytes())
		if err != nil {
			t.Fatalf("%s: %v", line.Bytes(), err)
		}
		wanted := map[string]int{}
		for _, m := range emf.Metrics() {
			if _, there := want[m.Name]; there {
				wanted[m.Name] = len(m.Dimensions)
			}
		}
		for _, d := range data {
			if d.Namespace != "ranch-dev" || d.Value != want[d.Name] || d.At != at {
				t.Errorf("%+v, want %v at %d", d, want[d.Name], at)
			}
			wanted[d.Name]--
		}
		for name, missing := range wanted {
			if missing != 0 {
				t.Errorf("%s: %d of %s are missing", line.Bytes(), missing, name)
			}
		}
	})
}

// A line with all there is keeps to the format, and becomes the metrics of the list, no more and no less.
func TestEveryMetricIsReadBack(t *testing.T) {
	var values []emf.Value
	for i, f := range tally.Figures() {
		values = append(values, emf.Value{Figure: f, N: int64(i)})
	}
	source, at := emf.Source{Namespace: "ranch-prod", Function: "ranch-prod-Login-1", Version: "7"}, time.UnixMilli(1_795_167_000_123)
	var line bytes.Buffer
	slog.New(slog.NewJSONHandler(&line, nil)).LogAttrs(t.Context(), slog.LevelInfo, "request", source.Append(nil, at, "CONFLICT", values...)...)
	data, err := cloudwatch.ReadEMF(line.Bytes())
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
