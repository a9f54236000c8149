package iam

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"github.com/ranch-game/ranch/infra/running"
	"github.com/ranch-game/ranch/localstack/kit/loopback"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// The engine here answers {} to everything and notes the paths.
func newClient(t *testing.T, function string, allowed ...string) (client *dynamodb.Client, passed, denied *[]string) {
	t.Helper()
	passed, denied = &[]string{}, &[]string{}
	behind := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*passed = append(*passed, r.URL.Path+" "+r.Header.Get("X-Amz-Target"))
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		_, _ = w.Write([]byte("{}"))
	}))
	t.Cleanup(behind.Close)
	at, err := url.Parse(behind.URL)
	if err != nil {
		t.Fatal(err)
	}
	roles := []*Role{
		NewRole("Enter", []samtemplate.Statement{{Effect: "Allow", Actions: allowed}}),
		NewRole("Denied", []samtemplate.Statement{{Effect: "Deny", Actions: allowed}}),
	}
	front := httptest.NewServer(New(roles, loopback.Forward(at), func(f, action string) { *denied = append(*denied, f+" "+action) }))
	t.Cleanup(front.Close)
	return dynamodb.New(dynamodb.Options{
		Region: running.Region, Credentials: running.Credentials(), BaseEndpoint: aws.String(front.URL + "/" + function), RetryMaxAttempts: 1,
	}), passed, denied
}

func keyOf(pk string) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{"PK": &types.AttributeValueMemberS{Value: pk}}
}

func transactAll(client *dynamodb.Client) error {
	table := aws.String("table")
	key := keyOf("a")
	_, err := client.TransactWriteItems(context.Background(), &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
		{Put: &types.Put{TableName: table, Item: key}},
		{Update: &types.Update{TableName: table, Key: key, UpdateExpression: aws.String("SET a = b")}},
		{ConditionCheck: &types.ConditionCheck{TableName: table, Key: key, ConditionExpression: aws.String("a = b")}},
	}})
	return err
}

func TestTransactionNeedsThePermissionsOfItsOperations(t *testing.T) {
	all := []string{"dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:ConditionCheckItem"}
	client, passed, denied := newClient(t, "Enter", all...)
	if err := transactAll(client); err != nil || len(*denied) > 0 || !slices.Equal(*passed, []string{"/ DynamoDB_20120810.TransactWriteItems"}) {
		t.Fatalf("%v, passed %v, denied %v", err, *passed, *denied)
	}
	for i, missing := range all {
		client, passed, denied := newClient(t, "Enter", slices.Delete(slices.Clone(all), i, i+1)...)
		var refused smithy.APIError
		if err := transactAll(client); !errors.As(err, &refused) || refused.ErrorCode() != "AccessDeniedException" {
			t.Errorf("without %s: %v", missing, err)
		}
		if len(*passed) > 0 || !slices.Equal(*denied, []string{"Enter " + missing + " on a"}) {
			t.Errorf("without %s: passed %v, denied %v", missing, *passed, *denied)
		}
	}
}

func TestPlainOperations(t *testing.T) {
	for _, c := range []struct {
		function, allowed string
		want              bool
	}{
		{"Enter", "dynamodb:DeleteItem", true},
		{"Enter", "dynamodb:GetItem", false},
		{"Denied", "dynamodb:DeleteItem", false},
		{"Unknown", "dynamodb:DeleteItem", false},
	} {
		client, passed, _ := newClient(t, c.function, c.allowed)
		_, err := client.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{
			TableName: aws.String("table"), Key: keyOf("a"),
		})
		if (err == nil) != c.want || (len(*passed) == 1) != c.want {
			t.Errorf("%+v: %v, passed %v", c, err, *passed)
		}
	}
}
