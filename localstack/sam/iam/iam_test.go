package iam

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// engine answers {} to everything and notes what it is asked.
type engine struct{ asked []string }

func (e *engine) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	e.asked = append(e.asked, r.URL.Path+" "+r.Header.Get("X-Amz-Target")+" "+string(body))
	w.Header().Set("Content-Type", "application/x-amz-json-1.0")
	_, _ = w.Write([]byte("{}"))
}

// RoundTrip is ServeHTTP for a client in this process.
func (e *engine) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	e.ServeHTTP(w, r)
	return w.Result(), nil
}

// A client gets through to the engine with what its role allows, and otherwise DynamoDB's answer, both behind the proxy
// and with the transport of its role.
func TestProxyAndTransport(t *testing.T) {
	const item = `"PK":{"S":"CAT#1"}`
	for _, c := range []struct{ role, effect, allowed, lacks string }{
		{"Feed", "Allow", "dynamodb:PutItem dynamodb:DeleteItem", ""},
		{"Feed", "Allow", "dynamodb:PutItem", "dynamodb:DeleteItem on CAT#*"},
		{"Feed", "Deny", "dynamodb:PutItem dynamodb:DeleteItem", "dynamodb:DeleteItem on CAT#*"},
		{"Unknown", "Allow", "dynamodb:PutItem dynamodb:DeleteItem", "dynamodb:DeleteItem on CAT#*"},
	} {
		role := NewRole("Feed", []samtemplate.Statement{{Effect: c.effect, Actions: strings.Fields(c.allowed)}})
		for name, proxied := range map[string]bool{"proxy": true, "transport": false} {
			if !proxied && c.role == "Unknown" {
				continue
			}
			behind, denied := &engine{}, []string(nil)
			options := dynamodb.Options{
				Region: "us-east-1", Credentials: aws.AnonymousCredentials{}, RetryMaxAttempts: 1,
				BaseEndpoint: aws.String("http://127.0.0.1:1"), HTTPClient: &http.Client{Transport: role.Transport(behind)},
			}
			if proxied {
				server := httptest.NewServer(New([]*Role{role}, behind, func(f, permission string) { denied = append(denied, f+" "+permission) }))
				t.Cleanup(server.Close)
				options.BaseEndpoint, options.HTTPClient = aws.String(server.URL+"/"+c.role), nil
			}
			_, err := dynamodb.New(options).DeleteItem(t.Context(), &dynamodb.DeleteItemInput{
				TableName: aws.String("t"), Key: map[string]types.AttributeValue{"PK": &types.AttributeValueMemberS{Value: "CAT#1"}},
			})
			if c.lacks == "" {
				if err != nil || len(denied) > 0 || len(behind.asked) != 1 || !strings.HasPrefix(behind.asked[0], "/ DynamoDB_20120810.DeleteItem ") ||
					!strings.Contains(behind.asked[0], item) {
					t.Errorf("%s, %+v: %v, denied %q, asked %q", name, c, err, denied, behind.asked)
				}
				continue
			}
			var refused smithy.APIError
			if !errors.As(err, &refused) || refused.ErrorCode() != "AccessDeniedException" || len(behind.asked) > 0 ||
				refused.ErrorMessage() != "The role of "+c.role+" is not authorized to perform: "+c.lacks {
				t.Errorf("%s, %+v: %v, asked %q", name, c, err, behind.asked)
			}
			if proxied && !slices.Equal(denied, []string{c.role + " " + c.lacks}) {
				t.Errorf("%+v: denied %q", c, denied)
			}
		}
	}
}
