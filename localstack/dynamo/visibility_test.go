package dynamo_test

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
)

// TestSeesIsAskedInOrder checks that a read calls the driver's function sees for each hidden item that the response
// reaches, in order, and for no other item. An item for which sees returned true stays visible.
func TestSeesIsAskedInOrder(t *testing.T) {
	t.Parallel()
	f := withVisibility(t)
	f.put(t, "a/2=old")
	c := f.commit(t, "a/3=new", "a/1=new", "a/2=new", "a/5=new", "b/1=new")
	var asked []protocol.Key
	yes := map[protocol.Key]bool{f.key("a/1"): true, f.key("b/1"): true}
	f.sees = func(k protocol.Key) bool {
		asked = append(asked, k)
		c.Hidden() // may be called here
		return yes[k]
	}
	in := f.queryInput("a")
	in.Limit = aws.Int32(2)
	out, err := f.db.Query(t.Context(), in)
	require.NoError(t, err)
	checkList(t, "the page", shows(out.Items), "a/1=new", "a/2=old")
	checkList(t, "asked", asked, f.key("a/1"), f.key("a/2"))
	asked = nil
	checkList(t, "the second time", f.query(t, "a", 0), "a/1=new", "a/2=old")
	checkList(t, "asked", asked, f.key("a/2"), f.key("a/3"), f.key("a/5"))
	asked = nil
	found, _, _ := f.batchGet(t.Context(), "b/1", "a/1", "a/3")
	checkList(t, "batch", found, "a/1=new", "b/1=new")
	checkList(t, "asked", asked, f.key("b/1"), f.key("a/3"))
	checkList(t, "hidden", c.Hidden(), f.key("a/2"), f.key("a/3"), f.key("a/5"))
}

// TestQueries compares pages that the simulator assembles with the engine's pages. The simulator assembles them because
// a commit hides the items, without changing them.
func TestQueries(t *testing.T) {
	t.Parallel()
	f := withVisibility(t)
	names := []string{"a/1", "a/20", "a/3", "a/31", "b/1"}
	f.put(t, names...)
	f.commit(t, names...)
	for _, change := range []func(*dynamodb.QueryInput){func(*dynamodb.QueryInput) {}, between("1", "3"), between("21", "29"), between("3", "3\U0010FFFF")} {
		for _, projection := range []string{"", "SK, v", "v", "nothingHere"} {
			for limit := range int32(4) {
				for _, backward := range []bool{false, true} {
					in := f.queryInput("a")
					change(in)
					in.ScanIndexForward = aws.Bool(!backward)
					if projection != "" {
						in.ProjectionExpression = &projection
					}
					if limit > 0 {
						in.Limit = &limit
					}
					what := fmt.Sprintf("%q %d %t %s", projection, limit, backward, *in.KeyConditionExpression)
					checkEqual(t, what, pagesOf(t, f.db, in), pagesOf(t, f.direct, in))
				}
			}
		}
	}
}

// pagesOf returns the items and counts of all pages. It leaves out an empty page after the first, because only some
// engines return one at the end.
func pagesOf(t *testing.T, db *dynamodb.Client, in *dynamodb.QueryInput) (all string) {
	t.Helper()
	for pages := dynamodb.NewQueryPaginator(db, in); pages.HasMorePages(); {
		out, err := pages.NextPage(t.Context())
		require.NoError(t, err)
		if out.Count > 0 || all == "" {
			b, err := json.Marshal([]any{out.Items, out.Count, out.ScannedCount})
			all += fmt.Sprint(string(b), err)
		}
	}
	return all
}

// TestNotSupported checks that the simulator refuses a read that it cannot assemble, but only while an item in the
// read's range is hidden. It always refuses BatchWriteItem and PartiQL.
func TestNotSupported(t *testing.T) {
	t.Parallel()
	f := withVisibility(t)
	f.put(t, "a/1=old")
	query := func(change func(*dynamodb.QueryInput)) func() error {
		return func() error {
			in := f.queryInput("a")
			change(in)
			_, err := f.db.Query(t.Context(), in)
			return err
		}
	}
	get := func(change func(*dynamodb.GetItemInput)) func() error {
		return func() error {
			in := &dynamodb.GetItemInput{TableName: f.name, Key: keyOf("a/1")}
			change(in)
			_, err := f.db.GetItem(t.Context(), in)
			return err
		}
	}
	reads := map[string]func() error{
		"FilterExpression":   query(func(in *dynamodb.QueryInput) { in.FilterExpression = aws.String("attribute_exists(v)") }),
		"the projection m.x": query(func(in *dynamodb.QueryInput) { in.ProjectionExpression = aws.String("m.x") }),
		"the key condition begins_with": query(func(in *dynamodb.QueryInput) {
			in.KeyConditionExpression = aws.String("begins_with(SK, :p) AND PK = :p")
		}),
		"Select":              query(func(in *dynamodb.QueryInput) { in.Select = types.SelectCount }),
		"a Scan":              func() error { _, err := f.db.Scan(t.Context(), &dynamodb.ScanInput{TableName: f.name}); return err },
		"the projection l[0]": get(func(in *dynamodb.GetItemInput) { in.ProjectionExpression = aws.String("l[0]") }),
		"the projection ":     get(func(in *dynamodb.GetItemInput) { in.AttributesToGet = []string{"v"} }),
	}
	for what, read := range reads {
		err := read()
		assert.NoError(t, err, "%s, nothing hidden", what)
	}
	f.commit(t, "a/1=new")
	for what, read := range reads {
		err := read()
		assert.True(t, err != nil && strings.Contains(err.Error(), "the simulator does not support this while a transaction's items are hidden: "+what),
			"%s: %v", what, err)
	}
	_, batch := f.db.BatchWriteItem(t.Context(), &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{*f.name: {{PutRequest: &types.PutRequest{Item: keyOf("a/1")}}}}})
	_, partiQL := f.db.ExecuteStatement(t.Context(), &dynamodb.ExecuteStatementInput{Statement: aws.String(`SELECT * FROM "x"`)})
	for operation, err := range map[string]error{"BatchWriteItem": batch, "ExecuteStatement": partiQL} {
		assert.True(t, err != nil && strings.Contains(err.Error(), "the simulator does not know "+operation), "%s: %v", operation, err)
	}
}

// TestPages checks that assembled pages end at 1 MB, as the engine's pages do. The new versions of hidden items do not
// count.
func TestPages(t *testing.T) {
	t.Parallel()
	f := withVisibility(t)
	var want []string
	for _, sk := range []string{"1", "2", "3", "4", "5", "6", "7"} {
		i := "a/" + sk + "=" + strings.Repeat(sk, 300<<10)
		f.put(t, i)
		want = append(want, i)
	}
	large := strings.Repeat("new", 130<<10)
	f.commit(t, "-a/1", "-a/5", "a/6=new", "a/0="+large, "a/00="+large, "a/000="+large)
	out, err := f.db.Query(t.Context(), f.queryInput("a"))
	assert.True(t, err == nil && len(out.Items) >= 3 && len(out.Items) <= 4 && out.LastEvaluatedKey != nil,
		"the first page has %d items, then %v, %v", len(out.Items), out.LastEvaluatedKey, err)
	for _, limit := range []int32{0, 2} {
		assert.True(t, slices.Equal(f.query(t, "a", limit), want), "pages of %d have other items", limit)
	}
}

// TestUndo plays the same transactions repeatedly on the same items, with the same tokens, and undoes them each time.
func TestUndo(t *testing.T) {
	t.Parallel()
	f := withVisibility(t)
	var many []string
	for i := range 60 {
		many = append(many, fmt.Sprintf("m/%d=new", i))
	}
	f.put(t, "a/1=old", "a/2=old", "b/1=old", "m/7=old")
	before := f.scan(t)
	journal, token := f.Journal(), rand.Text()
	for range 3 {
		f.commit(t, "a/1=new", "-a/2", "a/3=new", "?b/1").End()
		require.NoError(t, f.do(t.Context(), token, many...))
		checkEqual(t, "hidden", len(f.last().Hidden()), 60)
		require.NoError(t, errors.Join(f.putItem(t.Context(), "a/1"), f.putItem(t.Context(), "c/1"), f.remove(t.Context(), "b/1")))
		checkList(t, "the old m/7", f.query(t, "m", 0), "m/7=old")
		f.last().End()
		checkEqual(t, "in the end", len(f.query(t, "m", 0)), 60)
		f.commit(t, "m/7=newer", "d/1=new") // is not ended
		require.NoError(t, journal.Undo(t.Context()))
		checkList(t, "undone", f.scan(t), before...)
		checkList(t, "hidden", f.last().Hidden())
	}
	f.wire.reached()
	assert.NoError(t, journal.Undo(t.Context()))
	checkList(t, "nothing to undo", f.wire.reached())
}
