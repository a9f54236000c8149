package iam

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go"

	"github.com/ranch-game/ranch/infra/running"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

func allow(actions string, keys ...string) samtemplate.Statement {
	return samtemplate.Statement{Effect: "Allow", Actions: strings.Fields(actions), LeadingKeys: keys}
}

const (
	get      = `{"TableName":"t","Key":{"PK":{"S":"USER#1"},"SK":{"S":"PROFILE"}}}`
	put      = `{"TableName":"t","Item":{"PK":{"S":"USER#1"},"SK":{"S":"PROFILE"},"n":{"N":"1"},"m":{"M":{"PK":{"S":"x"}}},"b":{"BOOL":true},"l":{"L":[]}}}`
	batchGet = `{"RequestItems":{"t":{"Keys":[{"PK":{"S":"USER#1"}},{"PK":{"S":"TOKEN#2"}},{"PK":{"S":"USER#3"}}]}}}`
	query    = `{"TableName":"t","KeyConditionExpression":"PK = :pk AND SK BETWEEN :a AND :b","ExpressionAttributeValues":{":a":{"S":"USER#9"},":pk":{"S":"USER#1"}}}`
	transact = `{"TransactItems":[{"Put":{"Item":{"PK":{"S":"TOKEN#1"}}}},{"Update":{"Key":{"PK":{"S":"USER#1"}}}},{"Put":{"Item":{"PK":{"S":"USER#1"}}}},` +
		`{"ConditionCheck":{"Key":{"PK":{"S":"SHOW#1"}}}}]}`
)

func TestKeysOfEveryOperation(t *testing.T) {
	for _, c := range []struct {
		operation, body string
		statements      []samtemplate.Statement
		lacks           string
	}{
		{"GetItem", get, []samtemplate.Statement{allow("dynamodb:GetItem", "USER#*")}, ""},
		{"GetItem", get, []samtemplate.Statement{allow("dynamodb:GetItem", "TOKEN#*", "USER#*")}, ""},
		{"GetItem", get, []samtemplate.Statement{allow("dynamodb:GetItem", "USERNAME#*")}, "dynamodb:GetItem on USER#*"},
		{"GetItem", get, []samtemplate.Statement{allow("dynamodb:GetItem", "USER")}, "dynamodb:GetItem on USER#*"},
		{"GetItem", get, []samtemplate.Statement{allow("dynamodb:PutItem", "USER#*")}, "dynamodb:GetItem on USER#*"},
		{"DeleteItem", get, []samtemplate.Statement{allow("dynamodb:DeleteItem", "USER#1")}, ""},
		{"UpdateItem", get, []samtemplate.Statement{allow("dynamodb:UpdateItem", "SHOW#*")}, "dynamodb:UpdateItem on USER#*"},
		{"PutItem", put, []samtemplate.Statement{allow("dynamodb:PutItem", "USER#*")}, ""},
		{"PutItem", put, []samtemplate.Statement{allow("dynamodb:PutItem", "x")}, "dynamodb:PutItem on USER#*"},
		{"Query", query, []samtemplate.Statement{allow("dynamodb:Query", "USER#1")}, ""},
		{"Query", query, []samtemplate.Statement{allow("dynamodb:Query", "USER#9")}, "dynamodb:Query on USER#*"},
		{"BatchGetItem", batchGet, []samtemplate.Statement{allow("dynamodb:BatchGetItem", "USER#*", "TOKEN#*")}, ""},
		{"BatchGetItem", batchGet, []samtemplate.Statement{allow("dynamodb:BatchGetItem", "USER#*")}, "dynamodb:BatchGetItem on TOKEN#*, USER#*"},
		{"BatchGetItem", batchGet, []samtemplate.Statement{allow("dynamodb:BatchGetItem", "USER#*"), allow("dynamodb:BatchGetItem", "TOKEN#*")},
			"dynamodb:BatchGetItem on TOKEN#*, USER#*"}, // statements do not add up
		{"TransactWriteItems", transact, []samtemplate.Statement{
			allow("dynamodb:PutItem", "TOKEN#*", "USER#*"), allow("dynamodb:UpdateItem", "USER#*"), allow("dynamodb:ConditionCheckItem", "SHOW#*")}, ""},
		{"TransactWriteItems", transact, []samtemplate.Statement{
			allow("dynamodb:PutItem", "TOKEN#*", "USER#*"), allow("dynamodb:UpdateItem", "TOKEN#*"), allow("dynamodb:ConditionCheckItem", "SHOW#*")},
			"dynamodb:UpdateItem on USER#*"},
		// A Scan names no key.
		{"Scan", `{"TableName":"t"}`, []samtemplate.Statement{allow("dynamodb:Scan", "USER#*")}, "dynamodb:Scan"},
		{"Scan", `{"TableName":"t"}`, []samtemplate.Statement{allow("dynamodb:Scan")}, ""},
	} {
		got, err := NewRole("", c.statements).lacks("DynamoDB_20120810."+c.operation, []byte(c.body))
		if err != nil || got != c.lacks {
			t.Errorf("%s with %v lacks %q, %v; want %q", c.operation, c.statements, got, err, c.lacks)
		}
	}
}

func TestSecretsHaveNoKeys(t *testing.T) {
	role := NewRole("", []samtemplate.Statement{allow("secretsmanager:GetSecretValue")})
	for operation, want := range map[string]string{"GetSecretValue": "", "PutSecretValue": "secretsmanager:PutSecretValue"} {
		if lacks, err := role.lacks("secretsmanager."+operation, []byte(`{"SecretId":"x"}`)); lacks != want || err != nil {
			t.Errorf("%s lacks %q, %v", operation, lacks, err)
		}
	}
}

func TestWhatIsNoRequest(t *testing.T) {
	role := NewRole("", nil)
	for target, body := range map[string]string{
		"Scan": `{}`, "DynamoDB_20120810.GetItem": `{`, "DynamoDB_20120810.Query": `{"KeyConditionExpression":"SK = :sk"}`,
		"DynamoDB_20120810.TransactWriteItems": `{"TransactItems":[{"Put":[]}]}`,
	} {
		if _, err := role.lacks(target, []byte(body)); err == nil {
			t.Errorf("%s %s passes for a request", target, body)
		}
	}
}

func TestPatterns(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{"LAYOUT", "LAYOUT", true}, {"LAYOUT", "LAYOUTS", false}, {"LAYOUT", "LAYOU", false}, {"USER#*", "USER#", true}, {"USER#*", "USER#1", true},
		{"USER#*", "USER", false}, {"USER#*", "USERNAME#1", false}, {"USER#*", "xUSER#1", false}, {"*", "", true}, {"a*c", "abcabc", true}, {"a*c", "abcab", false},
		{"a**", "a", true}, {"*a*b", "xaxbxb", true}, {"*a*b", "xbxa", false}, {"", "", true}, {"", "a", false},
	} {
		if got := matches(c.pattern, c.text); got != c.want {
			t.Errorf("%q matches %q: %t", c.pattern, c.text, got)
		}
	}
}

func TestUnneeded(t *testing.T) {
	role := NewRole("", []samtemplate.Statement{
		allow("dynamodb:GetItem dynamodb:BatchGetItem", "USER#*", "TOKEN#*", "SHOW#*"), allow("dynamodb:Scan"), allow("secretsmanager:GetSecretValue"),
	})
	for operation, body := range map[string]string{
		"GetItem": get, "BatchGetItem": batchGet,
		"PutItem": put, // which it may not
	} {
		if _, err := role.lacks("DynamoDB_20120810."+operation, []byte(body)); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"dynamodb:GetItem on TOKEN#*", "dynamodb:GetItem on SHOW#*", "dynamodb:BatchGetItem on SHOW#*", "dynamodb:Scan"}
	if got := role.Unneeded(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// What a client in this process meets is what it meets behind the proxy.
func TestTransport(t *testing.T) {
	passed := 0
	engine := roundTripper(func(r *http.Request) (*http.Response, error) {
		passed++
		body, err := io.ReadAll(r.Body)
		if err != nil || !bytes.Contains(body, []byte("USER#1")) {
			t.Errorf("the engine got %q, %v", body, err)
		}
		return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("{}"))}, nil
	})
	role := NewRole("Enter", []samtemplate.Statement{allow("dynamodb:GetItem", "USER#*")})
	client := dynamodb.New(dynamodb.Options{
		Region: running.Region, Credentials: running.Credentials(), BaseEndpoint: aws.String("http://127.0.0.1:1"), RetryMaxAttempts: 1,
		HTTPClient: &http.Client{Transport: role.Transport(engine)},
	})
	get := func(pk string) error {
		_, err := client.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: aws.String("t"), Key: keyOf(pk)})
		return err
	}
	if err := get("USER#1"); err != nil {
		t.Error(err)
	}
	var refused smithy.APIError
	if err := get("TOKEN#1"); !errors.As(err, &refused) || refused.ErrorCode() != "AccessDeniedException" ||
		refused.ErrorMessage() != "The role of Enter is not authorized to perform: dynamodb:GetItem on TOKEN#*" {
		t.Error(err)
	}
	if passed != 1 {
		t.Errorf("%d requests passed", passed)
	}
}
