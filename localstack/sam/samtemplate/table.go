package samtemplate

import (
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Table is a table of DynamoDB.
type Table struct {
	Attributes          []types.AttributeDefinition
	Keys                []types.KeySchemaElement
	BillingMode         types.BillingMode
	TimeToLive          string // the attribute; "" if items never expire
	PointInTimeRecovery bool
	DeletionProtection  bool
	Tags                map[string]Value
}

func readTable(properties property) Table {
	properties.only("AttributeDefinitions", "KeySchema", "BillingMode", "TimeToLiveSpecification", "PointInTimeRecoverySpecification",
		"DeletionProtectionEnabled", "SSESpecification", "TableName", "Tags")
	t := Table{Tags: map[string]Value{}}
	for _, p := range properties.get("AttributeDefinitions").items() {
		kind := types.ScalarAttributeType(p.get("AttributeType").text())
		if !slices.Contains(kind.Values(), kind) {
			p.get("AttributeType").fail("want S, N or B")
		}
		t.Attributes = append(t.Attributes, types.AttributeDefinition{AttributeName: aws.String(p.get("AttributeName").text()), AttributeType: kind})
	}
	for _, p := range properties.get("KeySchema").items() {
		kind := types.KeyType(p.get("KeyType").text())
		if !slices.Contains(kind.Values(), kind) {
			p.get("KeyType").fail("want HASH or RANGE")
		}
		t.Keys = append(t.Keys, types.KeySchemaElement{AttributeName: aws.String(p.get("AttributeName").text()), KeyType: kind})
	}
	if len(t.Keys) == 0 {
		properties.get("KeySchema").fail("want at least one key")
	}
	mode := properties.get("BillingMode")
	if t.BillingMode = types.BillingMode(mode.text()); t.BillingMode != types.BillingModePayPerRequest {
		mode.fail("want %s", types.BillingModePayPerRequest)
	}
	if ttl := properties.get("TimeToLiveSpecification"); ttl.get("Enabled").boolean() {
		t.TimeToLive = ttl.get("AttributeName").text()
	}
	for _, tag := range properties.get("Tags").items() {
		t.Tags[tag.get("Key").text()] = tag.get("Value").value()
	}
	t.PointInTimeRecovery = properties.get("PointInTimeRecoverySpecification").get("PointInTimeRecoveryEnabled").boolean()
	t.DeletionProtection = properties.get("DeletionProtectionEnabled").boolean()
	return t
}

func (t *Template) table(logicalID string) (Table, error) {
	found, ok := t.Tables[logicalID]
	if !ok {
		return Table{}, fmt.Errorf("the template has no table %q", logicalID)
	}
	return found, nil
}

// CreateTable gives the request that makes the table under a name of the caller's: keys, attributes and billing as in
// the template. Deletion protection is left out, since local tables are made to be thrown away.
func (t *Template) CreateTable(logicalID, tableName string) (*dynamodb.CreateTableInput, error) {
	found, err := t.table(logicalID)
	if err != nil {
		return nil, err
	}
	return &dynamodb.CreateTableInput{
		TableName:            aws.String(tableName),
		AttributeDefinitions: slices.Clone(found.Attributes),
		KeySchema:            slices.Clone(found.Keys),
		BillingMode:          found.BillingMode,
	}, nil
}

// TimeToLive gives the attribute that says when an item of the table expires; "" if items never do.
func (t *Template) TimeToLive(logicalID string) (attribute string, err error) {
	found, err := t.table(logicalID)
	return found.TimeToLive, err
}
