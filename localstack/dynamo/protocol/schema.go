package protocol

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
)

// Key names an item: its table and the values of its partition key and its sort key.
type Key struct{ Table, PK, SK string }

// Schema is what has to be known of a table to read requests for it.
type Schema struct {
	Table     string // its name, also where a request gives its ARN
	ARN       string
	Partition string // the attribute with the partition key
	Sort      string // the attribute with the sort key; "" without one
}

// Schemas knows the tables that have been asked for.
type Schemas struct {
	mu     sync.RWMutex
	tables map[string]*Schema // by what requests call them
}

// Of returns the schema of a table; the first time it asks the engine, with the request's own headers. It returns an
// error for a table that is not there.
func (s *Schemas) Of(name string, r *http.Request, next http.RoundTripper) (*Schema, error) {
	s.mu.RLock()
	known := s.tables[name]
	s.mu.RUnlock()
	if known != nil {
		return known, nil
	}
	found, err := describe(name, r, next)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tables == nil {
		s.tables = map[string]*Schema{}
	}
	s.tables[name] = found
	return found, nil
}

// Forget drops everything: a table has been made or dropped, and may come back with other keys.
func (s *Schemas) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tables = nil
}

func describe(name string, r *http.Request, next http.RoundTripper) (*Schema, error) {
	body, err := json.Marshal(map[string]string{"TableName": name})
	if err != nil {
		return nil, err
	}
	r = WithBody(r, body)
	r.Header = r.Header.Clone()
	service, _, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	r.Header.Set("X-Amz-Target", service+".DescribeTable")
	r.Header.Set("Accept-Encoding", "identity")
	response, err := next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	var described struct {
		Table struct {
			TableName, TableArn string
			KeySchema           []struct{ AttributeName, KeyType string }
		}
	}
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("protocol: describing the table %s: %s", name, response.Status)
	}
	if err := json.NewDecoder(response.Body).Decode(&described); err != nil {
		return nil, fmt.Errorf("protocol: describing the table %s: %w", name, err)
	}
	found := &Schema{Table: described.Table.TableName, ARN: described.Table.TableArn}
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
	return found, nil
}

// Key returns the key that is among an item's attributes.
func (s *Schema) Key(attributes []byte) (Key, error) {
	k := Key{Table: s.Table}
	err := Members(attributes, func(m Member) (err error) {
		switch m.Name {
		case s.Partition:
			k.PK, err = KeyValue(m.Value)
		case s.Sort:
			k.SK, err = KeyValue(m.Value)
		}
		return err
	})
	if err == nil && k.PK == "" {
		err = ErrSyntax
	}
	return k, err
}

// KeyValue returns the text in {"S": text}, {"N": text} or {"B": text}. One attribute of a key has one of these types
// in all items, so that the text alone tells them apart.
func KeyValue(value []byte) (s string, err error) {
	err = Members(value, func(m Member) (err error) {
		s, err = Text(m.Value)
		return err
	})
	return s, err
}

// WithBody returns a copy of the request with another body. Its headers are those of r.
func WithBody(r *http.Request, body []byte) *http.Request {
	r = r.WithContext(r.Context())
	r.ContentLength = int64(len(body))
	r.TransferEncoding = nil
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	r.Body, _ = r.GetBody()
	return r
}
