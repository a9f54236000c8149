package stack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager/types"

	"github.com/ranch-game/ranch/infra/running"
	"github.com/ranch-game/ranch/infra/signingkeys"
	"github.com/ranch-game/ranch/localstack/engine"
	"github.com/ranch-game/ranch/localstack/sam/gateway"
)

// The local names of the template's resources.
const (
	TableName  = "ranch"
	SecretName = "ranch-signing-keys" // only LocalStack has secrets
	// developmentKeys takes the place of a secret's name. A function with this name signs tokens with a fixed key, and
	// starts only if its AWS endpoints are on this machine.
	developmentKeys = "local:development"
)

// SecretIn returns the name of the secret with the signing keys if the engine is LocalStack. For other engines, which
// have no secrets, it returns "".
func SecretIn(kind engine.Kind) string {
	if kind == engine.LocalStack {
		return SecretName
	}
	return ""
}

// physicalIDs maps the logical ids of the template's resources to the names of the resources on this machine.
func physicalIDs(kind engine.Kind) map[string]string {
	return map[string]string{
		"Table": TableName, "SigningKeys": cmp.Or(SecretIn(kind), developmentKeys), "AWS::Region": running.Region, "AWS::StackName": "ranch-local",
		"AWS::StackId":   "arn:aws:cloudformation:" + running.Region + ":000000000000:stack/ranch-local/1",
		"AWS::URLSuffix": "amazonaws.com", "Api": "api",
	}
}

// CreateSecret creates the secret with the signing keys, as CloudFormation does. If the secret exists, CreateSecret
// keeps it, since its keys have signed tokens in use.
func CreateSecret(ctx context.Context, client *secretsmanager.Client) error {
	value := fmt.Sprintf(`{"current": "k1", "k1": %q}`, signingkeys.NewKey())
	_, err := client.CreateSecret(ctx, &secretsmanager.CreateSecretInput{
		Name: aws.String(SecretName), SecretString: aws.String(value),
	})
	if exists := (*types.ResourceExistsException)(nil); err != nil && !errors.As(err, &exists) {
		return fmt.Errorf("cannot create the secret %s: %w", SecretName, err)
	}
	return nil
}

// gatewayConfig returns the local gateway's configuration with the template's functions and routes. permissions is the
// base URL of the proxy that checks the functions' rights: each function's AWS endpoint is a path below it. api is the
// API's address. The error names every function without a program.
func gatewayConfig(c Config, permissions, api string) (gateway.Config, error) {
	t := c.Template
	cfg := gateway.Config{CORS: t.CORS, MaxProcesses: c.Processes, Log: c.Log}
	var missing error
	for _, f := range t.Functions {
		environment, err := t.Resolve(f.Environment, physicalIDs(c.Engine.Kind))
		if err != nil {
			return gateway.Config{}, fmt.Errorf("cannot resolve the environment variables of %s in template.yaml: %w", f.LogicalID, err)
		}
		maps.Copy(environment, map[string]string{
			"AWS_ENDPOINT_URL": permissions + "/" + f.LogicalID, "AWS_REGION": running.Region,
			"AWS_ACCESS_KEY_ID": running.AccessKeyID, "AWS_SECRET_ACCESS_KEY": running.SecretAccessKey,
		})
		if _, plays := environment["API_URL"]; plays {
			environment["API_URL"] = api
		}
		binary := filepath.Join(t.Root, ".build", "functions", path.Base(f.Folder))
		if _, err := os.Stat(binary); err != nil {
			missing = errors.Join(missing, fmt.Errorf("the function %s has no compiled program: run `make functions`, and check that %s has a main package", f.LogicalID, f.Folder))
		}
		function := gateway.FunctionConfig{Function: f, Binary: binary, Variables: environment}
		if c.Throttle && f.Schedule == nil {
			function.Throttle = t.Throttle(f.Route())
		}
		cfg.Functions = append(cfg.Functions, function)
	}
	return cfg, missing
}
