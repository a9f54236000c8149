package engine

import (
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/kit/loopback"
	"github.com/ranch-game/ranch/localstack/kit/process/processtest"
)

func start(t *testing.T, o Options) *Engine {
	t.Helper()
	e, err := Start(t.Context(), o)
	require.NoError(t, err)
	t.Cleanup(e.Close)
	return e
}

func tables(t *testing.T, e *Engine) []string {
	t.Helper()
	out, err := e.Client().ListTables(t.Context(), &dynamodb.ListTablesInput{})
	require.NoError(t, err)
	return out.TableNames
}

func createTable(t *testing.T, e *Engine, name string) {
	t.Helper()
	require.NoError(t, CreateTable(t.Context(), e.Client(), name))
}

func key(pk string) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{"PK": &types.AttributeValueMemberS{Value: pk}, "SK": &types.AttributeValueMemberS{Value: "s"}}
}

// TestStart tests the life of an engine, for each kind that Start starts. The test creates the template's table. Web
// pages cannot use the engine, no second engine can use its data, and its process has ended after Close. The next
// engine with the same folder has the table.
func TestStart(t *testing.T) {
	t.Parallel()
	for _, kind := range []Kind{Embedded, DynamoDBLocal} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			if _, err := findJava(); err != nil && kind == DynamoDBLocal {
				require.True(t, os.Getenv("CI") != "true", err)
				t.Skip("NOT TESTED: ", err)
			}
			dir := filepath.Join(t.TempDir(), "made by Start")
			e := start(t, Options{Kind: kind, DataDir: dir})
			names := tables(t, e)
			assert.True(t, len(names) == 0 && processtest.Alive(e.process.PID()), "a fresh engine has the tables %v", names)
			for range 2 { // a table that exists is kept
				createTable(t, e, "ranch-test")
				_, err := e.Client().PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("ranch-test"), Item: key("p")})
				require.NoError(t, err)
			}
			checkHidden(t, kind, e.Endpoint())
			_, err := Start(t.Context(), Options{Kind: kind, DataDir: dir})
			assert.True(t, err != nil && strings.Contains(err.Error(), "in use by another engine"),
				"a second engine on the same data: %v", err)
			e.Close()
			assert.False(t, processtest.Alive(e.process.PID()), "the engine runs on after Close")
			e.Close()
			got := tables(t, start(t, Options{Kind: kind, DataDir: dir}))
			assert.True(t, len(got) == 1 && got[0] == "ranch-test", "after a restart the tables are %v", got)
		})
	}
}

// checkHidden checks that no web page can find the embedded engine, or read the responses of DynamoDB Local.
func checkHidden(t *testing.T, kind Kind, endpoint string) {
	t.Helper()
	at, err := url.Parse(endpoint)
	require.NoError(t, err)
	if kind == Embedded {
		address := net.ParseIP(at.Hostname())
		assert.True(t, address.IsLoopback() && (runtime.GOOS != "linux" || address.String() != loopback.Address), "it is at %s", at.Host)
		if connection, err := net.Dial("tcp", net.JoinHostPort(loopback.Address, at.Port())); err == nil && runtime.GOOS == "linux" {
			connection.Close()
			t.Errorf("it is at %s, too", loopback.Address)
		}
		return
	}
	request, err := http.NewRequestWithContext(t.Context(), "OPTIONS", endpoint, nil)
	require.NoError(t, err)
	request.Header = http.Header{
		"Origin": {"https://evil.example"}, "Access-Control-Request-Method": {"POST"}, "Access-Control-Request-Headers": {"x-amz-target"},
	}
	answer, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer answer.Body.Close()
	allowed, found := answer.Header["Access-Control-Allow-Origin"]
	assert.False(t, found, "a preflight is answered with the origin %s", allowed)
}

func TestStart_saysWhatWentWrong(t *testing.T) {
	path := filepath.Join(t.TempDir(), "engine")
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\necho out of luck >&2; exit 3\n"), 0o700))
	t.Setenv("DYNOXIDE", path)
	_, err := Start(t.Context(), Options{})
	assert.True(t, err != nil && strings.Contains(err.Error(), "out of luck"), "the error is %v, without the engine's last words", err)
	t.Setenv("DYNOXIDE", filepath.Join(t.TempDir(), "dynoxide"))
	_, err = Start(t.Context(), Options{})
	assert.ErrorIs(t, err, os.ErrNotExist, "without the program the error is %v", err)
	const endpoint = "http://127.0.0.1:1" // a port for privileged programs, which none uses
	t.Setenv("AWS_ENDPOINT_URL", endpoint)
	_, err = Start(t.Context(), Options{Kind: LocalStack})
	assert.True(t, err != nil && strings.Contains(err.Error(), "no LocalStack answers at "+endpoint),
		"without LocalStack the error is %v", err)
	t.Setenv("ENGINE", "Embedded")
	_, err = KindFromEnv()
	assert.True(t, err != nil && strings.Contains(err.Error(), "ENGINE=Embedded must be embedded, dynamodb-local or localstack"),
		"an unknown engine: %v", err)
}
