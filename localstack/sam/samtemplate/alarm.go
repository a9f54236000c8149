package samtemplate

import (
	"cmp"
	"encoding/json"
	"fmt"
	"time"
)

// Alarm is a CloudWatch alarm of the template. Comparison, Missing and AlarmMetric.Statistic are in CloudWatch's words.
type Alarm struct {
	LogicalID   string
	Description string
	// Metrics are metrics and expressions with the same period. The alarm compares one of them with the threshold.
	Metrics    []AlarmMetric
	Period     time.Duration
	Comparison string
	Threshold  Value
	// The alarm fires if at least DatapointsToAlarm of the last EvaluationPeriods periods breach the threshold.
	EvaluationPeriods  int
	DatapointsToAlarm  int
	Missing            string
	Actions, OKActions []Value
}

// AlarmMetric is a metric of an alarm with its statistic, or an expression that uses other metrics of the alarm.
type AlarmMetric struct {
	ID         string // "" if the alarm has a single metric
	Expression string // "" for a metric
	Compared   bool   // whether the alarm compares it with the threshold
	Namespace  Value
	Name       string
	Dimensions map[string]Value
	Statistic  string // Sum, Maximum, p99, ...
}

type metricSource struct {
	Namespace  Value
	MetricName string
	Dimensions []struct {
		Name  string
		Value Value
	}
}

func readAlarm(name string, properties json.RawMessage) (Alarm, error) {
	var read struct {
		AlarmName, AlarmDescription, ComparisonOperator, TreatMissingData Value
		Threshold                                                         Value
		EvaluationPeriods, DatapointsToAlarm                              int
		AlarmActions, OKActions                                           []Value
		// The metrics of an expression, or otherwise one metric.
		Metrics []struct {
			ID         string `json:"Id"`
			Expression string
			ReturnData *bool
			MetricStat struct {
				Period uint32
				Stat   string
				Metric metricSource
			}
		}
		Statistic, ExtendedStatistic string
		Period                       uint32
		metricSource
	}
	if err := decode(properties, &read); err != nil {
		return Alarm{}, err
	}
	a := Alarm{
		LogicalID: name, Description: read.AlarmDescription.Literal, Comparison: read.ComparisonOperator.Literal, Threshold: read.Threshold,
		EvaluationPeriods: read.EvaluationPeriods, DatapointsToAlarm: read.DatapointsToAlarm, Missing: read.TreatMissingData.Literal,
		Actions: read.AlarmActions, OKActions: read.OKActions,
	}
	a.DatapointsToAlarm = cmp.Or(a.DatapointsToAlarm, a.EvaluationPeriods)
	if a.EvaluationPeriods < 1 || a.DatapointsToAlarm > a.EvaluationPeriods {
		return Alarm{}, fmt.Errorf("an alarm cannot have %d of %d periods", a.DatapointsToAlarm, a.EvaluationPeriods)
	}
	period := read.Period
	if len(read.Metrics) == 0 {
		m := read.metric(read.Statistic + read.ExtendedStatistic)
		m.Compared = true
		a.Metrics = []AlarmMetric{m}
	}
	compared := 0
	for _, one := range read.Metrics {
		m := one.MetricStat.Metric.metric(one.MetricStat.Stat)
		m.ID, m.Expression, m.Compared = one.ID, one.Expression, one.ReturnData == nil || *one.ReturnData
		if m.Compared {
			compared++
		}
		if m.Expression == "" {
			if period != 0 && period != one.MetricStat.Period {
				return Alarm{}, fmt.Errorf("want the same period for all metrics of an alarm")
			}
			period = one.MetricStat.Period
		}
		a.Metrics = append(a.Metrics, m)
	}
	if read.Metrics != nil && compared != 1 {
		return Alarm{}, fmt.Errorf("%d metrics are compared with the threshold, want 1: the others say ReturnData: false", compared)
	}
	if a.Period = time.Duration(period) * time.Second; a.Period%time.Minute != 0 {
		return Alarm{}, fmt.Errorf("want a period of whole minutes, not %v", a.Period)
	}
	return a, nil
}

// metric returns the metric that the source names, with the statistic.
func (s metricSource) metric(statistic string) AlarmMetric {
	m := AlarmMetric{Namespace: s.Namespace, Name: s.MetricName, Dimensions: map[string]Value{}, Statistic: statistic}
	for _, d := range s.Dimensions {
		m.Dimensions[d.Name] = d.Value
	}
	return m
}
