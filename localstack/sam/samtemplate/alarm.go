package samtemplate

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// Alarm is an alarm of CloudWatch's. Comparison, Missing and AlarmMetric.Statistic have CloudWatch's names.
type Alarm struct {
	LogicalID   string `cfn:"-"`
	Description string `cfn:"AlarmDescription,required"`
	// Metrics are what it looks at, all in the same period. It compares exactly one of them with the threshold.
	Metrics    []AlarmMetric `cfn:"-"`
	Period     time.Duration `cfn:"-"`
	Comparison string        `cfn:"ComparisonOperator,required"`
	Threshold  Value         `cfn:"Threshold,required"`
	// It looks at so many periods, and so many of these must breach the threshold.
	EvaluationPeriods  int `cfn:"EvaluationPeriods,required"`
	DatapointsToAlarm  int
	Missing            string  `cfn:"TreatMissingData,required"`
	Actions, OKActions []Value `cfn:"-"`
}

// AlarmMetric is a metric with its statistic, or an expression of others.
type AlarmMetric struct {
	ID         string // "" for that of an alarm on a plain metric
	Expression string // "" for a metric
	Compared   bool   // whether the alarm compares it
	Namespace  Value
	Name       string
	Dimensions map[string]Value
	Statistic  string // Sum, Maximum, p99, ...
}

// The names that are known here.
var (
	comparisons       = []string{"GreaterThanOrEqualToThreshold", "GreaterThanThreshold", "LessThanThreshold", "LessThanOrEqualToThreshold"}
	missingTreatments = []string{"breaching", "notBreaching", "ignore", "missing"}
	statistics        = []string{"Sum", "Average", "Minimum", "Maximum", "SampleCount"}
)

// alarmProperties are an alarm's, as the template has them.
type alarmProperties struct {
	Alarm
	AlarmName                    ignored
	AlarmActions, OKActions      []Value
	Metrics                      []property
	Statistic, ExtendedStatistic string
	Period                       time.Duration
	metricSource
}

type metricSource struct {
	Namespace  Value
	MetricName string
	Dimensions []struct {
		Name  string
		Value Value
	}
}

type metricProperties struct {
	Id, Expression string
	ReturnData     *bool
	MetricStat     *struct {
		Period time.Duration
		Stat   string
		Metric metricSource
	}
}

func (t *Template) readAlarm(resource property) {
	p := resource.get("Properties")
	var read alarmProperties
	p.into(&read)
	a := read.Alarm
	a.LogicalID, a.Actions, a.OKActions = resource.name, read.AlarmActions, read.OKActions
	if a.DatapointsToAlarm == 0 {
		a.DatapointsToAlarm = a.EvaluationPeriods
	}
	if a.EvaluationPeriods < 1 || a.DatapointsToAlarm > a.EvaluationPeriods {
		p.fail("an alarm cannot have %d of %d periods", a.DatapointsToAlarm, a.EvaluationPeriods)
	}
	p.get("ComparisonOperator").oneOf(a.Comparison, comparisons)
	p.get("TreatMissingData").oneOf(a.Missing, missingTreatments)
	if read.Metrics != nil {
		a.readMetrics(p.get("Metrics"), read.Metrics)
	} else {
		a.Period = read.Period
		a.Metrics = []AlarmMetric{read.metric(p, read.Statistic+read.ExtendedStatistic)}
		a.Metrics[0].Compared = true
	}
	if a.Period%time.Minute != 0 {
		p.fail("want a period of whole minutes")
	}
	t.Alarms = append(t.Alarms, a)
}

func (p property) oneOf(text string, known []string) {
	if !slices.Contains(known, text) {
		p.fail("want one of %v", known)
	}
}

func (a *Alarm) readMetrics(list property, items []property) {
	compared := 0
	for _, p := range items {
		var read metricProperties
		p.into(&read)
		if (read.Expression == "") == (read.MetricStat == nil) {
			p.fail("want an expression or a metric")
		}
		if slices.ContainsFunc(a.Metrics, func(other AlarmMetric) bool { return other.ID == read.Id }) || read.Id == "" {
			p.fail("want an id of its own, not %q", read.Id)
		}
		m := AlarmMetric{}
		if stat := read.MetricStat; stat != nil {
			m = stat.Metric.metric(p, stat.Stat)
			if a.Period != 0 && stat.Period != a.Period {
				p.fail("want the same period for all metrics of an alarm")
			}
			a.Period = stat.Period
		}
		m.ID, m.Expression, m.Compared = read.Id, read.Expression, read.ReturnData == nil || *read.ReturnData
		if m.Compared {
			compared++
		}
		a.Metrics = append(a.Metrics, m)
	}
	if compared != 1 {
		list.fail("%d of them are compared with the threshold, want 1: the others say ReturnData: false", compared)
	}
}

// metric is the one of that source with the statistic: one that has a name, or a percentile such as p99 and p99.9.
func (s metricSource) metric(p property, statistic string) AlarmMetric {
	m := AlarmMetric{Namespace: s.Namespace, Name: s.MetricName, Dimensions: map[string]Value{}, Statistic: statistic}
	for _, d := range s.Dimensions {
		m.Dimensions[d.Name] = d.Value
	}
	if m.Namespace == (Value{}) || m.Name == "" {
		p.fail("want a metric with its Namespace and MetricName")
	}
	percent, percentile := strings.CutPrefix(statistic, "p")
	n, err := strconv.ParseFloat(percent, 64)
	if !slices.Contains(statistics, statistic) && !(percentile && err == nil && n > 0 && n <= 100) {
		p.fail("want a statistic, not %q", statistic)
	}
	return m
}
