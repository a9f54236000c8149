package cloudwatch

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// threeOf3 is an alarm on the metric N/M, which breaches if it exceeds 0.5 in each of three periods.
var threeOf3 = samtemplate.Alarm{
	LogicalID: "A", Period: 5 * time.Minute, EvaluationPeriods: 3, DatapointsToAlarm: 3, Missing: "ignore",
	Comparison: "GreaterThanThreshold", Threshold: samtemplate.Value{Literal: "0.5"},
	Metrics: []samtemplate.AlarmMetric{
		{Compared: true, Namespace: samtemplate.Value{Literal: "N"}, Name: "M", Statistic: "Sum"},
	},
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
			changed := threeOf3
			changed.DatapointsToAlarm, changed.Missing = example.datapoints, treatment
			a, err := New(&samtemplate.Template{}, changed, nil)
			require.NoError(t, err)
			var d Data
			at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
			for text := range strings.FieldsSeq(example.periods) {
				if text != "-" {
					d = append(d, Point{NewMetric("N", "M", nil), at.Add(a.Period / 2), map[string]float64{"0": 0, "1": 1}[text]})
				}
				at = at.Add(a.Period)
			}
			assert.Equal(t, example.want[i], a.Evaluate(d, at.Add(a.Period/3), retained),
				"%d of 3, %s, missing data are %s", example.datapoints, example.periods, treatment)
		}
	}
}

func TestStatistics(t *testing.T) {
	m, midnight := NewMetric("N", "M", nil), time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	d := Data{{m, midnight.Add(time.Minute), 1e6}, {NewMetric("N", "M", map[string]string{"D": "1"}), midnight, 1e6}}
	for i := range 200 {
		d = append(d, Point{m, midnight.Add(time.Duration(i) * 100 * time.Millisecond), float64(200 - i)})
	}
	got := ""
	for _, name := range []string{"Sum", "Average", "Maximum", "SampleCount", "p99"} {
		got += fmt.Sprintf("%s %v, ", name, statistics[name](d.values(m, midnight, midnight.Add(time.Minute))))
	}
	assert.Equal(t, "Sum 20100, Average 100.5, Maximum 200, SampleCount 200, p99 198, ", got)
}

func TestNew_refuses(t *testing.T) {
	for want, change := range map[string]func(*samtemplate.Alarm){
		"evaluate GreaterThanUpperThreshold": func(a *samtemplate.Alarm) { a.Comparison = "GreaterThanUpperThreshold" },
		"TreatMissingData missing":           func(a *samtemplate.Alarm) { a.Missing = "missing" },
		`"a lot"`:                            func(a *samtemplate.Alarm) { a.Threshold.Literal = "a lot" },
		"Nothing":                            func(a *samtemplate.Alarm) { a.Threshold = samtemplate.Value{Ref: "Nothing"} },
		`the statistic "p50"`:                func(a *samtemplate.Alarm) { a.Metrics = []samtemplate.AlarmMetric{{Statistic: "p50"}} },
		"no metric m":                        func(a *samtemplate.Alarm) { a.Metrics = []samtemplate.AlarmMetric{{Expression: "m", Compared: true}} },
	} {
		changed := threeOf3
		change(&changed)
		_, err := New(&samtemplate.Template{}, changed, nil)
		assert.ErrorContains(t, err, want)
	}
}
