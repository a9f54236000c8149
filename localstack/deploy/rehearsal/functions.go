package main

import (
	"context"
	"fmt"
	"maps"
	"regexp"
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
	for _, name := range []string{"ApiUrl", "TableName", "SigningKeysSecret", "OperatorsPolicy", "KeyOperatorsPolicy"} {
		if r.stack.outputs[name] == "" {
			return "", fmt.Errorf("there is no output %s", name)
		}
	}
	r.first = r.stack
	return fmt.Sprintf("%d resources", len(r.stack.ids)), nil
}

func (r *rehearsal) lookAtFunctions(ctx context.Context) (string, error) {
	return "memory, time, role and environment are the template's, in version 1 of each", r.wantVersion(ctx, "1")
}

// aliasName is what the template calls the alias by which the API invokes functions.
const aliasName = "live"

// wantVersion wants the API's alias of each function to lead to that version, and the version to be what the template
// says: its size, and an environment in which each reference has become what it refers to. Whatever is invoked from
// here on has to be that version.
func (r *rehearsal) wantVersion(ctx context.Context, version string) error {
	physical := maps.Clone(r.stack.ids)
	physical["Table"] = r.stack.outputs["TableName"] // whether it is the stack's own or not
	physical["AWS::StackName"] = stackName
	for _, f := range r.template.Functions {
		name := aws.String(r.stack.ids[f.LogicalID])
		alias, err := r.clients.lambda.GetAlias(ctx, &lambda.GetAliasInput{FunctionName: name, Name: aws.String(aliasName)})
		if err != nil {
			return fmt.Errorf("%s: %w", f.LogicalID, err)
		}
		if at := aws.ToString(alias.FunctionVersion); at != version || alias.RoutingConfig != nil {
			return fmt.Errorf("%s of %s is version %s and %v, want %s alone", aliasName, f.LogicalID, at, alias.RoutingConfig, version)
		}
		got, err := r.clients.lambda.GetFunctionConfiguration(ctx, &lambda.GetFunctionConfigurationInput{FunctionName: name, Qualifier: &version})
		if err != nil {
			return fmt.Errorf("version %s of %s: %w", version, f.LogicalID, err)
		}
		want, err := r.template.Resolve(f.Environment, physical)
		if err != nil {
			return err
		}
		if !maps.Equal(want, got.Environment.Variables) {
			return fmt.Errorf("%s has the environment %v, want %v", f.LogicalID, got.Environment.Variables, want)
		}
		memory, seconds := int(aws.ToInt32(got.MemorySize)), aws.ToInt32(got.Timeout)
		if memory != f.MemoryMB || float64(seconds) != f.Timeout.Seconds() || string(got.Runtime) != f.Runtime ||
			len(got.Architectures) != 1 || string(got.Architectures[0]) != f.Architectures[0] {
			return fmt.Errorf("%s has %d MB, %d s, %s, %v", f.LogicalID, memory, seconds, got.Runtime, got.Architectures)
		}
		if role := aws.ToString(got.Role); !strings.HasSuffix(role, "/"+r.stack.ids[f.LogicalID+"Role"]) {
			return fmt.Errorf("%s has the role %s", f.LogicalID, role)
		}
	}
	r.version = version
	return nil
}

// isVersion says whether a logical id is one that SAM has made for a version of a function.
var isVersion = regexp.MustCompile(`^\w+Version[0-9a-f]{10}$`).MatchString
