package main

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
)

// deployFirst deploys a stack that is not there yet.
func (r *rehearsal) deployFirst(ctx context.Context) (string, error) {
	changes, err := r.deploy(ctx, nil)
	if err != nil {
		return "", err
	}
	for _, c := range changes {
		if c.action != "Add" {
			return "", fmt.Errorf("a first deployment does %v", c)
		}
	}
	for _, name := range []string{"ApiUrl", "TableName", "SigningKeysSecret"} {
		if r.stack.outputs[name] == "" {
			return "", fmt.Errorf("there is no output %s", name)
		}
	}
	return fmt.Sprintf("%d resources", len(r.stack.ids)), nil
}

func (r *rehearsal) lookAtFunctions(ctx context.Context) (string, error) {
	return r.compareFunctions(ctx, nil)
}

// compareFunctions wants each function of the template to be deployed as the template has it, with the given values of
// parameters: its size, and an environment in which each reference has become the id of what it refers to.
func (r *rehearsal) compareFunctions(ctx context.Context, parameters map[string]string) (string, error) {
	physical := maps.Clone(r.stack.ids)
	maps.Copy(physical, parameters)
	physical["AWS::StackName"] = stackName
	for _, f := range r.template.Functions {
		got, err := r.clients.lambda.GetFunctionConfiguration(ctx, &lambda.GetFunctionConfigurationInput{FunctionName: aws.String(r.stack.ids[f.LogicalID])})
		if err != nil {
			return "", fmt.Errorf("%s: %w", f.LogicalID, err)
		}
		want, err := r.template.Resolve(f.Environment, physical)
		if err != nil {
			return "", err
		}
		if !maps.Equal(want, got.Environment.Variables) {
			return "", fmt.Errorf("%s has the environment %v, want %v", f.LogicalID, got.Environment.Variables, want)
		}
		memory, seconds := int(aws.ToInt32(got.MemorySize)), aws.ToInt32(got.Timeout)
		if memory != f.MemoryMB || float64(seconds) != f.Timeout.Seconds() || string(got.Runtime) != f.Runtime ||
			len(got.Architectures) != 1 || string(got.Architectures[0]) != f.Architectures[0] {
			return "", fmt.Errorf("%s has %d MB, %d s, %s, %v", f.LogicalID, memory, seconds, got.Runtime, got.Architectures)
		}
		if role := aws.ToString(got.Role); !strings.HasSuffix(role, "/"+r.stack.ids[f.LogicalID+"Role"]) {
			return "", fmt.Errorf("%s has the role %s", f.LogicalID, role)
		}
	}
	return "memory, time, role and environment are the template's", nil
}
