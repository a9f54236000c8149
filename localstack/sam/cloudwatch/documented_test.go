package cloudwatch

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// TestDocumentedExamples plays the examples of the Amazon CloudWatch User Guide, "How alarm state is evaluated when
// data is missing", for each of the treatments. 1 is a data point that breaches the threshold, 0 one that does not.
func TestDocumentedExamples(t *testing.T) {
	const retained = "R"
	threeOf3 := samtemplate.Alarm{
		ComparisonOperator: "GreaterThanThreshold", Threshold: samtemplate.Value{Literal: "0.5"}, EvaluationPeriods: 3,
		Metrics: []samtemplate.AlarmMetric{{ID: "m", MetricStat: samtemplate.MetricStat{Stat: "Sum", Period: 300}}},
	}
	for _, example := range []struct {
		datapoints int
		periods    string
		want       string // by the treatments
	}{
		{3, "0 - 1 - 1", "OOO"}, {3, "0 - - - -", "OOO"}, {3, "- - - - -", "RAO"}, {3, "0 1 1 - 1", "AAA"},
		{3, "- - - - 1", "RAO"}, {3, "1 - - - -", "RAO"}, {2, "0 - 1 - 1", "AAA"}, {2, "0 0 1 0 1", "AAA"},
		{2, "0 - 1 - -", "OAO"}, {2, "- - - - 0", "OAO"}, {2, "- - - - 1", "RAO"},
	} {
		got := ""
		for _, treatment := range treatments {
			changed := threeOf3
			changed.DatapointsToAlarm, changed.TreatMissingData = example.datapoints, treatment
			var values []float64
			for text := range strings.FieldsSeq(example.periods) {
				values = append(values, map[string]float64{"-": math.NaN(), "0": 0, "1": 1}[text])
			}
			a := resolve(t, &samtemplate.Template{}, changed, nil)
			got += a.state(t, data{key("", "", "Sum", nil): values}, len(values)-1, retained)
		}
		assert.Equal(t, example.want, got, "%d of 3, %s, by %q", example.datapoints, example.periods, treatments)
	}
}
