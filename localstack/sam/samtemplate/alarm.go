package samtemplate

import (
	"cmp"
	"encoding/json"
	"time"
)

// Alarm is a CloudWatch alarm of the template, under CloudFormation's names.
type Alarm struct {
	LogicalID                                              string
	AlarmDescription, ComparisonOperator, TreatMissingData string
	AlarmName                                              Value
	Threshold                                              Value
	// The alarm fires if at least DatapointsToAlarm of the last EvaluationPeriods periods breach the threshold.
	EvaluationPeriods, DatapointsToAlarm int
	AlarmActions, OKActions              []Value
	Metrics                              []AlarmMetric
}

// AlarmMetric is a metric of an alarm with its statistic, or an expression that uses other metrics of the alarm.
type AlarmMetric struct {
	ID         string `json:"Id"`
	Expression Value  // the zero Value for a metric
	ReturnData *bool  // whether the alarm compares it with the threshold; nil means true
	MetricStat MetricStat
}

// MetricStat is a metric with its statistic, such as Sum, Maximum or p99, and the length of a period in seconds.
type MetricStat struct {
	Metric Metric
	Stat   string
	Period int
}

// Metric is a metric of CloudWatch.
type Metric struct {
	Namespace  Value
	MetricName string
	Dimensions []Dimension
}

// Dimension is a dimension of a metric.
type Dimension struct {
	Name  string
	Value Value
}

// Period returns the longest period of the alarm's metrics.
func (a Alarm) Period() (longest time.Duration) {
	for _, m := range a.Metrics {
		longest = max(longest, time.Duration(m.MetricStat.Period)*time.Second)
	}
	return longest
}

// readAlarm reads an alarm with Metrics, or with properties of a single metric.
func readAlarm(name string, properties json.RawMessage) (Alarm, error) {
	var read struct {
		Alarm
		Metric
		Statistic, ExtendedStatistic string
		Period                       int
	}
	err := decode(properties, &read)
	a := read.Alarm
	a.LogicalID, a.DatapointsToAlarm = name, cmp.Or(a.DatapointsToAlarm, a.EvaluationPeriods)
	if a.Metrics == nil {
		single := MetricStat{read.Metric, read.Statistic + read.ExtendedStatistic, read.Period}
		a.Metrics = []AlarmMetric{{ID: "metric", MetricStat: single}}
	}
	return a, err
}
