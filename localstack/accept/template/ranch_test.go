// Package template checks that template.yaml deploys what the service needs: routes, roles, limits and alarms. It
// checks them in the template itself and after AWS's transformation. The package has only tests.
//
//	ranch_test.go         functions, roles, table, secret and API in the template
//	alarms_test.go        when each alarm fires, and the dashboard
//	environments_test.go  samconfig.toml, the parameters, and the schedules
//	rights_test.go        the policies of people on call and of deployers
//	backups_test.go       the copies in another account
//	transformed_test.go   the CloudFormation template that AWS makes (transform.py)
package template

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
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

var loadRanch = sync.OnceValues(samtemplate.LoadRoot)

// ranch returns the real template. Tests must not change it.
func ranch(t *testing.T) *samtemplate.Template {
	t.Helper()
	template, err := loadRanch()
	require.NoError(t, err)
	return template
}

// load returns the template of a text.
func load(t *testing.T, text string) *samtemplate.Template {
	t.Helper()
	path := filepath.Join(t.TempDir(), samtemplate.FileName)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	template, err := samtemplate.Load(path)
	require.NoError(t, err)
	return template
}

// placeholder is a reference in the text of a !Sub.
var placeholder = regexp.MustCompile(`\$\{(!?)([^}]*)\}`)

func TestRanchFunctions(t *testing.T) {
	template := ranch(t)
	const integrationTimeout, longest = 30 * time.Second, 15 * time.Minute
	for _, f := range template.Functions {
		t.Run(f.LogicalID, func(t *testing.T) {
			assert.True(t, f.Runtime == "provided.al2023" && f.BuildMethod == "makefile", "runtime %s, build method %s", f.Runtime, f.BuildMethod)
			assert.True(t, f.Schedule != nil || f.Timeout < integrationTimeout,
				"timeout %v: the API waits for %v", f.Timeout, integrationTimeout)
			assert.True(t, (f.Schedule == nil || f.Timeout < f.Schedule.Every) && f.Timeout > 0 && f.Timeout <= longest,
				"timeout %v of %+v", f.Timeout, f.Schedule)
			assert.True(t, f.MemoryMB >= 128, "%d MB of memory", f.MemoryMB)
			info, err := os.Stat(filepath.Join(template.Root, f.Folder))
			assert.True(t, err == nil && info.IsDir(), "no folder %s: %v", f.Folder, err)
			physical := map[string]string{
				"Table": "table", "SigningKeys": "keys", "AWS::StackName": "stack", "Api": "api", "AWS::Region": "region", "AWS::URLSuffix": "amazonaws.com", "AWS::StackId": "id",
			}
			env, err := template.Resolve(f.Environment, physical)
			assert.True(t, err == nil && env["TABLE_NAME"] == "table" && env["METRICS_NAMESPACE"] == "stack",
				"environment %v, %v", env, err)
		})
	}
}

// TestRanchLeastPrivilege checks the rights of each function: only named actions, on the table or the secret, and in
// the table only on some kinds of records (except for the audit's Scan). A function may read the secret exactly if it
// knows the secret's name. PlaySynthetic has no rights.
func TestRanchLeastPrivilege(t *testing.T) {
	for _, f := range ranch(t).Functions {
		t.Run(f.LogicalID, func(t *testing.T) {
			allowed := map[string]bool{}
			for _, s := range f.Statements {
				if s.Effect != "Allow" || len(s.Actions) == 0 || len(s.Resources) != 1 {
					t.Errorf("statement %+v", s)
					continue
				}
				for _, action := range s.Actions {
					service, _, _ := strings.Cut(action, ":")
					resource := map[string]samtemplate.Value{"dynamodb": {GetAtt: "Table.Arn"}, "secretsmanager": {Ref: "SigningKeys"}}[service]
					scans := action == "dynamodb:Scan"
					assert.True(t, !strings.Contains(action, "*") && (!scans || f.LogicalID == "AuditLedgers") && s.Resources[0] == resource && resource != (samtemplate.Value{}),
						"it may %s %s", action, s.Resources[0])
					assert.False(t, allowed[action], "two statements allow %s: a request whose keys are partly in each is refused", action)
					allowed[action] = true
					assert.Equal(t, (len(s.LeadingKeys) > 0), (service == "dynamodb" && !scans),
						"it may %s on the keys %q", action, s.LeadingKeys)
				}
				for _, pattern := range s.LeadingKeys {
					assert.True(t, kind.MatchString(pattern), "the pattern %s is not one kind of record's", pattern)
				}
			}
			_, reads := f.Environment["SIGNING_KEYS_SECRET"]
			assert.Equal(t, allowed["secretsmanager:GetSecretValue"], reads,
				"has the secret's name: %t, may read it: %t", reads, allowed["secretsmanager:GetSecretValue"])
			plays := f.LogicalID == "PlaySynthetic"
			assert.Equal(t, (len(f.Statements) == 0), plays, "it may do nothing: %t", !plays)
		})
	}
}

// TestRanchForgers checks that only the three functions that issue tokens may read the private keys, with which they
// could make a token of any player. Only these three may write the public keys that other functions use. While a stack
// accepts tokens of HMAC-SHA256, the functions that verify tokens may read the secret, too.
func TestRanchForgers(t *testing.T) {
	issuers := []string{"Login", "Refresh", "Register"}
	verifiers := []string{"ClaimReward", "EnterShow", "GetMe", "GetSeason", "GetShow", "JudgeShow", "ListAnimals", "ListOwnEntries", "ListShowEntries", "ListShows"}
	for mode, want := range map[string][]string{
		"refused": issuers, "accepted": slices.Sorted(slices.Values(slices.Concat(issuers, verifiers))),
	} {
		var read, write []string
		for _, f := range withDefaults(t, map[string]string{"HS256Tokens": mode}).Functions {
			for _, s := range f.Statements {
				if slices.Contains(s.Actions, "secretsmanager:GetSecretValue") {
					read = append(read, f.LogicalID)
				}
				writes := slices.ContainsFunc(s.Actions, func(a string) bool { return a != "dynamodb:GetItem" })
				if writes && slices.ContainsFunc(s.LeadingKeys, func(p string) bool { return strings.HasPrefix(p, "K") }) {
					write = append(write, f.LogicalID)
				}
			}
		}
		slices.Sort(read)
		slices.Sort(write)
		assert.True(t, slices.Equal(read, want) && slices.Equal(write, issuers),
			"tokens of HMAC-SHA256 are %s: %q read the private keys, %q write the public ones", mode, read, write)
	}
}

// TestRanchBoundary checks the boundary of all roles. It must allow every action in the roles' statements, on the same
// resources, and no other. It must allow only the logs of this stack.
func TestRanchBoundary(t *testing.T) {
	template := ranch(t)
	boundary := template.Policies["Boundary"]
	require.Len(t, boundary, 3, "%d statements", len(boundary))
	logs := boundary[0]
	assert.True(t, slices.Equal(logs.Actions, []string{"logs:CreateLogStream", "logs:PutLogEvents"}) && slices.Equal(logs.Resources, []samtemplate.Value{{GetAtt: "Logs.Arn"}}),
		"of logs it leaves %+v", logs)
	needed := map[string]bool{}
	for _, f := range template.Functions {
		for _, s := range f.Statements {
			for _, action := range s.Actions {
				needed[action] = true
				assert.True(t, slices.ContainsFunc(boundary, func(b samtemplate.Statement) bool {
					return b.Effect == "Allow" && slices.Contains(b.Actions, action) && slices.Equal(b.Resources, s.Resources) && b.LeadingKeys == nil
				}), "%s may %s on %s, and the boundary takes it away", f.LogicalID, action, s.Resources)
			}
		}
	}
	for _, action := range slices.Concat(boundary[1].Actions, boundary[2].Actions) {
		assert.True(t, needed[action], "the boundary leaves %s, which no function needs", action)
	}
}

// TestRanchOperators checks that operators can write neither the keys that verify tokens nor existing audit records.
// The policy for key changes covers the secret and the public keys. Both policies cover only this stack. The tests of
// infra/ranchctl check that operators need every action.
func TestRanchOperators(t *testing.T) {
	table := []samtemplate.Value{{GetAtt: "Table.Arn"}}
	want := map[string][]samtemplate.Statement{
		"Operators": {
			{Effect: "Allow", Actions: []string{"dynamodb:BatchGetItem", "dynamodb:ConditionCheckItem", "dynamodb:GetItem", "dynamodb:Query", "dynamodb:Scan"}, Resources: table},
			{Effect: "Allow", Actions: []string{"dynamodb:DeleteItem", "dynamodb:PutItem", "dynamodb:UpdateItem"}, Resources: table, Except: []string{"KEYS"}},
			{
				Effect: "Deny", Resources: table, LeadingKeys: []string{"AUDIT*"},
				Actions: []string{"dynamodb:BatchWriteItem", "dynamodb:DeleteItem", "dynamodb:PartiQLDelete", "dynamodb:PartiQLUpdate", "dynamodb:UpdateItem"},
			},
		},
		"KeyOperators": {
			{
				Effect: "Allow", Resources: []samtemplate.Value{{Ref: "SigningKeys"}},
				Actions: []string{"secretsmanager:GetSecretValue", "secretsmanager:PutSecretValue", "secretsmanager:UpdateSecretVersionStage"},
			},
			{Effect: "Allow", Actions: []string{"dynamodb:PutItem"}, Resources: table, LeadingKeys: []string{"KEYS"}},
		},
	}
	for name, statements := range want {
		assert.Empty(t, cmp.Diff(statements, ranch(t).Policies[name]), "%s (-want +got)", name)
	}
}

// TestRanchPasswordHashes checks that only Login may read the records with password hashes, and only Login and Register
// may write them. The audit's Scan can read them, too, because a Scan names no keys (ADR 16).
func TestRanchPasswordHashes(t *testing.T) {
	got := map[string][]string{}
	for _, f := range ranch(t).Functions {
		for _, s := range f.Statements {
			if slices.ContainsFunc(s.LeadingKeys, func(keys string) bool { return strings.HasPrefix("EMAIL#", strings.TrimRight(keys, "*")) }) {
				got[f.LogicalID] = append(got[f.LogicalID], s.Actions...)
			}
		}
	}
	want := map[string][]string{"Register": {"dynamodb:PutItem"}, "Login": {"dynamodb:GetItem", "dynamodb:UpdateItem"}}
	assert.True(t, maps.EqualFunc(got, want, slices.Equal), "got %v, want %v", got, want)
}

// TestRanchVersions checks that the description of each function's version names exactly the parameters in the
// environment. A new value must make a new version, because otherwise the alias would keep the version with the old
// value. The description may name no other parameter: Lambda creates no version that differs only in its description.
func TestRanchVersions(t *testing.T) {
	for name, template := range map[string]*samtemplate.Template{"its own": ranch(t), "adopted": adopting(t)} {
		for _, f := range template.Functions {
			referred := map[samtemplate.Value]bool{}
			for _, v := range f.Environment {
				if v.Literal == "" && !strings.HasPrefix(v.Ref, "AWS::") { // these never change in a stack
					referred[v] = true
				}
			}
			described := map[samtemplate.Value]bool{}
			for _, v := range f.Version {
				if v.Literal == "" {
					described[v] = true
				}
			}
			assert.True(t, maps.Equal(referred, described),
				"%s, table and secret %s: the environment refers to %v, and its version's description to %v", f.LogicalID, name, referred, described)
		}
	}
}

// TestRanchVersionDescriptions checks that a version's description has room for the longest values of its parameters.
func TestRanchVersionDescriptions(t *testing.T) {
	const room = 256
	text, err := os.ReadFile(filepath.Join(ranch(t).Root, samtemplate.FileName))
	require.NoError(t, err)
	words := regexp.MustCompile(`&signing-version !Sub\n\s+- (.*)\n`).FindStringSubmatch(string(text))
	require.NotNil(t, words, "there is no description")
	longest := len(placeholder.ReplaceAllString(words[1], "")) + len("accepted")
	for name, before := range map[string]string{
		"ExistingTable": "", "ExistingSigningKeys": "arn:aws-us-gov:secretsmanager:ap-northeast-3:123456789012:secret:",
	} {
		n := 0
		for i := range 2 * room {
			if allows(ranch(t).Parameters[name], before+strings.Repeat("x", i)) {
				n = i
			}
		}
		longest += len(before) + n
	}
	assert.True(t, longest <= room, "%q can be %d characters long, and Lambda takes %d", words[1], longest, room)
}

// kind matches a pattern of partition keys as in shared/store/doc.go: of one kind of record, perhaps with a further
// part of the key, or of the results of any show.
var kind = regexp.MustCompile(`^([A-Z]+(#[a-z]*\*)?|SHOW#\*#R#\*)$`)

func TestRanchTable(t *testing.T) {
	template := ranch(t)
	table := template.Tables["Table"]
	tags := []samtemplate.Tag{{Key: "project", Value: samtemplate.Value{Literal: "ranch"}}, {Key: "environment", Value: samtemplate.Value{Ref: "Environment"}}}
	assert.True(t, table.BillingMode == "PAY_PER_REQUEST" && table.TimeToLiveSpecification == (samtemplate.TimeToLive{AttributeName: "ttl", Enabled: true}) && table.PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled && table.DeletionProtectionEnabled && slices.Equal(table.Tags, tags) && len(template.Tables) == 1,
		"tables %+v", template.Tables)
}

const existingTable, existingSecret = "ranch-restored", "arn:aws:secretsmanager:eu-central-1:123456789012:secret:keys-AbCdEf"

// adopting returns the template with an existing table and an existing secret as the parameters' defaults.
func adopting(t *testing.T) *samtemplate.Template {
	t.Helper()
	return withDefaults(t, map[string]string{"ExistingTable": existingTable, "ExistingSigningKeys": existingSecret})
}

// withDefaults returns the template with other defaults of parameters.
func withDefaults(t *testing.T, values map[string]string) *samtemplate.Template {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(ranch(t).Root, samtemplate.FileName))
	require.NoError(t, err)
	changed := string(text)
	for parameter, value := range values {
		before := regexp.MustCompile(`(\n  ` + parameter + `:\n    Type: String\n    Default: ).*`)
		require.True(t, before.MatchString(changed), "no parameter %s with a default", parameter)
		changed = before.ReplaceAllString(changed, "${1}"+value)
	}
	return load(t, changed)
}

// TestRanchAdoptsATableAndASecret checks that a stack with an existing table and secret uses these, and creates none.
func TestRanchAdoptsATableAndASecret(t *testing.T) {
	template := adopting(t)
	assert.True(t, !template.OfType("Table", "AWS::DynamoDB::Table") && !template.OfType("SigningKeys", "AWS::SecretsManager::Secret"),
		"it makes a table or a secret of its own")
	arn := samtemplate.Value{Sub: "arn:${AWS::Partition}:dynamodb:${AWS::Region}:${AWS::AccountId}:table/${ExistingTable}"}
	for _, f := range append(template.Functions, samtemplate.Function{LogicalID: "Operators", Statements: template.Policies["Operators"]},
		samtemplate.Function{LogicalID: "KeyOperators", Statements: template.Policies["KeyOperators"]}) {
		physical := map[string]string{"AWS::StackName": "stack", "Api": "api", "AWS::Region": "region", "AWS::URLSuffix": "amazonaws.com", "AWS::StackId": "id"}
		env, err := template.Resolve(f.Environment, physical)
		assert.True(t, err == nil && (f.Environment == nil || env["TABLE_NAME"] == existingTable),
			"%s has the environment %v, %v", f.LogicalID, env, err)
		of := f.Environment["SIGNING_KEYS_SECRET"]
		assert.True(t, of == (samtemplate.Value{}) || of.Ref == "ExistingSigningKeys", "%s has the secret %s", f.LogicalID, of)
		for _, s := range f.Statements {
			want := (samtemplate.Value{Ref: "ExistingSigningKeys"})
			assert.True(t, s.Resources[0] == arn || s.Resources[0] == want, "%s may %v on %s", f.LogicalID, s.Actions, s.Resources[0])
		}
	}
}

func TestRanchSecret(t *testing.T) {
	secret, err := ranch(t).SecretTemplate("SigningKeys")
	require.NoError(t, err)
	assert.True(t, secret.Key == "k1" && secret.JSON == `{"current": "k1"}`, "secret %+v", secret)
	assert.True(t, secret.Length >= 32, "a key of %d bytes: the functions want at least 32", secret.Length)
}

// thousands writes a number of six or seven digits with commas.
func thousands(n int) string {
	text := fmt.Sprintf("%03d,%03d", n/1000%1000, n%1000)
	if n >= 1_000_000 {
		return fmt.Sprintf("%d,%s", n/1_000_000, text)
	}
	return text
}

// TestRanchThrottles checks that every route has a rate limit, which docs/scale.md states. The routes below /auth/ and
// judging are expensive, and have lower limits than the others. A burst is between one and four seconds of requests.
func TestRanchThrottles(t *testing.T) {
	template := ranch(t)
	page, err := os.ReadFile(filepath.Join(template.Root, "docs", "scale.md"))
	require.NoError(t, err)
	standard := template.Throttle("GET /nothing/in/particular")
	rows := map[string]samtemplate.Throttle{"each other route": standard}
	for _, f := range template.Endpoints() {
		if throttle := template.Throttle(f.Route()); throttle != standard {
			rows["`"+f.Route()+"`"] = throttle
		}
	}
	for route, throttle := range rows {
		const busiest = 2.7 // times the mean
		players := math.Round(throttle.Rate*24*60*60/busiest/1000) * 1000
		row := fmt.Sprintf(" | %v | %d | %s |\n", throttle.Rate, throttle.Burst, thousands(int(players)))
		i := strings.Index(string(page), "| "+route+" | ")
		assert.True(t, i >= 0 && strings.Contains(strings.SplitAfter(string(page)[i:], "\n")[0], row),
			"docs/scale.md has no row of %s that ends in %s", route, row)
	}
	for _, f := range template.Endpoints() {
		got := template.Throttle(f.Route())
		if got.Rate <= 0 || float64(got.Burst) < got.Rate || float64(got.Burst) > 4*got.Rate {
			t.Errorf("%s takes %+v", f.Route(), got)
		}
		tight := strings.HasPrefix(f.Path, "/auth/") || f.LogicalID == "JudgeShow"
		if tight != (got.Rate < standard.Rate && got.Burst < standard.Burst) || !tight && got != standard {
			t.Errorf("%s takes %+v where others take %+v", f.Route(), got, standard)
		}
	}
}

// TestRanchAccessLog checks that a line of the access log is JSON with the fields that other tools read, and has no
// text that a client can choose.
func TestRanchAccessLog(t *testing.T) {
	format := ranch(t).AccessLog
	for _, value := range []string{"0", "123"} {
		var line map[string]any
		text := regexp.MustCompile(`\$context(\.\w+)+`).ReplaceAllString(format, value)
		err := json.Unmarshal([]byte(text), &line)
		require.True(t, err == nil && !strings.Contains(text, "$"), "%v in %s", err, text)
		for _, name := range []string{"time", "requestId", "ip", "route", "status", "latency", "integrationLatency", "integrationError", "error"} {
			assert.NotNil(t, line[name], "%s has no %s", format, name)
		}
	}
	for _, clients := range []string{"userAgent", "$context.path", "authorizer", "domainName"} {
		assert.False(t, strings.Contains(format, clients), "%s has %s", format, clients)
	}
}
