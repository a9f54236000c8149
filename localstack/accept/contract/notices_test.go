package contract

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
	"go.yaml.in/yaml/v3"

	"github.com/ranch-game/ranch/localstack/sam/gateway"
	"github.com/ranch-game/ranch/shared/httpapi"
)

// exchanges returns all golden files, and the responses of fromGateway.
func exchanges(t *testing.T) []Exchange {
	t.Helper()
	all := fromGateway(t)
	for _, g := range goldens(t) {
		all = append(all, g.Exchange)
	}
	return all
}

// fromGateway returns API Gateway's own responses, and the response of a function while the service is closed.
func fromGateway(t *testing.T) (all []Exchange) {
	t.Helper()
	ask := func(throttle gateway.Throttle, doors, body string, times int) {
		g, err := gateway.New(gateway.Config{
			Functions:      []gateway.FunctionConfig{{LogicalID: "Login", Method: "POST", Path: "/auth/login", Throttle: throttle}},
			StageVariables: map[string]string{"doors": doors},
			Invoke: func(ctx context.Context, _ string, event []byte) ([]byte, error) {
				if doors == "closed" {
					return lambda.NewHandler(httpapi.Public("closed", nil, httpapi.Response{}).Invoke).Invoke(ctx, event)
				}
				<-ctx.Done()
				return nil, ctx.Err()
			},
			IntegrationTimeout: map[bool]time.Duration{true: time.Minute, false: time.Millisecond}[doors == "closed"],
		})
		require.NoError(t, err)
		for range times {
			r := httptest.NewRequest("POST", "/auth/login", strings.NewReader(body))
			w := httptest.NewRecorder()
			g.ServeHTTP(w, r)
			all = append(all, Exchange{
				Method: r.Method, Path: r.URL.Path, RequestHeader: r.Header, RequestBody: []byte(body), Status: w.Code, Header: w.Header(), Body: w.Body.Bytes(),
			})
		}
	}
	ask(gateway.Throttle{}, "closed", "{}", 1)
	ask(gateway.Throttle{}, "open", strings.Repeat(" ", 10<<20+1), 1)
	ask(gateway.Throttle{Rate: 1e-9, Burst: 1}, "open", "{}", 2)
	statuses := []int{}
	for _, x := range all {
		statuses = append(statuses, x.Status)
	}
	require.True(t, slices.Equal(statuses, []int{503, 413, 503, 429}), "the gateway has answered %v", statuses)
	return all
}

// notices fails unless the changed exchange violates the contract.
func notices(t *testing.T, c *Contract, x Exchange, what string, change func(*Exchange)) {
	t.Helper()
	changed := x
	changed.Header = x.Header.Clone()
	change(&changed)
	assert.True(t, len(c.Check(changed)) != 0, "%s %s, %d %.300s: not noticed that %s", x.Method, x.Path, x.Status, x.Body, what)
}

// TestEveryFieldIsHeld makes one change at a time in every body. The contract must notice each change: a missing, an
// unknown or a repeated field, a value of another type, an empty text, a negative or a too large number.
func TestEveryFieldIsHeld(t *testing.T) {
	t.Parallel()
	c := load(t)
	for _, x := range exchanges(t) {
		body, err := decode(x.Body)
		require.NoError(t, err)
		for _, other := range spoiled(body) {
			text, err := json.Marshal(other)
			require.NoError(t, err)
			notices(t, c, x, "the body is "+string(text), func(x *Exchange) { x.Body = text })
		}
		object, _ := body.(map[string]any)
		for name := range object {
			twice := fmt.Appendf(nil, "{%q:%s,%s", name, gjson.GetBytes(x.Body, name).Raw, bytes.TrimSpace(x.Body)[1:])
			notices(t, c, x, name+" is there twice", func(x *Exchange) { x.Body = twice })
		}
	}
}

// spoiled returns copies of a JSON value, each with one change.
func spoiled(v any) (all []any) {
	switch v := v.(type) {
	case map[string]any:
		with := func(name string, value any) {
			changed := maps.Clone(v)
			changed[name] = value
			all = append(all, changed)
		}
		for name, member := range v {
			for _, other := range spoiled(member) {
				// The details of a refusal may have fewer or more fields, but at least one.
				if of, fields := other.(map[string]any); name != "details" || !fields || len(of) == 0 || len(of) == len(member.(map[string]any)) {
					with(name, other)
				}
			}
			less := maps.Clone(v)
			delete(less, name)
			all = append(all, less)
		}
		with("unknown", 1)
		return append(all, []any{})
	case []any:
		for i, item := range v {
			for _, other := range spoiled(item) {
				changed := slices.Clone(v)
				changed[i] = other
				all = append(all, changed)
			}
		}
		return append(all, map[string]any{})
	case json.Number:
		return []any{-1, "7", json.Number("99999999999999999999")}
	case string:
		return []any{"", 7}
	}
	return []any{[]any{"x"}} // instead of a boolean or null
}

// resolve follows references, and selects the alternative that the value fits.
func resolve(s *jsonschema.Schema, v any) *jsonschema.Schema {
	for {
		alternatives := append(slices.Clone(s.AnyOf), s.OneOf...)
		switch i := slices.IndexFunc(alternatives, func(a *jsonschema.Schema) bool { return a.Validate(v) == nil }); {
		case s.Ref != nil:
			s = s.Ref
		case i >= 0:
			s = alternatives[i]
		default:
			return s
		}
	}
}

// TestEveryHeaderIsHeld changes each header and the status of every response. The contract must notice each change. It
// must also notice a challenge that does not fit the credentials of the request.
func TestEveryHeaderIsHeld(t *testing.T) {
	t.Parallel()
	c, challenges := load(t), map[string]bool{}
	for _, x := range exchanges(t) {
		with := func(name, value, what string) {
			notices(t, c, x, what, func(x *Exchange) {
				if x.Header.Set(name, value); value == "" {
					x.Header.Del(name)
				}
			})
		}
		with("X-Powered-By", "rubber bands", "there is a header that is not documented")
		with("Content-Type", "", "there is no content type")
		with("Content-Type", "application/json; charset=latin1", "the content type is another")
		o, _ := c.Operation(x.Method, x.Path)
		for name, want := range o.answers[x.Status].headers {
			with(name, x.Header.Get(name)+"?", name+" is another")
			if want.required {
				with(name, "", name+" is missing")
			}
		}
		for status := 200; status < 600; status++ {
			if status != x.Status {
				notices(t, c, x, "the status is "+http.StatusText(status), func(x *Exchange) { x.Status = status })
			}
		}
		challenge := x.Header.Get("WWW-Authenticate")
		if challenge == "" {
			continue
		}
		challenges[challenge] = true
		other, request := bareChallenge, http.Header{}
		if challenge == bareChallenge {
			other, request = invalidChallenge, http.Header{"authorization": {" bearer  x "}}
		}
		with("WWW-Authenticate", other, "the challenge is the other one")
		notices(t, c, x, "there is a token, or is none any more", func(x *Exchange) { x.RequestHeader = request })
	}
	assert.Len(t, challenges, 2, "the challenges are %v", challenges)
}

// TestEveryRequestIsHeld makes requests invalid that have succeeded, and replaces refused bodies by valid bodies. The
// contract must notice that the response does not fit the changed request.
func TestEveryRequestIsHeld(t *testing.T) {
	t.Parallel()
	c := load(t)
	for _, g := range goldens(t) {
		x := g.Exchange
		o, id, _ := c.match(x.Method, x.Path)
		withBody := func(what string, body []byte) {
			notices(t, c, x, "the request's body "+what, func(x *Exchange) { x.RequestBody = body })
		}
		if code, _, _ := refusal(x.Body); code == "VALIDATION_ERROR" || code == "MISSING_TOKEN" {
			for _, valid := range o.requests(goldens(t)) {
				withBody("is that of "+valid.name, valid.body)
			}
		}
		if x.Status >= 300 {
			continue
		}
		if o.Protected {
			notices(t, c, x, "there is no token", func(x *Exchange) { x.RequestHeader = http.Header{} })
		}
		if id != "" {
			notices(t, c, x, "the id is none", func(x *Exchange) { x.Path = strings.Replace(x.Path, id, "county-fair", 1) })
		}
		if !o.needsBody {
			continue
		}
		err := o.RefusesBody(append([]byte(`{"unknown":1,`), bytes.TrimSpace(x.RequestBody)[1:]...))
		assert.NoError(t, err, "%s: unknown fields are ignored, and the contract refuses them", o.ID)
		withBody("is missing", nil)
		withBody("is empty", []byte("{}"))
		withBody("is too large", append(bytes.Repeat([]byte(" "), MaxBodyBytes), x.RequestBody...))
		withBody("is no UTF-8", []byte("\xff"))
		withBody("has something behind it", append(slices.Clone(x.RequestBody), '1'))
	}
}

// TestRefusalsAreTheExamples replaces the body of every error response by every other error. The contract must notice
// each body that is no example of the operation and status.
func TestRefusalsAreTheExamples(t *testing.T) {
	t.Parallel()
	c, all := load(t), slices.DeleteFunc(exchanges(t), func(x Exchange) bool { return x.Status < 400 })
	for _, x := range all {
		o, _ := c.Operation(x.Method, x.Path)
		for _, other := range all {
			_, text, err := refusal(other.Body)
			require.NoError(t, err)
			if _, known := o.answers[x.Status].refusals[text]; !known {
				notices(t, c, x, "it refuses by "+text, func(x *Exchange) { x.Body = other.Body })
			}
		}
	}
}

// TestAnswersAreOpen checks that limits that may change within a version are only in strict.yaml, not in the contract.
// Generated clients refuse a response that breaks the contract. It also checks that no schema has both a pattern and a
// format. From such a schema, older versions of openapi-generator make a Python client that cannot be imported.
func TestAnswersAreOpen(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", filepath.FromSlash(FileName)))
	require.NoError(t, err)
	var document tree
	require.NoError(t, yaml.Unmarshal(text, &document))
	requests := []string{"Registration", "Credentials", "RefreshRequest", "LogoutRequest", "EntryRequest", "Email"}
	var walk func(at string, node any, closes ...string)
	walk = func(at string, node any, closes ...string) {
		switch node := node.(type) {
		case []any:
			for i, part := range node {
				walk(fmt.Sprint(at, "/", i), part, closes...)
			}
		case tree:
			for _, word := range closes {
				assert.True(t, node[word] == nil, "%s has %s: move it to strict.yaml", at, word)
			}
			assert.True(t, node["additionalProperties"] != false && (node["pattern"] == nil || node["format"] == nil),
				"%s is closed, or has a pattern beside a format: move it to strict.yaml", at)
			for name, part := range node {
				walk(at+"/"+name, part, closes...)
			}
		}
	}
	for name, schema := range document["components"].(tree)["schemas"].(tree) {
		if slices.Contains(requests, name) {
			walk(name, schema)
		} else {
			walk(name, schema, "enum", "const", "pattern", "maxLength", "maxItems")
		}
	}
	walk("paths", document["paths"])
}
