// Package iam stands between the functions and the engine and lets through what a function's role in template.yaml
// allows, as IAM does in the cloud. No local engine looks at permissions: without it, a function that lacks one would
// fail only after it was deployed. It goes by allowed actions; the statements' resources, the one table and the one
// secret, are a test of localstack/samtemplate.
package iam

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/ranch-game/ranch/localstack/samtemplate"
)

// maxRequest is more than DynamoDB takes: a batch of 16 MB.
const maxRequest = 32 << 20

// Proxy passes requests to the engine. It knows a function by the first segment of the path, its logical id: the
// function's endpoint is the proxy's address with that behind it.
type Proxy struct {
	allowed map[string][]string // actions by logical id
	denied  func(function, action string)
	engine  http.Handler
}

// New returns a proxy to the engine. denied is called for each action that a function may not do.
func New(functions []samtemplate.Function, engine http.Handler, denied func(function, action string)) *Proxy {
	p := &Proxy{allowed: map[string][]string{}, denied: denied, engine: engine}
	for _, f := range functions {
		for _, s := range f.Statements {
			if s.Effect == "Allow" {
				p.allowed[f.LogicalID] = append(p.allowed[f.LogicalID], s.Actions...)
			}
		}
	}
	return p
}

// ServeHTTP answers as DynamoDB does for a role without the permission, or passes the request on.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	function, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	actions, err := actionsOf(r.Header.Get("X-Amz-Target"), body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	for _, action := range actions {
		if !slices.Contains(p.allowed[function], action) {
			p.denied(function, action)
			deny(w, function, action)
			return
		}
	}
	r.URL.Path, r.URL.RawPath = "/"+path, ""
	r.Body = io.NopCloser(bytes.NewReader(body))
	p.engine.ServeHTTP(w, r)
}

func deny(w http.ResponseWriter, function, action string) {
	w.Header().Set("Content-Type", "application/x-amz-json-1.0")
	w.WriteHeader(http.StatusBadRequest)
	_ = json.NewEncoder(w).Encode(map[string]string{
		"__type":  "com.amazon.coral.service#AccessDeniedException",
		"message": fmt.Sprintf("The role of %s is not authorized to perform: %s", function, action),
	})
}

// actionsOf returns the permissions that a request needs (Service Authorization Reference, "Actions defined by Amazon
// DynamoDB": a transaction needs those of its operations). Of transactions, only writing ones are known: there are no
// others here.
func actionsOf(target string, body []byte) ([]string, error) {
	service, operation, ok := strings.Cut(target, ".")
	if !ok {
		return nil, fmt.Errorf("%q is no operation", target)
	}
	prefix := "dynamodb:"
	if service == "secretsmanager" {
		prefix = "secretsmanager:"
	}
	if operation != "TransactWriteItems" {
		return []string{prefix + operation}, nil
	}
	var transaction struct {
		TransactItems []map[string]json.RawMessage
	}
	if err := json.Unmarshal(body, &transaction); err != nil {
		return nil, err
	}
	needed := map[string]string{"Put": "PutItem", "Update": "UpdateItem", "Delete": "DeleteItem", "ConditionCheck": "ConditionCheckItem"}
	var actions []string
	for _, item := range transaction.TransactItems {
		for kind := range item {
			actions = append(actions, prefix+needed[kind])
		}
	}
	slices.Sort(actions)
	return slices.Compact(actions), nil
}
