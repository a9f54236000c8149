package samtemplate

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

const small = `
Parameters:
  Origins: {Type: CommaDelimitedList, Default: "https://a.example, https://b.example"}
  Level: {Type: String, Default: info}
  Rate: {Type: Number, Default: 1}
  Secretless: {Type: String}
Conditions:
  Plain: !Equals [!Ref Level, info]
  Fancy: !Not [!Equals [!Ref Level, info]]
Rules:
  LevelWithOrigin:
    RuleCondition: !Not [!Equals [!Ref Level, trace]]
    Assertions:
      - {Assert: !Not [!Equals [!Ref Level, other]], AssertDescription: no other}
Globals:
  Function:
    Runtime: provided.al2023
    Architectures: [arm64]
    Timeout: 10
    AutoPublishAlias: live
    Environment:
      Variables: {TABLE: !Ref Table, LEVEL: !Ref Level, SHARED: global}
Resources:
  Api:
    Type: AWS::Serverless::HttpApi
    Properties:
      CorsConfiguration: {AllowOrigins: !Ref Origins, AllowMethods: [GET], AllowHeaders: [authorization], MaxAge: 60}
      DefaultRouteSettings: {ThrottlingRateLimit: 7, ThrottlingBurstLimit: 9}
      RouteSettings:
        GET /cats: {ThrottlingRateLimit: !Ref Rate, ThrottlingBurstLimit: 2}
  FeedCat:
    Type: AWS::Serverless::Function
    Metadata: {BuildMethod: makefile}
    Properties:
      Timeout: 20
      MemorySize: 512
      VersionDescription: !Sub ["${Level}, ${!kept}", {Level: !If [Plain, !Ref Level, none]}]
      Environment: &variables
        Variables:
          ARN: !GetAtt Table.Arn
          URL: !Sub "https://${Api}.${AWS::Region}/${!kept}"
          SHARED: !If [Plain, own, other]
          NOTHING: !If [Fancy, x, !Ref AWS::NoValue]
      Events:
        Http: {Type: HttpApi, Properties: {ApiId: !Ref Api, Method: post, Path: "/cats/{id}"}}
      Policies:
        - Statement:
            - &read {Effect: Allow, Action: [dynamodb:GetItem], Resource: !GetAtt Table.Arn}
            - Effect: Allow
              Action: [a:B, a:C, !If [Fancy, a:D, !Ref AWS::NoValue]]
              Resource: [!Ref Secret, "arn:x"]
              Condition: {"ForAllValues:StringLike": {dynamodb:LeadingKeys: [CAT#*, DOG]}, "Null": {dynamodb:LeadingKeys: false}}
  ListCats:
    Type: AWS::Serverless::Function
    Properties:
      Architectures: [x86_64]
      Environment: *variables
      Events:
        Http: {Type: HttpApi, Properties: {ApiId: !Ref Api, Method: GET, Path: /cats}}
      Policies:
        - Statement: [*read]
  Table:
    Type: AWS::DynamoDB::Table
    Properties:
      BillingMode: PAY_PER_REQUEST
      AttributeDefinitions: [{AttributeName: K, AttributeType: S}, {AttributeName: R, AttributeType: N}]
      KeySchema: [{AttributeName: K, KeyType: HASH}, {AttributeName: R, KeyType: RANGE}]
      TimeToLiveSpecification: {AttributeName: gone, Enabled: true}
      DeletionProtectionEnabled: true
  Secret:
    Type: AWS::SecretsManager::Secret
    Properties:
      GenerateSecretString: {SecretStringTemplate: '{"fixed": "f"}', GenerateStringKey: made, PasswordLength: 40, ExcludePunctuation: true}
  Weekly:
    Type: AWS::Serverless::Function
    Properties:
      Environment: {Variables: {SHARED: !Ref AWS::NoValue}}
      Events:
        Often: {Type: ScheduleV2, Properties: {OmitName: true, ScheduleExpression: rate(5 minutes), State: !If [Plain, ENABLED, DISABLED]}}
  Topic: {Type: AWS::SNS::Topic}
  PlainAlarm:
    Type: AWS::CloudWatch::Alarm
    Properties:
      AlarmDescription: plain
      AlarmActions: [!Ref Topic]
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
  MathAlarm:
    Type: AWS::CloudWatch::Alarm
    Properties:
      AlarmDescription: math
      Metrics:
        - {Id: e, Expression: "m * 2"}
        - {Id: m, ReturnData: false, MetricStat: {Period: 3600, Stat: Sum, Metric: {Namespace: !Ref AWS::StackName, MetricName: M}}}
        - {Id: n, ReturnData: false, MetricStat: {Period: 3600, Stat: Sum, Metric: {Namespace: N, MetricName: N}}}
      ComparisonOperator: LessThanThreshold
      Threshold: !Ref Level
      EvaluationPeriods: 2
      TreatMissingData: breaching
  Meows:
    Type: AWS::Logs::MetricFilter
    Properties:
      LogGroupName: !Ref Lines
      FilterPattern: "{ $.sound = 1 }"
      MetricTransformations:
        - {MetricNamespace: !Ref AWS::StackName, MetricName: Meows, MetricValue: "1"}
  Bucket: {Type: AWS::S3::Bucket}
  OtherBucket: {Type: AWS::S3::Bucket, Condition: Fancy}
`

func load(t *testing.T, text string) (*Template, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), FileName)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return Load(path)
}

func mustLoad(t *testing.T, text string) *Template {
	t.Helper()
	template, err := load(t, text)
	if err != nil {
		t.Fatal(err)
	}
	return template
}

func TestFunctions(t *testing.T) {
	environment := map[string]Value{
		"TABLE": {Ref: "Table"}, "LEVEL": {Ref: "Level"}, "SHARED": {Literal: "own"},
		"ARN": {GetAtt: "Table.Arn"}, "URL": {Sub: "https://${Api}.${AWS::Region}/${!kept}"},
	}
	read := Statement{Effect: "Allow", Actions: []string{"dynamodb:GetItem"}, Resources: []Value{{GetAtt: "Table.Arn"}}}
	want := []Function{
		{
			LogicalID: "FeedCat", Folder: "functions/feedcat", Method: "POST", Path: "/cats/{id}",
			Runtime: "provided.al2023", Architectures: []string{"arm64"}, BuildMethod: "makefile",
			Timeout: 20 * time.Second, MemoryMB: 512, Environment: environment, Alias: "live", Version: map[string]Value{"Level": {Ref: "Level"}},
			Statements: []Statement{read, {
				Effect: "Allow", Actions: []string{"a:B", "a:C"}, Resources: []Value{{Ref: "Secret"}, {Literal: "arn:x"}}, LeadingKeys: []string{"CAT#*", "DOG"},
			}},
		},
		{
			LogicalID: "ListCats", Folder: "functions/listcats", Method: "GET", Path: "/cats",
			Runtime: "provided.al2023", Architectures: []string{"x86_64"},
			Timeout: 10 * time.Second, MemoryMB: 128, Environment: environment, Alias: "live", Statements: []Statement{read},
		},
		{
			LogicalID: "Weekly", Folder: "functions/weekly", Schedule: &Schedule{"Often", 5 * time.Minute, true},
			Runtime: "provided.al2023", Architectures: []string{"arm64"}, Timeout: 10 * time.Second, MemoryMB: 128, Alias: "live",
			Environment: map[string]Value{"TABLE": {Ref: "Table"}, "LEVEL": {Ref: "Level"}, "SHARED": {Literal: "global"}},
		},
	}
	template := mustLoad(t, small)
	if diff := cmp.Diff(want, template.Functions); diff != "" {
		t.Error(diff)
	}
	if f, known := template.Function("Weekly"); !known || f.LogicalID != "Weekly" || len(template.Endpoints()) != 2 {
		t.Errorf("%+v, %t, endpoints %v", f, known, template.Endpoints())
	}
	if f, known := template.Function("Nothing"); known {
		t.Errorf("%+v", f)
	}
	for expression, want := range map[string]time.Duration{"rate(1 minute)": time.Minute, "rate(2 hours)": 2 * time.Hour, "rate(1 day)": 24 * time.Hour} {
		f, _ := mustLoad(t, strings.Replace(small, "rate(5 minutes)", expression, 1)).Function("Weekly")
		if f.Schedule.Every != want {
			t.Errorf("%s is %+v", expression, f.Schedule)
		}
	}
}

func TestAlarms(t *testing.T) {
	want := []Alarm{
		{
			LogicalID: "PlainAlarm", Description: "plain", Period: time.Minute, Comparison: "GreaterThanThreshold", Threshold: Value{Literal: "1.5"},
			EvaluationPeriods: 5, DatapointsToAlarm: 3, Missing: "ignore", Actions: []Value{{Ref: "Topic"}},
			Metrics: []AlarmMetric{{
				Compared: true, Namespace: Value{Literal: "AWS/X"}, Name: "M", Dimensions: map[string]Value{"D": {Ref: "Table"}}, Statistic: "p99",
			}},
		},
		{
			LogicalID: "MathAlarm", Description: "math", Period: time.Hour, Comparison: "LessThanThreshold", Threshold: Value{Ref: "Level"},
			EvaluationPeriods: 2, DatapointsToAlarm: 2, Missing: "breaching",
			Metrics: []AlarmMetric{
				{ID: "e", Expression: "m * 2", Compared: true},
				{ID: "m", Namespace: Value{Ref: "AWS::StackName"}, Name: "M", Statistic: "Sum"},
				{ID: "n", Namespace: Value{Literal: "N"}, Name: "N", Statistic: "Sum"},
			},
		},
	}
	if diff := cmp.Diff(want, mustLoad(t, small).Alarms, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("alarms (-want +got):\n%s", diff)
	}
}

func TestMetricFilters(t *testing.T) {
	want := []MetricFilter{{LogGroup: Value{Ref: "Lines"}, Pattern: "{ $.sound = 1 }", Namespace: Value{Ref: "AWS::StackName"}, MetricName: "Meows"}}
	if diff := cmp.Diff(want, mustLoad(t, small).MetricFilters); diff != "" {
		t.Errorf("metric filters (-want +got):\n%s", diff)
	}
}

func TestAPI(t *testing.T) {
	template := mustLoad(t, small)
	want := &CORS{
		AllowOrigins: []string{"https://a.example", "https://b.example"}, AllowMethods: []string{"GET"},
		AllowHeaders: []string{"authorization"}, MaxAge: time.Minute,
	}
	if diff := cmp.Diff(want, template.CORS); diff != "" {
		t.Error(diff)
	}
	for route, want := range map[string]Throttle{"GET /cats": {Rate: 1, Burst: 2}, "POST /cats/{id}": {Rate: 7, Burst: 9}} {
		if got := template.Throttle(route); got != want {
			t.Errorf("%s takes %+v, want %+v", route, got, want)
		}
	}
}

func TestResolve(t *testing.T) {
	template := mustLoad(t, small)
	physical := map[string]string{"Table": "cats", "Table.Arn": "arn:cats", "Api": "api", "AWS::Region": "here"}
	got, err := template.Resolve(template.Functions[0].Environment, physical)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"TABLE": "cats", "LEVEL": "info", "SHARED": "own", "ARN": "arn:cats", "URL": "https://api.here/${kept}",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}

	physical["Level"] = "debug"
	if got, err = template.Resolve(template.Functions[0].Environment, physical); err != nil || got["LEVEL"] != "debug" {
		t.Errorf("LEVEL = %q, %v: a given value must win over the default", got["LEVEL"], err)
	}

	_, err = template.Resolve(map[string]Value{"A": {Ref: "Nobody"}, "B": {Sub: "x${Table.Arn}"}, "C": {Ref: "Secretless"}}, nil)
	for _, part := range []string{"Nobody (A)", "Table.Arn (B)", "Secretless (C)"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("error %v does not name %s", err, part)
		}
	}
}

func TestTable(t *testing.T) {
	template := mustLoad(t, small)
	got, err := template.CreateTable("Table", "cats")
	if err != nil {
		t.Fatal(err)
	}
	want := &dynamodb.CreateTableInput{
		TableName:   aws.String("cats"),
		BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{
			{AttributeName: aws.String("K"), AttributeType: types.ScalarAttributeTypeS},
			{AttributeName: aws.String("R"), AttributeType: types.ScalarAttributeTypeN},
		},
		KeySchema: []types.KeySchemaElement{
			{AttributeName: aws.String("K"), KeyType: types.KeyTypeHash},
			{AttributeName: aws.String("R"), KeyType: types.KeyTypeRange},
		},
	}
	ignore := cmpopts.IgnoreUnexported(dynamodb.CreateTableInput{}, types.AttributeDefinition{}, types.KeySchemaElement{})
	if diff := cmp.Diff(want, got, ignore); diff != "" {
		t.Error(diff)
	}
	if table := template.Tables["Table"]; table.TimeToLive != "gone" || !table.DeletionProtection || table.PointInTimeRecovery {
		t.Errorf("%+v", table)
	}
	if _, err := template.CreateTable("Secret", "cats"); err == nil {
		t.Error("a secret passes for a table")
	}
	off := mustLoad(t, strings.Replace(small, "{AttributeName: gone, Enabled: true}", "{AttributeName: gone, Enabled: false}", 1))
	if attribute := off.Tables["Table"].TimeToLive; attribute != "" {
		t.Errorf("items expire by %s, which is not enabled", attribute)
	}
}

// The parameters' defaults decide a condition, as in every local set-up.
func TestConditions(t *testing.T) {
	for level, want := range map[string]string{"info": "own", "debug": "other"} {
		template := mustLoad(t, strings.Replace(small, "Default: info", "Default: "+level, 1))
		f := template.Functions[0]
		_, nothing := f.Environment["NOTHING"]
		if got := f.Environment["SHARED"].Literal; got != want || nothing != (level == "debug") || len(f.Statements[1].Actions) != map[string]int{"own": 2, "other": 3}[want] {
			t.Errorf("with %s: SHARED %s, NOTHING is there: %t, actions %v", level, got, nothing, f.Statements[1].Actions)
		}
		if there := template.OfType("OtherBucket", "AWS::S3::Bucket"); there != (level == "debug") {
			t.Errorf("with %s the other bucket is there: %t", level, there)
		}
	}
}

// If its condition holds, a rule reports values that break it.
func TestBroken(t *testing.T) {
	template := mustLoad(t, small)
	for level, want := range map[string]int{"info": 0, "trace": 0, "other": 1} {
		if got := template.Broken(map[string]string{"Level": level}); len(got) != want || want == 1 && got[0] != "no other" {
			t.Errorf("with %s: %q", level, got)
		}
	}
}

func TestSecret(t *testing.T) {
	secret, err := mustLoad(t, small).SecretTemplate("Secret")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for range 20 {
		value, err := secret.Generate()
		if err != nil {
			t.Fatal(err)
		}
		var object map[string]string
		if err := json.Unmarshal([]byte(value), &object); err != nil {
			t.Fatal(err)
		}
		if made := object["made"]; len(made) != 40 || strings.Trim(made, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") != "" || object["fixed"] != "f" || len(object) != 2 {
			t.Errorf("secret %q", value)
		}
		seen[value] = true
	}
	if len(seen) != 20 {
		t.Errorf("%d different secrets of 20", len(seen))
	}
	if _, err := mustLoad(t, small).SecretTemplate("Table"); err == nil {
		t.Error("a table passes for a secret")
	}
}

// The error names each fault with the file, its resource or section, and the problem.
func TestFaults(t *testing.T) {
	for _, test := range []struct{ old, new, want string }{
		{"MemorySize: 512", "MemorySize: lots", "FeedCat: json: cannot unmarshal string into Go struct field functionProperties.MemorySize"},
		{"MemorySize: 512", "MemorySize: -1", "functionProperties.MemorySize"},
		{"MemorySize: 512", "Layers: []", `FeedCat: json: unknown field "Layers"`},
		{"Runtime: provided.al2023", "Layers: []", `Globals: json: unknown field "Layers"`},
		{`["${Level}, ${!kept}", {Level: !If [Plain, !Ref Level, none]}]`, "'${Level}'", "VersionDescription"},
		{"Assert: !Not [!Equals [!Ref Level, other]]", "Assert: !Equals [!Ref Level, other]", `Rules: the defaults break ["no other"]`},
		{"Assert: !Not [!Equals [!Ref Level, other]]", "Assert: !Contains [[info], !Ref Level]", `Rules: LevelWithOrigin: json: unknown field "!Contains"`},
		{"Http: {Type: HttpApi, Properties: {ApiId: !Ref Api, Method: GET, Path: /cats}}", "{}", "ListCats: want exactly one event"},
		{"{Type: HttpApi, Properties: {ApiId: !Ref Api, Method: GET, Path: /cats}}", "{Type: SQS}", "ListCats: want an event of type HttpApi"},
		{"Method: GET, ", "", "ListCats: want a method"},
		{"Path: /cats}", "Path: cats}", "a path that begins with /"},
		{"Path: /cats}", "Path: !Ref Path}", "cannot unmarshal object into Go struct field .Path"},
		{"ApiId: !Ref Api, Method: GET", "ApiId: api, Method: GET", "a !Ref to the API"},
		{"Method: GET,", "Method: GET, Auth: {},", `unknown field "Auth"`},
		{"- Statement: [*read]", "- AdministratorAccess", "ListCats: json: cannot unmarshal string"},
		{"- Statement: [*read]", "- DynamoDBCrudPolicy: {}", `unknown field "DynamoDBCrudPolicy"`},
		{`"ForAllValues:StringLike"`, "StringLike", `unknown field "StringLike"`},
		{`"ForAllValues:StringLike"`, `"ForAnyValue:StringLike"`, "to allow, ForAllValues and Null: false"},
		{"{dynamodb:LeadingKeys: [CAT#*, DOG]}", "{dynamodb:Attributes: [CAT]}", `unknown field "dynamodb:Attributes"`},
		{"{dynamodb:LeadingKeys: [CAT#*, DOG]}", "{}", "want a condition on dynamodb:LeadingKeys"},
		{`, "Null": {dynamodb:LeadingKeys: false}`, "", "want a condition on dynamodb:LeadingKeys"},
		{"LeadingKeys: false", "LeadingKeys: true", "Null: false"},
		{"[Plain, own, other]", "[Plane, own, other]", "SHARED: there is no condition Plane"},
		{"[Plain, own, other]", "[Plain, own]", "SHARED: want an !If of a condition and two values"},
		{"Fancy: !Not [", "Fancy: !Or [", `Conditions: Fancy: json: unknown field "!Or"`},
		{"[!Ref Level, info]]", "[!Ref Level]]", "Conditions: Fancy: want !Equals of two values"},
		{"[!Ref Level, info]]", "[!Ref Table, info]]", "Conditions: Fancy: want a parameter with a default, not !Ref Table"},
		{"[!Ref Level, info]]", "[!Ref Secretless, info]]", "want a parameter with a default, not !Ref Secretless"},
		{"SHARED: !If [Plain, own, other]", "SHARED: !ImportValue x", `unknown field "!ImportValue"`},
		{"SHARED: !If [Plain, own, other]", "SHARED: [a]", "want a value, not a list"},
		{"SHARED: !If [Plain, own, other]", "<<: {A: b}", "CloudFormation knows no merge keys"},
		{"SHARED: !If [Plain, own, other]", "ARN: x", `mapping key "ARN" already defined`},
		{"!Ref Origins", "!Ref Level", "Api: json: cannot unmarshal object into Go struct field CORS.CorsConfiguration.AllowOrigins"},
		{", Default: \"https://a.example, https://b.example\"", "", "Api: Properties: CorsConfiguration: AllowOrigins: the list Origins has no default"},
		{"GET /cats: {", "GET /dogs: {", "there is no route GET /dogs"},
		{"ThrottlingRateLimit: 7, ", "", "DefaultRouteSettings: want both limits"},
		{"{ThrottlingRateLimit: !Ref Rate, ThrottlingBurstLimit: 2}", "{ThrottlingRateLimit: 1}", "GET /cats: want both limits"},
		{"ThrottlingBurstLimit: 2", "ThrottlingBurstLimit: 0", `GET /cats: want both limits, not "1" and "0"`},
		{"ThrottlingBurstLimit: 2", "ThrottlingBurstLimit: !Ref Level", `GET /cats: want both limits, not "1" and "info"`},
		{"ThrottlingBurstLimit: 2", "ThrottlingBurstLimit: !Ref Secretless", "GET /cats: want a parameter with a default"},
		{`MetricValue: "1"`, `MetricValue: $.bytes`, "Meows: want one metric transformation"},
		{`MetricValue: "1"`, `MetricValue: "1", DefaultValue: 0`, `Meows: json: unknown field "DefaultValue"`},
		{"ThrottlingRateLimit: 7", "DetailedMetricsEnabled: true", `unknown field "DetailedMetricsEnabled"`},
		{"DefaultRouteSettings:", "Auth:", `Api: json: unknown field "Auth"`},
		{"DeletionProtectionEnabled: true", "GlobalSecondaryIndexes: []", `Table: json: unknown field "GlobalSecondaryIndexes"`},
		{`'{"fixed": "f"}'`, "'[]'", "Secret: want a JSON object"},
		{"ExcludePunctuation: true", "ExcludePunctuation: false", "no punctuation"},
		{"rate(5 minutes)", "cron(0 3)", "Weekly: want a rate"},
		{"rate(5 minutes)", "rate(0 minutes)", "want a rate"},
		{"ENABLED, DISABLED", "enabled, DISABLED", "the state ENABLED or DISABLED"},
		{"OmitName: true", "Input: x", `unknown field "Input"`},
		{"TreatMissingData: ignore", "Unit: Count", `PlainAlarm: json: unknown field "Unit"`},
		{"Period: 60", "Period: 30", "whole minutes"},
		{"Period: 3600", "Period: 60", "the same period"},
		{"DatapointsToAlarm: 3", "DatapointsToAlarm: 6", "6 of 5 periods"},
		{"Id: m, ReturnData: false", "Id: m, ReturnData: true", "2 metrics are compared"},
		{"Globals:", "Globals:\n  HttpApi: {}", `Globals: json: unknown field "HttpApi"`},
		{"Bucket: {Type: AWS::S3::Bucket}", "Bucket: {}", "Bucket: it has no Type"},
		{"Resources:", "Recourses:", "there are no Resources"},
		{"Parameters:", "\tParameters:", "yaml"},
	} {
		_, err := load(t, strings.Replace(small, test.old, test.new, 1))
		if !strings.Contains(small, test.old) || err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), FileName) {
			t.Errorf("%s in place of %s: the error is %v, without %s", test.new, test.old, err, test.want)
		}
	}
	if _, err := load(t, "# nothing\n"); err == nil {
		t.Error("an empty template passes")
	}
	_, err := load(t, strings.NewReplacer("MemorySize: 512", "MemorySize: lots", "KeySchema:", "Keys:").Replace(small))
	if err == nil || !strings.Contains(err.Error(), "MemorySize") || !strings.Contains(err.Error(), "Keys") {
		t.Errorf("error %v does not name both faults", err)
	}
}

func TestLoadRootLooksUpwards(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, FileName), []byte(small), 0o600); err != nil {
		t.Fatal(err)
	}
	deep := filepath.Join(root, "a", "b")
	if err := os.MkdirAll(deep, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(deep)
	template, err := LoadRoot()
	if err != nil {
		t.Fatal(err)
	}
	want, err := filepath.EvalSymlinks(root)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := filepath.EvalSymlinks(template.Root); err != nil || got != want {
		t.Errorf("Root = %q, want %q", template.Root, want)
	}
}
