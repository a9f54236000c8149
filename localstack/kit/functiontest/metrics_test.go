package functiontest_test

import (
	"bytes"
	"cmp"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/ranch-game/ranch/localstack/sam/cloudwatch"
	"github.com/ranch-game/ranch/shared/emf"
	"github.com/ranch-game/ranch/shared/tally"
)

// FuzzDocument checks that CloudWatch can read a log line with any figures. CloudWatch must find exactly the figures
// that are metrics, each with its unit and value, in each set of dimensions. The first seed has all figures.
func FuzzDocument(f *testing.F) {
	all := tally.Figures()
	every := make([]byte, len(all))
	for i := range every {
		every[i] = byte(i)
	}
	f.Add("ranch-prod-Login-1", "7", "CONFLICT", "text", int64(1_795_167_000_123), every)
	f.Add("", "", "", "\u2028\x00\"", int64(0), []byte{255, 9, 9, 8, 7, 6, 5, 4})
	f.Fuzz(func(t *testing.T, function, version, code, text string, at int64, drawn []byte) {
		within := func(s string) bool { return s != "" && len(s) < 300 }
		if !within(function) || !within(version) || !within(code) || len(text) > 10_000 {
			return // AWS and our code never use such names
		}
		texts := map[string]string{emf.FunctionName: function, emf.FunctionVersion: version, emf.Code: code}
		var values []emf.Value
		var want []cloudwatch.Datum
		for i, b := range drawn {
			figure, n := all[int(b)%len(all)], int64(i)<<(b%50)
			if slices.ContainsFunc(values, func(v emf.Value) bool { return v.Figure == figure }) {
				continue
			}
			values = append(values, emf.Value{Figure: figure, N: n})
			for _, m := range emf.Metrics() {
				for _, set := range m.Dimensions {
					dimensions := map[string]string{}
					for _, key := range set {
						dimensions[key] = string([]rune(texts[key])) // valid UTF-8, as in JSON
					}
					if m.Name == figure.String() {
						want = append(want, cloudwatch.Datum{Namespace: "ranch-dev", Name: m.Name, Unit: m.Unit, Dimensions: dimensions, Value: float64(n), At: at})
					}
				}
			}
		}
		source := emf.Source{Namespace: "ranch-dev", Function: function, Version: version}
		var line bytes.Buffer
		attrs := source.Append(nil, time.UnixMilli(at), code, errors.New(text), values...)
		slog.New(slog.NewJSONHandler(&line, nil)).LogAttrs(t.Context(), slog.LevelInfo, "request", attrs...)
		data, err := cloudwatch.ReadEMF(line.Bytes())
		if err != nil {
			t.Fatalf("%s: %v", line.Bytes(), err)
		}
		order := func(a, b cloudwatch.Datum) int {
			return cmp.Or(strings.Compare(a.Name, b.Name), len(a.Dimensions)-len(b.Dimensions))
		}
		slices.SortFunc(data, order)
		slices.SortFunc(want, order)
		if diff := gocmp.Diff(want, data); diff != "" {
			t.Errorf("%s (-want +got):\n%s", line.Bytes(), diff)
		}
	})
}
