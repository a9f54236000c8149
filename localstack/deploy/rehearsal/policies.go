package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/iam"
)

// lookAtPolicies wants the policies for people to allow what the template says, on the deployed table and secret.
func (r *rehearsal) lookAtPolicies(ctx context.Context) (string, error) {
	for _, c := range []struct{ output, logicalID, resource string }{
		{"OperatorsPolicy", "Operators", ":table/" + r.stack.outputs["TableName"]},
		{"KeyOperatorsPolicy", "KeyOperators", r.stack.outputs["SigningKeysSecret"]},
	} {
		actions, resources, err := r.readPolicy(ctx, r.stack.outputs[c.output])
		if err != nil {
			return "", fmt.Errorf("%s: %w", c.output, err)
		}
		var want []string
		for _, s := range r.template.Policies[c.logicalID] {
			want = append(want, s.Actions...)
		}
		if !slices.Equal(actions, want) || len(resources) != 1 || !strings.HasSuffix(resources[0], c.resource) {
			return "", fmt.Errorf("%s allows %v on %v, want %v on %s", c.output, actions, resources, want, c.resource)
		}
	}
	return "operators have the table, and key operators the secret", nil
}

func (r *rehearsal) readPolicy(ctx context.Context, arn string) (actions, resources []string, err error) {
	policy, err := r.clients.iam.GetPolicy(ctx, &iam.GetPolicyInput{PolicyArn: aws.String(arn)})
	if err != nil {
		return nil, nil, err
	}
	version, err := r.clients.iam.GetPolicyVersion(ctx, &iam.GetPolicyVersionInput{PolicyArn: aws.String(arn), VersionId: policy.Policy.DefaultVersionId})
	if err != nil {
		return nil, nil, err
	}
	text, err := url.QueryUnescape(aws.ToString(version.PolicyVersion.Document))
	if err != nil {
		return nil, nil, err
	}
	var document struct {
		Statement []struct {
			Action   []string
			Resource string
		}
	}
	if err := json.Unmarshal([]byte(text), &document); err != nil {
		return nil, nil, fmt.Errorf("%w: %s", err, text)
	}
	for _, s := range document.Statement {
		actions, resources = append(actions, s.Action...), append(resources, s.Resource)
	}
	return actions, resources, nil
}
