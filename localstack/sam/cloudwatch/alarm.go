package cloudwatch

import (
	"fmt"
	"go/ast"
	"go/parser"
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
	template  samtemplate.Alarm
	metrics   map[string]Metric   // by id
	maths     map[string]ast.Expr // by id
	ids       []string            // of the metrics, in order
	compared  string              // the id of what is compared
}

// more is how many periods beyond its evaluation periods an alarm looks at if data are missing. CloudWatch does not say
// how many; its examples have two.
const more = 2

// New resolves an alarm's references (Template.Resolve) and reads its expressions.
func New(t *samtemplate.Template, a samtemplate.Alarm, physical map[string]string) (*Alarm, error) {
	alarm := &Alarm{Name: a.LogicalID, Period: a.Period, template: a, metrics: map[string]Metric{}, maths: map[string]ast.Expr{}}
	resolved, err := t.Resolve(map[string]samtemplate.Value{"Threshold": a.Threshold}, physical)
	if err == nil {
		alarm.threshold, err = strconv.ParseFloat(resolved["Threshold"], 64)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", a.LogicalID, err)
	}
	for _, m := range a.Metrics {
		if m.Compared {
			alarm.compared = m.ID
		}
		if m.Expression != "" {
			if alarm.maths[m.ID], err = parser.ParseExpr(m.Expression); err != nil {
				return nil, fmt.Errorf("%s: the expression %s: %w", a.LogicalID, m.Expression, err)
			}
			continue
		}
		dimensions, err := t.Resolve(m.Dimensions, physical)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", a.LogicalID, err)
		}
		namespace, err := t.Resolve(map[string]samtemplate.Value{"Namespace": m.Namespace}, physical)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", a.LogicalID, err)
		}
		alarm.metrics[m.ID] = NewMetric(namespace["Namespace"], m.Name, dimensions)
		alarm.ids = append(alarm.ids, m.ID)
	}
	// All that an expression names must exist, even without data.
	if _, err := alarm.value(&Data{}, alarm.compared, time.Time{}, 0); err != nil {
		return nil, fmt.Errorf("%s: %w", a.LogicalID, err)
	}
	return alarm, nil
}

// Evaluate returns the state by the periods that have ended by now, a period beginning at a multiple of its length;
// before was the state until then. It treats missing data as in "Configuring how CloudWatch alarms treat missing data"
// of the Amazon CloudWatch User Guide: real data of the evaluation range count before anything is filled in.
func (a *Alarm) Evaluate(d *Data, now time.Time, before State) (State, error) {
	end := now.Truncate(a.Period)
	var breaching []bool // of the periods with data, the oldest first
	oldest := 0          // how many periods ago the oldest of them was; 1 is the latest period
	for ago := a.template.EvaluationPeriods + more; ago >= 1; ago-- {
		n, err := a.value(d, a.compared, end.Add(-time.Duration(ago)*a.Period), 0)
		if err != nil {
			return "", fmt.Errorf("%s: %w", a.Name, err)
		}
		if n.there {
			breaching = append(breaching, a.breaches(n.value))
			oldest = max(oldest, ago)
		}
	}
	return a.decide(breaching, oldest, before), nil
}

// decide returns the state by the periods that have data; oldest is how many periods ago the first of them was.
func (a *Alarm) decide(breaching []bool, oldest int, before State) State {
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
	all := count == len(breaching)
	switch {
	case count >= a.template.DatapointsToAlarm:
		return Alarming
	case missing <= 0 || a.template.Missing == "breaching" || a.template.Missing == "notBreaching" || !all:
		return OK
	case a.template.Missing == "ignore":
		return before
	case oldest >= a.template.DatapointsToAlarm: // all that is there breaches, since long enough
		return Alarming
	}
	return InsufficientData
}

func (a *Alarm) breaches(value float64) bool {
	switch a.template.Comparison {
	case "GreaterThanOrEqualToThreshold":
		return value >= a.threshold
	case "GreaterThanThreshold":
		return value > a.threshold
	case "LessThanThreshold":
		return value < a.threshold
	default: // LessThanOrEqualToThreshold: the template's reader lets no other one in
		return value <= a.threshold
	}
}

// value returns what a metric or an expression is in the period from a time on.
func (a *Alarm) value(d *Data, id string, from time.Time, depth int) (number, error) {
	if m, ok := a.metrics[id]; ok {
		for _, one := range a.template.Metrics {
			if one.ID == id {
				value, there := d.statistic(m, one.Statistic, from, from.Add(a.Period))
				return number{value, there}, nil
			}
		}
	}
	e, ok := a.maths[id]
	if !ok || depth > len(a.maths) {
		return number{}, fmt.Errorf("there is no %s, or it is an expression of itself", id)
	}
	o, err := variables{metrics: a.ids, of: func(id string) (number, error) { return a.value(d, id, from, depth+1) }}.evaluate(e)
	if err != nil {
		return number{}, err
	}
	if o.array {
		return number{}, fmt.Errorf("%s is an array, which cannot be compared", id)
	}
	return o.numbers[0], nil
}

// Metrics returns the metrics that the alarm goes by, in the order of the template.
func (a *Alarm) Metrics() []Metric {
	var all []Metric
	for _, id := range a.ids {
		all = append(all, a.metrics[id])
	}
	return all
}
