package cloudwatch

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// template returns a template with an alarm A, which has these properties, and a topic T.
func template(t *testing.T, properties string) *samtemplate.Template {
	t.Helper()
	path := filepath.Join(t.TempDir(), samtemplate.FileName)
	text := `
Parameters:
  Limit: {Type: Number, Default: 2.5}
Resources:
  T: {Type: AWS::SNS::Topic}
  A:
    Type: AWS::CloudWatch::Alarm
    Properties: {AlarmDescription: a, AlarmActions: [!Ref T], OKActions: [!Ref T], ` + properties + `}
`
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	loaded, err := samtemplate.Load(path)
	require.NoError(t, err)
	return loaded
}

func alarm(t *testing.T, properties string) *Alarm {
	t.Helper()
	loaded := template(t, properties)
	a, err := New(loaded, loaded.Alarms[0], map[string]string{"AWS::StackName": "cats", "F": "function"})
	require.NoError(t, err)
	return a
}

var midnight = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// play evaluates the alarm after periods with the given values ("-" is no data). before is the first state.
func play(t *testing.T, a *Alarm, periods string, before State) State {
	t.Helper()
	var d Data
	m, now := a.Metrics()[0], midnight
	for text := range strings.FieldsSeq(periods) {
		var value float64
		if text != "-" {
			_, err := fmt.Sscan(text, &value)
			require.NoError(t, err)
			d.Add(Point{m, now.Add(a.Period / 2), value})
		}
		now = now.Add(a.Period)
	}
	state, err := a.Evaluate(&d, now.Add(a.Period/3), before)
	require.NoError(t, err)
	return state
}

// TestDocumentedExamples plays the examples of the Amazon CloudWatch User Guide, "How alarm state is evaluated when
// data is missing", for the treatments that template.yaml uses. 1 is a data point that breaches the threshold, 0 one
// that does not.
func TestDocumentedExamples(t *testing.T) {
	const retained = "retained"
	treatments := []string{"ignore", "breaching", "notBreaching"}
	for _, example := range []struct {
		datapoints int
		periods    string
		want       [3]State
	}{
		{3, "0 - 1 - 1", [3]State{OK, OK, OK}},
		{3, "0 - - - -", [3]State{OK, OK, OK}},
		{3, "- - - - -", [3]State{retained, Alarming, OK}},
		{3, "0 1 1 - 1", [3]State{Alarming, Alarming, Alarming}},
		{3, "- - - - 1", [3]State{retained, Alarming, OK}},
		{3, "1 - - - -", [3]State{retained, Alarming, OK}},
		{2, "0 - 1 - 1", [3]State{Alarming, Alarming, Alarming}},
		{2, "0 0 1 0 1", [3]State{Alarming, Alarming, Alarming}},
		{2, "0 - 1 - -", [3]State{OK, Alarming, OK}},
		{2, "- - - - 0", [3]State{OK, Alarming, OK}},
		{2, "- - - - 1", [3]State{retained, Alarming, OK}},
	} {
		for i, treatment := range treatments {
			a := alarm(t, fmt.Sprintf(`Namespace: N, MetricName: M, Statistic: Sum, Period: 300, ComparisonOperator: GreaterThanThreshold, Threshold: 0.5,
      EvaluationPeriods: 3, DatapointsToAlarm: %d, TreatMissingData: %s`, example.datapoints, treatment))
			assert.Equal(t, example.want[i], play(t, a, example.periods, retained),
				"%d of 3, %s, missing data are %s", example.datapoints, example.periods, treatment)
		}
	}
}

func TestComparisons(t *testing.T) {
	for comparison, want := range map[string][3]State{ // for 2, 2.5, which is the limit, and 3
		"GreaterThanThreshold":          {OK, OK, Alarming},
		"GreaterThanOrEqualToThreshold": {OK, Alarming, Alarming},
		"LessThanThreshold":             {Alarming, OK, OK},
		"LessThanOrEqualToThreshold":    {Alarming, Alarming, OK},
	} {
		a := alarm(t, `Namespace: N, MetricName: M, Statistic: Sum, Period: 60, Threshold: !Ref Limit, EvaluationPeriods: 1, TreatMissingData: ignore,
      ComparisonOperator: `+comparison)
		for i, value := range []string{"2", "2.5", "3"} {
			assert.Equal(t, want[i], play(t, a, value, OK), "%s %s", value, comparison)
		}
	}
}

func TestStatistics(t *testing.T) {
	m := NewMetric("N", "M", nil)
	var d Data
	for i := range 200 {
		d.Add(Point{m, midnight.Add(time.Duration(i) * 100 * time.Millisecond), float64(200 - i)})
	}
	d.Add(Point{m, midnight.Add(time.Minute), 1e6}, Point{NewMetric("N", "M", map[string]string{"D": "1"}), midnight, 1e6})
	for name, want := range map[string]float64{
		"Sum": 20100, "Average": 100.5, "Minimum": 1, "Maximum": 200, "SampleCount": 200, "p50": 100, "p99": 198, "p99.9": 200, "p100": 200,
	} {
		s, err := statistic(name)
		require.NoError(t, err)
		got := s(d.values(m, midnight, midnight.Add(time.Minute)))
		assert.True(t, got == want, "%s is %v, want %v", name, got, want)
	}
}

func TestNew_refuses(t *testing.T) {
	const rest = `ComparisonOperator: GreaterThanThreshold, EvaluationPeriods: 1, TreatMissingData: ignore, `
	const metric = `Namespace: N, MetricName: M, Period: 60, Statistic: `
	for properties, want := range map[string]string{
		rest + `Threshold: 1, Metrics: [{Id: e, Expression: "missing + 1"}]`:                               "missing is missing",
		rest + `Threshold: 1, Metrics: [{Id: e, Expression: "e + 1"}]`:                                     "depends on itself",
		rest + `Threshold: 1, Metrics: [{Id: e, Expression: "1 +"}]`:                                       "expected operand",
		rest + `Threshold: 1, Metrics: [{Id: e, Expression: "METRICS()"}]`:                                 "METRICS() is not understood",
		rest + `Threshold: !Ref Nothing, Metrics: [{Id: e, Expression: "1"}]`:                              "Nothing",
		rest + `Threshold: 1, Namespace: !Ref Nothing, MetricName: M, Statistic: Sum, Period: 60`:          "Nothing",
		rest + `Threshold: a lot, ` + metric + `Sum`:                                                       "a lot",
		rest + `Threshold: 1, ` + metric + `tm99`:                                                          `"tm99" is not known`,
		rest + `Threshold: 1, ` + metric + `p101`:                                                          `"p101" is not known`,
		strings.Replace(rest, "GreaterThan", "GreaterThanUpper", 1) + `Threshold: 1, ` + metric + `Sum`:    `"GreaterThanUpperThreshold"`,
		strings.Replace(rest, ": ignore", ": missing", 1) + `Threshold: 1, ` + metric + `Sum`:              `"missing" of missing data`,
		rest + `Threshold: 1, Metrics: [{Id: e, Expression: "SEARCH('{N} MetricName=M', 'Sum', 60) > 1"}]`: "the expression SEARCH",
	} {
		loaded := template(t, properties)
		_, err := New(loaded, loaded.Alarms[0], nil)
		assert.True(t, err != nil && strings.Contains(err.Error(), want), "%s: %v, want a word of %q", properties, err, want)
	}
}
