// Package iam checks requests to DynamoDB or Secrets Manager as IAM does in the cloud. It lets a request pass if the
// client's role allows the action on the request's partition keys. It ignores the resources in a role's statements.
// Local engines check no permissions: without this package, a missing right would show only after a deployment.
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

// Proxy returns a handler that passes requests to the engine through transport if the client's role allows them. The
// first segment of the path is the role's name, such as a function's logical id. For each refused request, Proxy calls
// denied with the role's name and the missing right. A path without a known role gets a 404.
func Proxy(roles []*Role, transport http.RoundTripper, engine *url.URL, denied func(name, permission string)) http.Handler {
	mux := http.NewServeMux()
	for _, r := range roles {
		forward := http.StripPrefix("/"+r.Name, loopback.ForwardBy(guarded{r, transport, denied}, engine))
		mux.Handle("/"+r.Name, forward)
		mux.Handle("/"+r.Name+"/", forward)
	}
	return mux
}

// Transport returns a RoundTripper for a client in this process. It passes the requests that the role allows to next.
func (r *Role) Transport(next http.RoundTripper) http.RoundTripper {
	return guarded{r, next, func(string, string) {}}
}

type guarded struct {
	role   *Role
	next   http.RoundTripper
	denied func(name, permission string)
}

// RoundTrip passes a request on. If the role lacks a permission, it returns DynamoDB's AccessDeniedException instead.
// If the request is none of DynamoDB or Secrets Manager, it returns an error.
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
