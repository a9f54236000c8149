package contract

import (
	"bytes"
	"context"
	"fmt"
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

func TestGatewaysOwnAnswers(t *testing.T) {
	t.Parallel()
	c := load(t)
	for _, x := range fromGateway(t) {
		if problems := c.Check(x); len(problems) > 0 {
			t.Errorf("%d %s: %q", x.Status, x.Body, problems)
		}
	}
}

// notices fails unless a changed exchange is no exchange of the contract.
func notices(t *testing.T, c *Contract, was, changed Exchange, what string) {
	t.Helper()
	if len(c.Check(changed)) == 0 {
		t.Errorf("%s %s, %d %.300s: not noticed that %s", was.Method, was.Path, was.Status, was.Body, what)
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
			changed := x
			changed.Body = body
			notices(t, c, x, changed, "the body"+what)
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
			changed := x
			changed.Header = x.Header.Clone()
			changed.Header.Set(name, value)
			if value == "" {
				changed.Header.Del(name)
			}
			notices(t, c, x, changed, what)
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
			if status == x.Status {
				continue
			}
			changed := x
			changed.Status = status
			notices(t, c, x, changed, "the status is "+http.StatusText(status))
		}
	}
}

// TestEveryRequestIsHeld changes requests that were granted: they are granted no more.
func TestEveryRequestIsHeld(t *testing.T) {
	t.Parallel()
	c := load(t)
	for _, g := range goldens(t) {
		x := g.Exchange
		o, id, _ := c.match(x.Method, x.Path)
		if x.Status >= 300 {
			continue
		}
		if o.Protected {
			changed := x
			changed.RequestHeader = http.Header{}
			notices(t, c, x, changed, "there is no token")
		}
		if id != "" {
			changed := x
			changed.Path = strings.Replace(x.Path, id, "county-fair", 1)
			notices(t, c, x, changed, "the id is none")
		}
		if !o.needsBody {
			continue
		}
		w := &walker{root: mustDecode(t, x.RequestBody)}
		w.visit = func(what string, body []byte) {
			changed := x
			changed.RequestBody = body
			if strings.HasSuffix(what, "has an unknown field") {
				t.Errorf("%s: unknown fields are ignored, and the contract refuses them", o.ID)
			}
			notices(t, c, x, changed, "the request's body"+what)
		}
		w.walk(o.body, w.root, "", func(to any) { w.root = to })
		for what, body := range map[string][]byte{
			"is missing": nil, "is too large": append(bytes.Repeat([]byte(" "), MaxBodyBytes), x.RequestBody...), "is no UTF-8": []byte("\xff"),
			"has something behind it": append(slices.Clone(x.RequestBody), '1'),
		} {
			changed := x
			changed.RequestBody = body
			notices(t, c, x, changed, "the request's body "+what)
		}
	}
}

// TestValidBodyIsNeverInvalid: what a valid request is answered is no refusal of its body.
func TestValidBodyIsNeverInvalid(t *testing.T) {
	t.Parallel()
	c, checked := load(t), 0
	for _, g := range goldens(t) {
		o, _ := c.Operation(g.Method, g.Path)
		if code := codeOf(g.Body); code != "VALIDATION_ERROR" && code != "MISSING_TOKEN" {
			continue
		}
		for _, valid := range o.requests(goldens(t)) {
			changed := g.Exchange
			changed.RequestBody = valid.body
			notices(t, c, g.Exchange, changed, "the request's body is that of "+valid.name)
			checked++
		}
	}
	if checked < 4 {
		t.Errorf("%d exchanges: not every operation that refuses bodies was there", checked)
	}
}

func mustDecode(t *testing.T, body []byte) any {
	t.Helper()
	v, err := decode(body)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestRefusalsAreTheExamples puts every refusal that there is in the place of every other one: the contract knows which
// operation gives which, with which message.
func TestRefusalsAreTheExamples(t *testing.T) {
	t.Parallel()
	c, all := load(t), slices.DeleteFunc(exchanges(t), func(x Exchange) bool { return x.Status < 400 })
	given := func(x Exchange) string {
		o, _ := c.Operation(x.Method, x.Path)
		text, err := refusal(x.Body)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("%s, %d: %s", o.ID, x.Status, text)
	}
	real := map[string]bool{}
	for _, x := range all {
		real[given(x)] = true
	}
	for _, x := range all {
		for _, other := range all {
			changed := x
			changed.Body = other.Body
			if real[given(changed)] != (len(c.Check(changed)) == 0) && codeOf(changed.Body) != "VALIDATION_ERROR" && codeOf(changed.Body) != "MISSING_TOKEN" {
				t.Errorf("%s with %s: %q", given(x), changed.Body, c.Check(changed))
			}
		}
	}
}
