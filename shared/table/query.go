package table

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// Span is a part of one partition: the items with From <= SK <= To, or all of them if From is empty.
type Span struct {
	PK         PK
	From, To   SK
	Projection string
	Backward   bool // the last sort key first
}

// Prefixed returns the span of all sort keys that begin with prefix, which must be ASCII.
func Prefixed(p PK, prefix SK) Span { return Span{PK: p, From: prefix, To: prefix + "\U0010FFFF"} }

// Query reads one page of the span after the sort key `after` ("" for the beginning), at most limit items (0: as many
// as 1 MB holds). It also returns the sort key after which the next page begins, or "" if there are no more items.
func (t *Table) Query(ctx context.Context, span Span, after SK, limit int32) ([]Attributes, SK, error) {
	condition, values := "PK = :pk", Attributes{":pk": Str(span.PK)}
	if span.From != "" {
		condition += " AND SK BETWEEN :from AND :to"
		values[":from"], values[":to"] = Str(span.From), Str(span.To)
	}
	in := &dynamodb.QueryInput{
		TableName: &t.name, ConsistentRead: aws.Bool(true), KeyConditionExpression: &condition, ExpressionAttributeValues: values,
	}
	in.ProjectionExpression = optional(span.Projection)
	if span.Backward {
		in.ScanIndexForward = aws.Bool(false)
	}
	if after != "" {
		in.ExclusiveStartKey = Key{span.PK, after}.Attributes()
	}
	if limit > 0 {
		in.Limit = &limit
	}
	ctx, cancel := t.withPatience(ctx)
	defer cancel()
	out, err := t.db.Query(ctx, in)
	if err != nil {
		return nil, "", fmt.Errorf("query %s: %w", Key{span.PK, span.From}.kind(), err)
	}
	last, err := Unmarshal[Key](out.LastEvaluatedKey) // an empty key after the last page
	if err != nil {
		return nil, "", err
	}
	return out.Items, last.SK, nil
}

// QueryPage is Query, and turns the items into records; the list is never nil.
func QueryPage[Item, Record any](ctx context.Context, t *Table, span Span, after SK, limit int32, decode func(*Item) Record) ([]Record, SK, error) {
	items, last, err := t.Query(ctx, span, after, limit)
	if err != nil {
		return nil, "", err
	}
	records, err := UnmarshalAll(items, decode)
	return records, last, err
}

// QueryAll reads the whole span, page after page.
func (t *Table) QueryAll(ctx context.Context, span Span) ([]Attributes, error) {
	return allPages(func(after SK) ([]Attributes, SK, error) { return t.Query(ctx, span, after, 0) })
}

// QueryAs is QueryAll, and turns the items into records. It decodes each page before it reads the next one: items in
// the SDK's form take several times the memory.
func QueryAs[Item, Record any](ctx context.Context, t *Table, span Span, decode func(*Item) Record) ([]Record, error) {
	return allPages(func(after SK) ([]Record, SK, error) { return QueryPage(ctx, t, span, after, 0, decode) })
}

// allPages returns the records of all pages; the list is never nil. page returns a page as Query does.
func allPages[Record any](page func(after SK) (records []Record, last SK, err error)) ([]Record, error) {
	all := []Record{}
	for after := SK(""); ; {
		records, last, err := page(after)
		if err != nil {
			return nil, err
		}
		if all = append(all, records...); last == "" {
			return all, nil
		}
		after = last
	}
}
