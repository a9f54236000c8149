package table

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"
)

const (
	// scanSegments is the number of pieces in which a scan reads the table. Each scan reads them in a random order, so
	// that another scan finds what a scan that ended early has left out.
	scanSegments = 32
	// scanReaders is how many pieces a scan reads at once.
	scanReaders = 8
	// scanPace is the shortest time for a page of 1 MB, which costs 128 RCU. Each reader uses at most 640 of a
	// partition's 3,000 units a second, and leaves the others to players. All readers together read 40 MB a second.
	scanPace = 200 * time.Millisecond
)

// Filter selects the items and attributes that a scan returns. The zero value selects everything.
type Filter struct {
	Items      Condition
	Projection string
	Consistent bool // costs twice as much
}

// Scan reads the items that the filter selects: half an RCU for every 4 KB of the table, or 1 RCU if consistent. It
// calls piece for each piece of the table, several at once. piece gets a function that calls visit with each page of the
// piece. Within a piece, items with the same partition key follow each other, unless DynamoDB has split the partition.
func (t *Table) Scan(ctx context.Context, filter Filter, piece func(ctx context.Context, each func(visit func([]Attributes) error) error) error) error {
	group, ctx := errgroup.WithContext(Patiently(ctx))
	group.SetLimit(scanReaders)
	for _, segment := range rand.Perm(scanSegments) {
		group.Go(func() error {
			in := dynamodb.ScanInput{
				TableName: &t.name, Segment: aws.Int32(int32(segment)), TotalSegments: aws.Int32(scanSegments),
				FilterExpression: optional(filter.Items.text), ProjectionExpression: optional(filter.Projection),
				ExpressionAttributeValues: filter.Items.values, ConsistentRead: &filter.Consistent,
			}
			if filter.Projection != "" { // a policy can require this (template.yaml)
				in.Select = types.SelectSpecificAttributes
			}
			return piece(ctx, func(visit func([]Attributes) error) error { return t.scanSegment(ctx, &in, visit) })
		})
	}
	return group.Wait()
}

func (t *Table) scanSegment(ctx context.Context, in *dynamodb.ScanInput, visit func([]Attributes) error) error {
	pages := dynamodb.NewScanPaginator(t.db, in)
	for pages.HasMorePages() {
		began := time.Now()
		page, err := t.nextPage(ctx, pages)
		if err != nil {
			return err
		}
		if err := visit(page.Items); err != nil {
			return err
		}
		if !pages.HasMorePages() {
			break
		}
		if err := Pause(ctx, scanPace-time.Since(began)); err != nil {
			return fmt.Errorf("scan the table: %w", err)
		}
	}
	return nil
}

func (t *Table) nextPage(ctx context.Context, pages *dynamodb.ScanPaginator) (*dynamodb.ScanOutput, error) {
	ctx, cancel := t.withPatience(ctx)
	defer cancel()
	page, err := pages.NextPage(ctx)
	if err != nil {
		return nil, fmt.Errorf("scan the table: %w", err)
	}
	return page, nil
}

// EachPage calls visit with the items that the filter selects, page by page, one call at a time and in no particular
// order. If visit returns an error, EachPage stops and returns it. The reads are paced (see scanPace). EachPage may miss
// items that are written meanwhile, and does not read all at one time.
func (t *Table) EachPage(ctx context.Context, filter Filter, visit func([]Attributes) error) error {
	var mu sync.Mutex
	return t.Scan(ctx, filter, func(_ context.Context, each func(func([]Attributes) error) error) error {
		return each(func(items []Attributes) error {
			mu.Lock()
			defer mu.Unlock()
			return visit(items)
		})
	})
}
