package samtemplate

import (
	_ "embed"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// small has an example of each part of a template that this package reads.
//
//go:embed testdata/small.yaml
var small string

func load(t *testing.T, text string) (*Template, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), FileName)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return Load(path)
}

func mustLoad(t *testing.T, text string) *Template {
	t.Helper()
	template, err := load(t, text)
	require.NoError(t, err)
	return template
}

func TestResolve(t *testing.T) {
	template := mustLoad(t, small)
	physical := map[string]string{"Table": "cats", "Table.Arn": "arn:cats", "Api": "api", "AWS::Region": "here"}
	got, err := template.Resolve(template.Functions[0].Environment, physical)
	require.NoError(t, err)
	want := map[string]string{
		"TABLE": "cats", "LEVEL": "info", "SHARED": "own", "ARN": "arn:cats", "URL": "https://api.here/${kept}",
	}
	assert.Empty(t, cmp.Diff(want, got))

	physical["Level"] = "debug"
	got, err = template.Resolve(template.Functions[0].Environment, physical)
	assert.True(t, err == nil && got["LEVEL"] == "debug", "LEVEL = %q, %v: a given value must win over the default", got["LEVEL"], err)

	_, err = template.Resolve(map[string]Value{"A": {Ref: "Nobody"}, "B": {Sub: "x${Table.Arn}"}, "C": {Ref: "Secretless"}}, nil)
	for _, part := range []string{"A: Nobody", "B: Table.Arn", "C: Secretless"} {
		assert.True(t, err != nil && strings.Contains(err.Error(), part), "error %v does not name %s", err, part)
	}
}

// The parameters' defaults decide a condition, as in every local set-up.
func TestConditions(t *testing.T) {
	for level, want := range map[string]string{"info": "own", "debug": "other"} {
		template := mustLoad(t, strings.Replace(small, "Default: info", "Default: "+level, 1))
		f := template.Functions[0]
		_, nothing := f.Environment["NOTHING"]
		got := f.Environment["SHARED"].Literal
		assert.True(t, got == want && nothing == (level == "debug") && len(f.Statements[1].Actions) == map[string]int{"own": 2, "other": 3}[want],
			"with %s: SHARED %s, NOTHING is there: %t, actions %v", level, got, nothing, f.Statements[1].Actions)
		_, there := template.tables["OtherTable"]
		assert.Equal(t, level == "debug", there, "with %s the other table is there: %t", level, there)
	}
}

// The error names each fault with the file, the resource or section, and the problem.
func TestFaults(t *testing.T) {
	for _, test := range []struct{ old, new, want string }{
		{"MemorySize: 512", "MemorySize: lots", "FeedCat: json: cannot unmarshal string into Go struct field functionProperties.MemorySize"},
		{"MemorySize: 512", "Layers: []", `FeedCat: json: unknown field "Layers"`},
		{"Http: {Type: HttpApi, Properties: {ApiId: !Ref Api, Method: GET, Path: /cats}}", "{}", "ListCats: want exactly one event"},
		{"Method: GET, ", "", "ListCats: want a method"},
		{"Path: /cats}", "Path: cats}", "a path that begins with /"},
		{"ApiId: !Ref Api, Method: GET", "ApiId: api, Method: GET", "a !Ref to the API"},
		{"- Statement: [*read]", "- AdministratorAccess", "ListCats: json: cannot unmarshal string"},
		{`"ForAllValues:StringLike"`, `"ForAnyValue:StringLike"`, "to allow, ForAllValues and Null: false"},
		{"{dynamodb:LeadingKeys: [CAT#*, DOG]}", "{}", "want a condition on dynamodb:LeadingKeys"},
		{`, "Null": {dynamodb:LeadingKeys: false}`, "", "want a condition on dynamodb:LeadingKeys"},
		{"LeadingKeys: false", "LeadingKeys: true", "Null: false"},
		{"[Plain, own, other]", "[Plane, own, other]", "SHARED: there is no condition Plane"},
		{"[Plain, own, other]", "[Plain, own]", "SHARED: want an !If of a condition and two values"},
		{"Fancy: !Not [", "Fancy: !Or [", `Conditions: Fancy: json: unknown field "!Or"`},
		{"[!Ref Level, info]]", "[!Ref Level]]", "Conditions: Fancy: want !Equals of two values"},
		{"[!Ref Level, info]]", "[!Ref Table, info]]", "Conditions: Fancy: Table is no parameter with a default"},
		{"SHARED: !If [Plain, own, other]", "SHARED: [a]", "want a value, not a list"},
		{"SHARED: !If [Plain, own, other]", "<<: {A: b}", "CloudFormation knows no merge keys"},
		{"SHARED: !If [Plain, own, other]", "ARN: x", `mapping key "ARN" already defined`},
		{"!Ref Origins", "!Ref Level", "Api: json: cannot unmarshal object into Go struct field CORS.CorsConfiguration.AllowOrigins"},
		{", Default: \"https://a.example, https://b.example\"", "", "Api: Properties: CorsConfiguration: AllowOrigins: the list Origins has no default"},
		{"GET /cats: {", "GET /dogs: {", "there is no route GET /dogs"},
		{"ThrottlingRateLimit: 7, ", "", "DefaultRouteSettings: want both limits"},
		{"ThrottlingBurstLimit: 2", "ThrottlingBurstLimit: 0", `GET /cats: want both limits, not map["the burst":"0" "the rate":"1"]`},
		{"DeletionProtectionEnabled: true", "GlobalSecondaryIndexes: []", `Table: json: unknown field "GlobalSecondaryIndexes"`},
		{"rate(5 minutes)", "cron(0 3)", "Weekly: want a rate"},
		{"ENABLED, DISABLED", "enabled, DISABLED", "the state ENABLED or DISABLED"},
		{"Period: 60", "Periods: 60", `PlainAlarm: json: unknown field "Periods"`},
		{"Bucket: {Type: AWS::S3::Bucket}", "Bucket: {}", "Bucket: it has no Type"},
		{"Resources:", "Recourses:", "there are no Resources"},
		{"Parameters:", "\tParameters:", "yaml"},
	} {
		_, err := load(t, strings.Replace(small, test.old, test.new, 1))
		assert.True(t, strings.Contains(small, test.old) && err != nil && strings.Contains(err.Error(), test.want) && strings.Contains(err.Error(), FileName),
			"%s in place of %s: the error is %v, without %s", test.new, test.old, err, test.want)
	}
	if _, err := load(t, "# nothing\n"); err == nil {
		t.Error("an empty template passes")
	}
	_, err := load(t, strings.NewReplacer("MemorySize: 512", "MemorySize: lots", "KeySchema:", "Keys:").Replace(small))
	assert.True(t, err != nil && strings.Contains(err.Error(), "MemorySize") && strings.Contains(err.Error(), "Keys"),
		"error %v does not name both faults", err)
}
