package contract

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/ranch-game/ranch/localstack/sam/gateway"
)

// exchanges are the golden files, and what API Gateway answers by itself.
func exchanges(t *testing.T) []Exchange {
	t.Helper()
	all := fromGateway(t)
	for _, g := range goldens(t) {
		all = append(all, g.Exchange)
	}
	return all
}

// fromGateway has a gateway give its own answers, with a function that never does.
func fromGateway(t *testing.T) (all []Exchange) {
	t.Helper()
	ask := func(throttle gateway.Throttle, body string, times int) {
		g, err := gateway.New(gateway.Config{
			Functions: []gateway.FunctionConfig{{LogicalID: "Login", Method: "POST", Path: "/auth/login", Throttle: throttle}},
			Invoke: func(ctx context.Context, _ string, _ []byte) ([]byte, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			},
			IntegrationTimeout: time.Millisecond,
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
	ask(gateway.Throttle{}, strings.Repeat(" ", 10<<20+1), 1)
	ask(gateway.Throttle{Rate: 1e-9, Burst: 1}, "{}", 2)
	statuses := []int{}
	for _, x := range all {
		statuses = append(statuses, x.Status)
	}
	if !slices.Equal(statuses, []int{413, 503, 429}) {
		t.Fatalf("the gateway has answered %v", statuses)
	}
	return all
}

// notices fails unless an exchange is none of the contract once it was changed.
func notices(t *testing.T, c *Contract, x Exchange, what string, change func(*Exchange)) {
	t.Helper()
	changed := x
	changed.Header = x.Header.Clone()
	change(&changed)
	if len(c.Check(changed)) == 0 {
		t.Errorf("%s %s, %d %.300s: not noticed that %s", x.Method, x.Path, x.Status, x.Body, what)
	}
}

// TestEveryFieldIsHeld changes every field of every answer once in every way that its schema has a word for: it is
// missing, null, of another type, out of its range, its pattern or its list, and one is there that ought not to be.
func TestEveryFieldIsHeld(t *testing.T) {
	t.Parallel()
	c, all, known := load(t), exchanges(t), samples{}
	for _, x := range all {
		known.collect(c.bodySchema(t, x), mustDecode(t, x.Body))
	}
	changes := 0
	for _, x := range all {
		w := &walker{root: mustDecode(t, x.Body), samples: known, closed: true}
		w.visit = func(what string, body []byte) {
			changes++
			notices(t, c, x, "the body"+what, func(x *Exchange) { x.Body = body })
		}
		w.walk(c.bodySchema(t, x), w.root, "", func(to any) { w.root = to })
	}
	t.Logf("%d changes", changes)
	for _, place := range c.unseen(known) {
		t.Errorf("no golden file has %s", place)
	}
}

func (c *Contract) bodySchema(t *testing.T, x Exchange) *jsonschema.Schema {
	t.Helper()
	o, _, found := c.match(x.Method, x.Path)
	if !found || o.answers[x.Status] == nil {
		t.Fatalf("the contract has no %s %s answered %d", x.Method, x.Path, x.Status)
	}
	return o.answers[x.Status].body
}

// unseen are the schemas of answers of which there is no sample.
func (c *Contract) unseen(known samples) (places []string) {
	seen := map[string]bool{}
	var look func(s *jsonschema.Schema)
	look = func(s *jsonschema.Schema) {
		if s == nil || seen[s.Location] {
			return
		}
		seen[s.Location] = true
		_, sampled := known[s.Location]
		branches := append(slices.Clone(s.AnyOf), s.OneOf...)
		if !sampled && s.Ref == nil && len(branches) == 0 && s.Types.String() != "[null]" {
			places = append(places, s.Location)
		}
		look(s.Ref)
		look(s.Items2020)
		if more, ok := s.AdditionalProperties.(*jsonschema.Schema); ok {
			look(more)
		}
		for _, branch := range branches {
			look(branch)
		}
		for _, member := range s.Properties {
			look(member)
		}
	}
	for _, o := range c.operations {
		for _, a := range o.answers {
			look(a.body)
		}
	}
	return places
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

// TestEveryRequestIsHeld changes requests that were granted: they are granted no more. And it puts valid bodies in the
// place of refused ones: they are refused no more.
func TestEveryRequestIsHeld(t *testing.T) {
	t.Parallel()
	c := load(t)
	for _, g := range goldens(t) {
		x := g.Exchange
		o, id, _ := c.match(x.Method, x.Path)
		withBody := func(what string, body []byte) {
			notices(t, c, x, "the request's body "+what, func(x *Exchange) { x.RequestBody = body })
		}
		if code := codeOf(x.Body); refusesBodies(code) {
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
		w := &walker{root: mustDecode(t, x.RequestBody), visit: func(what string, body []byte) {
			if strings.HasSuffix(what, "has an unknown field") {
				t.Errorf("%s: unknown fields are ignored, and the contract refuses them", o.ID)
			}
			withBody(what, body)
		}}
		w.walk(o.body, w.root, "", func(to any) { w.root = to })
		withBody("is missing", nil)
		withBody("is too large", append(bytes.Repeat([]byte(" "), MaxBodyBytes), x.RequestBody...))
		withBody("is no UTF-8", []byte("\xff"))
		withBody("has something behind it", append(slices.Clone(x.RequestBody), '1'))
	}
}

// refusesBodies reports whether a code says that a body is invalid.
func refusesBodies(code string) bool { return code == "VALIDATION_ERROR" || code == "MISSING_TOKEN" }

func mustDecode(t *testing.T, body []byte) any {
	t.Helper()
	v, err := decode(body)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestRefusalsAreTheExamples puts every refusal that there is in the place of every other one: the contract knows which
// operation gives which, with which message. TestExamples holds that the examples are those of the golden files.
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
