// Package cloudwatch evaluates the alarms of a SAM template by CloudWatch's documented rules. The data come from
// metrics in the functions' log lines (EMF, the embedded metric format) and from metric filters. The caller adds the
// data of AWS's own metrics. The package supports only what the template's alarms need.
//
//	data.go        data points and their statistics
//	emf.go         the data points in a log line
//	filter.go      the data points that a metric filter makes from a line
//	expression.go  metric math
//	alarm.go       an alarm, and its state
package cloudwatch

import (
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
	Name      string
	Period    time.Duration
	threshold float64
	breaches  func(value, threshold float64) bool
	template  samtemplate.Alarm
	series    map[string]series // by id
	metrics   []string          // the ids of the series that are metrics, in order
	compared  string            // the id of the compared metric or expression
}

// series is a metric's statistic, or an expression.
type series struct {
	metric    Metric
	statistic func(values []float64) float64
	math      ast.Expr // nil if this is a metric
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

// New returns an alarm with its references resolved (Template.Resolve) and its expressions parsed. It returns an error
// for features that this package does not support.
func New(t *samtemplate.Template, a samtemplate.Alarm, physical map[string]string) (*Alarm, error) {
	alarm := &Alarm{Name: a.LogicalID, Period: a.Period, template: a, series: map[string]series{}, breaches: comparisons[a.Comparison]}
	if err := alarm.read(t, physical); err != nil {
		return nil, fmt.Errorf("%s: %w", a.LogicalID, err)
	}
	return alarm, nil
}

func (a *Alarm) read(t *samtemplate.Template, physical map[string]string) error {
	treatments := []string{"breaching", "notBreaching", "ignore"}
	if a.breaches == nil || !slices.Contains(treatments, a.template.Missing) {
		return fmt.Errorf("the comparison %q, or the treatment %q of missing data, is not known", a.template.Comparison, a.template.Missing)
	}
	threshold, err := t.Text(a.template.Threshold, physical)
	if err != nil {
		return err
	}
	if a.threshold, err = strconv.ParseFloat(threshold, 64); err != nil {
		return err
	}
	for _, m := range a.template.Metrics {
		var s series
		if m.Compared {
			a.compared = m.ID
		}
		if m.Expression != "" {
			if s.math, err = parser.ParseExpr(m.Expression); err != nil {
				return fmt.Errorf("the expression %s: %w", m.Expression, err)
			}
		} else {
			dimensions, err := t.Resolve(m.Dimensions, physical)
			if err != nil {
				return err
			}
			namespace, err := t.Text(m.Namespace, physical)
			if err != nil {
				return err
			}
			s.metric = NewMetric(namespace, m.Name, dimensions)
			if s.statistic, err = statistic(m.Statistic); err != nil {
				return err
			}
			a.metrics = append(a.metrics, m.ID)
		}
		a.series[m.ID] = s
	}
	_, err = a.value(&Data{}, a.compared, time.Time{}, 0) // every name in an expression must exist
	return err
}

// Evaluate returns the alarm's state after the periods that have ended by now. Each period begins at a multiple of its
// length. before is the state before this evaluation. Evaluate treats missing data as "Configuring how CloudWatch
// alarms treat missing data" in the Amazon CloudWatch User Guide says: it uses the real data of all considered periods
// before it fills gaps.
func (a *Alarm) Evaluate(d *Data, now time.Time, before State) (State, error) {
	end := now.Truncate(a.Period)
	var breaching []bool // of the periods with data, the oldest first
	for ago := a.template.EvaluationPeriods + more; ago >= 1; ago-- {
		value, err := a.value(d, a.compared, end.Add(-time.Duration(ago)*a.Period), 0)
		if err != nil {
			return "", fmt.Errorf("%s: %w", a.Name, err)
		}
		if !math.IsNaN(value) {
			breaching = append(breaching, a.breaches(value, a.threshold))
		}
	}
	return a.decide(breaching, before), nil
}

// decide returns the state. breaching has, for each period with data, whether its value breaches the threshold, oldest
// first. before is the state so far.
func (a *Alarm) decide(breaching []bool, before State) State {
	missing := a.template.EvaluationPeriods - len(breaching)
	breaching = breaching[max(0, -missing):]
	count := 0
	for _, b := range breaching {
		if b {
			count++
		}
	}
	if missing > 0 && a.template.Missing == "breaching" {
		count += missing
	}
	switch {
	case count >= a.template.DatapointsToAlarm:
		return Alarming
	case missing > 0 && a.template.Missing == "ignore" && count == len(breaching):
		return before
	}
	return OK
}

// value returns the value of the metric or expression id in the period that begins at from. Without data it returns
// NaN. depth counts nested expressions, so that a cycle becomes an error.
func (a *Alarm) value(d *Data, id string, from time.Time, depth int) (float64, error) {
	s, ok := a.series[id]
	if !ok || depth > len(a.series) {
		return 0, fmt.Errorf("%s is missing, or depends on itself", id)
	}
	if s.math == nil {
		if values := d.values(s.metric, from, from.Add(a.Period)); len(values) > 0 {
			return s.statistic(values), nil
		}
		return math.NaN(), nil
	}
	v := variables{metrics: a.metrics, of: func(id string) (float64, error) { return a.value(d, id, from, depth+1) }}
	return v.number(s.math)
}

// Metrics returns the metrics that the alarm uses, in the template's order. Expressions are not among them.
func (a *Alarm) Metrics() []Metric {
	var all []Metric
	for _, id := range a.metrics {
		all = append(all, a.series[id].metric)
	}
	return all
}
