package boot

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/ranch-game/ranch/shared/emf"
	"github.com/ranch-game/ranch/shared/store"
)

// environment returns the value of an environment variable, or "" if it is not set.
type environment func(name string) string

func (env environment) required(name string) (string, error) {
	value := env(name)
	if value == "" {
		return "", fmt.Errorf("%s is not set", name)
	}
	return value, nil
}

// endpoint returns the URL that overrides a service's own, or "". The service is in the SDK's spelling: DYNAMODB,
// SECRETS_MANAGER.
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

// settings are the settings of any service's client. They are read by hand, since the SDK's own configuration loader
// looks for files and profiles that a function does not have, and costs twice the start-up time and 2 MB.
type settings struct {
	region      string
	credentials aws.CredentialsProvider
	endpoint    *string // nil: the service's own
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
	table, err := env.required("TABLE_NAME")
	if err != nil {
		return nil, err
	}
	s, err := env.settings("DYNAMODB")
	if err != nil {
		return nil, err
	}
	client := dynamodb.New(dynamodb.Options{
		Region: s.region, Credentials: s.credentials, BaseEndpoint: s.endpoint,
		// An endpoint of the account's own would need its number, which these credentials do not have.
		AccountIDEndpointMode: aws.AccountIDEndpointModeDisabled,
	}, store.ClientOptions)
	return store.New(client, table, time.Now), nil
}
