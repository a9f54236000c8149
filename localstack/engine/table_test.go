package engine

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestCreateTable(t *testing.T) {
	eachKind(t, func(t *testing.T, kind Kind) {
		client, name := start(t, Options{Kind: kind}).Client(), aws.String("ranch-test")
		item := map[string]types.AttributeValue{"PK": &types.AttributeValueMemberS{Value: "p"}, "SK": &types.AttributeValueMemberS{Value: "s"}}
		for _, time := range []string{"the first time", "the second time"} {
			if err := CreateTable(t.Context(), client, *name); err != nil {
				t.Fatalf("%s: %v", time, err)
			}
			if err := ExpireItems(t.Context(), client, *name); err != nil {
				t.Fatalf("%s: %v", time, err)
			}
			if time == "the first time" {
				if _, err := client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: name, Item: item}); err != nil {
					t.Fatal(err)
				}
			}
			read, err := client.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: name, Key: item})
			if err != nil || len(read.Item) != 2 {
				t.Errorf("%s: the item is %v, %v", time, read, err)
			}
		}

		table, err := client.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: name})
		if err != nil {
			t.Fatal(err)
		}
		keys := []types.KeySchemaElement{
			{AttributeName: aws.String("PK"), KeyType: types.KeyTypeHash},
			{AttributeName: aws.String("SK"), KeyType: types.KeyTypeRange},
		}
		if diff := cmp.Diff(keys, table.Table.KeySchema, cmpopts.IgnoreUnexported(types.KeySchemaElement{})); diff != "" {
			t.Errorf("keys (-want +got):\n%s", diff)
		}
		if mode := table.Table.BillingModeSummary; mode == nil || mode.BillingMode != types.BillingModePayPerRequest {
			t.Errorf("the billing mode is %v", mode)
		}
		ttl, err := client.DescribeTimeToLive(t.Context(), &dynamodb.DescribeTimeToLiveInput{TableName: name})
		if err != nil {
			t.Fatal(err)
		}
		if d := ttl.TimeToLiveDescription; aws.ToString(d.AttributeName) != "ttl" || d.TimeToLiveStatus == types.TimeToLiveStatusDisabled {
			t.Errorf("time to live is %s on %q", d.TimeToLiveStatus, aws.ToString(d.AttributeName))
		}
	})
}
