package store

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

// Rows are raw items of the table, for code that checks the table itself.
type Rows = []map[string]types.AttributeValue

// EachPage calls visit with all items of the table, page by page, one call at a time and in no particular order. If
// visit returns an error, EachPage stops and returns it. The reads are eventually consistent, half an RCU for every 4
// KB, and paced (see scanPace). EachPage may miss items that are written meanwhile, and does not read all at one time.
func (s *Store) EachPage(ctx context.Context, visit func(Rows) error) error {
	return s.eachPage(ctx, dynamodb.ScanInput{}, visit)
}

// eachPage is EachPage for the items that the request selects.
func (s *Store) eachPage(ctx context.Context, request dynamodb.ScanInput, visit func(Rows) error) error {
	var mu sync.Mutex
	return s.scan(ctx, request, func(_ context.Context, each func(func(Rows) error) error) error {
		return each(func(rows Rows) error {
			mu.Lock()
			defer mu.Unlock()
			return visit(rows)
		})
	})
}

// RowsOf returns all items of these partitions, and those of the items with these distinct keys that exist. The reads
// are strongly consistent: 1 RCU for every 4 KB of a partition, and at least 1 for every key.
func (s *Store) RowsOf(ctx context.Context, partitions []string, keys [][2]string) (Rows, error) {
	var rows Rows
	for _, partition := range partitions {
		items, err := s.queryAll(ctx, span{PK: pk(partition)})
		if err != nil {
			return nil, err
		}
		rows = append(rows, items...)
	}
	named := make([]key, len(keys))
	for i, k := range keys {
		named[i] = key{pk(k[0]), sk(k[1])}
	}
	found, err := s.batchGet(ctx, "", named...)
	for _, av := range found {
		rows = append(rows, av)
	}
	return rows, err
}

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

// scan reads the items that the request selects. It calls piece for each piece of the table, several at once. piece
// gets a function that calls visit with each page of the piece. Within a piece, items with the same partition key
// follow each other, unless DynamoDB has split the partition.
func (s *Store) scan(ctx context.Context, request dynamodb.ScanInput, piece func(ctx context.Context, each func(visit func(Rows) error) error) error) error {
	group, ctx := errgroup.WithContext(Patiently(ctx))
	group.SetLimit(scanReaders)
	for _, segment := range rand.Perm(scanSegments) {
		group.Go(func() error {
			in := request
			in.TableName, in.Segment, in.TotalSegments = &s.table, aws.Int32(int32(segment)), aws.Int32(scanSegments)
			return piece(ctx, func(visit func(Rows) error) error { return s.scanSegment(ctx, &in, visit) })
		})
	}
	return group.Wait()
}

func (s *Store) scanSegment(ctx context.Context, in *dynamodb.ScanInput, visit func(Rows) error) error {
	pages := dynamodb.NewScanPaginator(s.db, in)
	for pages.HasMorePages() {
		began := time.Now()
		page, err := nextPage(ctx, pages)
		if err != nil {
			return err
		}
		if err := visit(page.Items); err != nil {
			return err
		}
		if !pages.HasMorePages() {
			break
		}
		if err := pause(ctx, scanPace-time.Since(began)); err != nil {
			return fmt.Errorf("scan the table: %w", err)
		}
	}
	return nil
}
