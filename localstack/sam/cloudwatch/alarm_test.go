// Package cloudwatch checks when the alarms of infra/alarms.yaml and the gates of template.yaml fire. It evaluates them by those of CloudWatch's documented
// rules that these alarms need. The package has only tests.
//
//	ranch_test.go       data for each alarm
//	alarm_test.go       an alarm, and its state
//	expression_test.go  metric math
//	documented_test.go  the examples in CloudWatch's documents
package cloudwatch

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// alarm is an alarm of a template with its references resolved.
type alarm struct {
	samtemplate.Alarm
	threshold float64
	metrics   map[string]string // the key of each metric (key), by its id
	compared  ast.Expr          // the compared expression, or the id of the compared metric
}

// data has the values of metrics in successive periods, by the metrics' keys. NaN means that data are missing.
type data map[string][]float64

// key identifies a metric with its statistic. As in CloudWatch, other dimensions or other values of a dimension make
// another metric.
func key(namespace, name, statistic string, dimensions map[string]string) string {
	return fmt.Sprintf("%s %s %s %q", namespace, name, statistic, dimensions)
}

// more is how many periods before the evaluation periods an alarm also considers if data are missing. CloudWatch does
// not document the number; its examples have two periods.
const more = 2

// comparisons are CloudWatch's comparison operators.
var comparisons = map[string]func(value, threshold float64) bool{
	"GreaterThanOrEqualToThreshold": func(v, t float64) bool { return v >= t },
	"GreaterThanThreshold":          func(v, t float64) bool { return v > t },
	"LessThanThreshold":             func(v, t float64) bool { return v < t },
	"LessThanOrEqualToThreshold":    func(v, t float64) bool { return v <= t },
}

// treatments are CloudWatch's treatments of missing data that our alarms use.
var treatments = []string{"ignore", "breaching", "notBreaching"}

// resolve returns an alarm with its references resolved (Template.Text) and its expression parsed. It fails the test if
// this package does not support the alarm.
func resolve(t *testing.T, template *samtemplate.Template, a samtemplate.Alarm, physical map[string]string) *alarm {
	t.Helper()
	text := func(v samtemplate.Value) string {
		text, err := template.Text(v, physical)
		require.NoError(t, err, a.LogicalID)
		return text
	}
	require.Contains(t, comparisons, a.ComparisonOperator, a.LogicalID)
	require.Contains(t, treatments, a.TreatMissingData, a.LogicalID)
	threshold, err := strconv.ParseFloat(text(a.Threshold), 64)
	require.NoError(t, err, a.LogicalID)
	resolved := &alarm{Alarm: a, threshold: threshold, metrics: map[string]string{}}
	for _, m := range a.Metrics {
		if source := m.MetricStat.Metric; m.Expression == (samtemplate.Value{}) {
			dimensions := map[string]string{}
			for _, d := range source.Dimensions {
				dimensions[d.Name] = text(d.Value)
			}
			resolved.metrics[m.ID] = key(text(source.Namespace), source.MetricName, m.MetricStat.Stat, dimensions)
			require.EqualValues(t, a.Period().Seconds(), m.MetricStat.Period, "%s: the period of %s", a.LogicalID, m.ID)
		}
		if m.ReturnData == nil || *m.ReturnData {
			require.Nil(t, resolved.compared, "%s compares two metrics", a.LogicalID)
			resolved.compared, err = parser.ParseExpr(cmp.Or(text(m.Expression), m.ID))
			require.NoError(t, err, "%s: the expression %s", a.LogicalID, m.Expression)
		}
	}
	return resolved
}

// state returns the alarm's state after a period of the data: O is OK, A is ALARM. before is the state before that
// period. state treats missing data as "Configuring how CloudWatch alarms treat missing data" in the Amazon CloudWatch
// User Guide says: it uses the real data of all considered periods before it fills gaps.
func (a *alarm) state(t *testing.T, d data, period int, before string) string {
	t.Helper()
	var breaching []bool // of the latest periods with data
	for ago := 0; ago < a.EvaluationPeriods+more && len(breaching) < a.EvaluationPeriods; ago++ {
		if value := a.value(t, d, period-ago); !math.IsNaN(value) {
			breaching = append(breaching, comparisons[a.ComparisonOperator](value, a.threshold))
		}
	}
	missing, count := a.EvaluationPeriods-len(breaching), 0
	for _, b := range breaching {
		if b {
			count++
		}
	}
	allBreach := count == len(breaching)
	if a.TreatMissingData == "breaching" {
		count += missing
	}
	switch {
	case count >= a.DatapointsToAlarm:
		return "A"
	case missing > 0 && a.TreatMissingData == "ignore" && allBreach:
		return before
	}
	return "O"
}

// value returns the compared value in a period, or NaN if data are missing.
func (a *alarm) value(t *testing.T, d data, period int) float64 {
	t.Helper()
	values := map[string]float64{}
	for id, key := range a.metrics {
		values[id] = math.NaN()
		if period >= 0 && period < len(d[key]) {
			values[id] = d[key][period]
		}
	}
	return evaluate(t, a.compared, values)
}
