package template

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// Shows are judged by themselves only where somebody has switched that on, and ledgers are audited everywhere.
func TestRanchSchedules(t *testing.T) {
	want := map[string]samtemplate.Schedule{"JudgeDue": {Name: "Minute", Every: time.Minute}, "AuditLedgers": {Name: "Day", Every: 24 * time.Hour, Enabled: true}}
	got := map[string]samtemplate.Schedule{}
	for _, f := range ranch(t).Functions {
		if f.Schedule != nil {
			got[f.LogicalID] = *f.Schedule
		}
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	text, err := os.ReadFile(filepath.Join(ranch(t).Root, samtemplate.FileName))
	if err != nil {
		t.Fatal(err)
	}
	const before = "  JudgeDueShows:\n    Type: String\n    Default: "
	for name, e := range environments(t) {
		value := cmp.Or(pairs(t, e["deploy.parameter_overrides"])["JudgeDueShows"], "off")
		for _, value := range []string{value, "on"} { // what is deployed, and what may be
			deployed := strings.Replace(string(text), before+`"off"`, before+`"`+value+`"`, 1)
			f, _ := load(t, deployed).Function("JudgeDue")
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
