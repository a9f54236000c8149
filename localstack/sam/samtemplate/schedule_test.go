package samtemplate

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
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

// Shows are judged by themselves only where somebody has switched that on, and ledgers are audited everywhere.
func TestRanchSchedules(t *testing.T) {
	want := map[string]Schedule{"JudgeDue": {"Minute", time.Minute, false}, "AuditLedgers": {"Day", 24 * time.Hour, true}}
	got := map[string]Schedule{}
	for _, f := range ranch(t).Functions {
		if f.Schedule != nil {
			got[f.LogicalID] = *f.Schedule
		}
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	text, err := os.ReadFile(filepath.Join(ranch(t).Root, FileName))
	if err != nil {
		t.Fatal(err)
	}
	const before = "  JudgeDueShows:\n    Type: String\n    Default: "
	for name, e := range environments(t) {
		value := cmp.Or(pairs(t, e["deploy.parameter_overrides"])["JudgeDueShows"], "off")
		for _, value := range []string{value, "on"} { // what is deployed, and what may be
			deployed := strings.Replace(string(text), before+`"off"`, before+`"`+value+`"`, 1)
			f, _ := mustLoad(t, deployed).Function("JudgeDue")
			if f.Schedule.Enabled != (value == "on") || !strings.Contains(deployed, before) {
				t.Errorf("%s with JudgeDueShows=%s: %+v", name, value, f.Schedule)
			}
		}
	}
}

// EventBridge Scheduler may run each function by a role that allows nothing else, at its rate,
// under a name that is the stack's own. A run that fails is not repeated: neither by the schedule nor by Lambda.
func TestTransformedSchedules(t *testing.T) {
	template, c := ranch(t), transformed(t)
	for _, f := range template.Functions {
		if f.Schedule == nil {
			continue
		}
		id := f.LogicalID + f.Schedule.Name
		arn := ref(f.LogicalID + "Aliaslive")
		wantState := map[bool]any{true: "ENABLED", false: "DISABLED"}
		want := object{
			"ScheduleExpression": map[time.Duration]any{time.Minute: "rate(1 minute)", 24 * time.Hour: "rate(1 day)"}[f.Schedule.Every],
			"State":              wantState[f.Schedule.Enabled], "FlexibleTimeWindow": object{"Mode": "OFF"},
			"Target": object{
				"Arn": arn, "RoleArn": object{"Fn::GetAtt": []any{id + "Role", "Arn"}}, "RetryPolicy": object{"MaximumRetryAttempts": 0.0},
			},
		}
		if diff := gocmp.Diff(want, properties[object](t, c, id, "AWS::Scheduler::Schedule")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", id, diff)
		}
		role := properties[struct {
			AssumeRolePolicyDocument struct{ Statement []object }
			ManagedPolicyArns        []string
			Policies                 []struct {
				PolicyDocument struct{ Statement []object }
			}
		}](t, c, id+"Role", "AWS::IAM::Role")
		wantAssume := []object{{"Effect": "Allow", "Action": []any{"sts:AssumeRole"}, "Principal": object{"Service": []any{"scheduler.amazonaws.com"}}}}
		if diff := gocmp.Diff(wantAssume, role.AssumeRolePolicyDocument.Statement); diff != "" {
			t.Errorf("who may take the role of %s (-want +got):\n%s", id, diff)
		}
		wantAllowed := []object{{"Effect": "Allow", "Action": "lambda:InvokeFunction", "Resource": arn}}
		if len(role.Policies) != 1 || !gocmp.Equal(role.Policies[0].PolicyDocument.Statement, wantAllowed) || role.ManagedPolicyArns != nil {
			t.Errorf("%s may %+v, %v", id, role.Policies, role.ManagedPolicyArns)
		}
		invoked := properties[struct {
			MaximumRetryAttempts *int
			Qualifier            string
		}](t, c, f.LogicalID+"EventInvokeConfig", "AWS::Lambda::EventInvokeConfig")
		if invoked.MaximumRetryAttempts == nil || *invoked.MaximumRetryAttempts != 0 || invoked.Qualifier != "live" {
			t.Errorf("Lambda repeats %s by %q %v times", f.LogicalID, invoked.Qualifier, invoked.MaximumRetryAttempts)
		}
	}
}
