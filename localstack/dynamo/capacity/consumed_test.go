package capacity

import (
	"reflect"
	"slices"
	"testing"

	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
)

func TestShare(t *testing.T) {
	t.Parallel()
	known := func(name string, units float64) item { return item{key{Table: "t", PK: name}, units, units, false} }
	open := func(name string, weight float64) item { return item{key{Table: "t", PK: name}, 1, weight, true} }
	other := item{key{Table: "u", PK: "a"}, 1, 1, true}
	for _, c := range []struct {
		what  string
		items []item
		said  []consumed
		want  []float64
	}{
		{"the engine says nothing", []item{known("a", 2), open("b", 5)}, nil, []float64{2, 1}},
		{"it says less than the documentation", []item{known("a", 2), open("b", 1)}, []consumed{{"t", 1}}, []float64{2, 1}},
		{"it says as much", []item{known("a", 2), open("b", 1)}, []consumed{{"t", 3}}, []float64{2, 1}},
		{"what is more went to the one that may have taken it", []item{known("a", 2), open("b", 1)}, []consumed{{"t", 9}}, []float64{2, 7}},
		{"by weight", []item{open("a", 4), open("b", 2), open("c", 1)}, []consumed{{"t", 11}}, []float64{7, 3, 1}},
		{"by weight, less than that", []item{open("a", 7), open("b", 1)}, []consumed{{"t", 4}}, []float64{3, 1}},
		{"evenly", []item{open("a", 1), open("b", 1)}, []consumed{{"t", 6}}, []float64{3, 3}},
		{"a put of a smaller item than was there", []item{known("a", 1), known("b", 1)}, []consumed{{"t", 4}}, []float64{2, 2}},
		{"two tables", []item{open("a", 1), other}, []consumed{{"u", 5}, {"arn:aws:dynamodb:local:0:table/t", 2}}, []float64{2, 5}},
	} {
		var got []float64
		for _, one := range share(c.items, c.said) {
			got = append(got, one.units)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.what, got, c.want)
		}
	}
}

// A transaction's items are told apart by what the request says.
func TestWritten(t *testing.T) {
	t.Parallel()
	s := &protocol.Schema{Table: "t", Partition: "PK", Sort: "SK"}
	k, big := `{"PK":{"S":"a"},"SK":{"N":"1"}}`, `{"PK":{"S":"a"},"SK":{"N":"1"},"v":{"B":"`+string(slices.Repeat([]byte("AAAA"), 1000))+`"}}`
	for _, c := range []struct {
		what, action string
		want         item
	}{
		{"a put", `{"TableName":"t","Item":` + k + `}`, item{least: 1, weight: 1}},
		{"a put of 3 KB", `{"TableName":"t","Item":` + big + `}`, item{least: 3, weight: 3}},
		{"an update", `{"Key":` + k + `,"UpdateExpression":"SET v = :v","ExpressionAttributeValues":` + big + `}`, item{least: 1, weight: 3, open: true}},
		{"a delete, a check", `{"Key":` + k + `}`, item{least: 1, weight: 1, open: true}},
	} {
		p, err := parse([]byte(c.action))
		if err != nil {
			t.Fatal(err)
		}
		c.want.key = key{Table: "t", PK: "a", SK: "1"}
		if got, err := written(s, p); err != nil || got != c.want {
			t.Errorf("%s: %+v, %v", c.what, got, err)
		}
	}
	for _, action := range []string{`{}`, `{"Key":{"SK":{"S":"a"}}}`, `{"Item":{"PK":1}}`, `{"Key":[]}`} {
		p, err := parse([]byte(action))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := written(s, p); err == nil {
			t.Errorf("%s is %+v", action, got)
		}
	}
}

func TestThePartitionThatAQueryNames(t *testing.T) {
	t.Parallel()
	s := &protocol.Schema{Table: "t", Partition: "PK", Sort: "SK"}
	values := `,"ExpressionAttributeNames":{"#p":"PK","#s":"SK"},"ExpressionAttributeValues":{":a":{"S":"alpha"},":b":{"S":"beta"}}`
	for condition, want := range map[string]string{
		`"PK = :a"`:                          "alpha",
		`"PK=:b AND SK = :a"`:                "beta",
		`"(#s = :a) AND (#p = :b)"`:          "beta",
		`"#p = :a and begins_with(#s, :b)"`:  "alpha",
		`"PK = :a AND SK BETWEEN :b AND :b"`: "alpha",
		`"PK = :c"`:                          "",
		`"SK = :a"`:                          "",
		`""`:                                 "",
	} {
		p, err := parse([]byte(`{"TableName":"t","KeyConditionExpression":` + condition + values + `}`))
		if err != nil {
			t.Fatal(err)
		}
		checkEqual(t, condition, queried(s, p), want)
	}
}

func TestCapacityIsAskedForAndTakenAway(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		request, sent string
		asked         bool
	}{
		{`{}`, `{"ReturnConsumedCapacity":"TOTAL"}`, false},
		{` {"TableName":"t"}`, ` {"ReturnConsumedCapacity":"TOTAL","TableName":"t"}`, false},
		{`{"TableName":"t", "ReturnConsumedCapacity" : "NONE" }`, `{"TableName":"t", "ReturnConsumedCapacity":"TOTAL" }`, false},
		{`{"ReturnConsumedCapacity":"TOTAL"}`, `{"ReturnConsumedCapacity":"TOTAL"}`, true},
		{`{"ReturnConsumedCapacity":"INDEXES"}`, `{"ReturnConsumedCapacity":"INDEXES"}`, true},
	} {
		if sent, asked, err := askForCapacity([]byte(c.request)); err != nil || string(sent) != c.sent || asked != c.asked {
			t.Errorf("%s: %s %v %v", c.request, sent, asked, err)
		}
	}
	for _, c := range []struct {
		answer, rest string
		consumed     []consumed
	}{
		{`{}`, `{}`, nil},
		{`{"Item":{"ConsumedCapacity":{"N":"1"}}}`, `{"Item":{"ConsumedCapacity":{"N":"1"}}}`, nil},
		{`{"ConsumedCapacity":{"TableName":"t","CapacityUnits":0.5}}`, `{}`, []consumed{{"t", 0.5}}},
		{`{"Item":{"b":{"M":{"ConsumedCapacity":{"N":"1"}}}}}`, `{"Item":{"b":{"M":{"ConsumedCapacity":{"N":"1"}}}}}`, nil},
		{`{"a":",\"ConsumedCapacity\":{}}"}`, `{"a":",\"ConsumedCapacity\":{}}"}`, nil},
		{`{"a":1,"ConsumedCapacity":{"CapacityUnits":2.0,"TableName":"t"}}`, `{"a":1}`, []consumed{{"t", 2}}},
		{`{"ConsumedCapacity":[{"TableName":"t","CapacityUnits":3},{"TableName":"u","CapacityUnits":1}],"a":1}`, `{"a":1}`, []consumed{{"t", 3}, {"u", 1}}},
		{`{ "a" : 1 , "ConsumedCapacity" : [ ] , "b" : 2 }`, `{ "a" : 1  , "b" : 2 }`, nil},
	} {
		got, rest, err := takeCapacity([]byte(c.answer))
		if err != nil || string(rest) != c.rest || !reflect.DeepEqual(got, c.consumed) {
			t.Errorf("%s: %v %s %v", c.answer, got, rest, err)
		}
	}
}
