// Package iam stands between clients and DynamoDB or Secrets Manager and lets through what the client's role allows, as
// IAM does in the cloud: which actions, on records of which partition keys. No local engine looks at permissions:
// without it, a function that lacks one would fail only after it was deployed. It does not look at the statements'
// resources.
package iam

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
)

// maxRequest is more than DynamoDB takes: a batch of 16 MB.
const maxRequest = 32 << 20

// Proxy passes requests to the engine. It knows who asks by the first segment of the path, the role's name: a
// function's endpoint is the proxy's address with its logical id behind it.
type Proxy struct {
	roles  map[string]*Role // by name
	denied func(name, permission string)
	engine http.Handler
}

// New returns a proxy to the engine. denied is called for each request that somebody may not make, with what they lack.
func New(roles []*Role, engine http.Handler, denied func(name, permission string)) *Proxy {
	p := &Proxy{roles: map[string]*Role{}, denied: denied, engine: engine}
	for _, r := range roles {
		p.roles[r.Name] = r
	}
	return p
}

// ServeHTTP answers as DynamoDB does for a role without the permission, or passes the request on.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	role := p.roles[name]
	if role == nil {
		role = NewRole(name, nil)
	}
	lacks, err := role.lacks(r.Header.Get("X-Amz-Target"), body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if lacks != "" {
		p.denied(name, lacks)
		w.Header().Set("Content-Type", denialType)
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write(denial(name, lacks))
		return
	}
	r.URL.Path, r.URL.RawPath = "/"+path, ""
	r.Body = io.NopCloser(bytes.NewReader(body))
	p.engine.ServeHTTP(w, r)
}

const denialType = "application/x-amz-json-1.0"

// denial is the body of DynamoDB's answer.
func denial(name, permission string) []byte {
	body, _ := json.Marshal(map[string]string{ // texts always are JSON
		"__type":  "com.amazon.coral.service#AccessDeniedException",
		"message": "The role of " + name + " is not authorized to perform: " + permission,
	})
	return body
}
