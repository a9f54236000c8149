package protocol

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
)

// Key identifies an item by its table, its partition key (PK) and its sort key (SK), which is "" if the table has none.
type Key struct{ Table, PK, SK string }

// Compare orders keys by table, then by PK, then by SK.
func (k Key) Compare(o Key) int {
	return cmp.Or(cmp.Compare(k.Table, o.Table), cmp.Compare(k.PK, o.PK), cmp.Compare(k.SK, o.SK))
}

// Schema is what the simulator must know about a table to parse requests.
type Schema struct {
	Table     string // its name, even if a request has the ARN instead
	Partition string // the partition key's attribute
	Sort      string // the sort key's attribute; "" without one
}

// Tables has the schemas of the tables that requests have named. It is safe for concurrent use. A table must not be
// created again with other keys, because Tables never forgets a schema.
type Tables struct {
	byName sync.Map // *Schema by the table's name in requests
}

// of returns the schema of a table. For a new name it asks the engine, with the headers of r, and stores the answer.
func (t *Tables) of(name string, r *http.Request, e Engine) (*Schema, error) {
	if known, is := t.byName.Load(name); is {
		return known.(*Schema), nil
	}
	body, err := e.Ask(r.Context(), r, "DescribeTable", Object(Named("TableName", Marshal(name))))
	if err != nil {
		return nil, err
	}
	var described struct {
		Table struct {
			TableName string
			KeySchema []struct{ AttributeName, KeyType string }
		}
	}
	if err := json.Unmarshal(body, &described); err != nil {
		return nil, fmt.Errorf("protocol: describing the table %s: %w", name, err)
	}
	found := &Schema{Table: described.Table.TableName}
	for _, k := range described.Table.KeySchema {
		if k.KeyType == "HASH" {
			found.Partition = k.AttributeName
		} else {
			found.Sort = k.AttributeName
		}
	}
	if found.Table == "" || found.Partition == "" {
		return nil, fmt.Errorf("protocol: describing the table %s: no key", name)
	}
	t.byName.Store(strings.Clone(name), found)
	return found, nil
}

// Key returns the key in an item's attributes, or an error if the partition key is missing.
func (s *Schema) Key(attributes []byte) (Key, error) {
	k := Key{Table: s.Table}
	err := Members(attributes, func(m Member) (err error) {
		switch m.Name {
		case s.Partition:
			k.PK, err = scalar(m.Value)
		case s.Sort:
			k.SK, err = scalar(m.Value)
		}
		return err
	})
	if err == nil && k.PK == "" {
		err = ErrSyntax
	}
	return k, err
}

// KeyOnly returns the attributes of an item's key.
func (s *Schema) KeyOnly(attributes []byte) []byte { return Only(attributes, s.Partition, s.Sort) }

// scalar returns the text in {"S": text}, {"N": text} or {"B": text}. A key's attribute has the same one of these types
// in all items, so the text alone identifies the value.
func scalar(value []byte) (text string, err error) {
	err = ErrSyntax
	_ = Members(value, func(m Member) error {
		text, err = Text(m.Value)
		return nil
	})
	return text, err
}
