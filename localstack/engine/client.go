package engine

import (
	"context"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// Region and credentials are only there to be signed with: no engine looks at them, except that LocalStack takes the access key for an account.
const (
	Region          = "us-east-1"
	AccessKeyID     = "test"
	SecretAccessKey = "test"
)

// Credentials returns those constants.
func Credentials() aws.CredentialsProvider {
	return aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{AccessKeyID: AccessKeyID, SecretAccessKey: SecretAccessKey}, nil
	})
}

// newClient returns a client with enough idle connections for tests that do many things at once.
func newClient(endpoint string, attempts int) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		Region:           Region,
		BaseEndpoint:     aws.String(endpoint),
		Credentials:      Credentials(),
		RetryMaxAttempts: attempts,
		HTTPClient:       awshttp.NewBuildableClient().WithTransportOptions(func(t *http.Transport) { t.MaxIdleConnsPerHost = 256 }),
	})
}
