package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/infra/running"
	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
	"github.com/ranch-game/ranch/shared/operate"
)

// answering starts an AWS service that always gives the same answer, and returns its URL.
func answering(t *testing.T, status int, code, message string) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		w.Header().Set("x-amzn-RequestId", "REQUEST-1")
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"__type":"com.amazonaws.dynamodb.v20120810#%s","message":%q}`, code, message)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// noise has parts of SDK errors that do not help operators.
var noise = []string{"operation error", "StatusCode", "https response error", "RequestID", "api error", "get LAYOUT"}

// complains runs a command that must fail with exactly this sentence.
func complains(t *testing.T, want string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second) // it would bear a table that throttles for 20 s
	defer cancel()
	stdout, stderr, exit := ranchctl(ctx, atFixed, nil, args...)
	assert.True(t, exit == exitFailed && stdout == "" && strings.HasPrefix(stderr, "ranchctl: "+want),
		"%v: exit %d: %swant %s", args, exit, stderr, want)
	for _, text := range noise {
		assert.False(t, strings.Contains(stderr, text), "%v: %q is in %s", args, text, stderr)
	}
}

// ranchctl turns an error of DynamoDB into a sentence that says what to do, with the request's id for support.
func TestAnswersAreExplained(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status        int
		code, message string
		want          string // in which AT is the endpoint
	}{
		{400, "ResourceNotFoundException", "Requested resource not found",
			"there is no table ranch-x at AT: check --table (or TABLE_NAME), and the region (request REQUEST-1)"},
		{400, "AccessDeniedException", "User: arn:aws:iam::1:user/ann is not authorized to perform: dynamodb:GetItem on resource: arn:x",
			"you lack the permission dynamodb:GetItem: you need the managed policy that the output SupportPolicy of infra/people.yaml's stack names\n" +
				"AWS says: User: arn:aws:iam::1:user/ann is not authorized to perform: dynamodb:GetItem on resource: arn:x (request REQUEST-1)"},
		{400, "AccessDeniedException", "no", "you lack the permission dynamodb:GetItem: you need"},
		{400, "ExpiredTokenException", "The security token included in the request is expired", "the AWS credentials have expired: log in again (aws sso login), or renew them (request REQUEST-1)"},
		{400, "UnrecognizedClientException", "The security token included in the request is invalid.", "AWS does not accept the credentials: check AWS_PROFILE"},
		{400, "InvalidSignatureException", "Signature not yet current", "AWS does not accept the credentials: check AWS_PROFILE"},
		{400, "ProvisionedThroughputExceededException", "The level of configured provisioned throughput for the table was exceeded",
			"DynamoDB throttles the requests: wait a little, and repeat the command (ProvisionedThroughputExceededException)"},
		{400, "ThrottlingException", "Rate exceeded", "DynamoDB throttles the requests"},
		{500, "InternalServerError", "oops", "DynamoDB has failed: wait a little, and repeat the command (InternalServerError)"},
		{400, "ValidationException", "The provided key element does not match the schema", "the table ranch-x at AT has other keys than Ranch's tables: check --table"},
		{400, "OddException", "something odd", "DynamoDB refuses GetItem: OddException: something odd (request REQUEST-1)"},
	} {
		t.Run(c.code, func(t *testing.T) {
			t.Parallel()
			at := answering(t, c.status, c.code, c.message)
			complains(t, strings.ReplaceAll(c.want, "AT", at), "season", "list", "--table", "ranch-x", "--endpoint", at)
		})
	}
}

// If a table has other keys than Ranch's, the error says so.
func TestAnotherServicesTable(t *testing.T) {
	t.Parallel()
	engine, name := storetest.Endpoint(), uuid.NewString()
	db := dynamodb.New(dynamodb.Options{Region: running.Region, Credentials: running.Credentials(), BaseEndpoint: &engine})
	id := aws.String("id")
	_, err := db.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: &name, BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: id, AttributeType: types.ScalarAttributeTypeS}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: id, KeyType: types.KeyTypeHash}},
	})
	require.NoError(t, err)
	complains(t, "the table "+name+" at "+engine+" has other keys than Ranch's tables", "season", "list", "--endpoint", engine, "--table", name)
}

// explain keeps the command's words around an SDK error, and drops those of package store.
func TestExplainKeepsTheCommandsWords(t *testing.T) {
	t.Parallel()
	a := &app{endpoint: "http://127.0.0.1:1", table: "ranch-x"}
	operation := &smithy.OperationError{ServiceID: "DynamoDB", OperationName: "Query", Err: &smithy.GenericAPIError{Code: "OddException", Message: "odd"}}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	ended := &smithy.OperationError{ServiceID: "DynamoDB", OperationName: "Query", Err: context.Canceled}
	for _, c := range []struct {
		ctx  context.Context
		err  error
		want string
	}{
		{t.Context(), fmt.Errorf("line 3: %w", fmt.Errorf("query ENTRY: %w", operation)), "line 3: DynamoDB refuses Query: OddException: odd"},
		{t.Context(), errors.Join(errors.New("2 differences"), fmt.Errorf("query: %w", operation)), "2 differences\nDynamoDB refuses Query: OddException: odd"},
		{t.Context(), fmt.Errorf("%w: %w", operate.ErrUnclear, fmt.Errorf("transaction: %w", operation)),
			"it is not known whether the change was made: DynamoDB refuses Query: OddException: odd"},
		{stopped, fmt.Errorf("the show is cancelled: %w", fmt.Errorf("query: %w", ended)), "the show is cancelled: interrupted"},
		{stopped, fmt.Errorf("ban: %w", context.Canceled), "ban: interrupted"},
		{stopped, fmt.Errorf("query: %w", operation), "DynamoDB refuses Query: OddException: odd"},
		{t.Context(), errors.New("no such thing"), "no such thing"},
	} {
		assert.Equal(t, c.want, a.explain(c.ctx, c.err), "%v", c.err)
	}
}

// The error for a missing permission names an output of infra/people.yaml.
func TestThePolicyIsAnOutput(t *testing.T) {
	t.Parallel()
	root, err := samtemplate.FindRoot()
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(samtemplate.PeopleFile)))
	require.NoError(t, err)
	_, outputs, _ := strings.Cut(string(text), "\nOutputs:")
	for _, service := range services {
		assert.True(t, service.policy == "" || strings.Contains(outputs, "\n  "+service.policy+":\n"),
			"the stack has no output %s", service.policy)
	}
}

// In AWS, an error names the account and the region. If the credentials are wrong, it says so.
func TestAWSIsExplained(t *testing.T) {
	missing := answering(t, 400, "ResourceNotFoundException", "Requested resource not found")
	inAWS(t, "AWS_ENDPOINT_URL_DYNAMODB", missing)
	t.Setenv("AWS_ENDPOINT_URL_SECRETS_MANAGER", missing)
	list := []string{"season", "list", "--table", "ranch-x"}
	complains(t, "there is no table ranch-x in account 123456789012, region eu-west-1: check --table (or TABLE_NAME), and the region (request REQUEST-1)\n", list...)
	complains(t, "cannot read the secret it: there is no such secret in account 123456789012, region eu-west-1: check --secret (or SIGNING_KEYS_SECRET), and the region (request REQUEST-1)\n", "keys", "list", "--secret", "it")

	t.Setenv("AWS_ENDPOINT_URL_DYNAMODB", "http://127.0.0.1:1")
	complains(t, "DynamoDB does not answer: dial tcp 127.0.0.1:1: ", list...)
	expired := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprint(w, `<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type><Code>ExpiredToken</Code>
			<Message>The security token included in the request is expired</Message></Error><RequestId>REQUEST-2</RequestId></ErrorResponse>`)
	}))
	t.Cleanup(expired.Close)
	t.Setenv("AWS_ENDPOINT_URL_STS", expired.URL)
	complains(t, "the AWS credentials have expired: log in again (aws sso login), or renew them (request REQUEST-2)\n", "season", "create", "--name", "S", "--start", "-1h", "--end", "+1h", "--table", "ranch-x", "--yes")

	t.Setenv("AWS_ACCESS_KEY_ID", "")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "")
	complains(t, "there are no AWS credentials, or they have expired: log in (aws sso login), or set AWS_PROFILE\n", list...)
	t.Setenv("AWS_REGION", "")
	complains(t, "the AWS environment has no region: set AWS_REGION, or AWS_PROFILE", list...)
	t.Setenv("AWS_PROFILE", "nowhere")
	complains(t, "the AWS environment: failed to get shared config profile, nowhere", list...)
}
