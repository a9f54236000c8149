package protocol

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// Page is a parsed Query or Scan request, which reads one page. The simulator can assemble the pages of simple queries:
// with one of the two key conditions of keyCondition and perhaps a projection, a limit, a start key and a direction.
type Page struct {
	Attributes []string // of its projection; nil keeps whole items
	Start      []byte   // ExclusiveStartKey, or nil
	Limit      int      // 0 for no limit
	Backward   bool

	// Unsupported is the reason why the simulator cannot assemble the page, or "". For a Scan or an unknown key
	// condition, the Request's Range is the whole table.
	Unsupported string
}

// keyCondition matches the key conditions that the simulator understands.
var keyCondition = regexp.MustCompile(`^(\w+) = (:\w+)(?: AND (\w+) BETWEEN (:\w+) AND (:\w+))?$`)

// supported are the parameters of queries whose pages the simulator can assemble.
var supported = []string{
	"TableName", "ConsistentRead", "KeyConditionExpression", "ExpressionAttributeValues", "ProjectionExpression", "Limit", "ExclusiveStartKey",
	"ScanIndexForward", "ReturnConsumedCapacity",
}

// parsePage parses the body of a Query or a Scan of a table. It also returns the range from which the page is read.
func parsePage(operation string, body []byte, s *Schema) (*Page, Range) {
	p, where := &Page{}, Range{Table: s.Table}
	if operation == "Scan" {
		p.Unsupported = "a Scan"
		return p, where
	}
	var in struct {
		KeyConditionExpression string
		ProjectionExpression   *string
		Limit                  int
		ScanIndexForward       *bool
	}
	if err := json.Unmarshal(body, &in); err != nil {
		p.Unsupported = err.Error()
		return p, where
	}
	_ = Members(body, func(m Member) error {
		if !slices.Contains(supported, m.Name) {
			p.Unsupported = m.Name
		}
		return nil
	})
	found := keyCondition.FindStringSubmatch(in.KeyConditionExpression)
	if found == nil || found[1] != s.Partition || found[3] != "" && found[3] != s.Sort {
		p.Unsupported = "the key condition " + in.KeyConditionExpression
		return p, where
	}
	p.Limit, p.Backward, p.Start = in.Limit, in.ScanIndexForward != nil && !*in.ScanIndexForward, MemberOf(body, "ExclusiveStartKey")
	if in.ProjectionExpression != nil {
		var ok bool
		if p.Attributes, ok = Attributes(*in.ProjectionExpression); !ok {
			p.Unsupported = "the projection " + *in.ProjectionExpression
		}
	}
	value := func(i int) string {
		text, _ := scalar(MemberOf(MemberOf(body, "ExpressionAttributeValues"), found[i]))
		return text
	}
	where.PK, where.From, where.To = value(2), value(4), value(5)
	return p, where
}

// Attributes returns the names in a projection of whole attributes, such as "PK, SK". If the projection has a path or a
// placeholder, which the simulator does not support, ok is false.
func Attributes(projection string) (names []string, ok bool) {
	return strings.Split(strings.ReplaceAll(projection, " ", ""), ","), plainNames.MatchString(projection)
}

var plainNames = regexp.MustCompile(`^\w+(, *\w+)*$`)

// Bare returns the body of a Query for all whole items of the same range after the key start, without a limit. If start
// is nil, the Query begins at the first item.
func Bare(body, start []byte) []byte {
	body = Without(body, "ProjectionExpression", "Limit", "ExclusiveStartKey", "ReturnConsumedCapacity")
	if start == nil {
		return body
	}
	return With(body, Named("ExclusiveStartKey", start))
}
