package engine

import (
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/ranch-game/ranch/infra/running"
)

// newClient returns a client with enough idle connections for tests that do many things at once.
func newClient(endpoint string, attempts int) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		Region:           running.Region,
		BaseEndpoint:     aws.String(endpoint),
		Credentials:      running.Credentials(),
		RetryMaxAttempts: attempts,
		HTTPClient:       awshttp.NewBuildableClient().WithTransportOptions(func(t *http.Transport) { t.MaxIdleConnsPerHost = 256 }),
	})
}
