package main

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation/types"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
)

// deployFirst deploys a stack that is not there yet.
func (r *rehearsal) deployFirst(ctx context.Context) string {
	for _, change := range r.changes(ctx, nil) {
		if !strings.HasPrefix(change, "Add ") {
			failf("a first deployment does %s", change)
		}
	}
	for _, name := range []string{"ApiUrl", "TableName", "SigningKeysSecret"} {
		if r.stack.outputs[name] == "" {
			failf("there is no output %s", name)
		}
	}
	for _, policy := range []string{"Operators", "KeyOperators"} {
		if got := r.stack.outputs[policy+"Policy"]; got != r.stack.ids[policy] {
			failf("the output %sPolicy is %s, want %s", policy, got, r.stack.ids[policy])
		}
	}
	r.first = r.stack
	return fmt.Sprintf("%d resources", len(r.stack.ids))
}

func (r *rehearsal) lookAtFunctions(ctx context.Context) string {
	r.wantVersion(ctx, "1")
	return "memory, time, role and environment are the template's, in version 1 of each"
}

// wantVersion wants the API's alias of each function to lead to that version, and the version to be what the template
// says: its size, and an environment in which each reference has become what it refers to. All that is invoked from
// here on has to be that version.
func (r *rehearsal) wantVersion(ctx context.Context, version string) {
	physical := maps.Clone(r.stack.ids)
	physical["Table"] = r.stack.outputs["TableName"] // whether it is the stack's own or not
	physical["AWS::StackName"] = stackName
	for _, f := range r.template.Functions {
		name := aws.String(r.stack.ids[f.LogicalID])
		alias := must(r.lambda.GetAlias(ctx, &lambda.GetAliasInput{FunctionName: name, Name: aws.String(aliasName)}))
		if at := aws.ToString(alias.FunctionVersion); at != version || alias.RoutingConfig != nil {
			failf("%s of %s is version %s and %v, want %s alone", aliasName, f.LogicalID, at, alias.RoutingConfig, version)
		}
		got := must(r.lambda.GetFunctionConfiguration(ctx, &lambda.GetFunctionConfigurationInput{FunctionName: name, Qualifier: &version}))
		if want := must(r.template.Resolve(f.Environment, physical)); !maps.Equal(want, got.Environment.Variables) {
			failf("%s has the environment %v, want %v", f.LogicalID, got.Environment.Variables, want)
		}
		memory, seconds := int(aws.ToInt32(got.MemorySize)), aws.ToInt32(got.Timeout)
		if memory != f.MemoryMB || float64(seconds) != f.Timeout.Seconds() || string(got.Runtime) != f.Runtime ||
			len(got.Architectures) != 1 || string(got.Architectures[0]) != f.Architectures[0] {
			failf("%s has %d MB, %d s, %s, %v", f.LogicalID, memory, seconds, got.Runtime, got.Architectures)
		}
		if role := aws.ToString(got.Role); !strings.HasSuffix(role, "/"+r.stack.ids[f.LogicalID+"Role"]) {
			failf("%s has the role %s", f.LogicalID, role)
		}
	}
	r.version = version
}

// delete deletes the stack: the table and the secret stay, with all that is in them, and nothing else does.
func (r *rehearsal) delete(ctx context.Context) string {
	r.sam(ctx, "delete", "--no-prompts")
	described := must(r.cloudFormation.DescribeStacks(ctx, &cloudformation.DescribeStacksInput{StackName: aws.String(r.stack.id)})).Stacks[0]
	if described.StackStatus != types.StackStatusDeleteComplete {
		failf("the stack is %s", described.StackStatus)
	}
	if left := r.left(ctx); len(left) > 0 {
		failf("these are left: %s", strings.Join(left, ", "))
	}
	r.wantLedger(ctx, r.stack.outputs["TableName"])
	secret := aws.String(r.stack.outputs["SigningKeysSecret"])
	must(r.secrets.GetSecretValue(ctx, &secretsmanager.GetSecretValueInput{SecretId: secret}))
	return "the table and the secret are left, and nothing else"
}

// left names what is in the account beside the table and the secret, and SAM's own bucket, which is another stack's.
func (r *rehearsal) left(ctx context.Context) (names []string) {
	add := func(kind string, name *string) { names = append(names, kind+" "+aws.ToString(name)) }
	for _, f := range must(r.lambda.ListFunctions(ctx, &lambda.ListFunctionsInput{})).Functions {
		add("function", f.FunctionName)
	}
	for _, role := range must(r.iam.ListRoles(ctx, &iam.ListRolesInput{})).Roles {
		add("role", role.RoleName)
	}
	for _, g := range must(r.logs.DescribeLogGroups(ctx, &cloudwatchlogs.DescribeLogGroupsInput{})).LogGroups {
		// LocalStack's functions do not write to the group that the template gives them, but each to one of its own.
		if !strings.HasPrefix(aws.ToString(g.LogGroupName), "/aws/lambda/") {
			add("log group", g.LogGroupName)
		}
	}
	for _, name := range must(r.dynamoDB.ListTables(ctx, &dynamodb.ListTablesInput{})).TableNames {
		if name != r.stack.outputs["TableName"] {
			add("table", &name)
		}
	}
	for _, s := range must(r.secrets.ListSecrets(ctx, &secretsmanager.ListSecretsInput{})).SecretList {
		if aws.ToString(s.ARN) != r.stack.outputs["SigningKeysSecret"] {
			add("secret", s.Name)
		}
	}
	return names
}
