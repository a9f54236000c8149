package visibility

import (
	"hash/fnv"
	"strconv"

	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
)

// paging is what a Query or a Scan asks for.
type paging struct {
	expressions
	keyConditionText     string
	keyCondition, filter *condition
	projection           projection
	start                []byte // ExclusiveStartKey; nil without
	limit                int    // 0 without
	backward             bool
	index                bool
	count                bool // Count alone, no Items
	segment, total       uint32
}

// legacy are parameters that expressions have replaced.
var legacy = map[string]bool{
	"AttributesToGet": true, "ConditionalOperator": true, "KeyConditions": true, "QueryFilter": true, "ScanFilter": true,
}

// parsePaging reads a Query or a Scan. What it cannot evaluate is an error, an unsupported; the paging then says
// whatever has been read.
func parsePaging(body []byte) (*paging, error) {
	p := &paging{}
	p.names, p.values = protocol.MemberOf(body, "ExpressionAttributeNames"), protocol.MemberOf(body, "ExpressionAttributeValues")
	var last error
	err := protocol.Members(body, func(m protocol.Member) (err error) {
		if legacy[m.Name] {
			last = unsupported{m.Name}
			return nil
		}
		switch m.Name {
		case "KeyConditionExpression", "FilterExpression", "ProjectionExpression":
			if err := p.expression(m); err != nil {
				last = err
			}
		case "ExclusiveStartKey":
			if string(m.Value) != "null" {
				p.start = m.Value
			}
		case "Limit":
			p.limit, err = strconv.Atoi(string(m.Value))
		case "ScanIndexForward":
			p.backward = string(m.Value) == "false"
		case "IndexName":
			p.index, last = true, unsupported{"secondary indexes"}
		case "Select":
			p.count = string(m.Value) == `"COUNT"`
		case "Segment", "TotalSegments":
			var n uint64
			n, err = strconv.ParseUint(string(m.Value), 10, 32)
			if m.Name == "Segment" {
				p.segment = uint32(n)
			} else {
				p.total = uint32(n)
			}
		}
		return err
	})
	if err != nil {
		return p, err
	}
	return p, last
}

// expression reads one of the expressions.
func (p *paging) expression(m protocol.Member) error {
	text, err := protocol.Text(m.Value)
	if err != nil {
		return err
	}
	switch m.Name {
	case "KeyConditionExpression":
		p.keyConditionText = text
		p.keyCondition, err = p.condition(text)
	case "FilterExpression":
		p.filter, err = p.condition(text)
	default:
		p.projection, err = p.expressions.projection(text)
	}
	return err
}

// mine reports whether an item is in the segment that is scanned.
func (p *paging) mine(k Key) bool {
	if p.total < 2 {
		return true
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(k.PK))
	return h.Sum32()%p.total == p.segment
}

// bare returns the request for all that the key condition selects after start: whole items, as many as there are.
func (p *paging) bare(body, start []byte) []byte {
	all := []protocol.Member{
		protocol.Named("TableName", protocol.MemberOf(body, "TableName")), protocol.Named("ConsistentRead", []byte("true")),
	}
	if p.backward {
		all = append(all, protocol.Named("ScanIndexForward", []byte("false")))
	}
	if start != nil {
		all = append(all, protocol.Named("ExclusiveStartKey", start))
	}
	if p.keyConditionText != "" {
		all = append(all, protocol.Named("KeyConditionExpression", marshal(p.keyConditionText)))
		all = p.used(all, "ExpressionAttributeNames", p.names)
		all = p.used(all, "ExpressionAttributeValues", p.values)
	}
	return protocol.Object(all)
}

// used adds those placeholders that the key condition uses: engines refuse others.
func (p *paging) used(all []protocol.Member, name string, placeholders []byte) []protocol.Member {
	mentioned := map[string]bool{}
	for _, token := range tokens.FindAllString(p.keyConditionText, -1) {
		mentioned[token] = true
	}
	var kept []protocol.Member
	_ = protocol.Members(placeholders, func(m protocol.Member) error {
		if mentioned[m.Name] {
			kept = append(kept, m)
		}
		return nil
	})
	if kept == nil {
		return all
	}
	return append(all, protocol.Named(name, protocol.Object(kept)))
}
