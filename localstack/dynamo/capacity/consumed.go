package capacity

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
)

// consumed is what an engine says that a request has taken of a table.
type consumed struct {
	table string
	units float64
}

const capacityTotal = `"ReturnConsumedCapacity":"TOTAL"`

// askForCapacity returns the request with the wish to know the consumed capacity, and whether it had that before.
func askForCapacity(body []byte) (_ []byte, asked bool, err error) {
	var wish protocol.Member
	if !bytes.Contains(body, []byte(`"ReturnConsumedCapacity"`)) && bytes.HasPrefix(body, []byte(`{"`)) {
		return slices.Concat([]byte("{"+capacityTotal+","), body[1:]), false, nil // the usual case, without a search
	}
	empty := true
	err = protocol.Members(body, func(m protocol.Member) error {
		empty = false
		if m.Name == "ReturnConsumedCapacity" {
			wish = m
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, false, err
	case wish.Name == "":
		at := bytes.IndexByte(body, '{') + 1
		separator := ","
		if empty {
			separator = ""
		}
		return slices.Concat(body[:at], []byte(capacityTotal+separator), body[at:]), false, nil
	case string(wish.Value) == `"NONE"`:
		return slices.Concat(body[:wish.Start], []byte(capacityTotal), body[wish.End:]), false, nil
	}
	return body, true, nil
}

// takeCapacity returns what an answer says of the consumed capacity, and the answer without that.
func takeCapacity(body []byte) (all []consumed, rest []byte, err error) {
	said, usual := lastCapacity(body)
	if !usual {
		err = protocol.Members(body, func(m protocol.Member) error {
			if m.Name == "ConsumedCapacity" {
				said = m
			}
			return nil
		})
	}
	if err != nil || said.Name == "" {
		return nil, body, err
	}
	add := func(object []byte) error {
		var one consumed
		err := protocol.Members(object, func(m protocol.Member) (err error) {
			switch m.Name {
			case "TableName":
				one.table, err = protocol.Text(m.Value)
			case "CapacityUnits":
				one.units, err = strconv.ParseFloat(string(m.Value), 64)
			}
			return err
		})
		all = append(all, one)
		return err
	}
	if said.Value[0] == '[' {
		err = protocol.Values(said.Value, add)
	} else {
		err = add(said.Value)
	}
	return all, without(body, said), err
}

// lastCapacity finds the consumed capacity where engines usually have it, at the end, without reading the page before
// it. In JSON these quotes cannot stand in a text, and one brace behind the value is that of the answer itself.
func lastCapacity(body []byte) (m protocol.Member, found bool) {
	const name, far = `"ConsumedCapacity":`, 1024
	tail := max(0, len(body)-far)
	at := tail + bytes.LastIndex(body[tail:], []byte(name))
	if at < max(1, tail) || body[at-1] != ',' && body[at-1] != '{' {
		return protocol.Member{}, false
	}
	value := at + len(name)
	end, err := protocol.SkipValue(body, value)
	if err != nil || string(body[end:]) != "}" {
		return protocol.Member{}, false
	}
	return protocol.Member{Name: "ConsumedCapacity", Value: body[value:end], Start: at, End: end}, true
}

// without returns an object without one of its members.
func without(object []byte, m protocol.Member) []byte {
	before, after := bytes.TrimRight(object[:m.Start], " \n\t\r"), object[m.End:]
	if rest := bytes.TrimLeft(after, " \n\t\r"); before[len(before)-1] == ',' {
		before = before[:len(before)-1]
	} else if rest[0] == ',' {
		after = rest[1:]
	}
	return slices.Concat(before, after)
}

// item is one item of a request, with what it takes.
type item struct {
	key
	least  float64 // units that it takes at least, as the documentation has it
	weight float64 // units that it takes as far as the request tells; least or more
	open   bool    // whether it may take more than the request tells: the item in the table may be larger
}

func (i item) where() partition { return partition{i.Table, i.PK} }

// demands returns what items take as far as their request tells.
func demands(items []item) []demand {
	all := make([]demand, len(items))
	for i, one := range items {
		all[i] = demand{one.where(), one.weight}
	}
	return all
}

// share returns what each item has taken. The engine says it for all items of a table together, and DynamoDB does not
// say more either: what is above the least is shared among those items that may have taken it, in proportion to what
// the request says of their sizes. An engine that says less than the documentation (DynamoDB Local leaves out absent
// items and condition checks) is not believed.
func share(items []item, said []consumed) []demand {
	all := make([]demand, len(items))
	for i, one := range items {
		all[i] = demand{one.where(), one.least}
	}
	for t, one := range items {
		if !slices.ContainsFunc(items[:t], func(before item) bool { return before.Table == one.Table }) {
			shareTable(all, items, one.Table, saidOf(said, one.Table))
		}
	}
	return all
}

func saidOf(said []consumed, table string) float64 {
	for _, one := range said {
		if one.table == table || strings.HasSuffix(one.table, ":table/"+table) {
			return one.units
		}
	}
	return 0
}

func shareTable(all []demand, items []item, table string, total float64) {
	var known, weights float64
	anyOpen := false
	for i, one := range items {
		if one.Table == table {
			known += all[i].units
			anyOpen = anyOpen || one.open
		}
	}
	if total <= known {
		return
	}
	takes := func(one item) bool { return one.Table == table && (one.open || !anyOpen) }
	for _, one := range items {
		if takes(one) {
			weights += one.weight - one.least
		}
	}
	weight := func(one item) float64 { return one.weight - one.least }
	if weights == 0 {
		weight = func(item) float64 { return 1 }
		for _, one := range items {
			if takes(one) {
				weights++
			}
		}
	}
	for i, one := range items {
		if takes(one) {
			all[i].units += (total - known) * weight(one) / weights
		}
	}
}

// settle charges what has really been taken, where so much was admitted.
func (c *call) settle(d direction, admitted, taken []demand) {
	correction := slices.Clone(taken)
	for i := range correction {
		correction[i].units -= admitted[i].units
	}
	c.capacity.charge(c.clock.Now(), d, correction)
	c.meter.consumed(c.asker, d, taken)
}

// giveBack undoes an admission: the engine has not tried it.
func (c *call) giveBack(d direction, admitted []demand) {
	back := slices.Clone(admitted)
	for i := range back {
		back[i].units = -back[i].units
	}
	c.capacity.charge(c.clock.Now(), d, back)
}
