package limits

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
)

// schema is what has to be known of a table to read requests for it.
type schema struct {
	table     string // its name, also where a request gives its ARN
	arn       string
	partition string // the attribute with the partition key
	sort      string // the attribute with the sort key; "" without one
}

// schemas knows the tables that have been asked for.
type schemas struct {
	mu     sync.RWMutex
	tables map[string]*schema // by what requests call them
}

// of returns the schema of a table; the first time it asks the engine, with the request's own headers. It returns an
// error for a table that is not there.
func (s *schemas) of(name string, r *http.Request, next http.RoundTripper) (*schema, error) {
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
	s.tables[name] = found
	return found, nil
}

// forget drops everything: a table has been made or dropped, and may come back with other keys.
func (s *schemas) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tables = map[string]*schema{}
}

func describe(name string, r *http.Request, next http.RoundTripper) (*schema, error) {
	body, err := json.Marshal(map[string]string{"TableName": name})
	if err != nil {
		return nil, err
	}
	r = withBody(r, body)
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
		return nil, fmt.Errorf("limits: describing the table %s: %s", name, response.Status)
	}
	if err := json.NewDecoder(response.Body).Decode(&described); err != nil {
		return nil, fmt.Errorf("limits: describing the table %s: %w", name, err)
	}
	found := &schema{table: described.Table.TableName, arn: described.Table.TableArn}
	for _, k := range described.Table.KeySchema {
		if k.KeyType == "HASH" {
			found.partition = k.AttributeName
		} else {
			found.sort = k.AttributeName
		}
	}
	if found.table == "" || found.partition == "" {
		return nil, fmt.Errorf("limits: describing the table %s: no key", name)
	}
	return found, nil
}

// key returns the key that is among an item's attributes.
func (s *schema) key(attributes []byte) (key, error) {
	k := key{table: s.table}
	err := members(attributes, func(m member) (err error) {
		switch m.name {
		case s.partition:
			k.partition, err = keyValue(m.value)
		case s.sort:
			k.sort, err = keyValue(m.value)
		}
		return err
	})
	if err == nil && k.partition == "" {
		err = errSyntax
	}
	return k, err
}

// keyValue returns the text in {"S": text}, {"N": text} or {"B": text}. One attribute of a key has one of these types
// in all items, so that the text alone tells them apart.
func keyValue(value []byte) (s string, err error) {
	err = members(value, func(m member) (err error) {
		s, err = text(m.value)
		return err
	})
	return s, err
}

// withBody returns a copy of the request with another body. Its headers are those of r.
func withBody(r *http.Request, body []byte) *http.Request {
	r = r.WithContext(r.Context())
	r.ContentLength = int64(len(body))
	r.TransferEncoding = nil
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	r.Body, _ = r.GetBody()
	return r
}
