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
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// The tests of this file check the template after AWS's transformation: its routes, roles and permissions. No local
// cloud implements all of them.

// cloudFormation is the transformed template.
type cloudFormation struct {
	Parameters map[string]struct {
		AllowedValues []any
		Default       any
	}
	Resources map[string]struct {
		Type, DeletionPolicy, UpdateReplacePolicy string
		Condition                                 string
		UpdatePolicy, CreationPolicy              object
		DependsOn, Properties                     any
	}
}

// origins are the origins of browser clients, instead of the parameter's default.
var origins = []string{"https://ranch.example.com", "https://staging.example.com"}

// transformFor runs the SAM CLI's own translator on the template with these parameters.
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

// Each of these is transformed once: with the defaults, and with prod's parameters.
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
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("NOT TESTED: `make validate` installs what transforms the template: ", err)
	}
	text, err := transform()
	if err != nil {
		t.Fatal(err)
	}
	var c cloudFormation
	if err := json.Unmarshal(text, &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// holding are the conditions that are true with the parameters' defaults.
var holding = map[any]bool{"OwnTable": true, "OwnSigningKeys": true, "RefusesHS256": true, "GuardsKeys": true, "JudgesDueShows": true}

// byDefault returns a copy in which each Fn::If is decided by the parameters' defaults, without AWS::NoValue.
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

type object = map[string]any

func ref(logicalID string) object { return object{"Ref": logicalID} }

func getAtt(logicalID, attribute string) object {
	return object{"Fn::GetAtt": []any{logicalID, attribute}}
}

// at follows names into objects, and returns nil if one is missing.
func at(v any, names ...string) any {
	for _, name := range names {
		members, _ := v.(object)
		v = members[name]
	}
	return v
}

// properties returns the properties of a resource with the parameters' defaults. The resource must have that type.
func (c cloudFormation) properties(t *testing.T, logicalID, resourceType string) object {
	t.Helper()
	r, ok := c.Resources[logicalID]
	if !ok || r.Type != resourceType {
		t.Fatalf("%s is of the type %q, want %s", logicalID, r.Type, resourceType)
	}
	return byDefault(r.Properties).(object)
}

// check compares the named properties of a resource; nil stands for a missing one.
func (c cloudFormation) check(t *testing.T, logicalID, resourceType string, want object) {
	t.Helper()
	got := c.properties(t, logicalID, resourceType)
	for name, value := range want {
		if diff := cmp.Diff(value, got[name]); diff != "" {
			t.Errorf("%s: %s (-want +got):\n%s", logicalID, name, diff)
		}
	}
}

// checkRole checks a role that only the service may assume. It has the managed policy, if any, and exactly the given
// statements in its policies.
func (c cloudFormation) checkRole(t *testing.T, logicalID, service string, managed any, statements ...any) {
	t.Helper()
	role := c.properties(t, logicalID, "AWS::IAM::Role")
	var got []any
	policies, _ := role["Policies"].([]any)
	for _, policy := range policies {
		got = append(got, at(policy, "PolicyDocument", "Statement").([]any)...)
	}
	if diff := cmp.Diff(statements, got); diff != "" {
		t.Errorf("what %s allows (-want +got):\n%s", logicalID, diff)
	}
	assume := []any{object{"Effect": "Allow", "Action": []any{"sts:AssumeRole"}, "Principal": object{"Service": []any{service}}}}
	if diff := cmp.Diff(assume, at(role, "AssumeRolePolicyDocument", "Statement")); diff != "" {
		t.Errorf("who may take %s (-want +got):\n%s", logicalID, diff)
	}
	if !cmp.Equal(role["ManagedPolicyArns"], managed) {
		t.Errorf("%s has the policies %v", logicalID, role["ManagedPolicyArns"])
	}
}

// Each function has its route in the API, and there is no other route. The API may invoke the function only by that
// route, and by its alias.
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
			if security := at(operation, "security"); security != nil {
				t.Errorf("%s %s has the security %v: functions check tokens", method, path, security)
			}
		}
		got[path] = methods
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the API's routes (-want +got):\n%s", diff)
	}
}

// Each function has a role of its own, with the template's statements and AWS's managed policy for logs. The boundary
// reduces that policy to this stack's logs.
func TestTransformedRoles(t *testing.T) {
	template, c := ranch(t), transformed(t)
	for _, f := range template.Functions {
		c.check(t, f.LogicalID, "AWS::Lambda::Function", object{"Role": getAtt(f.LogicalID+"Role", "Arn"), "LoggingConfig": object{"LogGroup": ref("Logs")}})
		c.check(t, f.LogicalID+"Role", "AWS::IAM::Role", object{"PermissionsBoundary": ref("Boundary")})
		c.checkRole(t, f.LogicalID+"Role", "lambda.amazonaws.com", []any{"arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole"}, asIAM(f.Statements)...)
	}
}

// Of this stack's roles, only those of functions that issue tokens may read the keys, whatever their policies say.
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
	if diff := cmp.Diff(want, guard); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// asIAM writes statements as a policy does, with one resource each.
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

// The API deploys its stage automatically, at the root, with the template's limits for each route and its access log,
// and allows the deployed origins.
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
		given := object{} // by the parameters' defaults: an environment may have others
		for name, limit := range got.(object) {
			parameter, _ := at(limit, "Ref").(string)
			given[name] = c.Parameters[parameter].Default
		}
		throttle := template.Throttle(f.Route())
		if want := (object{"ThrottlingRateLimit": throttle.Rate, "ThrottlingBurstLimit": float64(throttle.Burst)}); !cmp.Equal(given, want) || throttle.Rate == 0 {
			t.Errorf("%s is held to %v, want parameters that are %v", f.Route(), got, want)
		}
	}
	if log := stage["AccessLogSettings"]; !cmp.Equal(at(log, "DestinationArn"), any(getAtt("AccessLog", "Arn"))) || at(log, "Format") == "" {
		t.Errorf("the access log is %v", log)
	}
	server := object{"x-amazon-apigateway-endpoint-configuration": object{"disableExecuteApiEndpoint": false}}
	if diff := cmp.Diff(any([]any{server}), at(c.properties(t, "Api", "AWS::ApiGatewayV2::Api"), "Body", "servers")); diff != "" {
		t.Errorf("whether the API's own address answers (-want +got):\n%s", diff)
	}
	want := object{
		"allowOrigins": texts(origins), "allowMethods": []any{"GET", "POST"},
		"allowHeaders": []any{"authorization", "content-type"}, "exposeHeaders": []any{"apigw-requestid", "link", "retry-after"}, "maxAge": 86400.0,
	}
	if diff := cmp.Diff(any(want), at(c.properties(t, "Api", "AWS::ApiGatewayV2::Api"), "Body", "x-amazon-apigateway-cors")); diff != "" {
		t.Errorf("CORS (-want +got):\n%s", diff)
	}
}

// The parameter of the doors changes only the API's stage, and no function, version, schedule or alarm.
func TestTransformedDoors(t *testing.T) {
	for name, c := range map[string]cloudFormation{"AllAtOnce": transformed(t), canary: parsed(t, transformGradual)} {
		if got := at(c.Resources["ApiApiGatewayDefaultStage"].Properties, "StageVariables"); !cmp.Equal(got, any(object{"doors": ref("Doors")})) {
			t.Errorf("%s: the API's stage has the variables %v", name, got)
		}
		for id, r := range c.Resources {
			if id != "ApiApiGatewayDefaultStage" && strings.Contains(fmt.Sprint(r), "Doors") {
				t.Errorf("%s: %s refers to the doors", name, id)
			}
		}
	}
}

// The data survive every deployment and deletion of the stack, except if its creation failed. Logs last as long as the
// parameter says. Everything else is deleted.
func TestTransformedLives(t *testing.T) {
	template, c := ranch(t), transformed(t)
	kept := map[string]bool{"Table": true, "SigningKeys": true, "BackupVault": true}
	for id, r := range c.Resources {
		if r.Type == "AWS::Lambda::Version" { // it is deleted with its function
			continue
		}
		if retained := r.DeletionPolicy == "RetainExceptOnCreate" && r.UpdateReplacePolicy == "Retain"; retained != kept[id] {
			t.Errorf("%s: deleted by %q, replaced by %q", id, r.DeletionPolicy, r.UpdateReplacePolicy)
		}
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
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(c.Resources))); diff != "" {
		t.Errorf("the resources (-want +got):\n%s", diff)
	}
	for _, group := range []string{"Logs", "AccessLog"} {
		c.check(t, group, "AWS::Logs::LogGroup", object{"RetentionInDays": ref("LogRetentionDays")})
	}
	if len(c.Parameters["LogRetentionDays"].AllowedValues) == 0 {
		t.Error("logs may be kept for any number of days")
	}
}

// If BackupCopyVault is set, AWS Backup copies the table each day, with a separate role, to the vault in the other
// account and region. BackupDays says how long it keeps a copy.
func TestTransformedBackups(t *testing.T) {
	const vault = "arn:aws:backup:eu-west-1:210987654321:backup-vault:ranch-copies"
	given, c := withDefaults(t, map[string]string{"BackupCopyVault": vault}), transformed(t)
	made := 0
	for id, r := range c.Resources {
		with, without := given.OfType(id, r.Type), ranch(t).OfType(id, r.Type)
		if strings.HasPrefix(id, "Backup") != (with && !without) || strings.HasPrefix(id, "Backup") != (r.Condition == "CopiesBackups") {
			t.Errorf("%s is there with a vault: %t, without: %t, on the condition %q", id, with, without, r.Condition)
		}
		if with != without {
			made++
		}
	}
	if made != 4 {
		t.Errorf("a vault makes %d resources more", made)
	}
	c.check(t, "BackupPlan", "AWS::Backup::BackupPlan", object{"BackupPlan": object{
		"BackupPlanName": ref("AWS::StackName"), "BackupPlanRule": []any{object{
			"RuleName": "daily", "TargetBackupVault": ref("BackupVault"), "ScheduleExpression": "cron(0 4 * * ? *)", "Lifecycle": object{"DeleteAfterDays": 7.0},
			"CopyActions": []any{object{"DestinationBackupVaultArn": ref("BackupCopyVault"), "Lifecycle": object{"DeleteAfterDays": ref("BackupDays")}}},
		}},
	}})
	c.check(t, "BackupSelection", "AWS::Backup::BackupSelection", object{"BackupPlanId": ref("BackupPlan"), "BackupSelection": object{
		"SelectionName": "table", "IamRoleArn": getAtt("BackupRole", "Arn"), "Resources": []any{getAtt("Table", "Arn")},
	}})
	c.check(t, "BackupRole", "AWS::IAM::Role", object{
		"ManagedPolicyArns": []any{object{"Fn::Sub": "arn:${AWS::Partition}:iam::aws:policy/service-role/AWSBackupServiceRolePolicyForBackup"}},
		"AssumeRolePolicyDocument": object{"Version": "2012-10-17", "Statement": []any{object{
			"Effect": "Allow", "Principal": object{"Service": "backup.amazonaws.com"}, "Action": "sts:AssumeRole",
			"Condition": object{"StringEquals": object{"aws:SourceAccount": ref("AWS::AccountId")}},
		}}},
	})
}

// The vault in the other account is locked, and the game's account may only copy into it.
func TestBackupVault(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(ranch(t).Root, "infra", "backupvault.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var template struct {
		Parameters map[string]rule `yaml:"Parameters"`
		Resources  map[string]any  `yaml:"Resources"`
	}
	if err := yaml.Unmarshal(text, &template); err != nil {
		t.Fatal(err)
	}
	lock := object{"MinRetentionDays": "MinDays", "MaxRetentionDays": "MaxDays", "ChangeableForDays": "GraceDays"}
	copies := []any{object{"Effect": "Allow", "Principal": object{"AWS": "arn:${AWS::Partition}:iam::${SourceAccount}:root"}, "Action": "backup:CopyIntoBackupVault", "Resource": "*"}}
	vault := template.Resources["Vault"]
	if diff := cmp.Diff([]any{"Retain", "Key.Arn", lock, copies}, []any{
		at(vault, "DeletionPolicy"), at(vault, "Properties", "EncryptionKeyArn"), at(vault, "Properties", "LockConfiguration"), at(vault, "Properties", "AccessPolicy", "Statement"),
	}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	shortest, longest := template.Parameters["MinDays"], template.Parameters["MaxDays"]
	for _, days := range []string{"35", "7", "365"} { // BackupDays' default and bounds
		n, _ := strconv.ParseFloat(days, 64)
		least, _ := strconv.ParseFloat(*shortest.Default, 64)
		most, _ := strconv.ParseFloat(*longest.Default, 64)
		if n < least || n > most || !rules(t)["BackupDays"].allows(days) {
			t.Errorf("the vault refuses copies that live %s days", days)
		}
	}
}

// versionOf returns the logical id of a function's one version, which SAM generates.
func versionOf(t *testing.T, c cloudFormation, function string) string {
	t.Helper()
	form := regexp.MustCompile("^" + function + "Version[0-9a-f]{10}$")
	ids := slices.DeleteFunc(slices.Collect(maps.Keys(c.Resources)), func(id string) bool { return !form.MatchString(id) })
	if len(ids) != 1 {
		t.Fatalf("%s has the versions %q", function, ids)
	}
	return ids[0]
}

// The alias points to the version of each deployment. In prod CodeDeploy moves it, with a role that only CodeDeploy may
// assume. If the alias moves at once, the template has nothing of CodeDeploy.
func TestTransformedRollouts(t *testing.T) {
	for name, c := range map[string]cloudFormation{"AllAtOnce": transformed(t), canary: parsed(t, transformGradual)} {
		gradual, groups, want := name == canary, 0, 0
		for id, r := range c.Resources {
			if strings.HasPrefix(r.Type, "AWS::CodeDeploy::") || id == "CodeDeployServiceRole" {
				groups++
			}
			// A creation has no update policy: an alias has its version at once, even during an alarm.
			if r.CreationPolicy != nil || strings.Contains(fmt.Sprint(r.Properties, r.DependsOn), "DeploymentGroup") {
				t.Errorf("%s: the creation of %s waits for %v, or for a deployment", name, id, r.CreationPolicy)
			}
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
				// The others by reference: CloudFormation makes or moves them before the alias.
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
				if at(c.properties(t, f.LogicalID+"DeploymentGroup", "AWS::CodeDeploy::DeploymentGroup"), "AutoRollbackConfiguration", "Enabled") != true {
					t.Errorf("a deployment of %s that fails is not taken back", f.LogicalID)
				}
				want++
			}
			if diff := cmp.Diff(policy, c.Resources[f.LogicalID+"Aliaslive"].UpdatePolicy); diff != "" {
				t.Errorf("%s: how the alias of %s moves (-want +got):\n%s", name, f.LogicalID, diff)
			}
		}
		if gradual {
			want += 2 // the application and the role
			c.checkRole(t, "CodeDeployServiceRole", "codedeploy.amazonaws.com", []any{"arn:aws:iam::aws:policy/service-role/AWSCodeDeployRoleForLambda"})
		}
		if groups != want {
			t.Errorf("%s: %d resources of CodeDeploy, want %d", name, groups, want)
		}
	}
}

// EventBridge Scheduler may run each function with a role that allows nothing else, at its rate, under a name that
// belongs to the stack. A failed run is not repeated, neither by the schedule nor by Lambda.
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
		if diff := cmp.Diff(want, c.properties(t, id, "AWS::Scheduler::Schedule")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", id, diff)
		}
		c.checkRole(t, id+"Role", "scheduler.amazonaws.com", nil, object{"Effect": "Allow", "Action": "lambda:InvokeFunction", "Resource": alias})
		c.check(t, f.LogicalID+"EventInvokeConfig", "AWS::Lambda::EventInvokeConfig", object{"MaximumRetryAttempts": 0.0, "Qualifier": "live"})
	}
}
