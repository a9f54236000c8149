package protocol

import (
	"cmp"
	"encoding/json"
	"hash/fnv"
	"slices"
)

// Page is the request of a Query or a Scan.
type Page struct {
	Expressions
	KeyCondition, Filter *Condition
	Projection           Projection
	Start                []byte // ExclusiveStartKey, or nil
	Limit                int    // 0 without
	Backward             bool
	Index                bool // it reads a secondary index
	Count                bool // it wants only the count, without Items
	Segment, Segments    uint32

	// Unsupported says why this package cannot assemble the page itself. It is nil if it can. If Unsupported is not
	// nil, the other fields have only what could be parsed.
	Unsupported error

	keyText string
}

// parsePage reads a Query or a Scan.
func parsePage(body []byte) *Page {
	var in struct {
		KeyConditionExpression, FilterExpression, ProjectionExpression, Select string
		Limit                                                                  int
		ScanIndexForward                                                       *bool
		Segment, TotalSegments                                                 uint32
	}
	p := &Page{Expressions: ExpressionsOf(body)}
	p.Unsupported = json.Unmarshal(body, &in)
	p.Limit, p.Backward, p.Count = in.Limit, in.ScanIndexForward != nil && !*in.ScanIndexForward, in.Select == "COUNT"
	p.Segment, p.Segments, p.keyText = in.Segment, in.TotalSegments, in.KeyConditionExpression
	if start := MemberOf(body, "ExclusiveStartKey"); string(start) != "null" {
		p.Start = start
	}
	// Legacy parameters, mostly replaced by expressions.
	for _, name := range []string{"AttributesToGet", "ConditionalOperator", "KeyConditions", "QueryFilter", "ScanFilter", "IndexName"} {
		if MemberOf(body, name) != nil {
			p.Index = p.Index || name == "IndexName"
			p.Unsupported = Unsupported{name}
		}
	}
	var errKeys, errFilter, errProjection error
	p.KeyCondition, errKeys = p.Condition(in.KeyConditionExpression)
	p.Filter, errFilter = p.Condition(in.FilterExpression)
	p.Projection, errProjection = p.Expressions.Projection(in.ProjectionExpression)
	p.Unsupported = cmp.Or(p.Unsupported, errKeys, errFilter, errProjection)
	return p
}

// Bare returns a request for all items that the key condition selects after the key start. The request asks for whole
// items, without a limit. If start is nil, it begins at the first item.
func (p *Page) Bare(body, start []byte) []byte {
	all := []Member{Named("TableName", MemberOf(body, "TableName")), Named("ConsistentRead", []byte("true"))}
	if p.Backward {
		all = append(all, Named("ScanIndexForward", []byte("false")))
	}
	if start != nil {
		all = append(all, Named("ExclusiveStartKey", start))
	}
	if p.keyText != "" {
		all = append(all, Named("KeyConditionExpression", Marshal(p.keyText)))
	}
	// Engines refuse placeholders that the key condition does not use.
	mentioned := tokens.FindAllString(p.keyText, -1)
	for name, placeholders := range map[string][]byte{"ExpressionAttributeNames": p.Names, "ExpressionAttributeValues": p.Placeholders} {
		var used []Member
		_ = Members(placeholders, func(m Member) error {
			if slices.Contains(mentioned, m.Name) {
				used = append(used, m)
			}
			return nil
		})
		if used != nil {
			all = append(all, Named(name, Object(used...)))
		}
	}
	return Object(all...)
}

// Has reports whether a key belongs to the segment that the Scan reads. The simulator assigns segments by a hash of the
// partition key, because an engine does not say in which segment a missing item would be.
func (p *Page) Has(k Key) bool {
	h := fnv.New32a()
	_, _ = h.Write([]byte(k.PK))
	return p.Segments < 2 || h.Sum32()%p.Segments == p.Segment
}

// reads returns the range of keys that the Query or Scan reads. If the key condition is not understood, the range is
// the whole table.
func (p *Page) reads(s *Schema) Range {
	found := Range{Table: s.Table}
	if p.Index || p.KeyCondition == nil {
		return found
	}
	for _, one := range p.KeyCondition.conjuncts() {
		if len(one.operands) < 2 || len(one.operands[0].path) != 1 {
			continue
		}
		value := func(i int) string {
			v, _ := scalar(one.operands[i].value)
			return v
		}
		switch one.operands[0].path[0] {
		case s.Partition:
			found.PK = value(1)
		case s.Sort:
			if kind, _ := typed(one.operands[1].value); kind != "S" {
				continue // numbers and binaries do not sort as their texts do
			}
			switch one.operator {
			case "=":
				found.From, found.To = value(1), value(1)
			case "<", "<=":
				found.To = value(1)
			case ">", ">=":
				found.From = value(1)
			case "BETWEEN":
				found.From, found.To = value(1), value(2)
			case "begins_with":
				found.From, found.To = value(1), value(1)+"\U0010FFFF"
			}
		}
	}
	return found
}
