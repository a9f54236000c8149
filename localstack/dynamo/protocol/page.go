package protocol

import (
	"hash/fnv"
	"slices"
	"strconv"
)

// Page is what a Query or a Scan asks for.
type Page struct {
	Expressions
	KeyCondition, Filter *Condition
	Projection           Projection
	Start                []byte // ExclusiveStartKey; nil without
	Limit                int    // 0 without
	Backward             bool
	Index                bool // it is about a secondary index
	Count                bool // Count alone, no Items
	Segment, Segments    uint32

	// Unsupported is why the page cannot be put together here; nil if it can. The other fields then say what was read.
	Unsupported error

	keyText string
}

// unsupportedMembers are those that a page cannot be put together with: mostly what expressions have replaced.
var unsupportedMembers = []string{
	"AttributesToGet", "ConditionalOperator", "KeyConditions", "QueryFilter", "ScanFilter", "IndexName",
}

// parsePage reads a Query or a Scan.
func parsePage(body []byte) *Page {
	p := &Page{Expressions: ExpressionsOf(body)}
	err := Members(body, func(m Member) (err error) {
		if slices.Contains(unsupportedMembers, m.Name) {
			p.Index = p.Index || m.Name == "IndexName"
			p.Unsupported = Unsupported{m.Name}
			return nil
		}
		switch m.Name {
		case "KeyConditionExpression", "FilterExpression", "ProjectionExpression":
			if err := p.expression(m); err != nil {
				p.Unsupported = err
			}
		case "ExclusiveStartKey":
			if string(m.Value) != "null" {
				p.Start = m.Value
			}
		case "Limit":
			p.Limit, err = strconv.Atoi(string(m.Value))
		case "ScanIndexForward":
			p.Backward = string(m.Value) == "false"
		case "Select":
			p.Count = string(m.Value) == `"COUNT"`
		case "Segment":
			p.Segment, err = number(m.Value)
		case "TotalSegments":
			p.Segments, err = number(m.Value)
		}
		return err
	})
	if err != nil {
		p.Unsupported = err
	}
	return p
}

func number(text []byte) (uint32, error) {
	n, err := strconv.ParseUint(string(text), 10, 32)
	return uint32(n), err
}

// expression reads one of the expressions.
func (p *Page) expression(m Member) error {
	text, err := Text(m.Value)
	if err != nil {
		return err
	}
	switch m.Name {
	case "KeyConditionExpression":
		p.keyText = text
		p.KeyCondition, err = p.Condition(text)
	case "FilterExpression":
		p.Filter, err = p.Condition(text)
	default:
		p.Projection, err = p.Expressions.Projection(text)
	}
	return err
}

// Bare returns the request for all that the key condition selects after start: whole items, as many as there are.
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
		all = p.used(all, "ExpressionAttributeNames", p.Names)
		all = p.used(all, "ExpressionAttributeValues", p.Placeholders)
	}
	return Object(all...)
}

// used adds those placeholders that the key condition uses: engines refuse others.
func (p *Page) used(all []Member, name string, placeholders []byte) []Member {
	mentioned := tokens.FindAllString(p.keyText, -1)
	var kept []Member
	_ = Members(placeholders, func(m Member) error {
		if slices.Contains(mentioned, m.Name) {
			kept = append(kept, m)
		}
		return nil
	})
	if kept == nil {
		return all
	}
	return append(all, Named(name, Object(kept...)))
}

// Has reports whether a key is in the segment that is scanned. Segments are the simulator's own, by a hash of the
// partition key, since an engine does not tell where it would put an item that it does not have.
func (p *Page) Has(k Key) bool {
	h := fnv.New32a()
	_, _ = h.Write([]byte(k.PK))
	return p.Segments < 2 || h.Sum32()%p.Segments == p.Segment
}

// reads returns the range of the page: the whole table if the key condition does not tell.
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
				continue // numbers and binaries have another order than their texts
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
