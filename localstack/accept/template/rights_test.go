package template

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// kind matches a pattern of partition keys as in shared/records/doc.go: of one kind of record, perhaps with a further
// part of the key, or of the results of any show.
var kind = regexp.MustCompile(`^([A-Z]+(#[a-z]*\*)?|SHOW#\*#R#\*)$`)

// TestRanchLeastPrivilege checks the rights of each function: only named actions, on the table or the secret, and in
// the table only on some kinds of records (except for the audit's Scan). A function may read the secret exactly if it
// knows the secret's name. PlaySynthetic has no rights.
func TestRanchLeastPrivilege(t *testing.T) {
	resources := map[string]samtemplate.Value{"dynamodb": {Ref: "Table.Arn"}, "secretsmanager": {Ref: "SigningKeys"}}
	for _, f := range ranch(t).Functions {
		allowed := map[string]bool{}
		for _, s := range f.Statements {
			if s.Effect == "Deny" {
				continue
			}
			for _, action := range s.Actions {
				service, name, _ := strings.Cut(action, ":")
				assert.True(t, slices.Equal(s.Resources, []samtemplate.Value{resources[service]}) &&
					!strings.Contains(name, "*"), "%s has the statement %+v", f.LogicalID, s)
				scans := action == "dynamodb:Scan" && f.LogicalID == "AuditLedgers"
				assert.Equal(t, service == "dynamodb" && !scans, len(s.LeadingKeys) > 0, "%s may %s on %q", f.LogicalID, action, s.LeadingKeys)
				// DynamoDB refuses a request whose keys are partly in each of two statements.
				assert.False(t, allowed[action], "%s: two statements allow %s", f.LogicalID, action)
				allowed[action] = true
			}
			for _, pattern := range s.LeadingKeys {
				assert.Regexp(t, kind, pattern, "%s has a pattern of more than one kind of record", f.LogicalID)
			}
		}
		_, knows := f.Environment["SIGNING_KEYS_SECRET"]
		assert.Equal(t, knows, allowed["secretsmanager:GetSecretValue"], "%s knows the secret's name: %t", f.LogicalID, knows)
		assert.Equal(t, f.LogicalID == "PlaySynthetic", len(f.Statements) == 0, "%s has the rights %+v", f.LogicalID, f.Statements)
	}
}

// TestRanchForgers checks that only the four functions that issue tokens may read the private keys, with which they
// could make a token of any player. The secret's own policy refuses all others, whatever their roles allow. Only these
// four may write the public keys that other functions use. While a stack accepts tokens of HMAC-SHA256, the functions
// that verify tokens may read the secret, too.
func TestRanchForgers(t *testing.T) {
	issuers := []string{"ChangePassword", "Login", "Refresh", "Register"}
	for mode, want := range map[string][]string{"refused": issuers, "accepted": {
		"ChangeEmail", "ChangePassword", "ClaimReward", "DeleteAccount", "EnterShow", "GetMe", "GetSeason", "GetShow",
		"GetStandings", "JudgeShow", "ListAnimals", "ListOwnEntries",
		"ListSeasons", "ListShowEntries", "ListShows", "Login", "Refresh", "Register",
	}} {
		read, write := map[string]bool{}, map[string]bool{}
		for _, f := range loaded(t, samtemplate.FileName, map[string]string{"HS256Tokens": mode}).Functions {
			for _, s := range f.Statements {
				read[f.LogicalID] = read[f.LogicalID] || slices.Contains(s.Actions, "secretsmanager:GetSecretValue")
				writes := !slices.Equal(s.Actions, []string{"dynamodb:GetItem"})
				write[f.LogicalID] = write[f.LogicalID] || writes && slices.Contains(s.LeadingKeys, "KEYS")
			}
		}
		assert.Equal(t, want, names(read), "tokens of HMAC-SHA256 are %s: these read the private keys", mode)
		assert.Equal(t, issuers, names(write), "tokens of HMAC-SHA256 are %s: these write the public keys", mode)
	}
	role := func(name string) object {
		return object{"Fn::Sub": "arn:${AWS::Partition}:iam::${AWS::AccountId}:role/${AWS::StackName}-" + name + "*"}
	}
	guard := object{
		"Effect": "Deny", "Principal": "*", "Action": "secretsmanager:GetSecretValue", "Resource": "*", "Condition": object{
			"ArnLike":    object{"aws:PrincipalArn": role("")},
			"ArnNotLike": object{"aws:PrincipalArn": []any{role("RegisterRole-"), role("LoginRole-"), role("RefreshRole-"), role("ChangePasswordRole-")}},
		},
	}
	got := at(golden(t), "Resources", "SigningKeysGuard", "Properties", "ResourcePolicy", "Statement")
	assert.Empty(t, cmp.Diff([]any{guard}, got), "the secret's policy (-want +got)")
}

// names returns the sorted names that have the value true.
func names(set map[string]bool) (all []string) {
	for _, name := range slices.Sorted(maps.Keys(set)) {
		if set[name] {
			all = append(all, name)
		}
	}
	return all
}

// TestRanchPasswordHashes checks that only Login and the changes of one's own account may read the records with password
// hashes, and only these and Register may write them. The audit's Scan names no keys, but must say which attributes it
// reads, and may not read the hash.
func TestRanchPasswordHashes(t *testing.T) {
	got := map[string][]string{}
	audit, _ := ranch(t).Function("AuditLedgers")
	for _, limit := range []samtemplate.Statement{{Attributes: []string{"hp"}}, {Whole: true}} {
		limit.Effect, limit.Actions, limit.Resources = "Deny", []string{"dynamodb:Scan"}, []samtemplate.Value{{Ref: "Table.Arn"}}
		assert.Contains(t, audit.Statements, limit)
	}
	for _, f := range ranch(t).Functions {
		for _, s := range f.Statements {
			if slices.ContainsFunc(s.LeadingKeys, func(keys string) bool {
				return strings.HasPrefix("EMAIL#", strings.TrimRight(keys, "*"))
			}) {
				got[f.LogicalID] = append(got[f.LogicalID], s.Actions...)
			}
		}
	}
	assert.Equal(t, map[string][]string{
		"Register": {"dynamodb:PutItem"}, "Login": {"dynamodb:GetItem", "dynamodb:UpdateItem"},
		"ChangePassword": {"dynamodb:GetItem", "dynamodb:UpdateItem"},
		"ChangeEmail":    {"dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:DeleteItem"},
		"DeleteAccount":  {"dynamodb:GetItem", "dynamodb:DeleteItem"},
	}, got)
}

// TestRanchBoundary checks the boundary of all functions' roles. It must allow every action in the roles' statements,
// on the same resources, and no other. Of logs, it must allow only those of this stack. Schedules invoke functions.
func TestRanchBoundary(t *testing.T) {
	boundary, needed := ranch(t).Policies["Boundary"], map[string]bool{}
	for _, f := range ranch(t).Functions {
		role := at(golden(t), "Resources", f.LogicalID+"Role", "Properties", "PermissionsBoundary", "Ref")
		assert.Equal(t, "Boundary", role, "the boundary of %s", f.LogicalID)
		for _, s := range f.Statements {
			for _, action := range s.Actions {
				needed[action] = true
				assert.True(t, slices.ContainsFunc(boundary, func(b samtemplate.Statement) bool {
					return slices.Contains(b.Actions, action) && slices.Equal(b.Resources, s.Resources)
				}), "%s may %s on %s, and the boundary takes it away", f.LogicalID, action, s.Resources)
			}
		}
	}
	logs := []string{"logs:CreateLogStream", "logs:PutLogEvents"}
	needed["lambda:InvokeFunction"] = true
	for _, s := range boundary {
		for _, action := range s.Actions {
			assert.True(t, needed[action] || slices.Contains(logs, action), "the boundary leaves %s: no function needs it", action)
		}
		assert.Equal(t, slices.Equal(s.Actions, logs), slices.Equal(s.Resources, []samtemplate.Value{{Ref: "Logs.Arn"}}), "%+v", s)
	}
}

// tables is the ARN of the stack's tables in infra/people.yaml.
const tables = "arn:${AWS::Partition}:dynamodb:${AWS::Region}:${AWS::AccountId}:table/${Service}-*"

// TestRanchOperators checks that operators, also those on call, can write neither the keys that verify tokens nor
// existing audit records. Only the policy for key changes covers the secret and the public keys. The tests of
// infra/ranchctl check that operators need every action.
func TestRanchOperators(t *testing.T) {
	writes := []string{"dynamodb:DeleteItem", "dynamodb:PutItem", "dynamodb:UpdateItem"}
	keepRecords := samtemplate.Statement{
		Effect: "Deny", Resources: []samtemplate.Value{{Sub: tables}}, LeadingKeys: []string{"AUDIT*"}, Actions: []string{
			"dynamodb:BatchWriteItem", "dynamodb:DeleteItem", "dynamodb:PartiQLDelete", "dynamodb:PartiQLUpdate", "dynamodb:UpdateItem",
		},
	}
	for _, name := range []string{"Operators", "OnCall", "Support"} {
		keeps, wrote := false, false
		for _, s := range loaded(t, samtemplate.PeopleFile, nil).Policies[name] {
			if s.Effect == "Deny" {
				keeps = keeps || cmp.Equal(s, keepRecords)
				continue
			}
			for _, action := range s.Actions {
				if slices.Contains(writes, action) {
					wrote = true
					assert.Equal(t, []string{"KEYS"}, s.Except, "%s may %s on the public keys", name, action)
				}
				assert.NotRegexp(t, `\*|BatchWrite|PartiQL|SecretValue`, action, name)
			}
		}
		assert.True(t, keeps || !wrote, "%s may change records of changes", name)
	}
}

// awsCommand is a call of the AWS CLI in a page.
var awsCommand = regexp.MustCompile("(?:^|[`(\\s])aws ([a-z0-9]+)\\s+([a-z-]+)")

// permission returns the permission that a call of the AWS CLI needs, such as lambda:GetAlias for lambda get-alias.
func permission(service, command string) string {
	switch service + " " + command {
	case "lambda invoke":
		return "lambda:InvokeFunction"
	case "apigatewayv2 update-stage":
		return "apigateway:PATCH"
	}
	action := ""
	for word := range strings.SplitSeq(command, "-") {
		action += strings.ToUpper(word[:1]) + word[1:]
	}
	return service + ":" + action
}

// actions returns the actions that a policy of infra/people.yaml allows.
func actions(t *testing.T, policy string) (all []string) {
	t.Helper()
	for _, s := range loaded(t, samtemplate.PeopleFile, nil).Policies[policy] {
		if s.Effect == "Allow" {
			all = append(all, s.Actions...)
		}
	}
	require.NotEmpty(t, all, policy)
	return all
}

// TestRanchOnCall checks that the policy OnCall allows every AWS command of the runbook, except for those on the
// signing keys, which need KeyOperators. infra/ranchctl.TestDocumentedCommands runs the commands of ranchctl.
func TestRanchOnCall(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(ranch(t).Root, "docs", "runbook.md"))
	require.NoError(t, err)
	found := awsCommand.FindAllStringSubmatch(string(page), -1)
	require.GreaterOrEqual(t, len(found), 8, "the commands of the runbook")
	for _, call := range found {
		if strings.Contains(call[2], "drift") {
			continue // an administrator's: they read every resource
		}
		policy := map[bool]string{true: "KeyOperators", false: "OnCall"}[call[1] == "secretsmanager"]
		assert.Contains(t, actions(t, policy), permission(call[1], call[2]), "%s lacks the runbook's command %s", policy, call[0])
	}
}

// unused matches the actions in CloudFormation's lists that a deployment of our stacks does not need.
var unused = regexp.MustCompile(
	// Features that the templates do not use.
	`^(ec2|elasticfilesystem|firehose|kinesis|kms|s3files):|s3:(REST|ListBucket|GetObjectMetadata)|^s3:getObject$|` +
		`AssociateTableReplica|CreateTable|ImportTable|KinesisStreaming|UpdateContributorInsights|dynamodb:(Put|Delete)ResourcePolicy$|DescribeImport|` +
		`ReplicateSecret|RemoveRegions|GetRandomPassword|OnPremises|CreateServiceLinkedRole|GetLayerVersion|CapacityProvider|` +
		`DeleteRolePermissionsBoundary|backup-storage:Mount$|sns:.*DataProtection|apigateway:(Unt|T)agResource|billing:GetBillingViewData|` +
		// The content of the table and of the secret.
		`dynamodb:(BatchWriteItem|DeleteItem|GetItem|PutItem|Query|Scan|UpdateItem)|secretsmanager:GetSecretValue`)

// TestRanchDeployment derives the actions of a deployment from the lists of CloudFormation's resource types, which
// cfn-lint has. The role Deployment must allow all that an update needs and, except for what an administrator creates, a
// creation and deletion. It may give rights only to roles with the boundary, which it cannot change, and can neither
// delete nor read the table and the secret.
func TestRanchDeployment(t *testing.T) {
	role := at(written(t, samtemplate.PeopleFile), "Resources", "Deployment", "Properties", "Policies").([]any)[0]
	var allowed []string
	for _, statement := range at(role, "PolicyDocument", "Statement").([]any) {
		for _, action := range at(statement, "Action").([]any) {
			allowed = append(allowed, action.(string))
			service, name, _ := strings.Cut(action.(string), ":")
			changes := service == "iam" && strings.Contains(name, "Policy") && !regexp.MustCompile("Role|^(Get|List)").MatchString(name)
			assert.False(t, changes, "%s on a policy", name)
			gives := service == "iam" && regexp.MustCompile("^(PutRolePolicy|PutRolePermissionsBoundary)$").MatchString(name)
			assert.True(t, !gives || at(statement, "Condition", "ArnLike", "iam:PermissionsBoundary") != nil, "%s without the boundary", name)
			if service == "dynamodb" || service == "secretsmanager" {
				assert.NotRegexp(t, `\*|Item|Query|Scan|Batch|PartiQL|SecretValue|^(Delete|Export|Restore)(Table|Secret)`, name)
			}
		}
	}
	types := map[string]bool{"AWS::CloudWatch::Alarm": true} // those of the alarms, too
	for _, resources := range []any{at(golden(t), "Resources"), at(written(t, samtemplate.AlarmsFile), "Resources")} {
		for _, resource := range resources.(object) {
			types[at(resource, "Type").(string)] = true
		}
	}
	administrators := []string{"AWS::DynamoDB::Table", "AWS::SecretsManager::Secret", "AWS::IAM::ManagedPolicy", "AWS::Backup::BackupVault"}
	for name := range types {
		for operation, needed := range handlers(t, name) {
			made := operation == "read" || operation == "update" && name != "AWS::IAM::ManagedPolicy" || !slices.Contains(administrators, name)
			for _, action := range needed {
				service, _, _ := strings.Cut(action, ":")
				allows := slices.Contains(allowed, action) || slices.Contains(allowed, service+":*")
				assert.True(t, !made || operation == "list" || unused.MatchString(action) || allows,
					"to %s a %s, the role needs %s", operation, name, action)
			}
		}
	}
}

// handlers returns the actions that CloudFormation needs for each operation on a resource type.
func handlers(t *testing.T, resourceType string) map[string][]string {
	t.Helper()
	schemas, err := filepath.Glob(filepath.Join(ranch(t).Root, ".tools/sam/lib/python*/site-packages/cfnlint/data/schemas"))
	require.NoError(t, err)
	if len(schemas) == 0 {
		require.NotEqual(t, "true", os.Getenv("CI"), "`make sam` installs cfn-lint")
		t.Skip("NOT TESTED: what a deployment needs. `make sam` installs cfn-lint, which knows it")
	}
	read := func(file string, into any) {
		text, err := os.ReadFile(filepath.Join(schemas[0], filepath.FromSlash(file)))
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, into))
	}
	var files map[string]string
	read("providers/us-east-1.json", &files)
	require.NotEmpty(t, files[resourceType], resourceType)
	var schema struct {
		Handlers map[string]struct{ Permissions []string }
	}
	read("resources/"+files[resourceType]+".json", &schema)
	all := map[string][]string{}
	for operation, handler := range schema.Handlers {
		all[operation] = handler.Permissions
	}
	return all
}

// TestRanchDeployers checks that those who deploy can do so only by the role Deployment, which they can give to no
// other service.
func TestRanchDeployers(t *testing.T) {
	for _, s := range loaded(t, samtemplate.PeopleFile, nil).Policies["Deployers"] {
		for _, action := range s.Actions {
			assert.Regexp(t, "^(cloudformation:[A-Z]|s3:(Get|List|PutObject$)|ssm:GetParameters$|iam:PassRole$)", action)
			if action == "iam:PassRole" {
				assert.Equal(t, []samtemplate.Value{{Ref: "Deployment.Arn"}}, s.Resources)
				assert.Equal(t, map[string]map[string]any{"StringEquals": {"iam:PassedToService": "cloudformation.amazonaws.com"}}, s.Other)
			}
		}
	}
}
