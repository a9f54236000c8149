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

	"github.com/google/go-cmp/cmp"

	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// The tests of this file look at what AWS makes of the template, as far as the transformation has a part in it: routes,
// roles and permissions. No local cloud has all of it.

// cloudFormation is the transformed template.
type cloudFormation struct {
	Parameters map[string]struct{ AllowedValues []any }
	Resources  map[string]struct {
		Type, DeletionPolicy, UpdateReplacePolicy string
		UpdatePolicy                              object
		Properties                                json.RawMessage
	}
}

// origins are those of browser clients, in place of the parameter's default.
var origins = []string{"https://ranch.example.com", "https://staging.example.com"}

// transformFor asks the SAM CLI's own translator what becomes of the template with these parameters.
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

// Each of these is transformed once: as it is made by the defaults, and as prod is.
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

// properties decodes those of a resource, which must be of that type.
func properties[P any](t *testing.T, c cloudFormation, logicalID, resourceType string) (p P) {
	t.Helper()
	r, ok := c.Resources[logicalID]
	if !ok || r.Type != resourceType {
		t.Fatalf("%s is of the type %q, want %s", logicalID, r.Type, resourceType)
	}
	var all any
	if err := json.Unmarshal(r.Properties, &all); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(byDefault(all))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &p); err != nil {
		t.Fatal(err)
	}
	return p
}

// holding are the conditions that hold with the parameters' defaults.
var holding = map[any]bool{"OwnTable": true, "OwnSigningKeys": true}

// byDefault decides each Fn::If as the parameters' defaults do.
func byDefault(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = byDefault(v[i])
		}
	case object:
		if branches, ok := v["Fn::If"].([]any); ok {
			if holding[branches[0]] {
				return byDefault(branches[1])
			}
			return byDefault(branches[2])
		}
		for name := range v {
			v[name] = byDefault(v[name])
		}
	}
	return v
}

type object = map[string]any

func ref(logicalID string) object { return object{"Ref": logicalID} }

type integration struct {
	Type                 string         `json:"type"`
	URI                  map[string]any `json:"uri"`
	HTTPMethod           string         `json:"httpMethod"`
	PayloadFormatVersion string         `json:"payloadFormatVersion"`
}

type api struct {
	Body struct {
		Paths map[string]map[string]struct {
			Integration integration `json:"x-amazon-apigateway-integration"`
			Security    []any       `json:"security"`
		} `json:"paths"`
		CORS map[string]any `json:"x-amazon-apigateway-cors"`
	}
}

// Each function has its route in the API, there is no other, and the API may invoke the function by that route alone,
// and by its alias.
func TestTransformedRoutes(t *testing.T) {
	template, c := ranch(t), transformed(t)
	paths := properties[api](t, c, "Api", "AWS::ApiGatewayV2::Api").Body.Paths
	routes := 0
	for _, operations := range paths {
		routes += len(operations)
	}
	if routes != len(template.Endpoints()) {
		t.Errorf("the API has %d routes for %d functions", routes, len(template.Endpoints()))
	}
	for _, f := range template.Endpoints() {
		operation, ok := paths[f.Path][strings.ToLower(f.Method)]
		want := integration{
			Type: "aws_proxy", HTTPMethod: "POST", PayloadFormatVersion: "2.0",
			URI: object{"Fn::Sub": "arn:${AWS::Partition}:apigateway:${AWS::Region}:lambda:path/2015-03-31/functions/${" + f.LogicalID + "Aliaslive}/invocations"},
		}
		if diff := cmp.Diff(want, operation.Integration); !ok || diff != "" || operation.Security != nil {
			t.Errorf("%s %s (-want +got), security %v:\n%s", f.Method, f.Path, operation.Security, diff)
		}
		permission := properties[object](t, c, f.LogicalID+"HttpPermission", "AWS::Lambda::Permission")
		wantPermission := object{
			"Action": "lambda:InvokeFunction", "Principal": "apigateway.amazonaws.com", "FunctionName": ref(f.LogicalID + "Aliaslive"),
			"SourceArn": object{"Fn::Sub": []any{
				"arn:${AWS::Partition}:execute-api:${AWS::Region}:${AWS::AccountId}:${__ApiId__}/${__Stage__}/" + f.Method + strings.ReplaceAll(f.Path, "{id}", "*"),
				object{"__ApiId__": ref("Api"), "__Stage__": "*"},
			}},
		}
		if diff := cmp.Diff(wantPermission, permission); diff != "" {
			t.Errorf("the permission of %s (-want +got):\n%s", f.LogicalID, diff)
		}
	}
}

// Each function has a role of its own, which Lambda alone may take, with the template's statements and the one policy
// of AWS's that lets it write its log.
func TestTransformedRoles(t *testing.T) {
	template, c := ranch(t), transformed(t)
	for _, f := range template.Functions {
		function := properties[struct{ Role, LoggingConfig object }](t, c, f.LogicalID, "AWS::Lambda::Function")
		want := struct{ Role, LoggingConfig object }{
			object{"Fn::GetAtt": []any{f.LogicalID + "Role", "Arn"}}, object{"LogGroup": ref("Logs")},
		}
		if diff := cmp.Diff(want, function); diff != "" {
			t.Errorf("%s (-want +got):\n%s", f.LogicalID, diff)
		}
		role := properties[struct {
			AssumeRolePolicyDocument struct{ Statement []object }
			ManagedPolicyArns        []string
			Policies                 []struct {
				PolicyDocument struct{ Statement []object }
			}
		}](t, c, f.LogicalID+"Role", "AWS::IAM::Role")
		var statements []object
		for _, policy := range role.Policies {
			statements = append(statements, policy.PolicyDocument.Statement...)
		}
		if diff := cmp.Diff(asIAM(f.Statements), statements); diff != "" {
			t.Errorf("what %s may do (-want +got):\n%s", f.LogicalID, diff)
		}
		if want := []string{"arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole"}; !slices.Equal(role.ManagedPolicyArns, want) {
			t.Errorf("%s has the policies %q", f.LogicalID, role.ManagedPolicyArns)
		}
		wantAssume := []object{{"Effect": "Allow", "Action": []any{"sts:AssumeRole"}, "Principal": object{"Service": []any{"lambda.amazonaws.com"}}}}
		if diff := cmp.Diff(wantAssume, role.AssumeRolePolicyDocument.Statement); diff != "" {
			t.Errorf("who may take the role of %s (-want +got):\n%s", f.LogicalID, diff)
		}
	}
}

// asIAM writes statements as a policy does, with one resource each.
func asIAM(statements []samtemplate.Statement) []object {
	var all []object
	for _, s := range statements {
		var actions []any
		for _, a := range s.Actions {
			actions = append(actions, a)
		}
		resource := ref(s.Resources[0].Ref)
		if attribute := s.Resources[0].GetAtt; attribute != "" {
			id, name, _ := strings.Cut(attribute, ".")
			resource = object{"Fn::GetAtt": []any{id, name}}
		}
		statement := object{"Effect": s.Effect, "Action": actions, "Resource": resource}
		if s.LeadingKeys != nil {
			var keys []any
			for _, k := range s.LeadingKeys {
				keys = append(keys, k)
			}
			statement["Condition"] = object{
				"ForAllValues:StringLike": object{"dynamodb:LeadingKeys": keys}, "Null": object{"dynamodb:LeadingKeys": "false"},
			}
		}
		all = append(all, statement)
	}
	return all
}

// The API serves its stage by itself, at the root, with the template's limits for each route and its access log, and
// tells browsers the origins that are deployed.
func TestTransformedAPI(t *testing.T) {
	template, c := ranch(t), transformed(t)
	type limit struct{ ThrottlingRateLimit, ThrottlingBurstLimit float64 }
	stage := properties[struct {
		APIID                object `json:"ApiId"`
		StageName            string
		AutoDeploy           bool
		DefaultRouteSettings limit
		RouteSettings        map[string]limit
		AccessLogSettings    struct {
			DestinationArn object
			Format         string
		}
	}](t, c, "ApiApiGatewayDefaultStage", "AWS::ApiGatewayV2::Stage")
	if stage.StageName != "$default" || !stage.AutoDeploy || !cmp.Equal(stage.APIID, ref("Api")) {
		t.Errorf("the stage is %+v", stage)
	}
	for _, f := range template.Endpoints() {
		got, own := stage.RouteSettings[f.Route()]
		if !own {
			got = stage.DefaultRouteSettings
		}
		if want := template.Throttle(f.Route()); got.ThrottlingRateLimit != want.Rate || got.ThrottlingBurstLimit != float64(want.Burst) || want.Rate == 0 {
			t.Errorf("%s is held to %+v, want %+v", f.Route(), got, want)
		}
	}
	if to := (object{"Fn::GetAtt": []any{"AccessLog", "Arn"}}); !cmp.Equal(stage.AccessLogSettings.DestinationArn, to) || stage.AccessLogSettings.Format == "" {
		t.Errorf("the access log is %+v", stage.AccessLogSettings)
	}
	want := object{
		"allowOrigins": []any{origins[0], origins[1]}, "allowMethods": []any{"GET", "POST"},
		"allowHeaders": []any{"authorization", "content-type"}, "exposeHeaders": []any{"apigw-requestid", "retry-after"}, "maxAge": 86400.0,
	}
	if diff := cmp.Diff(want, properties[api](t, c, "Api", "AWS::ApiGatewayV2::Api").Body.CORS); diff != "" {
		t.Errorf("CORS (-want +got):\n%s", diff)
	}
}

// The data outlive the stack, whatever is deployed or deleted; logs last as long as the parameter says; nothing else is
// kept, and there is nothing else.
func TestTransformedLives(t *testing.T) {
	template, c := ranch(t), transformed(t)
	kept := map[string]bool{"Table": true, "SigningKeys": true}
	for id, r := range c.Resources {
		if r.Type == "AWS::Lambda::Version" { // it goes with its function
			continue
		}
		if retained := r.DeletionPolicy == "RetainExceptOnCreate" && r.UpdateReplacePolicy == "Retain"; retained != kept[id] {
			t.Errorf("%s: deleted by %q, replaced by %q", id, r.DeletionPolicy, r.UpdateReplacePolicy)
		}
	}
	want := []string{
		"AccessLog", "AlarmEmails", "Alarms", "Api", "ApiApiGatewayDefaultStage", "Dashboard", "Domain", "DomainMapping", "KeyOperators", "Logs", "Operators",
		"SigningKeys", "Table",
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
		logs := properties[struct{ RetentionInDays object }](t, c, group, "AWS::Logs::LogGroup")
		if !cmp.Equal(logs.RetentionInDays, ref("LogRetentionDays")) || len(c.Parameters["LogRetentionDays"].AllowedValues) == 0 {
			t.Errorf("%s are kept for %v days, of %v", group, logs.RetentionInDays, c.Parameters["LogRetentionDays"].AllowedValues)
		}
	}
}

// versionOf is the logical id of a function's version, which SAM has made up.
func versionOf(t *testing.T, c cloudFormation, function string) (id string) {
	t.Helper()
	form := regexp.MustCompile("^" + function + "Version[0-9a-f]{10}$")
	for name := range c.Resources {
		if form.MatchString(name) && id != "" {
			t.Fatalf("%s has two versions", function)
		} else if form.MatchString(name) {
			id = name
		}
	}
	if id == "" {
		t.Fatalf("%s has no version", function)
	}
	return id
}

// The alias leads to the version of each deployment. In prod CodeDeploy moves it, by a role that it alone may take;
// where it moves at once, nothing of CodeDeploy is there.
func TestTransformedRollouts(t *testing.T) {
	for name, c := range map[string]cloudFormation{"AllAtOnce": transformed(t), canary: parsed(t, transformGradual)} {
		gradual := name == canary
		groups := 0
		for id, r := range c.Resources {
			if strings.HasPrefix(r.Type, "AWS::CodeDeploy::") || id == "CodeDeployServiceRole" {
				groups++
			}
		}
		want := 0
		for _, f := range ranch(t).Functions {
			alias := properties[object](t, c, f.LogicalID+"Aliaslive", "AWS::Lambda::Alias")
			version := versionOf(t, c, f.LogicalID)
			wantAlias := object{"Name": "live", "FunctionName": ref(f.LogicalID), "FunctionVersion": object{"Fn::GetAtt": []any{version, "Version"}}}
			if diff := cmp.Diff(wantAlias, alias); diff != "" {
				t.Errorf("%s: the alias of %s (-want +got):\n%s", name, f.LogicalID, diff)
			}
			var wantPolicy object
			if gradual {
				wantPolicy = object{"CodeDeployLambdaAliasUpdate": object{
					"ApplicationName": ref("ServerlessDeploymentApplication"), "DeploymentGroupName": ref(f.LogicalID + "DeploymentGroup"),
				}}
				group := properties[struct {
					DeploymentConfigName, ServiceRoleArn object
					AutoRollbackConfiguration            struct{ Enabled bool }
					AlarmConfiguration                   struct {
						Enabled bool
						Alarms  []object
					}
				}](t, c, f.LogicalID+"DeploymentGroup", "AWS::CodeDeploy::DeploymentGroup")
				wantConfig := object{"Fn::Sub": []any{"CodeDeployDefault.Lambda${ConfigName}", object{"ConfigName": canary}}}
				wantRole := object{"Fn::GetAtt": []any{"CodeDeployServiceRole", "Arn"}}
				if !cmp.Equal(group.DeploymentConfigName, wantConfig) || !cmp.Equal(group.ServiceRoleArn, wantRole) || !group.AutoRollbackConfiguration.Enabled {
					t.Errorf("%s is deployed by %+v", f.LogicalID, group)
				}
				var wantAlarms []object // by the names that they have
				for _, id := range []string{"FaultsAlarm", "LatencyAlarm"} {
					wantAlarms = append(wantAlarms, object{"Name": properties[object](t, c, id, "AWS::CloudWatch::Alarm")["AlarmName"]})
				}
				if diff := cmp.Diff(wantAlarms, group.AlarmConfiguration.Alarms); diff != "" || !group.AlarmConfiguration.Enabled {
					t.Errorf("what takes the deployment of %s back (-want +got):\n%s", f.LogicalID, diff)
				}
				want++
			}
			if diff := cmp.Diff(wantPolicy, c.Resources[f.LogicalID+"Aliaslive"].UpdatePolicy); diff != "" {
				t.Errorf("%s: how the alias of %s moves (-want +got):\n%s", name, f.LogicalID, diff)
			}
		}
		if gradual {
			want += 2 // the application and the role
			role := properties[struct {
				AssumeRolePolicyDocument struct{ Statement []object }
				ManagedPolicyArns        []string
			}](t, c, "CodeDeployServiceRole", "AWS::IAM::Role")
			wantAssume := []object{{"Effect": "Allow", "Action": []any{"sts:AssumeRole"}, "Principal": object{"Service": []any{"codedeploy.amazonaws.com"}}}}
			if diff := cmp.Diff(wantAssume, role.AssumeRolePolicyDocument.Statement); diff != "" {
				t.Errorf("who may take CodeDeploy's role (-want +got):\n%s", diff)
			}
			if wantPolicies := []string{"arn:aws:iam::aws:policy/service-role/AWSCodeDeployRoleForLambda"}; !slices.Equal(role.ManagedPolicyArns, wantPolicies) {
				t.Errorf("CodeDeploy has the policies %q", role.ManagedPolicyArns)
			}
		}
		if groups != want {
			t.Errorf("%s: %d resources of CodeDeploy, want %d", name, groups, want)
		}
	}
}
