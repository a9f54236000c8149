package samtemplate

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

const withAnAlarm = `
Parameters: {Limit: {Type: Number, Default: 7}}
Resources:
  Topic: {Type: AWS::SNS::Topic}
  Table: {Type: AWS::Logs::LogGroup}
  Plain:
    Type: AWS::CloudWatch::Alarm
    Properties:
      AlarmDescription: plain
      AlarmActions: [!Ref Topic]
      OKActions: [!Ref Topic]
      Namespace: AWS/X
      MetricName: M
      Dimensions: [{Name: D, Value: !Ref Table}]
      ExtendedStatistic: p99
      Period: 60
      ComparisonOperator: GreaterThanThreshold
      Threshold: 1.5
      EvaluationPeriods: 5
      DatapointsToAlarm: 3
      TreatMissingData: ignore
  Math:
    Type: AWS::CloudWatch::Alarm
    Properties:
      AlarmDescription: math
      Metrics:
        - {Id: e, Expression: "m * 2"}
        - {Id: m, ReturnData: false, MetricStat: {Period: 3600, Stat: Sum, Metric: {Namespace: !Ref AWS::StackName, MetricName: M}}}
      ComparisonOperator: LessThanThreshold
      Threshold: !Ref Limit
      EvaluationPeriods: 2
      TreatMissingData: breaching
`

func TestAlarms(t *testing.T) {
	template, err := load(t, withAnAlarm)
	if err != nil {
		t.Fatal(err)
	}
	want := []Alarm{
		{
			LogicalID: "Plain", Description: "plain", Period: time.Minute, Comparison: "GreaterThanThreshold", Threshold: Value{Literal: "1.5"},
			EvaluationPeriods: 5, DatapointsToAlarm: 3, Missing: "ignore", Actions: []Value{{Ref: "Topic"}}, OKActions: []Value{{Ref: "Topic"}},
			Metrics: []AlarmMetric{{
				Compared: true, Namespace: Value{Literal: "AWS/X"}, Name: "M", Dimensions: map[string]Value{"D": {Ref: "Table"}}, Statistic: "p99",
			}},
		},
		{
			LogicalID: "Math", Description: "math", Period: time.Hour, Comparison: "LessThanThreshold", Threshold: Value{Ref: "Limit"},
			EvaluationPeriods: 2, DatapointsToAlarm: 2, Missing: "breaching",
			Metrics: []AlarmMetric{
				{ID: "e", Expression: "m * 2", Compared: true},
				{ID: "m", Namespace: Value{Ref: "AWS::StackName"}, Name: "M", Statistic: "Sum"},
			},
		},
	}
	if diff := cmp.Diff(want, template.Alarms, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("alarms (-want +got):\n%s", diff)
	}
}

func TestAlarms_areRefused(t *testing.T) {
	for _, c := range []struct{ old, replacement, want string }{
		{"TreatMissingData: ignore", "TreatMissingData: never", "want one of"},
		{"TreatMissingData: ignore", "TreatMissingData: ignore\n      Unit: Count", "not supported"},
		{"GreaterThanThreshold", "GreaterThanUpperThreshold", "want one of"},
		{"p99", "tm99", "want a statistic"},
		{"Period: 60", "Period: 30", "whole minutes"},
		{"DatapointsToAlarm: 3", "DatapointsToAlarm: 6", "6 of 5 periods"},
		{"EvaluationPeriods: 5", "EvaluationPeriods: 1441", "it looks at 24h1m0s"},
		{"EvaluationPeriods: 2", "EvaluationPeriods: 169", "it looks at 169h0m0s"},
		{"      AlarmDescription: math\n", "", "it is missing"},
		{"AlarmActions: [!Ref Topic]", "AlarmActions: [!Ref Table]", "a !Ref to a topic"},
		{"ReturnData: false", "ReturnData: true", "2 of them are compared"},
		{"Id: m", "Id: e", "an id of its own"},
		{`Expression: "m * 2"`, `Label: "m * 2"`, "want an expression or a metric"},
		{"        - {Id: m,", "        - {Id: n, Expression: m, ReturnData: false}\n        - {Id: n,", "an id of its own"},
		{"        - {Id: e,", elevenMetrics() + "        - {Id: e,", "12 metrics: CloudWatch takes 10"},
	} {
		text := strings.Replace(withAnAlarm, c.old, c.replacement, 1)
		if text == withAnAlarm {
			t.Errorf("there is no %q", c.old)
		}
		if _, err := load(t, text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q in place of %q: %v, want a word of %q", c.replacement, c.old, err, c.want)
		}
	}
}

func elevenMetrics() string {
	var all strings.Builder
	for i := range 11 {
		all.WriteString("        - {Id: x" + string(rune('a'+i)) +
			", ReturnData: false, MetricStat: {Period: 3600, Stat: Sum, Metric: {Namespace: N, MetricName: M}}}\n")
	}
	return all.String()
}
