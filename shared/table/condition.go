package table

import (
	"fmt"
	"maps"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Condition is the condition of a write, with the values of its text. The zero value is no condition.
type Condition struct {
	text   string
	values Attributes
}

// If returns the condition with this text. values has the values of the text by their names, such as ":seen"; a text
// without values needs none.
func If(text string, values Attributes) Condition { return Condition{text, values} }

// Conditions that the item does not exist yet, and that it exists.
var (
	Absent  = If("attribute_not_exists(PK)", nil)
	Present = If("attribute_exists(PK)", nil)
)

// AsRead is the condition that a number of the item is as read. 0 means that the item does not have the number.
func AsRead[N ~int64](name string, value N) Condition {
	if value == 0 {
		return If("attribute_not_exists("+name+")", nil)
	}
	return Equals(name, Number(value))
}

// Equals is the condition that an attribute has the value.
func Equals(name string, value types.AttributeValue) Condition {
	return If(name+" = :"+name+"Seen", Attributes{":" + name + "Seen": value})
}

// And returns the condition that both hold.
func (c Condition) And(other Condition) Condition {
	return Condition{c.text + " AND " + other.text, merged(c.values, other.values)}
}

// Or returns the condition that one of both holds.
func (c Condition) Or(other Condition) Condition {
	return Condition{c.text + " OR " + other.text, merged(c.values, other.values)}
}

// Change is what an update does to an item. The zero value changes nothing.
type Change struct {
	set, add, remove, drop []string
	values                 Attributes
}

// Set returns the change that also sets an attribute. The name may be a path.
func (c Change) Set(name string, value types.AttributeValue) Change {
	c.set = append(c.set[:len(c.set):len(c.set)], name+" = "+placeholder(name))
	c.values = merged(c.values, Attributes{placeholder(name): value})
	return c
}

// Add returns the change that also adds 1 to a number; a missing number counts as 0.
func (c Change) Add(name string) Change {
	c.add = append(c.add[:len(c.add):len(c.add)], name+" "+placeholder(name))
	c.values = merged(c.values, Attributes{placeholder(name): Number(1)})
	return c
}

// AddTo returns the change that also adds an element to a set of bytes.
func (c Change) AddTo(name string, element []byte) Change {
	c.add = append(c.add[:len(c.add):len(c.add)], name+" "+placeholder(name))
	c.values = merged(c.values, Attributes{placeholder(name): Set([][]byte{element})})
	return c
}

// DeleteFrom returns the change that also deletes elements from a set of bytes.
func (c Change) DeleteFrom(name string, elements [][]byte) Change {
	if len(elements) > 0 {
		c.drop = append(c.drop[:len(c.drop):len(c.drop)], name+" "+placeholder(name))
		c.values = merged(c.values, Attributes{placeholder(name): Set(elements)})
	}
	return c
}

// Remove returns the change that also removes attributes.
func (c Change) Remove(names ...string) Change {
	c.remove = append(c.remove[:len(c.remove):len(c.remove)], names...)
	return c
}

// IsNone reports whether the change changes nothing.
func (c Change) IsNone() bool { return len(c.set)+len(c.add)+len(c.remove) == 0 }

// placeholder is the name of the value for an attribute or a path, such as ":new_r_na".
func placeholder(name string) string {
	return ":new_" + strings.NewReplacer(".", "_", "[", "_", "]", "").Replace(name)
}

// expression returns the change as an update expression.
func (c Change) expression() string {
	var clauses []string
	for _, clause := range []struct {
		verb  string
		parts []string
	}{{"SET", c.set}, {"ADD", c.add}, {"REMOVE", c.remove}, {"DELETE", c.drop}} {
		if len(clause.parts) > 0 {
			clauses = append(clauses, clause.verb+" "+strings.Join(clause.parts, ", "))
		}
	}
	return strings.Join(clauses, " ")
}

// merged returns the values of both, or nil instead of an empty map, which DynamoDB refuses. Both may have a name if its
// values are equal.
func merged(a, b Attributes) Attributes {
	if len(a)+len(b) == 0 {
		return nil
	}
	both := maps.Clone(a)
	if both == nil {
		both = Attributes{}
	}
	for name, value := range b {
		if was, there := both[name]; there && fmt.Sprint(was) != fmt.Sprint(value) {
			panic("table: two values for " + name)
		}
		both[name] = value
	}
	return both
}
