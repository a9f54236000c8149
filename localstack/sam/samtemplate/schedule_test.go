package samtemplate

import (
	"strings"
	"testing"
	"time"
)

const scheduled = `
Parameters:
  Feeding: {Type: String, Default: "on"}
Conditions:
  Feeds: !Equals [!Ref Feeding, "on"]
Resources:
  FeedCats:
    Type: AWS::Serverless::Function
    Properties:
      Events:
        Often: {Type: ScheduleV2, Properties: {OmitName: true, ScheduleExpression: rate(5 minutes), State: !If [Feeds, ENABLED, DISABLED], RetryPolicy: {MaximumRetryAttempts: 0}}}
`

func TestSchedule(t *testing.T) {
	for feeding, want := range map[string]Schedule{"on": {"Often", 5 * time.Minute, true}, "off": {"Often", 5 * time.Minute, false}} {
		template := mustLoad(t, strings.Replace(scheduled, `Default: "on"`, `Default: "`+feeding+`"`, 1))
		f, known := template.Function("FeedCats")
		if !known || f.Schedule == nil || *f.Schedule != want || f.Path != "" || len(template.Endpoints()) != 0 {
			t.Errorf("%s: %+v, %v, endpoints %v", feeding, f, f.Schedule, template.Endpoints())
		}
	}
	if f, known := mustLoad(t, scheduled).Function("FeedDogs"); known {
		t.Errorf("%+v", f)
	}
	for expression, want := range map[string]time.Duration{"rate(1 minute)": time.Minute, "rate(2 hours)": 2 * time.Hour, "rate(1 day)": 24 * time.Hour} {
		f, _ := mustLoad(t, strings.Replace(scheduled, "rate(5 minutes)", expression, 1)).Function("FeedCats")
		if f.Schedule == nil || f.Schedule.Every != want {
			t.Errorf("%s is %+v", expression, f.Schedule)
		}
	}
}

func TestSchedule_refusals(t *testing.T) {
	for _, c := range []struct{ old, replacement, want string }{
		{"rate(5 minutes)", "cron(0 3)", "want a rate"},
		{"rate(5 minutes)", "rate(0 minutes)", "want a number from 1 to 11574"},
		{"ENABLED, DISABLED", "enabled, DISABLED", "want ENABLED or DISABLED"},
		{"OmitName: true", "OmitName: false", "want true"},
		{"OmitName: true, ", "", "want true"},
		{", RetryPolicy: {MaximumRetryAttempts: 0}", "", "it is missing"},
		{"RetryPolicy", "Input: x, RetryPolicy", "not supported"},
		{"ScheduleV2", "S3", "want HttpApi or ScheduleV2"},
	} {
		if !strings.Contains(scheduled, c.old) {
			t.Fatalf("%q is nowhere", c.old)
		}
		if _, err := load(t, strings.Replace(scheduled, c.old, c.replacement, 1)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("with %s: %v, want %s", c.replacement, err, c.want)
		}
	}
}
