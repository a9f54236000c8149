package dynamo_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
)

// The engine asks the driver about each hidden item that the answer touches, in order, and about no other item. An item
// that the driver has shown stays visible.
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
	if err != nil {
		t.Fatal(err)
	}
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

// If nothing is hidden in the range, the engine gets one request, the client's.
func TestNothingHiddenInReach(t *testing.T) {
	t.Parallel()
	f := withVisibility(t)
	f.query(t, "a", 0) // from here on it knows the table
	c := f.commit(t, "a/1=new")
	f.wire.reached()
	f.query(t, "b", 0)
	f.get(t, "a/2")
	_, _, _ = f.batchGet(t.Context(), "a/2", "b/1")
	checkList(t, "beside the commit", f.wire.reached(), "Query", "GetItem", "BatchGetItem")
	c.Show(f.key("a/1"))
	f.query(t, "a", 0)
	f.get(t, "a/1")
	f.scan(t, 0, 1)
	checkList(t, "once it is shown", f.wire.reached(), "Query", "GetItem", "Scan")
}

// TestExpressions compares the simulator's evaluation with the engine's: a commit that changes nothing hides an item in
// the range.
func TestExpressions(t *testing.T) {
	t.Parallel()
	f := withVisibility(t)
	in := &dynamodb.TransactWriteItemsInput{}
	for _, name := range []string{"a/1", "a/20", "a/3", "a/31", "b/1"} {
		i := item(name, "v"+name)
		i["n"] = num(strings.TrimPrefix(name, name[:2]))
		i["b"] = &types.AttributeValueMemberB{Value: []byte(name)}
		i["m"] = &types.AttributeValueMemberM{Value: attributes{"x": num("1"), "y": str("é\"" + name), "z": &types.AttributeValueMemberM{Value: attributes{"x": num("2.0")}}}}
		if name == "a/3" {
			i["only"] = &types.AttributeValueMemberBOOL{Value: true}
			i["n"] = str("not a number")
		}
		f.putItems(t, i)
		in.TransactItems = append(in.TransactItems, f.putting(i))
	}
	if err := f.transact(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	names := map[string]string{"#p": "PK", "#s": "SK", "#v": "v", "#n": "n", "#m": "m", "#o": "only", "#x": "x"}
	values := attributes{":a": str("a"), ":1": str("1"), ":2": str("2"), ":3": str("3"), ":n20": num("20.0"), ":n1": num("1"), ":va": str("va"),
		":va1": str("va/1"), ":b": &types.AttributeValueMemberB{Value: []byte("a/3")}, ":true": &types.AttributeValueMemberBOOL{Value: true}, ":2n": num("2")}
	for _, keys := range []string{"PK = :a", "#p = :a AND #s = :3", "PK=:a and SK BETWEEN :1 AND :2", "begins_with(SK, :3) AND (PK = :a)", "PK = :a AND SK < :3",
		"PK = :a AND SK >= :2", "PK = :a AND SK <= :3", "PK = :a AND SK > :3"} {
		for _, filter := range []string{"", "#n > :n1", "#n = :n20 OR attribute_exists(#o)", "NOT #n <> :n20", "begins_with(#v, :va)", "NOT begins_with(v, :va1)", "b >= :b",
			"v IN (:va1, :va) or #o = :true", "#m.x = :n1 AND m.z.#x = :2n", "attribute_not_exists(m.nil0) AND #n BETWEEN :n1 AND :n20", "(n < :n20)"} {
			for _, projection := range []string{"", "SK, v", "#v", "m.#x,m.z", "#m.nil0, #n", "#o"} {
				text := strings.Join([]string{keys, filter, projection}, " ")
				q := &dynamodb.QueryInput{TableName: f.name, KeyConditionExpression: &keys, ConsistentRead: aws.Bool(true),
					ExpressionAttributeNames: used(text, names), ExpressionAttributeValues: used(text, values)}
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
					t.Fatalf("%s: %v, the engine: %v", text, err, wantErr)
				}
				checkEqual(t, text, asJSON(got), asJSON(want))
			}
		}
	}
}

// used returns the placeholders that a text uses.
func used[V any](text string, placeholders map[string]V) (some map[string]V) {
	for name, v := range placeholders {
		if regexp.MustCompile(regexp.QuoteMeta(name) + `\b`).MatchString(text) {
			if some == nil {
				some = map[string]V{}
			}
			some[name] = v
		}
	}
	return some
}

// asJSON returns an answer without the parts that always differ.
func asJSON(out *dynamodb.QueryOutput) string {
	b, err := json.Marshal([]any{out.Items, out.Count, out.ScannedCount, out.LastEvaluatedKey})
	return fmt.Sprint(string(b), err)
}

// Unsupported parts are refused, but only if something is hidden.
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
	reads := map[string]func() error{
		"contains": query(func(in *dynamodb.QueryInput) { in.FilterExpression = aws.String("contains(v, :p)") }),
		"size": query(func(in *dynamodb.QueryInput) {
			in.FilterExpression, in.ExpressionAttributeValues[":n"] = aws.String("size(v) > :n"), num("1")
		}),
		"[":    query(func(in *dynamodb.QueryInput) { in.FilterExpression = aws.String("l[0] = :p") }),
		"l[0]": query(func(in *dynamodb.QueryInput) { in.ProjectionExpression = aws.String("l[0]") }),
		"KeyConditions": query(func(in *dynamodb.QueryInput) {
			in.KeyConditionExpression, in.ExpressionAttributeValues = nil, nil
			in.KeyConditions = map[string]types.Condition{"PK": {ComparisonOperator: types.ComparisonOperatorEq, AttributeValueList: []types.AttributeValue{str("a")}}}
		}),
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
	f.commit(t, "a/1=new")
	for what, read := range reads {
		if err := read(); err == nil || !strings.Contains(err.Error(), "the simulator does not support") || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
	_, err := f.db.ExecuteStatement(t.Context(), &dynamodb.ExecuteStatementInput{Statement: aws.String(`SELECT * FROM "x"`)})
	if err == nil || !strings.Contains(err.Error(), "PartiQL") {
		t.Errorf("PartiQL: %v", err)
	}
}

// Pages end at 1 MB, as the engine's do. They are full even if more is hidden than the engine returns at once.
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
	if err != nil || len(out.Items) < 3 || len(out.Items) > 4 || out.LastEvaluatedKey == nil {
		t.Errorf("the first page has %d items, then %v, %v", len(out.Items), out.LastEvaluatedKey, err)
	}
	for _, limit := range []int32{0, 2} {
		if !slices.Equal(f.query(t, "a", limit), want) || !slices.Equal(f.scan(t, limit, 1), want) {
			t.Errorf("pages of %d have other items", limit)
		}
	}
	in := f.queryInput("a")
	in.Select, in.ReturnConsumedCapacity = types.SelectCount, types.ReturnConsumedCapacityTotal
	in.FilterExpression, in.ExpressionAttributeValues[":v"] = aws.String("v <> :v"), str("none")
	if out, err = f.db.Query(t.Context(), in); err != nil || out.Count < 3 || out.ScannedCount != out.Count || out.Items != nil || out.ConsumedCapacity == nil {
		t.Errorf("counted: %+v, %v", out, err)
	}
}

// A page begins after the end of the one before, even if that item does not exist any more.
func TestPagesAfterAnItemThatIsGone(t *testing.T) {
	t.Parallel()
	f := withVisibility(t)
	f.put(t, "a/1=old", "a/2=old", "a/3=old", "a/4=old")
	f.commit(t, "-a/1", "-a/3")
	if err := f.remove(t.Context(), "a/2"); err != nil {
		t.Fatal(err)
	}
	in := f.queryInput("a")
	in.ExclusiveStartKey = keyOf("a/2")
	query, err := f.db.Query(t.Context(), in)
	scan, failed := f.db.Scan(t.Context(), &dynamodb.ScanInput{TableName: f.name, ExclusiveStartKey: keyOf("a/2")})
	if err := errors.Join(err, failed); err != nil {
		t.Fatal(err)
	}
	checkList(t, "query", shows(query.Items), "a/3=old", "a/4=old")
	checkList(t, "scan", shows(scan.Items), "a/3=old", "a/4=old")
}

// A table need not have a sort key, and more may be hidden than one request can read.
func TestWithoutSortKey(t *testing.T) {
	t.Parallel()
	f := withVisibility(t)
	f.name = aws.String(*f.name + "-alone")
	f.createTable(t, "PK")
	var want []string
	for commit := range 3 {
		in := &dynamodb.TransactWriteItemsInput{}
		for i := range 50 {
			pk := fmt.Sprintf("%d%02d", commit, i)
			key := attributes{"PK": str(pk)}
			f.putItems(t, key)
			want = append(want, pk)
			in.TransactItems = append(in.TransactItems, types.TransactWriteItem{Delete: &types.Delete{TableName: f.name, Key: key}})
		}
		if err := f.transact(t.Context(), in); err != nil {
			t.Fatal(err)
		}
	}
	checkList(t, "scan", f.scan(t, 40, 1), want...)
	checkList(t, "scan of segments", f.scan(t, 0, 3), want...)
	checkList(t, "query", f.query(t, "107", 1), "107")
	f.commits[1].Show(protocol.Key{Table: *f.name, PK: "107"})
	checkList(t, "query, shown", f.query(t, "107", 1))
}

// TestUndo plays a history again and again on the same items, with the same tokens.
func TestUndo(t *testing.T) {
	t.Parallel()
	f := withVisibility(t)
	var many []string
	for i := range 60 {
		many = append(many, fmt.Sprintf("m/%d=new", i))
	}
	f.put(t, "a/1=old", "a/2=old", "b/1=old", "m/7=old")
	before := f.scan(t, 0, 1)
	journal, token := f.Journal(), rand.Text()
	for range 3 {
		f.commit(t, "a/1=new", "-a/2", "a/3=new", "?b/1").End()
		if err := f.do(t.Context(), token, many...); err != nil {
			t.Fatal(err)
		}
		checkEqual(t, "hidden", len(f.last().Hidden()), 60)
		_, batch := f.batchWrite(t.Context(), "-b/1")
		if err := errors.Join(f.putItem(t.Context(), "a/1"), f.putItem(t.Context(), "c/1"), batch); err != nil {
			t.Fatal(err)
		}
		checkEqual(t, "a/1, a/3, c/1 and the old m/7", len(f.scan(t, 0, 1)), 4)
		f.last().End()
		checkEqual(t, "in the end", len(f.scan(t, 0, 1)), 63)
		f.commit(t, "m/7=newer", "d/1=new") // is not ended
		if err := journal.Undo(t.Context()); err != nil {
			t.Fatal(err)
		}
		checkList(t, "undone", f.scan(t, 0, 1), before...)
		checkList(t, "hidden", f.last().Hidden())
	}
	f.wire.reached()
	if err := journal.Undo(t.Context()); err != nil {
		t.Error(err)
	}
	checkList(t, "nothing to undo", f.wire.reached())
}

// A transaction waits for a plain write that the engine has not answered: that is part of what it hides.
func TestAfterAPlainWrite(t *testing.T) {
	t.Parallel()
	f := withVisibility(t)
	f.put(t, "a/1=old")
	f.get(t, "a/1")
	reached, on := f.wire.stopNext("PutItem")
	plain, transaction := make(chan error, 1), make(chan error, 1)
	go func() { plain <- f.putItem(t.Context(), "a/1") }()
	<-reached
	go func() { transaction <- f.do(t.Context(), "", "a/1=new") }()
	for { // until the transaction has its item
		_, err := f.db.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{
			TableName: f.name, Key: keyOf("a/1"), ConditionExpression: aws.String("attribute_exists(nothing)"),
		})
		if errors.As(err, new(*types.TransactionConflictException)) {
			break
		}
		if !errors.As(err, new(*types.ConditionalCheckFailedException)) {
			t.Fatal(err)
		}
	}
	close(on)
	if err := errors.Join(<-plain, <-transaction); err != nil {
		t.Fatal(err)
	}
	checkEqual(t, "hidden, it is", f.get(t, "a/1"), "a/1=x")
	f.last().End()
	checkEqual(t, "in the end it is", f.get(t, "a/1"), "a/1=new")
}

// However many transactions of the same items there are at once, one follows the other, and what each hides is one
// state.
func TestAtOnce(t *testing.T) {
	t.Parallel()
	f := withVisibility(t)
	f.put(t, "a/1=0", "a/2=0")
	pair := func(ctx context.Context) bool {
		found, _, err := f.batchGet(ctx, "a/1", "a/2")
		return err == nil && len(found) == 2 && found[0][len("a/1"):] == found[1][len("a/2"):]
	}
	var all sync.WaitGroup
	for n := range 4 {
		all.Go(func() {
			for i := range 15 {
				v := fmt.Sprintf("%d.%d", n, i)
				_ = f.do(t.Context(), "", "a/1="+v, "a/2="+v) // most conflict
				f.mu.Lock()
				open := f.commits
				f.commits = nil
				f.mu.Unlock()
				for _, c := range open {
					checkEqual(t, "what a hidden transaction shows is one state", pair(t.Context()), true)
					c.End()
				}
			}
		})
	}
	all.Wait()
	checkEqual(t, "in the end it is one state", pair(t.Context()) && f.get(t, "a/1") != "a/1=0", true)
}
