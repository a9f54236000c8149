package boot

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/ranch-game/ranch/shared/emf"
	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/table"
)

// environment returns the value of an environment variable. If the variable is not set, it returns "".
type environment func(name string) string

func (env environment) required(name string) (string, error) {
	value := env(name)
	if value == "" {
		return "", fmt.Errorf("the environment variable %s is not set, and this function needs it: set it in template.yaml", name)
	}
	return value, nil
}

// endpoint returns the URL at which to reach an AWS service, or "" for the service's usual URL. service is the name in
// the SDK's spelling, such as DYNAMODB or SECRETS_MANAGER.
func (env environment) endpoint(service string) string {
	if url := env("AWS_ENDPOINT_URL_" + service); url != "" {
		return url
	}
	return env("AWS_ENDPOINT_URL")
}

// metrics returns the source of the function's metrics.
func (env environment) metrics() emf.Source {
	return emf.Source{Namespace: env("METRICS_NAMESPACE"), Function: env("AWS_LAMBDA_FUNCTION_NAME"), Version: env("AWS_LAMBDA_FUNCTION_VERSION")}
}

// settings are the settings of a client for an AWS service. We do not use the SDK's own configuration loader: it looks
// for files and profiles that a function does not have, doubles the start-up time and adds 2 MB.
type settings struct {
	region      string
	credentials aws.CredentialsProvider
	endpoint    *string // nil means the service's usual URL
}

func (env environment) settings(service string) (settings, error) {
	region, regionErr := env.required("AWS_REGION")
	id, idErr := env.required("AWS_ACCESS_KEY_ID")
	secret, secretErr := env.required("AWS_SECRET_ACCESS_KEY")
	for _, err := range []error{regionErr, idErr, secretErr} {
		if err != nil {
			return settings{}, err
		}
	}
	credentials := aws.Credentials{AccessKeyID: id, SecretAccessKey: secret, SessionToken: env("AWS_SESSION_TOKEN"), Source: "environment"}
	s := settings{region: region, credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return credentials, nil
	})}
	if url := env.endpoint(service); url != "" {
		s.endpoint = &url
	}
	return s, nil
}

func (env environment) store() (*store.Store, error) {
	name, err := env.required("TABLE_NAME")
	if err != nil {
		return nil, err
	}
	s, err := env.settings("DYNAMODB")
	if err != nil {
		return nil, err
	}
	client := dynamodb.New(dynamodb.Options{
		Region: s.region, Credentials: s.credentials, BaseEndpoint: s.endpoint,
		// The SDK could use an endpoint for the account, but these credentials do not have the account's number.
		AccountIDEndpointMode: aws.AccountIDEndpointModeDisabled,
	}, table.ClientOptions)
	return store.New(client, name, time.Now), nil
}
