package samtemplate

import (
	"encoding/json"
	"slices"
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

// Every alarm tells the topic, of its beginning and of its end, and names its section of the runbook; what it is called
// ends in Alarm, by which others find it.
func TestRanchAlarms(t *testing.T) {
	template := ranch(t)
	if len(template.Alarms) == 0 {
		t.Fatal("there is no alarm")
	}
	topic := []Value{{Ref: "Alarms"}}
	for _, a := range template.Alarms {
		if !slices.Equal(a.Actions, topic) || !slices.Equal(a.OKActions, topic) {
			t.Errorf("%s tells %v, and %v when it is over", a.LogicalID, a.Actions, a.OKActions)
		}
		if !strings.HasSuffix(a.LogicalID, "Alarm") || !strings.HasSuffix(a.Description, ": docs/runbook.md#"+strings.ToLower(a.LogicalID)) {
			t.Errorf("%s says %q", a.LogicalID, a.Description)
		}
	}
}

// A function that throttles turns players away, whichever it is; one without a route is invoked again by Lambda itself.
func TestRanchThrottlesOfEveryFunctionAreWatched(t *testing.T) {
	template, watched := ranch(t), map[string]int{}
	for _, a := range template.Alarms {
		for _, m := range a.Metrics {
			if m.Namespace.Literal == "AWS/Lambda" && m.Name == "Throttles" {
				watched[m.Dimensions["FunctionName"].Ref]++
			}
		}
	}
	for _, f := range template.Functions {
		if f.Path != "" && watched[f.LogicalID] != 1 {
			t.Errorf("%d alarms watch the throttles of %s, want 1", watched[f.LogicalID], f.LogicalID)
		}
	}
}

// The dashboard shows every alarm, and is text that CloudWatch can read.
func TestTransformedDashboard(t *testing.T) {
	template, c := ranch(t), transformed(t)
	sub := properties[struct{ DashboardBody map[string][]any }](t, c, "Dashboard", "AWS::CloudWatch::Dashboard").DashboardBody["Fn::Sub"]
	text, _ := sub[0].(string)
	var body struct {
		Widgets []struct {
			Type          string
			X, Y          int
			Width, Height int
			Properties    struct {
				Title, Query string
				Alarms       []string
				Metrics      [][]any
			}
		}
	}
	if err := json.Unmarshal([]byte(text), &body); err != nil {
		t.Fatal(err)
	}
	var alarms, want []string
	for i, w := range body.Widgets {
		p := w.Properties
		alarms = append(alarms, p.Alarms...)
		if w.Width < 1 || w.X+w.Width > 24 || w.Height < 1 || p.Title == "" {
			t.Errorf("%q is at %d, %d, %d by %d", p.Title, w.X, w.Y, w.Width, w.Height)
		}
		if shows := map[string]bool{"metric": p.Metrics != nil, "alarm": p.Alarms != nil, "log": strings.Contains(p.Query, "SOURCE '${Logs}'")}; !shows[w.Type] {
			t.Errorf("%q, of the type %s, shows nothing", p.Title, w.Type)
		}
		for _, other := range body.Widgets[:i] {
			if w.X < other.X+other.Width && other.X < w.X+w.Width && w.Y < other.Y+other.Height && other.Y < w.Y+w.Height {
				t.Errorf("%q covers %q", p.Title, other.Properties.Title)
			}
		}
	}
	for _, a := range template.Alarms {
		want = append(want, "${"+a.LogicalID+".Arn}")
	}
	slices.Sort(alarms)
	slices.Sort(want)
	if diff := cmp.Diff(want, alarms); diff != "" {
		t.Errorf("the alarms on the dashboard (-want +got):\n%s", diff)
	}
}
