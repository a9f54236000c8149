package visibility_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ranch-game/ranch/localstack/dynamo/visibility"
)

// A transaction that changes, makes and deletes an item each is seen by no read, then one by one, then whole.
func TestItemByItem(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.put(t, "a/1=old", "a/2=old", "a/4=old", "b/1=old")
	old := []string{"a/1=old", "a/2=old", "a/4=old"}
	c := f.commit(t, "a/1=new", "-a/2", "a/3=new", "?b/1")
	checkKeys(t, "hidden", c.Hidden(), f.key("a/1"), f.key("a/2"), f.key("a/3"))
	check := func(what string, want []string) {
		t.Helper()
		checkEqual(t, what+", query", f.query(t, "a", 0), want)
		checkEqual(t, what+", pages", f.query(t, "a", 1), want)
		checkEqual(t, what+", batch", f.batchGet(t, "a/1", "a/2", "a/3", "a/4"), want)
		checkEqual(t, what+", scan", f.scan(t, 0, 1), append(slices.Clone(want), "b/1=old"))
		checkEqual(t, what+", scan of pages", f.scan(t, 1, 1), append(slices.Clone(want), "b/1=old"))
		checkEqual(t, what+", scan of segments", f.scan(t, 2, 4), append(slices.Clone(want), "b/1=old"))
		var got []string
		for _, name := range []string{"a/1", "a/2", "a/3", "a/4"} {
			if v := f.get(t, name); v != "" {
				got = append(got, v)
			}
		}
		checkEqual(t, what+", get", got, want)
	}
	check("nothing is shown", old)
	c.Show(f.key("a/2"), f.key("b/1"), f.key("none/1"))
	check("the deletion is shown", []string{"a/1=old", "a/4=old"})
	c.Show(f.key("a/3"))
	check("the new item is shown", []string{"a/1=old", "a/3=new", "a/4=old"})
	checkKeys(t, "hidden", c.Hidden(), f.key("a/1"))
	c.End()
	c.End()
	check("it is over", []string{"a/1=new", "a/3=new", "a/4=old"})
	checkKeys(t, "hidden", c.Hidden())
}

func checkKeys(t *testing.T, what string, got []visibility.Key, want ...visibility.Key) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// Who reads is asked for each hidden item that the answer touches, in order, and for no other one; what has been seen
// stays.
func TestSeesIsAskedInOrder(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.put(t, "a/2=old")
	c := f.commit(t, "a/3=new", "a/1=new", "a/2=new", "a/5=new", "b/1=new")
	var asked []visibility.Key
	yes := map[visibility.Key]bool{f.key("a/1"): true}
	f.sees = func(k visibility.Key) bool {
		asked = append(asked, k)
		c.Hidden() // may be called here
		return yes[k]
	}
	limited := func(in *dynamodb.QueryInput) { in.ExclusiveStartKey = keyOf("a/0") }
	out, err := f.db.Query(t.Context(), &dynamodb.QueryInput{
		TableName: f.name, Limit: aws.Int32(2), KeyConditionExpression: aws.String("PK = :p"), ExpressionAttributeValues: attributes{":p": str("a")},
	})
	if err != nil {
		t.Fatal(err)
	}
	checkEqual(t, "the page", shows(out.Items), []string{"a/1=new", "a/2=old"})
	checkKeys(t, "asked", asked, f.key("a/1"), f.key("a/2"))
	asked = nil
	checkEqual(t, "the second time", f.query(t, "a", 0, limited), []string{"a/1=new", "a/2=old"})
	checkKeys(t, "asked", asked, f.key("a/2"), f.key("a/3"), f.key("a/5"))
	asked, yes = nil, map[visibility.Key]bool{f.key("b/1"): true}
	checkEqual(t, "batch", f.batchGet(t, "b/1", "a/1", "a/3"), []string{"a/1=new", "b/1=new"})
	checkKeys(t, "asked", asked, f.key("b/1"), f.key("a/3"))
	checkKeys(t, "hidden", c.Hidden(), f.key("a/2"), f.key("a/3"), f.key("a/5"))
}

// Where nothing is hidden in reach, the engine is asked once, for what the client has asked.
func TestWhatPasses(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.put(t, "a/1=old")
	f.query(t, "a", 0) // from here on it knows the table
	c := f.commit(t, "a/1=new")
	f.reached()
	f.query(t, "b", 0)
	f.get(t, "a/2")
	f.batchGet(t, "a/2", "b/1")
	checkEqual(t, "beside the commit", f.reached(), []string{"Query", "GetItem", "BatchGetItem"})
	c.Show(f.key("a/1"))
	f.query(t, "a", 0)
	f.get(t, "a/1")
	f.scan(t, 0, 1)
	checkEqual(t, "once it is shown", f.reached(), []string{"Query", "GetItem", "Scan"})
	if _, err := f.db.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: f.name}); err != nil {
		t.Error(err)
	}
	if _, err := f.db.Query(t.Context(), &dynamodb.QueryInput{TableName: aws.String("absent"), KeyConditionExpression: aws.String("PK = :p"),
		ExpressionAttributeValues: attributes{":p": str("a")}}); err == nil || !strings.Contains(err.Error(), "ResourceNotFoundException") {
		t.Errorf("a table that is not there: %v", err)
	}
}

// TestExpressions has this package evaluate what the engine evaluates as well: a commit that changes nothing hides an
// item in reach.
func TestExpressions(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var items []attributes
	for _, name := range []string{"a/1", "a/20", "a/3", "a/31", "b/1"} {
		i := item(name, "v"+name)
		i["n"] = num(strings.TrimPrefix(name, name[:2]))
		i["b"] = &types.AttributeValueMemberB{Value: []byte(name)}
		i["m"] = &types.AttributeValueMemberM{Value: attributes{"x": num("1"), "y": str("é\"" + name), "z": &types.AttributeValueMemberM{Value: attributes{"x": num("2.0")}}}}
		if name == "a/3" {
			i["only"] = &types.AttributeValueMemberBOOL{Value: true}
			i["n"] = str("not a number")
		}
		items = append(items, i)
		if _, err := f.direct.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: f.name, Item: i}); err != nil {
			t.Fatal(err)
		}
	}
	in := &dynamodb.TransactWriteItemsInput{}
	for _, i := range items {
		in.TransactItems = append(in.TransactItems, types.TransactWriteItem{Put: &types.Put{TableName: f.name, Item: i}})
	}
	if _, err := f.db.TransactWriteItems(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	names := map[string]string{"#p": "PK", "#s": "SK", "#v": "v", "#n": "n", "#m": "m", "#o": "only", "#x": "x"}
	values := attributes{":a": str("a"), ":1": str("1"), ":2": str("2"), ":3": str("3"), ":n20": num("20.0"), ":n1": num("1"), ":va": str("va"),
		":va1": str("va/1"), ":b": &types.AttributeValueMemberB{Value: []byte("a/3")}, ":true": &types.AttributeValueMemberBOOL{Value: true}, ":2n": num("2")}
	used := func(texts ...string) (n map[string]string, v attributes) {
		text := strings.Join(texts, " ") + " "
		for name, to := range names {
			if strings.Contains(text, name) {
				if n == nil {
					n = map[string]string{}
				}
				n[name] = to
			}
		}
		for name, to := range values {
			if containsWord(text, name) {
				if v == nil {
					v = attributes{}
				}
				v[name] = to
			}
		}
		return n, v
	}
	for _, keys := range []string{"PK = :a", "#p = :a AND #s = :3", "PK=:a and SK BETWEEN :1 AND :2", "begins_with(SK, :3) AND (PK = :a)", "PK = :a AND SK < :3",
		"PK = :a AND SK >= :2", "PK = :a AND SK <= :3", "PK = :a AND SK > :3"} {
		for _, filter := range []string{"", "#n > :n1", "#n = :n20 OR attribute_exists(#o)", "NOT #n <> :n20", "begins_with(#v, :va)", "NOT begins_with(v, :va1)", "b >= :b",
			"v IN (:va1, :va) or #o = :true", "#m.x = :n1 AND m.z.#x = :2n", "attribute_not_exists(m.nil0) AND #n BETWEEN :n1 AND :n20", "(n < :n20)"} {
			for _, projection := range []string{"", "SK, v", "#v", "m.#x,m.z", "#m.nil0, #n", "#o"} {
				n, v := used(keys, filter, projection)
				q := &dynamodb.QueryInput{TableName: f.name, KeyConditionExpression: &keys, ExpressionAttributeNames: n, ExpressionAttributeValues: v, ConsistentRead: aws.Bool(true)}
				if filter != "" {
					q.FilterExpression = &filter
				}
				if projection != "" {
					q.ProjectionExpression = &projection
				}
				if len(filter)%2 == 0 {
					q.Limit = aws.Int32(2)
				}
				got, err := f.db.Query(t.Context(), q)
				want, wantErr := f.direct.Query(t.Context(), q)
				if err != nil || wantErr != nil {
					t.Fatalf("%s, %s, %s: %v, the engine: %v", keys, filter, projection, err, wantErr)
				}
				if !sameJSON(got, want) {
					t.Errorf("%s, %s, %s: got %s, want %s", keys, filter, projection, asJSON(got), asJSON(want))
				}
			}
		}
	}
}

// What cannot be evaluated is refused, and only where something is hidden.
func TestNotSupported(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.put(t, "a/1=old")
	query := func(change func(*dynamodb.QueryInput)) error {
		in := &dynamodb.QueryInput{TableName: f.name, KeyConditionExpression: aws.String("PK = :p"), ExpressionAttributeValues: attributes{":p": str("a")}}
		change(in)
		_, err := f.db.Query(t.Context(), in)
		return err
	}
	reads := map[string]func() error{
		"a function": func() error {
			return query(func(in *dynamodb.QueryInput) { in.FilterExpression = aws.String("contains(v, :p)") })
		},
		"a size": func() error {
			return query(func(in *dynamodb.QueryInput) {
				in.FilterExpression, in.ExpressionAttributeValues[":n"] = aws.String("size(v) > :n"), num("1")
			})
		},
		"an index": func() error {
			return query(func(in *dynamodb.QueryInput) { in.ProjectionExpression = aws.String("l[0]") })
		},
		"legacy conditions": func() error {
			return query(func(in *dynamodb.QueryInput) {
				in.KeyConditionExpression, in.ExpressionAttributeValues = nil, nil
				in.KeyConditions = map[string]types.Condition{"PK": {ComparisonOperator: types.ComparisonOperatorEq, AttributeValueList: []types.AttributeValue{str("a")}}}
			})
		},
		"AttributesToGet": func() error {
			_, err := f.db.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: f.name, Key: keyOf("a/1"), AttributesToGet: []string{"v"}})
			return err
		},
	}
	for what, read := range reads {
		if err := read(); err != nil {
			t.Errorf("%s, nothing hidden: %v", what, err)
		}
	}
	c := f.commit(t, "a/1=new")
	for what, read := range reads {
		if err := read(); err == nil || !strings.Contains(err.Error(), "visibility: not supported") {
			t.Errorf("%s: %v", what, err)
		}
	}
	c.End()
	_, err := f.db.ExecuteStatement(t.Context(), &dynamodb.ExecuteStatementInput{Statement: aws.String(`SELECT * FROM "x"`)})
	if err == nil || !strings.Contains(err.Error(), "PartiQL") {
		t.Errorf("PartiQL: %v", err)
	}
}

// Pages end at 1 MB, as the engine's do.
func TestLargePages(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var want []string
	for _, sk := range []string{"1", "2", "3", "4", "5", "6", "7"} {
		i := "a/" + sk + "=" + strings.Repeat(sk, 300<<10)
		f.put(t, i)
		want = append(want, i)
	}
	f.commit(t, "-a/1", "-a/5", "a/6=new", "a/8=new")
	out, err := f.db.Query(t.Context(), &dynamodb.QueryInput{TableName: f.name, KeyConditionExpression: aws.String("PK = :p"), ExpressionAttributeValues: attributes{":p": str("a")}})
	if err != nil || len(out.Items) < 3 || len(out.Items) > 4 || out.LastEvaluatedKey == nil {
		t.Errorf("the first page has %d items, then %v, %v", len(out.Items), out.LastEvaluatedKey, err)
	}
	if got := f.query(t, "a", 0); !slices.Equal(got, want) {
		t.Errorf("query: %d items", len(got))
	}
	if got := f.query(t, "a", 2); !slices.Equal(got, want) {
		t.Errorf("query by two: %d items", len(got))
	}
	if got := f.scan(t, 0, 1); !slices.Equal(got, want) {
		t.Errorf("scan: %d items", len(got))
	}
}

// A page has as many items as it may have, though what is hidden is more than the engine answers at once.
func TestFullPages(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.put(t, "a/4=old", "a/5=old", "a/6=old")
	large := strings.Repeat("new", 130<<10)
	f.commit(t, "a/1="+large, "a/2="+large, "a/3="+large)
	want := []string{"a/4=old", "a/5=old", "a/6=old"}
	checkEqual(t, "query", f.query(t, "a", 2), want)
	checkEqual(t, "scan", f.scan(t, 2, 1), want)
}

func TestCount(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.put(t, "a/1=old", "a/2=old")
	f.commit(t, "-a/1", "a/3=new", "a/4=new")
	out, err := f.db.Query(t.Context(), &dynamodb.QueryInput{
		TableName: f.name, KeyConditionExpression: aws.String("PK = :p"), FilterExpression: aws.String("v = :v"), Select: types.SelectCount,
		ExpressionAttributeValues: attributes{":p": str("a"), ":v": str("old")}, ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
	})
	if err != nil || out.Count != 2 || out.ScannedCount != 2 || out.Items != nil || out.ConsumedCapacity == nil || out.LastEvaluatedKey != nil {
		t.Errorf("%+v, %v", out, err)
	}
}

// A table need not have a sort key, and more may be hidden than one request can read.
func TestWithoutSortKey(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.name = aws.String(*f.name + "-alone")
	if _, err := f.direct.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: f.name, BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("PK"), AttributeType: types.ScalarAttributeTypeS}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("PK"), KeyType: types.KeyTypeHash}},
	}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := f.direct.DeleteTable(context.Background(), &dynamodb.DeleteTableInput{TableName: f.name}); err != nil {
			t.Error(err)
		}
	})
	var want []string
	for commit := range 3 {
		in := &dynamodb.TransactWriteItemsInput{}
		for i := range 50 {
			pk := fmt.Sprintf("%d%02d", commit, i)
			key := attributes{"PK": str(pk)}
			if _, err := f.direct.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: f.name, Item: key}); err != nil {
				t.Fatal(err)
			}
			want = append(want, pk+"/=")
			in.TransactItems = append(in.TransactItems, types.TransactWriteItem{Delete: &types.Delete{TableName: f.name, Key: key}})
		}
		if _, err := f.db.TransactWriteItems(t.Context(), in); err != nil {
			t.Fatal(err)
		}
	}
	checkEqual(t, "scan", f.scan(t, 40, 1), want)
	checkEqual(t, "scan of segments", f.scan(t, 0, 3), want)
	checkEqual(t, "query", f.query(t, "107", 1), []string{"107/="})
	f.commits[1].Show(visibility.Key{Table: *f.name, PK: "107"})
	checkEqual(t, "query, shown", f.query(t, "107", 1), nil)
}
