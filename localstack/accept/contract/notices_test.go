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
	"github.com/tidwall/gjson"
	"go.yaml.in/yaml/v3"

	"github.com/ranch-game/ranch/localstack/sam/gateway"
	"github.com/ranch-game/ranch/shared/httpapi"
)

// exchanges are the golden files, API Gateway's own answers, and a function's answer behind closed doors.
func exchanges(t *testing.T) []Exchange {
	t.Helper()
	all := fromGateway(t)
	for _, g := range goldens(t) {
		all = append(all, g.Exchange)
	}
	return all
}

// fromGateway collects a gateway's own answers, with a function that answers only behind closed doors.
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
		if err != nil {
			t.Fatal(err)
		}
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
	if !slices.Equal(statuses, []int{503, 413, 503, 429}) {
		t.Fatalf("the gateway has answered %v", statuses)
	}
	return all
}

// notices fails unless the changed exchange violates the contract.
func notices(t *testing.T, c *Contract, x Exchange, what string, change func(*Exchange)) {
	t.Helper()
	changed := x
	changed.Header = x.Header.Clone()
	change(&changed)
	if len(c.Check(changed)) == 0 {
		t.Errorf("%s %s, %d %.300s: not noticed that %s", x.Method, x.Path, x.Status, x.Body, what)
	}
}

// TestEveryFieldIsHeld checks that the schemas of answers leave nothing open, so that any change or omission of a field
// is noticed. Some golden file has each field. A field is always present, and has one type or null. Objects have no
// other fields. Texts have a pattern, a list of values or a length, and numbers a size and a minimum.
func TestEveryFieldIsHeld(t *testing.T) {
	t.Parallel()
	c, sampled := load(t), map[string]bool{}
	for _, x := range exchanges(t) {
		o, _ := c.Operation(x.Method, x.Path)
		var body any
		if err := json.Unmarshal(x.Body, &body); err != nil {
			t.Fatal(err)
		}
		collect(sampled, o.answers[x.Status].body, body)
		notices(t, c, x, "the body is another value", func(x *Exchange) { x.Body = []byte("null") })
		object, _ := body.(map[string]any)
		for name := range object {
			twice := fmt.Appendf(nil, "{%q:%s,%s", name, gjson.GetBytes(x.Body, name).Raw, bytes.TrimSpace(x.Body)[1:])
			notices(t, c, x, name+" is there twice", func(x *Exchange) { x.Body = twice })
			unknown := bytes.Replace(twice, []byte(name), []byte("unknown"), 1)
			notices(t, c, x, "the body has an unknown field", func(x *Exchange) { x.Body = unknown })
			less := maps.Clone(object)
			delete(less, name)
			if err := o.answers[x.Status].body.Validate(less); err == nil {
				t.Errorf("%s, %d %.300s: the schema does not notice that %s is missing", o.ID, x.Status, x.Body, name)
			}
		}
	}
	seen := map[string]bool{}
	for _, o := range c.operations {
		for status, a := range o.answers {
			for _, s := range within(a.body, seen) {
				if problem := open(s, status < 400); problem != "" {
					t.Errorf("%s: %s", s.Location, problem)
				}
				if s.Types.String() != "[null]" && !sampled[s.Location] {
					t.Errorf("no golden file has %s", s.Location)
				}
			}
		}
	}
}

// collect notes the schemas of a value's parts.
func collect(sampled map[string]bool, s *jsonschema.Schema, v any) {
	if s = resolve(s, v); v != nil {
		sampled[s.Location] = true
	}
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			of, declared := s.Properties[name]
			if !declared {
				of = s.AdditionalProperties.(*jsonschema.Schema)
			}
			collect(sampled, of, member)
		}
	case []any:
		for _, item := range v {
			collect(sampled, s.Items2020, item)
		}
	}
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

// within returns the schemas inside a schema that were not seen before, without mere references.
func within(s *jsonschema.Schema, seen map[string]bool) (all []*jsonschema.Schema) {
	if s == nil || seen[s.Location] {
		return nil
	}
	seen[s.Location] = true
	parts := slices.Concat([]*jsonschema.Schema{s.Ref, s.Items2020}, s.AnyOf, s.OneOf, slices.Collect(maps.Values(s.Properties)))
	if more, isSchema := s.AdditionalProperties.(*jsonschema.Schema); isSchema {
		parts = append(parts, more)
	}
	if s.Ref == nil && len(s.AnyOf)+len(s.OneOf) == 0 {
		all = append(all, s)
	}
	for _, part := range parts {
		all = append(all, within(part, seen)...)
	}
	return all
}

// open returns what a schema leaves open. The examples have the fields of refusals.
func open(s *jsonschema.Schema, granted bool) string {
	types := slices.DeleteFunc(s.Types.ToStrings(), func(name string) bool { return name == "null" })
	if len(types) > 1 || len(types) == 0 && s.Types.String() != "[null]" {
		return fmt.Sprintf("it is of the types %v", s.Types)
	}
	switch strings.Join(types, "") {
	case "object":
		_, others := s.AdditionalProperties.(*jsonschema.Schema)
		if s.AdditionalProperties != false && (!others || s.MinProperties == nil) {
			return "it may have other fields"
		}
		if granted && s.If == nil && len(s.Required) != len(s.Properties) {
			return "a field may be missing"
		}
	case "array":
		if s.Items2020 == nil {
			return "its items may be anything"
		}
	case "string":
		if s.Pattern == nil && s.Enum == nil && s.MinLength == nil {
			return "a text may be anything"
		}
	case "number", "integer":
		if s.Minimum == nil || types[0] == "integer" && s.Format == nil {
			return "a number may be anything"
		}
	}
	return ""
}

// TestEveryHeaderIsHeld changes every header of every answer once, and its status.
func TestEveryHeaderIsHeld(t *testing.T) {
	t.Parallel()
	c := load(t)
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
	}
}

// TestEveryRequestIsHeld changes successful requests, which must then not succeed. It also replaces refused bodies by
// valid ones, which must then not be refused. rules_test.go compares the valid bodies with the rules.
func TestEveryRequestIsHeld(t *testing.T) {
	t.Parallel()
	c := load(t)
	for _, g := range goldens(t) {
		x := g.Exchange
		o, id, _ := c.match(x.Method, x.Path)
		withBody := func(what string, body []byte) {
			notices(t, c, x, "the request's body "+what, func(x *Exchange) { x.RequestBody = body })
		}
		if code := codeOf(x.Body); code == "VALIDATION_ERROR" || code == "MISSING_TOKEN" {
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
		if err := o.RefusesBody(append([]byte(`{"unknown":1,`), bytes.TrimSpace(x.RequestBody)[1:]...)); err != nil {
			t.Errorf("%s: unknown fields are ignored, and the contract refuses them: %v", o.ID, err)
		}
		withBody("is missing", nil)
		withBody("is empty", []byte("{}"))
		withBody("is too large", append(bytes.Repeat([]byte(" "), MaxBodyBytes), x.RequestBody...))
		withBody("is no UTF-8", []byte("\xff"))
		withBody("has something behind it", append(slices.Clone(x.RequestBody), '1'))
	}
}

// TestRefusalsAreTheExamples replaces every refusal by every other one: the contract knows which operation gives which,
// with which message. TestExamples checks that the examples are those of the golden files.
func TestRefusalsAreTheExamples(t *testing.T) {
	t.Parallel()
	c, all := load(t), slices.DeleteFunc(exchanges(t), func(x Exchange) bool { return x.Status < 400 })
	for _, x := range all {
		o, _ := c.Operation(x.Method, x.Path)
		for _, other := range all {
			text, err := refusal(other.Body)
			if err != nil {
				t.Fatal(err)
			}
			if _, known := o.answers[x.Status].refusals[text]; !known {
				notices(t, c, x, "it refuses by "+text, func(x *Exchange) { x.Body = other.Body })
			}
		}
	}
}

// TestRefusalsHaveTheirMessages checks the messages in the schemas: schemathesis has only those, without the examples.
func TestRefusalsHaveTheirMessages(t *testing.T) {
	t.Parallel()
	c := load(t)
	for _, test := range []struct {
		operation     string
		status        int
		code, message string
	}{
		{"refresh", 401, "INVALID_TOKEN", "Invalid refresh token"},
		{"enterShow", 404, "NOT_FOUND", "Animal not found"},
		{"judgeShow", 404, "NOT_FOUND", "Show not open"},
	} {
		body := c.ByID(test.operation).answers[test.status].body
		if err := body.Validate(map[string]any{"error": test.code, "message": test.message}); err != nil {
			t.Errorf("%s, %d: %v", test.operation, test.status, err)
		}
		if body.Validate(map[string]any{"error": test.code}) == nil {
			t.Errorf("%s, %d: %s passes without its message", test.operation, test.status, test.code)
		}
	}
}

// TestAnswersAreOpen checks that strict.yaml has everything that may change within a version, since generated clients
// refuse an answer that breaks the contract. With a pattern beside a format, older openapi-generators make a Python
// client that cannot be imported.
func TestAnswersAreOpen(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", filepath.FromSlash(FileName)))
	if err != nil {
		t.Fatal(err)
	}
	var document tree
	if err := yaml.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
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
				if node[word] != nil {
					t.Errorf("%s has %s: move it to strict.yaml", at, word)
				}
			}
			if node["additionalProperties"] == false || node["pattern"] != nil && node["format"] != nil {
				t.Errorf("%s is closed, or has a pattern beside a format: move it to strict.yaml", at)
			}
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
