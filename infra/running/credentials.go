package running

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// Requests to a local engine need a region and credentials for their signature, which no engine checks. LocalStack
// keeps a separate account for each access key.
const (
	Region          = "us-east-1"
	AccessKeyID     = "test"
	SecretAccessKey = "test"
)

// Credentials returns AccessKeyID and SecretAccessKey.
func Credentials() aws.CredentialsProvider {
	return aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{AccessKeyID: AccessKeyID, SecretAccessKey: SecretAccessKey}, nil
	})
}
