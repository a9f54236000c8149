package template

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// actions returns the actions that a policy of the template allows.
func actions(t *testing.T, policy string) (all []string) {
	t.Helper()
	for _, s := range ranch(t).Policies[policy] {
		if s.Effect == "Allow" {
			all = append(all, s.Actions...)
		}
	}
	require.True(t, len(all) != 0, "%s allows nothing", policy)
	return all
}

// awsCommand is a call of the AWS CLI in a page.
var awsCommand = regexp.MustCompile("(?:^|[`(\\s])aws ([a-z0-9]+)\\s+([a-z-]+)")

// permission returns the permission that a call of the AWS CLI needs, such as lambda:GetAlias for lambda get-alias.
func permission(service, command string) string {
	if own := map[string]string{"lambda invoke": "lambda:InvokeFunction", "apigatewayv2 update-stage": "apigateway:PATCH"}[service+" "+command]; own != "" {
		return own
	}
	action := ""
	for word := range strings.SplitSeq(command, "-") {
		action += strings.ToUpper(word[:1]) + word[1:]
	}
	return service + ":" + action
}

// TestRanchOnCall checks that the policy OnCall allows every AWS command of the runbook, except for those on the
// signing keys, which need KeyOperators. OnCall allows nothing else but reading logs, alarms and the dashboard, and
// Operators' rights. infra/ranchctl.TestDocumentedCommands runs the commands of ranchctl.
func TestRanchOnCall(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(ranch(t).Root, "docs", "runbook.md"))
	require.NoError(t, err)
	onCall, keys, needed := actions(t, "OnCall"), actions(t, "KeyOperators"), map[string]bool{}
	for _, found := range awsCommand.FindAllStringSubmatch(string(page), -1) {
		needs := permission(found[1], found[2])
		needed[needs] = true
		assert.Contains(t, map[bool][]string{true: keys, false: onCall}[found[1] == "secretsmanager"], needs,
			"the runbook's aws %s %s needs %s", found[1], found[2], needs)
	}
	assert.True(t, len(needed) >= 8, "the runbook has the commands %v", needed)
	looks := []string{
		"cloudformation:DescribeStackDriftDetectionStatus", "cloudwatch:DescribeAlarms", "cloudwatch:GetDashboard", "cloudwatch:GetMetricData",
		"logs:DescribeLogGroups", "logs:DescribeQueryDefinitions", "logs:FilterLogEvents", "logs:GetLogEvents", "logs:GetQueryResults", "logs:StartQuery",
	}
	for _, action := range onCall {
		assert.True(t, strings.HasPrefix(action, "dynamodb:") || needed[action] || slices.Contains(looks, action),
			"OnCall allows %s, which nothing in the runbook needs", action)
	}
	operators := ranch(t).Policies["Operators"]
	got := ranch(t).Policies["OnCall"]
	assert.True(t, slices.EqualFunc(got[:len(operators)], operators, func(a, b samtemplate.Statement) bool {
		return a.Effect == b.Effect && slices.Equal(a.Actions, b.Actions) && slices.Equal(a.LeadingKeys, b.LeadingKeys) && slices.Equal(a.Except, b.Except)
	}), "in the table OnCall may do other things than Operators: %+v", got)
}

// TestRanchDeployers checks that the policy Deployers has actions for every kind of resource in the template. It allows
// neither to delete nor to read data or keys.
func TestRanchDeployers(t *testing.T) {
	allowed := actions(t, "Deployers")
	services := map[string]string{"ApiGatewayV2": "apigateway"}
	for _, c := range []cloudFormation{transformed(t), parsed(t, transformGradual)} {
		for id, r := range c.Resources {
			part := strings.Split(r.Type, "::")[1]
			service := cmp.Or(services[part], strings.ToLower(part))
			assert.True(t, slices.ContainsFunc(allowed, func(action string) bool { return strings.HasPrefix(action, service+":") }),
				"the deployer's policy allows nothing for %s, a %s", id, r.Type)
		}
	}
	for _, action := range allowed {
		service, name, _ := strings.Cut(action, ":")
		config := regexp.MustCompile(`^(Describe|List|Update|Tag|Untag|Put|Get|Delete)(Table|TimeToLive|ContinuousBackups|Tags|Resource|Secret)`)
		assert.True(t, service != "dynamodb" && service != "secretsmanager" || config.MatchString(name) && !slices.Contains([]string{"DeleteTable", "DeleteSecret", "GetSecretValue", "PutSecretValue"}, name),
			"who deploys may %s", action)
	}
}
