package iam

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
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

func (e *engine) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	e.asked = append(e.asked, r.URL.String()+" "+r.Header.Get("X-Amz-Target")+" "+string(body))
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("{}")), Request: r}, err
}

// A client gets through to the engine with what its role allows, and otherwise DynamoDB's answer. Somebody without a
// role does not get through at all.
func TestProxy(t *testing.T) {
	const lacks = "dynamodb:DeleteItem on CAT#*"
	for _, c := range []struct{ role, effect, allowed, code string }{
		{"Feed", "Allow", "dynamodb:PutItem dynamodb:DeleteItem", ""},
		{"Feed", "Allow", "dynamodb:PutItem", "AccessDeniedException"},
		{"Feed", "Deny", "dynamodb:PutItem dynamodb:DeleteItem", "AccessDeniedException"},
		{"Unknown", "Allow", "dynamodb:PutItem dynamodb:DeleteItem", ""},
	} {
		role := NewRole("Feed", []samtemplate.Statement{{Effect: c.effect, Actions: strings.Fields(c.allowed)}})
		behind, denied := &engine{}, []string(nil)
		at := &url.URL{Scheme: "http", Host: "127.0.0.1:1"}
		server := httptest.NewServer(Proxy([]*Role{role}, behind, at, func(f, permission string) { denied = append(denied, f+" "+permission) }))
		t.Cleanup(server.Close)
		client := dynamodb.New(dynamodb.Options{
			Region: "us-east-1", Credentials: aws.AnonymousCredentials{}, RetryMaxAttempts: 1, BaseEndpoint: aws.String(server.URL + "/" + c.role),
		})
		_, err := client.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{
			TableName: aws.String("t"), Key: map[string]types.AttributeValue{"PK": &types.AttributeValueMemberS{Value: "CAT#1"}},
		})
		if c.role == "Feed" && c.code == "" {
			const asked = `http://127.0.0.1:1/ DynamoDB_20120810.DeleteItem {"Key":{"PK":{"S":"CAT#1"}},"TableName":"t"}`
			if err != nil || len(denied) > 0 || !slices.Equal(behind.asked, []string{asked}) {
				t.Errorf("%+v: %v, denied %q, asked %q", c, err, denied, behind.asked)
			}
			continue
		}
		if err == nil || len(behind.asked) > 0 {
			t.Errorf("%+v: %v, asked %q", c, err, behind.asked)
		}
		if refused := smithy.APIError(nil); c.role == "Feed" && (!errors.As(err, &refused) || refused.ErrorCode() != c.code || !slices.Equal(denied, []string{"Feed " + lacks}) || refused.ErrorMessage() != "The role of Feed is not authorized to perform: "+lacks) {
			t.Errorf("%+v: %v, denied %q", c, err, denied)
		}
	}
}
