package running

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// Region and credentials are only there to be signed with: no engine looks at them, except that LocalStack takes the
// access key for an account.
const (
	Region          = "us-east-1"
	AccessKeyID     = "test"
	SecretAccessKey = "test"
)

// Credentials returns the made-up credentials.
func Credentials() aws.CredentialsProvider {
	return aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{AccessKeyID: AccessKeyID, SecretAccessKey: SecretAccessKey}, nil
	})
}
