// Package iam stands between clients and DynamoDB or Secrets Manager. As IAM does in the cloud, it allows only the
// requests that the client's role allows, by action and partition key. Local engines do not check permissions: without
// this package, a function without a right would fail only after its deployment. It ignores the statements' resources.
package iam

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/ranch-game/ranch/localstack/kit/loopback"
)

// Proxy returns a handler that passes the roles' requests to the engine with that transport. The first segment of the
// path is the role's name: a function's endpoint is the proxy's address followed by its logical id. For each refused
// request it calls denied with the missing right.
func Proxy(roles []*Role, transport http.RoundTripper, engine *url.URL, denied func(name, permission string)) http.Handler {
	mux := http.NewServeMux()
	for _, r := range roles {
		forward := http.StripPrefix("/"+r.Name, loopback.ForwardBy(guarded{r, transport, denied}, engine))
		mux.Handle("/"+r.Name, forward)
		mux.Handle("/"+r.Name+"/", forward)
	}
	return mux
}

// Transport returns a RoundTripper that passes only what the role allows, for a client in this process.
func (r *Role) Transport(next http.RoundTripper) http.RoundTripper {
	return guarded{r, next, func(string, string) {}}
}

type guarded struct {
	role   *Role
	next   http.RoundTripper
	denied func(name, permission string)
}

// RoundTrip passes the request on, or answers as DynamoDB does if the role lacks the permission.
func (g guarded) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
		r.Body.Close()
	}
	lacks, err := g.role.lacks(r.Header.Get("X-Amz-Target"), body)
	if err != nil {
		return nil, fmt.Errorf("the role of %s: %w", g.role.Name, err)
	}
	if lacks != "" {
		g.denied(g.role.Name, lacks)
		text, _ := json.Marshal(map[string]string{ // texts can always be encoded
			"__type":  "com.amazon.coral.service#AccessDeniedException",
			"message": "The role of " + g.role.Name + " is not authorized to perform: " + lacks,
		})
		return &http.Response{
			StatusCode: http.StatusBadRequest, Status: "400 Bad Request", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
			Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}}, ContentLength: int64(len(text)), Body: io.NopCloser(bytes.NewReader(text)),
		}, nil
	}
	r = r.Clone(r.Context())
	r.Body = io.NopCloser(bytes.NewReader(body))
	return g.next.RoundTrip(r)
}
