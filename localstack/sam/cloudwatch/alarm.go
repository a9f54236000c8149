// Package cloudwatch evaluates the alarms of a SAM template by CloudWatch's documented rules. The data come from
// metrics in the functions' log lines (EMF, the embedded metric format). The caller adds the data of AWS's own metrics.
// The package supports only what the template's alarms need.
//
//	data.go        data points and their statistics
//	emf.go         the data points in a log line
//	expression.go  metric math
//	alarm.go       an alarm, and its state
package cloudwatch

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// State is the state of an alarm, in CloudWatch's spelling.
type State string

// The states. An alarm begins with InsufficientData.
const (
	OK               State = "OK"
	Alarming         State = "ALARM"
	InsufficientData State = "INSUFFICIENT_DATA"
)

// Alarm is an alarm of a template with its references resolved.
type Alarm struct {
	Period    time.Duration
	threshold float64
	breaches  func(value, threshold float64) bool
	template  samtemplate.Alarm
	metrics   map[string]statistic // by id
	compared  ast.Expr             // the compared expression, or the id of the compared metric
}

// statistic is a metric with its statistic.
type statistic struct {
	metric  Metric
	compute func(values []float64) float64
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

// New returns an alarm with its references resolved (Template.Resolve) and its expression parsed. It returns an error
// for features that this package does not support.
func New(t *samtemplate.Template, a samtemplate.Alarm, physical map[string]string) (*Alarm, error) {
	alarm := &Alarm{Period: a.Period, template: a, breaches: comparisons[a.Comparison], metrics: map[string]statistic{}}
	if err := alarm.read(t, physical); err != nil {
		return nil, fmt.Errorf("%s: %w", a.LogicalID, err)
	}
	return alarm, nil
}

func (a *Alarm) read(t *samtemplate.Template, physical map[string]string) error {
	if a.breaches == nil || !slices.Contains([]string{"breaching", "notBreaching", "ignore"}, a.template.Missing) {
		return fmt.Errorf("cannot evaluate %s with TreatMissingData %s", a.template.Comparison, a.template.Missing)
	}
	threshold, err := t.Text(a.template.Threshold, physical)
	if err != nil {
		return err
	}
	if a.threshold, err = strconv.ParseFloat(threshold, 64); err != nil {
		return err
	}
	for _, m := range a.template.Metrics {
		if m.Compared {
			if a.compared, err = parser.ParseExpr(cmp.Or(m.Expression, m.ID, single)); err != nil {
				return fmt.Errorf("the expression %s: %w", m.Expression, err)
			}
		}
		if m.Expression != "" {
			continue
		}
		dimensions, err1 := t.Resolve(m.Dimensions, physical)
		namespace, err2 := t.Text(m.Namespace, physical)
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		if statistics[m.Statistic] == nil {
			return fmt.Errorf("cannot compute the statistic %q", m.Statistic)
		}
		a.metrics[cmp.Or(m.ID, single)] = statistic{NewMetric(namespace, m.Name, dimensions), statistics[m.Statistic]}
	}
	_, err = a.value(nil, time.Time{}) // a wrong expression fails with any data
	return err
}

// single is the id of an alarm's metric without an id.
const single = "metric"

// Evaluate returns the alarm's state after the periods that have ended by now. Each period begins at a multiple of its
// length. before is the state before this evaluation. Evaluate treats missing data as "Configuring how CloudWatch
// alarms treat missing data" in the Amazon CloudWatch User Guide says: it uses the real data of all considered periods
// before it fills gaps.
func (a *Alarm) Evaluate(d Data, now time.Time, before State) State {
	end, periods := now.Truncate(a.Period), a.template.EvaluationPeriods
	var breaching []bool // of the latest periods with data
	for ago := 1; ago <= periods+more && len(breaching) < periods; ago++ {
		if value, _ := a.value(d, end.Add(-time.Duration(ago)*a.Period)); !math.IsNaN(value) {
			breaching = append(breaching, a.breaches(value, a.threshold))
		}
	}
	missing, count := periods-len(breaching), 0
	for _, b := range breaching {
		if b {
			count++
		}
	}
	allBreach := count == len(breaching)
	if a.template.Missing == "breaching" {
		count += missing
	}
	switch {
	case count >= a.template.DatapointsToAlarm:
		return Alarming
	case missing > 0 && a.template.Missing == "ignore" && allBreach:
		return before
	}
	return OK
}

// value returns the compared value in the period that begins at from, or NaN if data are missing.
func (a *Alarm) value(d Data, from time.Time) (float64, error) {
	values := map[string]float64{}
	for id, s := range a.metrics {
		values[id] = math.NaN()
		if found := d.values(s.metric, from, from.Add(a.Period)); len(found) > 0 {
			values[id] = s.compute(found)
		}
	}
	return evaluate(a.compared, values)
}
