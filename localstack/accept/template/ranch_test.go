// Package template checks what template.yaml deploys. The package has only tests.
//
//	deployed_test.go      a golden file of what AWS makes of template.yaml (transform.py)
//	rights_test.go        who can forge tokens, read password hashes, or change records of changes
//	ranch_test.go         data, functions and limits
//	alarms_test.go        alarms, gates, metric filters and the dashboard
//	environments_test.go  samconfig.toml and the parameters
package template

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
	"github.com/ranch-game/ranch/shared/token"
)

var loadRanch = sync.OnceValues(samtemplate.LoadRoot)

// ranch returns template.yaml. Tests must not change it.
func ranch(t *testing.T) *samtemplate.Template {
	t.Helper()
	template, err := loadRanch()
	require.NoError(t, err)
	return template
}

// loaded returns a template of the repository. values replace the defaults of its parameters.
func loaded(t *testing.T, file string, values map[string]string) *samtemplate.Template {
	t.Helper()
	template, err := samtemplate.LoadFile(file, values)
	require.NoError(t, err)
	return template
}

// written returns the content of a template of the repository that AWS does not transform. It has no functions' names:
// !Ref X is the text X.
func written(t *testing.T, file string) (content object) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(ranch(t).Root, filepath.FromSlash(file)))
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(text, &content))
	return content
}

// TestRanchFunctions checks that each function has a folder, and ends before the API or the next run stops waiting.
func TestRanchFunctions(t *testing.T) {
	const integrationTimeout, longest = 30 * time.Second, 15 * time.Minute
	for _, f := range ranch(t).Functions {
		limit := integrationTimeout
		if f.Schedule != nil {
			limit = min(f.Schedule.Every, longest+1)
		}
		assert.True(t, f.Timeout > 0 && f.Timeout < limit, "%s has %v", f.LogicalID, f.Timeout)
		assert.DirExists(t, filepath.Join(ranch(t).Root, f.Folder))
	}
}

// TestRanchData checks that table, secret and backups survive every deployment, and the deletion of a stack unless its
// creation has failed. The deletion removes everything else. DynamoDB can restore the table to any second of 35 days.
func TestRanchData(t *testing.T) {
	var kept []string
	for id, resource := range at(golden(t), "Resources").(object) {
		deleted, _ := at(resource, "DeletionPolicy").(string)
		// Lambda itself deletes a version, with its function.
		if strings.HasPrefix(deleted, "Retain") && at(resource, "Type") != "AWS::Lambda::Version" {
			assert.Equal(t, []any{"RetainExceptOnCreate", "Retain"}, []any{deleted, at(resource, "UpdateReplacePolicy")}, id)
			kept = append(kept, id)
		}
	}
	assert.ElementsMatch(t, []string{"Table", "SigningKeys", "BackupVault"}, kept)
	table := at(golden(t), "Resources", "Table", "Properties")
	assert.Equal(t, true, at(table, "DeletionProtectionEnabled"))
	assert.Equal(t, true, at(table, "PointInTimeRecoverySpecification", "PointInTimeRecoveryEnabled"))
}

// TestRanchPrecautions checks properties that no other test reads, and whose loss no one would notice before an accident.
func TestRanchPrecautions(t *testing.T) {
	once := object{"MaximumEventAgeInSeconds": 60, "MaximumRetryAttempts": 0}
	for id, resource := range at(golden(t), "Resources").(object) {
		switch properties := at(resource, "Properties"); at(resource, "Type") {
		case "AWS::Scheduler::Schedule":
			assert.Equal(t, once, at(properties, "Target", "RetryPolicy"), id)
		case "AWS::Lambda::EventInvokeConfig":
			assert.Equal(t, []any{60, 0}, []any{at(properties, "MaximumEventAgeInSeconds"), at(properties, "MaximumRetryAttempts")}, id)
		case "AWS::Lambda::Version":
			assert.Equal(t, "Delete", at(resource, "DeletionPolicy"), id)
		}
	}
	alarms, front := written(t, samtemplate.AlarmsFile), written(t, "infra/front.yaml")
	for what, found := range map[string]struct{ got, want any }{
		"a truststore needs the front's address": {
			at(golden(t), "Rules", "TruststoreIsNotPassedBy", "Assertions").([]any)[1].(object)["Assert"],
			object{"Fn::Not": []any{object{"Fn::Equals": []any{object{"Ref": "SyntheticUrl"}, ""}}}},
		},
		"only a built template is deployed": {
			at(golden(t), "Rules", "IsBuiltForArm64", "Assertions").([]any)[0].(object)["Assert"],
			object{"Fn::Equals": []any{object{"Ref": "Architecture"}, "not-built"}},
		},
		"clients' address": {
			at(golden(t), "Outputs", "ApiUrl", "Value", "Fn::If").([]any)[0], "HasSyntheticUrl",
		},
		"the table's bill is bounded": {
			at(golden(t), "Resources", "Table", "Properties", "OnDemandThroughput"),
			object{"MaxReadRequestUnits": object{"Ref": "TableReads"}, "MaxWriteRequestUnits": object{"Ref": "TableWrites"}},
		},
		"prod's alarms reach someone": {at(alarms, "Rules", "ProdReachesSomeone", "RuleCondition"), []any{"Environment", "prod"}},
		"the budget can be replaced":  {at(alarms, "Resources", "Budget", "Properties", "Budget", "BudgetName"), nil},
		"failed copies make a ticket": {at(alarms, "Resources", "FailedCopies", "Properties", "EventPattern", "detail", "state"), []any{"FAILED"}},
		"blocked requests are logged": {at(front, "Resources", "BlockedLog", "Properties", "LoggingFilter", "DefaultBehavior"), "DROP"},
		"a log has no players' tokens": {
			at(front, "Resources", "BlockedLog", "Properties", "RedactedFields").([]any)[0], object{"SingleHeader": object{"Name": "authorization"}},
		},
	} {
		assert.Equal(t, found.want, found.got, what)
	}
}

// TestRanchFirstKey checks that the functions can read the secret's first value, as Secrets Manager generates it.
func TestRanchFirstKey(t *testing.T) {
	generated := at(golden(t), "Resources", "SigningKeys", "Properties", "GenerateSecretString")
	var secret object
	require.NoError(t, json.Unmarshal([]byte(at(generated, "SecretStringTemplate").(string)), &secret))
	secret[at(generated, "GenerateStringKey").(string)] = strings.Repeat("x", at(generated, "PasswordLength").(int))
	text, err := json.Marshal(secret)
	require.NoError(t, err)
	_, err = token.ParseSecret(string(text))
	assert.NoError(t, err)
}

// TestRanchVersions checks that the description of each function's version names exactly the parameters in the
// environment. A new value must make a new version, because otherwise the alias would keep the version with the old
// value. The description may name no other parameter: Lambda creates no version that differs only in its description.
func TestRanchVersions(t *testing.T) {
	resources := at(golden(t), "Resources").(object)
	for _, f := range ranch(t).Functions {
		description := at(resources, f.LogicalID+"Version", "Properties", "Description", "Fn::Sub").([]any)
		environment := at(resources, f.LogicalID, "Properties", "Environment", "Variables")
		assert.Equal(t, references(t, environment), references(t, description[1]),
			"%s: the references of the environment, and of the version's description", f.LogicalID)
	}
}

// references returns those of the values that can change in a stack, as JSON. "public" stands for no value.
func references(t *testing.T, values any) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	for _, value := range values.(object) {
		text, err := json.Marshal(value)
		require.NoError(t, err)
		if !regexp.MustCompile(`^("|\{"Ref":"AWS::)`).Match(text) {
			all[strings.ReplaceAll(string(text), `"public"`, `{"Ref":"AWS::NoValue"}`)] = true
		}
	}
	return all
}

// TestRanchVersionDescriptions checks that a version's description has room for the longest values of its parameters.
func TestRanchVersionDescriptions(t *testing.T) {
	const room = 256
	table, secret := strings.Repeat("x", 80), "arn:aws-us-gov:secretsmanager:ap-northeast-3:123456789012:secret:"+strings.Repeat("x", 70)
	for parameter, longest := range map[string]string{"ExistingTable": table, "ExistingSigningKeys": secret} {
		p := ranch(t).Parameters[parameter]
		assert.True(t, allows(p, longest) && !allows(p, longest+"x"), "%s has a longest value of %d", parameter, len(longest))
	}
	description := fmt.Sprintf("table %s, keys %s, HS256 accepted", table, secret)
	assert.LessOrEqual(t, len(description), room, description)
	text, err := os.ReadFile(filepath.Join(ranch(t).Root, samtemplate.FileName))
	require.NoError(t, err)
	assert.Contains(t, string(text), "- table ${Table}, keys ${Keys}, HS256 ${HS256}\n")
}

// TestRanchThrottles checks that docs/scale.md has the rate limit of each route. The routes below /auth/, judging
// and changes of one's own account are expensive, and have lower limits than the others. A burst is between one and four seconds of requests.
func TestRanchThrottles(t *testing.T) {
	template := ranch(t)
	page, err := os.ReadFile(filepath.Join(template.Root, "docs", "scale.md"))
	require.NoError(t, err)
	standard := template.Throttle("GET /nothing/in/particular")
	rows := map[string]samtemplate.Throttle{"each other route": standard}
	for _, f := range template.Endpoints() {
		got := template.Throttle(f.Route())
		assert.True(t, got.Rate > 0 && float64(got.Burst) >= got.Rate && float64(got.Burst) <= 4*got.Rate, "%s: %+v", f.Route(), got)
		tight := strings.HasPrefix(f.Path, "/auth/") || f.LogicalID == "JudgeShow" || f.Method == "PUT" || f.Method == "DELETE"
		assert.True(t, tight && got.Rate < standard.Rate || !tight && got == standard, "%s: %+v, others %+v", f.Route(), got, standard)
		if tight {
			rows["`"+f.Route()+"`"] = got
		}
	}
	for route, throttle := range rows {
		const busiest = 2.7 // times the mean
		players := int(math.Round(throttle.Rate*24*60*60/busiest/1000) * 1000)
		number := strings.TrimPrefix(fmt.Sprintf("%d,%03d,%03d", players/1_000_000, players/1000%1000, players%1000), "0,")
		row := fmt.Sprintf(`(?m)^\| %s \|.* \| %v \| %d \| %s \|$`, regexp.QuoteMeta(route), throttle.Rate, throttle.Burst, number)
		assert.Regexp(t, row, string(page), "docs/scale.md")
	}
}

// TestRanchAccessLog checks that a line of the access log is JSON with the fields that other tools read, and has no
// text that a client can choose.
func TestRanchAccessLog(t *testing.T) {
	format := accessLog(t)
	var line map[string]any
	require.NoError(t, json.Unmarshal([]byte(regexp.MustCompile(`\$context(\.\w+)+`).ReplaceAllString(format, "0")), &line))
	for _, name := range strings.Fields("time requestId ip route status latency integrationLatency integrationError error") {
		assert.Contains(t, line, name)
	}
	assert.NotRegexp(t, `:\$context\.[^s]`, format, "API Gateway writes - for a missing number")
	assert.NotRegexp(t, `userAgent|\$context\.path|authorizer|domainName`, format)
}

// accessLog returns the format of a line of the API's access log.
func accessLog(t *testing.T) string {
	t.Helper()
	return at(golden(t), "Resources", "ApiApiGatewayDefaultStage", "Properties", "AccessLogSettings", "Format").(string)
}
