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
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// engine answers {} to everything and records the requests.
type engine struct{ asked []string }

func (e *engine) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	e.asked = append(e.asked, r.URL.String()+" "+r.Header.Get("X-Amz-Target")+" "+string(body))
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("{}")), Request: r}, err
}

// A client's request reaches the engine if the client's role allows it. Otherwise the client gets DynamoDB's error. The
// proxy refuses a client without a role.
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
			assert.True(t, err == nil && len(denied) == 0 && slices.Equal(behind.asked, []string{asked}),
				"%+v: %v, denied %q, asked %q", c, err, denied, behind.asked)
			continue
		}
		assert.True(t, err != nil && len(behind.asked) == 0, "%+v: %v, asked %q", c, err, behind.asked)
		refused := smithy.APIError(nil)
		assert.True(t, c.role != "Feed" || errors.As(err, &refused) && refused.ErrorCode() == c.code && slices.Equal(denied, []string{"Feed " + lacks}) && refused.ErrorMessage() == "The role of Feed is not authorized to perform: "+lacks,
			"%+v: %v, denied %q", c, err, denied)
	}
}

func allow(actions string, keys ...string) samtemplate.Statement {
	return samtemplate.Statement{Effect: "Allow", Actions: strings.Fields(actions), LeadingKeys: keys}
}

func allowBut(action string, keys ...string) samtemplate.Statement {
	return samtemplate.Statement{Effect: "Allow", Actions: []string{action}, Except: keys}
}

func deny(action string, keys ...string) samtemplate.Statement {
	return samtemplate.Statement{Effect: "Deny", Actions: []string{action}, LeadingKeys: keys}
}

// scanOnly allows a Scan that says which attributes it reads, without hp.
var scanOnly = []samtemplate.Statement{
	allow("dynamodb:Scan"), {Effect: "Deny", Actions: []string{"dynamodb:Scan"}, Whole: true},
	{Effect: "Deny", Actions: []string{"dynamodb:Scan"}, Attributes: []string{"hp"}},
}

const (
	get      = `{"TableName":"t","Key":{"PK":{"S":"CAT#1"},"SK":{"S":"HOME"}}}`
	put      = `{"TableName":"t","Item":{"PK":{"S":"CAT#1"},"SK":{"S":"HOME"},"n":{"N":"1"},"m":{"M":{"PK":{"S":"x"}}},"b":{"BOOL":true},"l":{"L":[]}}}`
	batchGet = `{"RequestItems":{"t":{"Keys":[{"PK":{"S":"CAT#1"}},{"PK":{"S":"TAG#2"}},{"PK":{"S":"CAT#3"}}]}}}`
	query    = `{"TableName":"t","KeyConditionExpression":"PK = :pk AND SK BETWEEN :a AND :b","ExpressionAttributeValues":{":a":{"S":"CAT#9"},":pk":{"S":"CAT#1"}}}`
	transact = `{"TransactItems":[{"Put":{"Item":{"PK":{"S":"TAG#1"}}}},{"Update":{"Key":{"PK":{"S":"CAT#1"}}}},{"Put":{"Item":{"PK":{"S":"CAT#1"}}}},` +
		`{"ConditionCheck":{"Key":{"PK":{"S":"VET#1"}}}}]}`
)

func TestKeysOfEveryOperation(t *testing.T) {
	for _, c := range []struct {
		operation, body string
		statements      []samtemplate.Statement
		lacks           string
	}{
		{"GetItem", get, []samtemplate.Statement{allow("dynamodb:GetItem", "CAT#*")}, ""},
		{"GetItem", get, []samtemplate.Statement{allow("dynamodb:GetItem", "TAG#*", "CAT#*")}, ""},
		{"GetItem", get, []samtemplate.Statement{allow("dynamodb:GetItem", "CATNAME#*")}, "dynamodb:GetItem on CAT#*"},
		{"GetItem", get, []samtemplate.Statement{allow("dynamodb:GetItem", "CAT")}, "dynamodb:GetItem on CAT#*"},
		{"GetItem", get, []samtemplate.Statement{allow("dynamodb:PutItem", "CAT#*")}, "dynamodb:GetItem on CAT#*"},
		{"DeleteItem", get, []samtemplate.Statement{allow("dynamodb:DeleteItem", "CAT#1")}, ""},
		{"UpdateItem", get, []samtemplate.Statement{allow("dynamodb:UpdateItem", "VET#*")}, "dynamodb:UpdateItem on CAT#*"},
		{"PutItem", put, []samtemplate.Statement{allow("dynamodb:PutItem", "CAT#*")}, ""},
		{"PutItem", put, []samtemplate.Statement{allow("dynamodb:PutItem", "x")}, "dynamodb:PutItem on CAT#*"},
		{"Query", query, []samtemplate.Statement{allow("dynamodb:Query", "CAT#1")}, ""},
		{"Query", query, []samtemplate.Statement{allow("dynamodb:Query", "CAT#9")}, "dynamodb:Query on CAT#*"},
		{"BatchGetItem", batchGet, []samtemplate.Statement{allow("dynamodb:BatchGetItem", "CAT#*", "TAG#*")}, ""},
		{"BatchGetItem", batchGet, []samtemplate.Statement{allow("dynamodb:BatchGetItem", "CAT#*")}, "dynamodb:BatchGetItem on CAT#*, TAG#*"},
		{"BatchGetItem", batchGet, []samtemplate.Statement{allow("dynamodb:BatchGetItem", "CAT#*"), allow("dynamodb:BatchGetItem", "TAG#*")},
			"dynamodb:BatchGetItem on CAT#*, TAG#*"}, // statements do not add up
		{"TransactWriteItems", transact, []samtemplate.Statement{
			allow("dynamodb:PutItem", "TAG#*", "CAT#*"), allow("dynamodb:UpdateItem", "CAT#*"), allow("dynamodb:ConditionCheckItem", "VET#*")}, ""},
		{"TransactWriteItems", transact, []samtemplate.Statement{
			allow("dynamodb:PutItem", "TAG#*", "CAT#*"), allow("dynamodb:UpdateItem", "TAG#*"), allow("dynamodb:ConditionCheckItem", "VET#*")},
			"dynamodb:UpdateItem on CAT#*"},
		// Rights to all but some keys. A denial for any of the keys overrides an allowance.
		{"GetItem", get, []samtemplate.Statement{allowBut("dynamodb:GetItem", "TAG#*")}, ""},
		{"GetItem", get, []samtemplate.Statement{allowBut("dynamodb:GetItem", "TAG#*", "CAT#*")}, "dynamodb:GetItem on CAT#*"},
		{"BatchGetItem", batchGet, []samtemplate.Statement{allowBut("dynamodb:BatchGetItem", "TAG#*")}, "dynamodb:BatchGetItem on CAT#*, TAG#*"},
		{"Scan", `{"TableName":"t"}`, []samtemplate.Statement{allowBut("dynamodb:Scan", "CAT#*")}, "dynamodb:Scan"},
		{"BatchGetItem", batchGet, []samtemplate.Statement{allow("dynamodb:BatchGetItem"), deny("dynamodb:BatchGetItem", "TAG#*")}, "dynamodb:BatchGetItem on CAT#*, TAG#*"},
		{"BatchGetItem", batchGet, []samtemplate.Statement{allow("dynamodb:BatchGetItem"), deny("dynamodb:BatchGetItem", "VET#*")}, ""},
		{"BatchGetItem", batchGet, []samtemplate.Statement{allow("dynamodb:BatchGetItem"), deny("dynamodb:GetItem", "TAG#*")}, ""},
		{"Scan", `{"TableName":"t"}`, []samtemplate.Statement{allow("dynamodb:Scan"), deny("dynamodb:Scan", "CAT#*")}, ""},
		{"Scan", `{"TableName":"t"}`, []samtemplate.Statement{allow("dynamodb:Scan"), deny("dynamodb:Scan")}, "dynamodb:Scan"},
		// A Scan names attributes, unless it reads whole items.
		{"Scan", `{"Select":"SPECIFIC_ATTRIBUTES","ProjectionExpression":"PK, n"}`, scanOnly, ""},
		{"Scan", `{"ProjectionExpression":"PK, n"}`, scanOnly, "dynamodb:Scan"},
		{"Scan", `{"Select":"SPECIFIC_ATTRIBUTES","ProjectionExpression":"PK, hp"}`, scanOnly, "dynamodb:Scan"},
		{"Scan", `{"Select":"SPECIFIC_ATTRIBUTES","ProjectionExpression":"#a","ExpressionAttributeNames":{"#a":"hp"}}`, scanOnly, "dynamodb:Scan"},
		{"Scan", `{"Select":"SPECIFIC_ATTRIBUTES","ProjectionExpression":"PK","FilterExpression":"begins_with(hp, :x)"}`, scanOnly, "dynamodb:Scan"},
		// A Scan names no key.
		{"Scan", `{"TableName":"t"}`, []samtemplate.Statement{allow("dynamodb:Scan", "CAT#*")}, "dynamodb:Scan"},
		{"Scan", `{"TableName":"t"}`, []samtemplate.Statement{allow("dynamodb:Scan")}, ""},
	} {
		got, err := NewRole("", c.statements).lacks("DynamoDB_20120810."+c.operation, []byte(c.body))
		assert.True(t, err == nil && got == c.lacks, "%s with %v lacks %q, %v; want %q", c.operation, c.statements, got, err, c.lacks)
	}
}

func TestSecretsHaveNoKeys(t *testing.T) {
	role := NewRole("", []samtemplate.Statement{allow("secretsmanager:GetSecretValue")})
	for operation, want := range map[string]string{"GetSecretValue": "", "PutSecretValue": "secretsmanager:PutSecretValue"} {
		lacks, err := role.lacks("secretsmanager."+operation, []byte(`{"SecretId":"x"}`))
		assert.True(t, lacks == want && err == nil, "%s lacks %q, %v", operation, lacks, err)
	}
}

func TestWhatIsNoRequest(t *testing.T) {
	role := NewRole("", nil)
	for target, body := range map[string]string{
		"Scan": `{}`, "DynamoDB_20120810.GetItem": `{`, "DynamoDB_20120810.Query": `{"KeyConditionExpression":"SK = :sk"}`,
		"DynamoDB_20120810.TransactWriteItems": `{"TransactItems":[{"Put":[]}]}`,
	} {
		_, err := role.lacks(target, []byte(body))
		assert.Error(t, err, "%s %s passes for a request", target, body)
	}
}

func TestPatterns(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{"SHAPE", "SHAPE", true}, {"SHAPE", "SHAPES", false}, {"SHAPE", "LAYOU", false}, {"CAT#*", "CAT#", true}, {"CAT#*", "CAT#1", true},
		{"CAT#*", "CAT", false}, {"CAT#*", "CATNAME#1", false}, {"CAT#*", "xCAT#1", false}, {"*", "", true}, {"a*c", "abcabc", true}, {"a*c", "abcab", false},
		{"a**", "a", true}, {"*a*b", "xaxbxb", true}, {"*a*b", "xbxa", false}, {"", "", true}, {"", "a", false},
	} {
		got := pattern(c.pattern).MatchString(c.text)
		assert.Equal(t, c.want, got, "%q matches %q: %t", c.pattern, c.text, got)
	}
}

func TestUnneeded(t *testing.T) {
	role := NewRole("", []samtemplate.Statement{
		allow("dynamodb:GetItem dynamodb:BatchGetItem", "CAT#*", "TAG#*", "VET#*"), allow("dynamodb:Scan"), allow("secretsmanager:GetSecretValue"),
	})
	for operation, body := range map[string]string{
		"GetItem": get, "BatchGetItem": batchGet,
		"PutItem": put, // which the role does not allow
	} {
		_, err := role.lacks("DynamoDB_20120810."+operation, []byte(body))
		require.NoError(t, err)
	}
	want := []string{"dynamodb:GetItem on TAG#*", "dynamodb:GetItem on VET#*", "dynamodb:BatchGetItem on VET#*", "dynamodb:Scan"}
	got := role.Unneeded()
	assert.True(t, slices.Equal(got, want), "got %q, want %q", got, want)
}
