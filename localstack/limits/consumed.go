package limits

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
)

// consumed is what an engine says that a request has taken of a table.
type consumed struct {
	table string
	units float64
}

const capacityTotal = `"ReturnConsumedCapacity":"TOTAL"`

// askForCapacity returns the request with the wish to know the consumed capacity, and whether it had that before.
func askForCapacity(body []byte) (_ []byte, asked bool, err error) {
	var wish member
	if !bytes.Contains(body, []byte(`"ReturnConsumedCapacity"`)) && bytes.HasPrefix(body, []byte(`{"`)) {
		return slices.Concat([]byte("{"+capacityTotal+","), body[1:]), false, nil // the usual case, without a search
	}
	empty := true
	err = members(body, func(m member) error {
		empty = false
		if m.name == "ReturnConsumedCapacity" {
			wish = m
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, false, err
	case wish.name == "":
		at := bytes.IndexByte(body, '{') + 1
		separator := ","
		if empty {
			separator = ""
		}
		return slices.Concat(body[:at], []byte(capacityTotal+separator), body[at:]), false, nil
	case string(wish.value) == `"NONE"`:
		return slices.Concat(body[:wish.start], []byte(capacityTotal), body[wish.end:]), false, nil
	}
	return body, true, nil
}

// takeCapacity returns what an answer says of the consumed capacity, and the answer without that.
func takeCapacity(body []byte) (all []consumed, rest []byte, err error) {
	said, usual := lastCapacity(body)
	if !usual {
		err = members(body, func(m member) error {
			if m.name == "ConsumedCapacity" {
				said = m
			}
			return nil
		})
	}
	if err != nil || said.name == "" {
		return nil, body, err
	}
	add := func(object []byte) error {
		var one consumed
		err := members(object, func(m member) (err error) {
			switch m.name {
			case "TableName":
				one.table, err = text(m.value)
			case "CapacityUnits":
				one.units, err = strconv.ParseFloat(string(m.value), 64)
			}
			return err
		})
		all = append(all, one)
		return err
	}
	if said.value[0] == '[' {
		err = values(said.value, add)
	} else {
		err = add(said.value)
	}
	return all, without(body, said), err
}

// lastCapacity finds the consumed capacity where engines usually have it, at the end, without reading the page before
// it. In JSON these quotes cannot stand in a text, and one brace behind the value is that of the answer itself.
func lastCapacity(body []byte) (m member, found bool) {
	const name, far = `"ConsumedCapacity":`, 1024
	tail := max(0, len(body)-far)
	at := tail + bytes.LastIndex(body[tail:], []byte(name))
	if at < max(1, tail) || body[at-1] != ',' && body[at-1] != '{' {
		return member{}, false
	}
	value := at + len(name)
	end, err := skipValue(body, value)
	if err != nil || string(body[end:]) != "}" {
		return member{}, false
	}
	return member{name: "ConsumedCapacity", value: body[value:end], start: at, end: end}, true
}

// without returns an object without one of its members.
func without(object []byte, m member) []byte {
	before, after := bytes.TrimRight(object[:m.start], " \n\t\r"), object[m.end:]
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

func (i item) where() partition { return partition{i.table, i.partition} }

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
		if !slices.ContainsFunc(items[:t], func(before item) bool { return before.table == one.table }) {
			shareTable(all, items, one.table, saidOf(said, one.table))
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
		if one.table == table {
			known += all[i].units
			anyOpen = anyOpen || one.open
		}
	}
	if total <= known {
		return
	}
	takes := func(one item) bool { return one.table == table && (one.open || !anyOpen) }
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
