package template

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// The tests of this file check the template after AWS's transformation, which no local cloud implements completely.

// cloudFormation is the transformed template.
type cloudFormation struct {
	Resources map[string]struct {
		Type, DeletionPolicy, UpdateReplacePolicy string
		Condition                                 string
		UpdatePolicy, CreationPolicy              object
		DependsOn, Properties                     any
	}
}

// origins are the origins of browser clients that replace the parameter's default in these tests.
var origins = []string{"https://ranch.example.com", "https://staging.example.com"}

// transformFor returns the CloudFormation template that the SAM CLI's own translator makes with the given parameters.
func transformFor(parameters ...string) ([]byte, error) {
	root, err := samtemplate.LoadRoot()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(filepath.Join(root.Root, ".tools/sam/bin/python"), append([]string{"transform.py", filepath.Join(root.Root, samtemplate.FileName)}, parameters...)...)
	cmd.Env = append(os.Environ(), "AWS_DEFAULT_REGION=us-east-1", "PYTHONDONTWRITEBYTECODE=1")
	var complaint strings.Builder
	cmd.Stderr = &complaint
	text, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, complaint.String())
	}
	return text, err
}

// These functions transform the template once each, with the parameters' defaults except for one: transform has other
// origins, and transformGradual gradual roll-outs as in prod.
var (
	transform        = sync.OnceValues(func() ([]byte, error) { return transformFor("AllowedOrigins=" + strings.Join(origins, ",")) })
	transformGradual = sync.OnceValues(func() ([]byte, error) { return transformFor("Rollout=" + canary) })
)

const canary = "Canary10Percent5Minutes"

func transformed(t *testing.T) cloudFormation {
	t.Helper()
	return parsed(t, transform)
}

func parsed(t *testing.T, transform func() ([]byte, error)) cloudFormation {
	t.Helper()
	if _, err := os.Stat(filepath.Join(ranch(t).Root, ".tools/sam/bin/python")); err != nil {
		require.True(t, os.Getenv("CI") != "true", err)
		t.Skip("NOT TESTED: `make validate` installs what transforms the template: ", err)
	}
	text, err := transform()
	require.NoError(t, err)
	var c cloudFormation
	require.NoError(t, json.Unmarshal(text, &c))
	return c
}

// holding are the conditions that are true with the parameters' defaults.
var holding = map[any]bool{"OwnTable": true, "OwnSigningKeys": true, "RefusesHS256": true, "GuardsKeys": true, "JudgesDueShows": true}

// byDefault returns a copy of a part of the template in which the parameters' defaults decide each Fn::If. It leaves
// out values that are AWS::NoValue.
func byDefault(v any) any {
	switch v := v.(type) {
	case []any:
		var all []any
		for _, item := range v {
			if item = byDefault(item); !isNoValue(item) {
				all = append(all, item)
			}
		}
		return all
	case object:
		if branches, ok := v["Fn::If"].([]any); ok {
			if holding[branches[0]] {
				return byDefault(branches[1])
			}
			return byDefault(branches[2])
		}
		all := object{}
		for name, member := range v {
			if member = byDefault(member); !isNoValue(member) {
				all[name] = member
			}
		}
		return all
	}
	return v
}

func isNoValue(v any) bool { return at(v, "Ref") == "AWS::NoValue" }

func ref(logicalID string) object { return object{"Ref": logicalID} }

func getAtt(logicalID, attribute string) object {
	return object{"Fn::GetAtt": []any{logicalID, attribute}}
}

// at returns the value at a path of names in nested objects, or nil if a name is missing.
func at(v any, names ...string) any {
	for _, name := range names {
		members, _ := v.(object)
		v = members[name]
	}
	return v
}

// properties returns a resource's properties with the parameters' defaults. The resource must have the type.
func (c cloudFormation) properties(t *testing.T, logicalID, resourceType string) object {
	t.Helper()
	r, ok := c.Resources[logicalID]
	require.True(t, ok && r.Type == resourceType, "%s is of the type %q, want %s", logicalID, r.Type, resourceType)
	return byDefault(r.Properties).(object)
}

// check compares the named properties of a resource with want. A property with the value nil must be missing.
func (c cloudFormation) check(t *testing.T, logicalID, resourceType string, want object) {
	t.Helper()
	got := c.properties(t, logicalID, resourceType)
	for name, value := range want {
		assert.Empty(t, cmp.Diff(value, got[name]), "%s: %s (-want +got)", logicalID, name)
	}
}

// checkRole checks that only the service may assume a role. The role must have exactly the managed policies (nil for
// none), and exactly the given statements in its policies.
func (c cloudFormation) checkRole(t *testing.T, logicalID, service string, managed any, statements ...any) {
	t.Helper()
	role := c.properties(t, logicalID, "AWS::IAM::Role")
	var got []any
	policies, _ := role["Policies"].([]any)
	for _, policy := range policies {
		got = append(got, at(policy, "PolicyDocument", "Statement").([]any)...)
	}
	assert.Empty(t, cmp.Diff(statements, got), "what %s allows (-want +got)", logicalID)
	assume := []any{object{"Effect": "Allow", "Action": []any{"sts:AssumeRole"}, "Principal": object{"Service": []any{service}}}}
	assert.Empty(t, cmp.Diff(assume, at(role, "AssumeRolePolicyDocument", "Statement")), "who may take %s (-want +got)", logicalID)
	assert.True(t, cmp.Equal(role["ManagedPolicyArns"], managed), "%s has the policies %v", logicalID, role["ManagedPolicyArns"])
}

// TestTransformedRoutes checks that each function has its route in the API, and that the API has no other route. The
// API may invoke a function only from this route, and only by the function's alias.
func TestTransformedRoutes(t *testing.T) {
	template, c := ranch(t), transformed(t)
	want := object{}
	for _, f := range template.Endpoints() {
		operations, _ := want[f.Path].(object)
		if operations == nil {
			operations = object{}
			want[f.Path] = operations
		}
		operations[strings.ToLower(f.Method)] = object{
			"type": "aws_proxy", "httpMethod": "POST", "payloadFormatVersion": "2.0",
			"uri": object{"Fn::Sub": "arn:${AWS::Partition}:apigateway:${AWS::Region}:lambda:path/2015-03-31/functions/${" + f.LogicalID + "Aliaslive}/invocations"},
		}
		c.check(t, f.LogicalID+"HttpPermission", "AWS::Lambda::Permission", object{
			"Action": "lambda:InvokeFunction", "Principal": "apigateway.amazonaws.com", "FunctionName": ref(f.LogicalID + "Aliaslive"),
			"SourceArn": object{"Fn::Sub": []any{
				"arn:${AWS::Partition}:execute-api:${AWS::Region}:${AWS::AccountId}:${__ApiId__}/${__Stage__}/" + f.Method + strings.ReplaceAll(f.Path, "{id}", "*"),
				object{"__ApiId__": ref("Api"), "__Stage__": "*"},
			}},
		})
	}
	got := object{}
	for path, operations := range at(c.properties(t, "Api", "AWS::ApiGatewayV2::Api"), "Body", "paths").(object) {
		methods := object{}
		for method, operation := range operations.(object) {
			methods[method] = at(operation, "x-amazon-apigateway-integration")
			security := at(operation, "security")
			assert.True(t, security == nil, "%s %s has the security %v: functions check tokens", method, path, security)
		}
		got[path] = methods
	}
	assert.Empty(t, cmp.Diff(want, got), "the API's routes (-want +got)")
}

// TestTransformedRoles checks that each function has a role of its own, with the template's statements and AWS's
// managed policy for logs. The boundary reduces that policy to this stack's logs.
func TestTransformedRoles(t *testing.T) {
	template, c := ranch(t), transformed(t)
	for _, f := range template.Functions {
		c.check(t, f.LogicalID, "AWS::Lambda::Function", object{"Role": getAtt(f.LogicalID+"Role", "Arn"), "LoggingConfig": object{"LogGroup": ref("Logs")}})
		c.check(t, f.LogicalID+"Role", "AWS::IAM::Role", object{"PermissionsBoundary": ref("Boundary")})
		c.checkRole(t, f.LogicalID+"Role", "lambda.amazonaws.com", []any{"arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole"}, asIAM(f.Statements)...)
	}
}

// TestTransformedGuardOfKeys checks that the secret's policy refuses this stack's roles, except for the functions that
// issue tokens. It does so even if a role's policy allows to read the secret.
func TestTransformedGuardOfKeys(t *testing.T) {
	c := transformed(t)
	guard := c.properties(t, "SigningKeysGuard", "AWS::SecretsManager::ResourcePolicy")
	var issuers []any
	for _, id := range []string{"Register", "Login", "Refresh"} {
		issuers = append(issuers, object{"Fn::Sub": "arn:${AWS::Partition}:iam::${AWS::AccountId}:role/${AWS::StackName}-" + id + "Role-*"})
	}
	want := object{"SecretId": ref("SigningKeys"), "BlockPublicPolicy": true, "ResourcePolicy": object{"Version": "2012-10-17", "Statement": []any{object{
		"Effect": "Deny", "Principal": "*", "Action": "secretsmanager:GetSecretValue", "Resource": "*", "Condition": object{
			"ArnLike":    object{"aws:PrincipalArn": object{"Fn::Sub": "arn:${AWS::Partition}:iam::${AWS::AccountId}:role/${AWS::StackName}-*"}},
			"ArnNotLike": object{"aws:PrincipalArn": issuers},
		},
	}}}}
	assert.Empty(t, cmp.Diff(want, guard), "(-want +got)")
}

// asIAM returns statements in the form of a policy. Each must have one resource.
func asIAM(statements []samtemplate.Statement) (all []any) {
	for _, s := range statements {
		resource := ref(s.Resources[0].Ref)
		if attribute := s.Resources[0].GetAtt; attribute != "" {
			id, name, _ := strings.Cut(attribute, ".")
			resource = getAtt(id, name)
		}
		statement := object{"Effect": s.Effect, "Action": texts(s.Actions), "Resource": resource}
		if s.LeadingKeys != nil {
			statement["Condition"] = object{
				"ForAllValues:StringLike": object{"dynamodb:LeadingKeys": texts(s.LeadingKeys)}, "Null": object{"dynamodb:LeadingKeys": "false"},
			}
		}
		all = append(all, statement)
	}
	return all
}

func texts(list []string) (all []any) {
	for _, text := range list {
		all = append(all, text)
	}
	return all
}

// TestTransformedAPI checks that the API deploys its stage automatically, at the root, with the template's limit for
// each route and an access log. The API must allow the origins of the parameter AllowedOrigins.
func TestTransformedAPI(t *testing.T) {
	template, c := ranch(t), transformed(t)
	const id, resourceType = "ApiApiGatewayDefaultStage", "AWS::ApiGatewayV2::Stage"
	c.check(t, id, resourceType, object{"StageName": "$default", "AutoDeploy": true, "ApiId": ref("Api")})
	stage := c.properties(t, id, resourceType)
	for _, f := range template.Endpoints() {
		got := at(stage, "RouteSettings", f.Route())
		if got == nil {
			got = stage["DefaultRouteSettings"]
		}
		given := map[string]string{} // with the parameters' defaults
		for name, limit := range got.(object) {
			parameter, _ := at(limit, "Ref").(string)
			given[name], _ = template.Text(samtemplate.Value{Ref: parameter}, nil)
		}
		throttle := template.Throttle(f.Route())
		if want := (map[string]string{"ThrottlingRateLimit": fmt.Sprint(throttle.Rate), "ThrottlingBurstLimit": fmt.Sprint(throttle.Burst)}); !maps.Equal(given, want) || throttle.Rate == 0 {
			t.Errorf("%s is held to %v, want parameters that are %v", f.Route(), got, want)
		}
	}
	log := stage["AccessLogSettings"]
	assert.True(t, cmp.Equal(at(log, "DestinationArn"), any(getAtt("AccessLog", "Arn"))) && at(log, "Format") != "",
		"the access log is %v", log)
	server := object{"x-amazon-apigateway-endpoint-configuration": object{"disableExecuteApiEndpoint": false}}
	assert.Empty(t, cmp.Diff(any([]any{server}), at(c.properties(t, "Api", "AWS::ApiGatewayV2::Api"), "Body", "servers")),
		"whether the API's own address answers (-want +got)")
	want := object{
		"allowOrigins": texts(origins), "allowMethods": []any{"GET", "POST"},
		"allowHeaders": []any{"authorization", "content-type"}, "exposeHeaders": []any{"apigw-requestid", "link", "retry-after"}, "maxAge": 86400.0,
	}
	assert.Empty(t, cmp.Diff(any(want), at(c.properties(t, "Api", "AWS::ApiGatewayV2::Api"), "Body", "x-amazon-apigateway-cors")),
		"CORS (-want +got)")
}

// TestTransformedDoors checks that the parameter that closes the service (its doors) changes only the API's stage, and
// no function, version, schedule or alarm.
func TestTransformedDoors(t *testing.T) {
	for name, c := range map[string]cloudFormation{"AllAtOnce": transformed(t), canary: parsed(t, transformGradual)} {
		got := at(c.Resources["ApiApiGatewayDefaultStage"].Properties, "StageVariables")
		assert.True(t, cmp.Equal(got, any(object{"doors": ref("Doors")})), "%s: the API's stage has the variables %v", name, got)
		for id, r := range c.Resources {
			assert.True(t, id == "ApiApiGatewayDefaultStage" || !strings.Contains(fmt.Sprint(r), "Doors"),
				"%s: %s refers to the doors", name, id)
		}
	}
}

// TestTransformedLives checks that table, secret and backups survive every deployment, and the deletion of a stack
// unless its creation has failed. The deletion removes everything else. LogRetentionDays limits the logs' age.
func TestTransformedLives(t *testing.T) {
	template, c := ranch(t), transformed(t)
	kept := map[string]bool{"Table": true, "SigningKeys": true, "BackupVault": true}
	for id, r := range c.Resources {
		if r.Type == "AWS::Lambda::Version" { // Lambda deletes it with its function
			continue
		}
		assert.Equal(t, kept[id], r.DeletionPolicy == "RetainExceptOnCreate" && r.UpdateReplacePolicy == "Retain",
			"%s: deleted by %q, replaced by %q", id, r.DeletionPolicy, r.UpdateReplacePolicy)
	}
	want := []string{
		"AccessLog", "AlarmEmails", "Api", "ApiApiGatewayDefaultStage", "BackupPlan", "BackupRole", "BackupSelection", "BackupVault", "Boundary", "Budget", "ByAddress", "ByRoute", "Dashboard", "Deployers", "Domain", "DomainMapping", "Errors", "FailedLogins",
		"KeyOperators", "Logs", "OnCall", "Operators", "Pages", "SignUps", "SigningKeys", "SigningKeysGuard", "Slow", "Support", "Table", "TicketEmails", "Tickets", "TooManyRequests",
	}
	for _, f := range template.Functions {
		want = append(want, f.LogicalID, f.LogicalID+"Role", f.LogicalID+"Aliaslive", versionOf(t, c, f.LogicalID))
		if s := f.Schedule; s == nil {
			want = append(want, f.LogicalID+"HttpPermission")
		} else {
			want = append(want, f.LogicalID+s.Name, f.LogicalID+s.Name+"Role", f.LogicalID+"EventInvokeConfig")
		}
	}
	for _, a := range template.Alarms {
		want = append(want, a.LogicalID)
	}
	slices.Sort(want)
	assert.Empty(t, cmp.Diff(want, slices.Sorted(maps.Keys(c.Resources))), "the resources (-want +got)")
	for _, group := range []string{"Logs", "AccessLog"} {
		c.check(t, group, "AWS::Logs::LogGroup", object{"RetentionInDays": ref("LogRetentionDays")})
	}
	assert.True(t, len(template.Parameters["LogRetentionDays"].AllowedValues) != 0, "logs may be kept for any number of days")
}

// versionOf returns the logical id of a function's only version. SAM generates this id.
func versionOf(t *testing.T, c cloudFormation, function string) string {
	t.Helper()
	form := regexp.MustCompile("^" + function + "Version[0-9a-f]{10}$")
	ids := slices.DeleteFunc(slices.Collect(maps.Keys(c.Resources)), func(id string) bool { return !form.MatchString(id) })
	require.Len(t, ids, 1, "%s has the versions %q", function, ids)
	return ids[0]
}

// TestTransformedRollouts checks that each function's alias points to the version of the latest deployment. In prod,
// CodeDeploy moves the alias, with a role that only CodeDeploy may assume. AllAtOnce needs no resource of CodeDeploy.
func TestTransformedRollouts(t *testing.T) {
	for name, c := range map[string]cloudFormation{"AllAtOnce": transformed(t), canary: parsed(t, transformGradual)} {
		gradual, groups, want := name == canary, 0, 0
		for id, r := range c.Resources {
			if strings.HasPrefix(r.Type, "AWS::CodeDeploy::") || id == "CodeDeployServiceRole" {
				groups++
			}
			// When a stack is created, each alias points to its version at once, even during an alarm.
			assert.True(t, r.CreationPolicy == nil && !strings.Contains(fmt.Sprint(r.Properties, r.DependsOn), "DeploymentGroup"),
				"%s: the creation of %s waits for %v, or for a deployment", name, id, r.CreationPolicy)
		}
		for _, f := range ranch(t).Functions {
			c.check(t, f.LogicalID+"Aliaslive", "AWS::Lambda::Alias", object{
				"Name": "live", "FunctionName": ref(f.LogicalID), "FunctionVersion": getAtt(versionOf(t, c, f.LogicalID), "Version"),
			})
			var policy object
			if gradual {
				policy = object{"CodeDeployLambdaAliasUpdate": object{
					"ApplicationName": ref("ServerlessDeploymentApplication"), "DeploymentGroupName": ref(f.LogicalID + "DeploymentGroup"),
				}}
				var alarms []any // by their names
				for _, id := range []string{"FaultsAlarm", "LatencyAlarm"} {
					alarms = append(alarms, object{"Name": c.properties(t, id, "AWS::CloudWatch::Alarm")["AlarmName"]})
				}
				// A reference to each other alarm makes CloudFormation create or change the alarm before the alias.
				for _, a := range ranch(t).Alarms {
					if a.OfVersions() {
						alarms = append(alarms, object{"Name": ref(a.LogicalID)})
					}
				}
				c.check(t, f.LogicalID+"DeploymentGroup", "AWS::CodeDeploy::DeploymentGroup", object{
					"DeploymentConfigName": object{"Fn::Sub": []any{"CodeDeployDefault.Lambda${ConfigName}", object{"ConfigName": canary}}},
					"ServiceRoleArn":       getAtt("CodeDeployServiceRole", "Arn"),
					"AlarmConfiguration":   object{"Enabled": true, "Alarms": alarms},
				})
				assert.True(t, at(c.properties(t, f.LogicalID+"DeploymentGroup", "AWS::CodeDeploy::DeploymentGroup"), "AutoRollbackConfiguration", "Enabled") == true,
					"a deployment of %s that fails is not taken back", f.LogicalID)
				want++
			}
			assert.Empty(t, cmp.Diff(policy, c.Resources[f.LogicalID+"Aliaslive"].UpdatePolicy),
				"%s: how the alias of %s moves (-want +got)", name, f.LogicalID)
		}
		if gradual {
			want += 2 // the application and the role
			c.checkRole(t, "CodeDeployServiceRole", "codedeploy.amazonaws.com", []any{"arn:aws:iam::aws:policy/service-role/AWSCodeDeployRoleForLambda"})
		}
		assert.Equal(t, want, groups, "%s: %d resources of CodeDeploy, want %d", name, groups, want)
	}
}

// TestTransformedSchedules checks that EventBridge Scheduler may run each scheduled function, at its rate, with a role
// that allows nothing else. Neither the schedule nor Lambda may repeat a failed run.
func TestTransformedSchedules(t *testing.T) {
	template, c := ranch(t), transformed(t)
	for _, f := range template.Functions {
		if f.Schedule == nil {
			continue
		}
		id, alias := f.LogicalID+f.Schedule.Name, ref(f.LogicalID+"Aliaslive")
		want := object{
			"ScheduleExpression": map[time.Duration]any{time.Minute: "rate(1 minute)", 24 * time.Hour: "rate(1 day)"}[f.Schedule.Every],
			"State":              map[bool]any{true: "ENABLED", false: "DISABLED"}[f.Schedule.Enabled], "FlexibleTimeWindow": object{"Mode": "OFF"},
			"Target": object{"Arn": alias, "RoleArn": getAtt(id+"Role", "Arn"), "RetryPolicy": object{"MaximumRetryAttempts": 0.0}},
		}
		assert.Empty(t, cmp.Diff(want, c.properties(t, id, "AWS::Scheduler::Schedule")), "%s (-want +got)", id)
		c.checkRole(t, id+"Role", "scheduler.amazonaws.com", nil, object{"Effect": "Allow", "Action": "lambda:InvokeFunction", "Resource": alias})
		c.check(t, f.LogicalID+"EventInvokeConfig", "AWS::Lambda::EventInvokeConfig", object{"MaximumRetryAttempts": 0.0, "Qualifier": "live"})
	}
}
