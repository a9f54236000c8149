package main

import (
	"context"
	"fmt"
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

// delete deletes the stack: the table and the secret stay, with all that is in them, and nothing else does.
func (r *rehearsal) delete(ctx context.Context) (string, error) {
	if _, err := r.sam(ctx, "delete", "--no-prompts"); err != nil {
		return "", err
	}
	described, err := r.clients.cloudFormation.DescribeStacks(ctx, &cloudformation.DescribeStacksInput{StackName: aws.String(r.stack.id)})
	if err != nil {
		return "", err
	}
	if status := described.Stacks[0].StackStatus; status != types.StackStatusDeleteComplete {
		return "", fmt.Errorf("the stack is %s", status)
	}
	left, err := r.left(ctx)
	if err != nil {
		return "", err
	}
	if len(left) > 0 {
		return "", fmt.Errorf("these are left: %s", strings.Join(left, ", "))
	}
	if err := r.verifyLedger(ctx, r.stack.outputs["TableName"]); err != nil {
		return "", fmt.Errorf("the table that is left: %w", err)
	}
	secret := aws.String(r.stack.outputs["SigningKeysSecret"])
	if _, err := r.clients.secrets.GetSecretValue(ctx, &secretsmanager.GetSecretValueInput{SecretId: secret}); err != nil {
		return "", fmt.Errorf("the secret that is left: %w", err)
	}
	return "the table and the secret are left, and nothing else", nil
}

// left names what is in the account beside the table and the secret, and SAM's own bucket, which is another stack's.
func (r *rehearsal) left(ctx context.Context) (names []string, err error) {
	add := func(kind string, name *string) { names = append(names, kind+" "+aws.ToString(name)) }
	functions, err := r.clients.lambda.ListFunctions(ctx, &lambda.ListFunctionsInput{})
	if err != nil {
		return nil, err
	}
	for _, f := range functions.Functions {
		add("function", f.FunctionName)
	}
	roles, err := r.clients.iam.ListRoles(ctx, &iam.ListRolesInput{})
	if err != nil {
		return nil, err
	}
	for _, role := range roles.Roles {
		add("role", role.RoleName)
	}
	groups, err := r.clients.logs.DescribeLogGroups(ctx, &cloudwatchlogs.DescribeLogGroupsInput{})
	if err != nil {
		return nil, err
	}
	for _, g := range groups.LogGroups {
		// LocalStack's functions do not write to the group that the template gives them, but each to one of its own.
		if !strings.HasPrefix(aws.ToString(g.LogGroupName), "/aws/lambda/") {
			add("log group", g.LogGroupName)
		}
	}
	tables, err := r.clients.dynamoDB.ListTables(ctx, &dynamodb.ListTablesInput{})
	if err != nil {
		return nil, err
	}
	for _, name := range tables.TableNames {
		if name != r.stack.outputs["TableName"] {
			add("table", &name)
		}
	}
	secrets, err := r.clients.secrets.ListSecrets(ctx, &secretsmanager.ListSecretsInput{})
	if err != nil {
		return nil, err
	}
	for _, s := range secrets.SecretList {
		if aws.ToString(s.ARN) != r.stack.outputs["SigningKeysSecret"] {
			add("secret", s.Name)
		}
	}
	return names, nil
}
