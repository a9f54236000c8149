package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// tableLogicalID is the table's logical id in template.yaml.
const tableLogicalID = "Table"

// loadTemplate loads template.yaml once, since tests create many tables.
var loadTemplate = sync.OnceValues(samtemplate.LoadRoot)

// CreateTable creates the table of template.yaml under the given name, and returns when the table is active. It keeps
// an existing table of that name. A new table has no backups and no deletion protection, which are for valuable data.
// It has no time to live either, because tests use times in the past.
func CreateTable(ctx context.Context, client *dynamodb.Client, name string) error {
	template, err := loadTemplate()
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

// Rows reads all rows (items) of a table, consistently.
func Rows(ctx context.Context, client *dynamodb.Client, table string) (rows []map[string]types.AttributeValue, err error) {
	pages := dynamodb.NewScanPaginator(client, &dynamodb.ScanInput{TableName: &table, ConsistentRead: aws.Bool(true)})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, err
		}
		rows = append(rows, page.Items...)
	}
	return rows, nil
}
