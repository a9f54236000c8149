package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// tableLogicalID is the table's name in template.yaml.
const tableLogicalID = "Table"

// CreateTable creates the table of template.yaml under the given name, and returns when the table is active. It keeps
// an existing table of that name. The table has no backups and no deletion protection, which are for valuable data. It
// has no time to live either, which ExpireItems adds.
func CreateTable(ctx context.Context, client *dynamodb.Client, name string) error {
	template, err := samtemplate.LoadRoot()
	if err != nil {
		return err
	}
	input, err := template.CreateTable(tableLogicalID, name)
	if err != nil {
		return err
	}
	_, err = client.CreateTable(ctx, input)
	if exists := (*types.ResourceInUseException)(nil); err == nil || errors.As(err, &exists) {
		waiter := dynamodb.NewTableExistsWaiter(client, func(o *dynamodb.TableExistsWaiterOptions) { o.MinDelay, o.MaxDelay = time.Second/10, time.Second })
		err = waiter.Wait(ctx, &dynamodb.DescribeTableInput{TableName: input.TableName}, 30*time.Second)
	}
	if err != nil {
		return fmt.Errorf("creating the table %s: %w", name, err)
	}
	return nil
}

// ExpireItems gives a table the time to live of template.yaml. The engine then deletes items when its own clock has
// passed their expiry. Tests that set their own time need a table without a time to live.
func ExpireItems(ctx context.Context, client *dynamodb.Client, name string) error {
	template, err := samtemplate.LoadRoot()
	if err != nil {
		return err
	}
	attribute := template.Tables[tableLogicalID].TimeToLive
	now, err := client.DescribeTimeToLive(ctx, &dynamodb.DescribeTimeToLiveInput{TableName: aws.String(name)})
	// Enabling it twice is an error.
	if err == nil && (now.TimeToLiveDescription == nil || aws.ToString(now.TimeToLiveDescription.AttributeName) != attribute) {
		_, err = client.UpdateTimeToLive(ctx, &dynamodb.UpdateTimeToLiveInput{
			TableName:               aws.String(name),
			TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: aws.String(attribute), Enabled: aws.Bool(true)},
		})
	}
	if err != nil {
		return fmt.Errorf("setting the time to live of the table %s: %w", name, err)
	}
	return nil
}
