package dynamo_test

import (
	"crypto/rand"
	"errors"
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
)

// TestSeesIsAskedInOrder checks that a read calls the driver's function sees for each hidden item that the response
// reaches, in order, and for no other item. An item for which sees returned true stays visible, and can be written.
func TestSeesIsAskedInOrder(t *testing.T) {
	t.Parallel()
	f := withVisibility(t)
	f.put(t, "a/2=old")
	c := f.commit(t, "a/3=new", "a/1=new", "a/2=new", "a/5=new", "b/1=new", "!c/1")
	var asked []protocol.Key
	yes := map[protocol.Key]bool{key("a/1"): true, key("b/1"): true}
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
	checkList(t, "asked", asked, key("a/1"), key("a/2"))
	asked = nil
	checkList(t, "the second time", f.query(t, "a", 0), "a/1=new", "a/2=old")
	checkList(t, "asked", asked, key("a/2"), key("a/3"), key("a/5"))
	asked = nil
	checkList(t, "a range", f.query(t, "a", 0, between("3", "4")))
	checkList(t, "asked", asked, key("a/3"))
	asked, in.Limit, in.ScanIndexForward = nil, aws.Int32(1), aws.Bool(false)
	out, err = f.db.Query(t.Context(), in)
	require.NoError(t, err)
	checkList(t, "the last page", shows(out.Items), "a/2=old")
	checkList(t, "asked", asked, key("a/5"), key("a/3"), key("a/2"))
	asked, in.ScanIndexForward = nil, nil
	found, _, _ := f.batchGet(t.Context(), "b/1", "a/1", "a/3")
	checkList(t, "batch", found, "a/1=new", "b/1=new")
	checkList(t, "asked", asked, key("b/1"), key("a/3"))
	checkList(t, "hidden", c.Hidden(), key("a/2"), key("a/3"), key("a/5"))
	asked = nil
	in.Limit, in.ExclusiveStartKey = nil, keyOf("a/3")
	out, err = f.db.Query(t.Context(), in)
	assert.True(t, err == nil && len(out.Items) == 0, "%v, %v", out, err)
	checkList(t, "asked behind a key", asked, key("a/5"))
	asked, in.ExclusiveStartKey = nil, nil
	in.KeyConditionExpression = aws.String("PK = :p AND begins_with(SK, :sk)") // unknown: may read any item
	in.ExpressionAttributeValues[":sk"] = str("5")
	out, err = f.db.Query(t.Context(), in)
	assert.True(t, err == nil && len(out.Items) == 0, "%v, %v", out, err)
	checkList(t, "asked", asked, key("a/2"), key("a/3"), key("a/5"))
	assert.NoError(t, f.putItem(t.Context(), "a/1"), "a visible item")
}

// TestNotSupported checks that the simulator refuses operations whose items it does not know.
func TestNotSupported(t *testing.T) {
	t.Parallel()
	f := withVisibility(t)
	put := []types.WriteRequest{{PutRequest: &types.PutRequest{Item: keyOf("a/1")}}}
	in := &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{*f.name: put}}
	_, batch := f.db.BatchWriteItem(t.Context(), in)
	_, partiQL := f.db.ExecuteStatement(t.Context(), &dynamodb.ExecuteStatementInput{Statement: aws.String(`SELECT * FROM "x"`)})
	tables := map[string]types.KeysAndAttributes{*f.name: {Keys: []attributes{keyOf("a/1")}}, "other": {Keys: []attributes{keyOf("a/1")}}}
	_, several := f.db.BatchGetItem(t.Context(), &dynamodb.BatchGetItemInput{RequestItems: tables})
	for operation, err := range map[string]error{
		"BatchWriteItem": batch, "ExecuteStatement": partiQL, "a BatchGetItem of several tables": several,
	} {
		assert.ErrorContains(t, err, "the simulator does not know "+operation)
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
	token := rand.Text()
	for range 3 {
		require.NoError(t, f.commit(t, "a/1=new", "-a/2", "a/3=new", "?b/1").End())
		require.NoError(t, f.do(t.Context(), token, many...))
		checkEqual(t, "hidden", len(f.last().Hidden()), 60)
		require.NoError(t, errors.Join(f.putItem(t.Context(), "a/1"), f.putItem(t.Context(), "c/1"), f.remove(t.Context(), "b/1")))
		checkList(t, "the old m/7", f.query(t, "m", 0), "m/7=old")
		require.NoError(t, f.last().End())
		checkEqual(t, "in the end", len(f.query(t, "m", 0)), 60)
		f.commit(t, "m/7=newer", "d/1=new") // is not ended
		require.NoError(t, f.Undo(t.Context()))
		checkList(t, "undone", f.scan(t), before...)
		checkList(t, "hidden", f.last().Hidden())
	}
	f.wire.reached()
	assert.NoError(t, f.Undo(t.Context()))
	checkList(t, "nothing to undo", f.wire.reached())
}
