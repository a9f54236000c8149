package contract

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// document is an OpenAPI document in JSON, with the compiler of its JSON schemas.
type document struct {
	Paths      map[string]map[string]json.RawMessage // by path, and by method or "parameters"
	Components struct {
		Responses map[string]response
		Headers   map[string]struct {
			Required bool
			OfAll    bool `json:"x-of-all-answers"` // true for a header of every function's answer
		}
	}

	compiler *jsonschema.Compiler
	broken   error // why parts of the document do not compile
}

type operation struct {
	OperationID, Summary string
	Security             *[]any // an empty list: public
	RequestBody          struct{ Content content }
	Responses            map[string]response // by status
}

type response struct {
	Ref     string `json:"$ref"`
	Headers map[string]any
	Content content
}

type content struct {
	JSON *struct {
		Examples map[string]struct{ Value json.RawMessage }
	} `json:"application/json"`
}

// mediaType is the media type of all bodies.
const mediaType = "application/json"

func newDocument(text []byte) (*document, error) {
	root, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	d := &document{compiler: jsonschema.NewCompiler()}
	d.compiler.AssertFormat()
	// The contract's patterns decide on e-mail addresses, because the library's own rule differs from them.
	d.compiler.RegisterFormat(&jsonschema.Format{Name: "email", Validate: func(any) error { return nil }})
	return d, errors.Join(json.Unmarshal(text, d), d.compiler.AddResource("", root))
}

// schema compiles the schema of the part of the document at a place. place has the names of the members on the way.
func (d *document) schema(place ...string) *jsonschema.Schema {
	pointer := "#"
	for _, name := range append(place, "schema") {
		pointer += "/" + strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D").Replace(name)
	}
	s, err := d.compiler.Compile(pointer)
	d.broken = errors.Join(d.broken, err)
	return s
}

func (d *document) operation(path, method string, written operation) *Operation {
	o := &Operation{
		ID: written.OperationID, Summary: written.Summary, Method: strings.ToUpper(method), Path: path,
		Protected: written.Security == nil || len(*written.Security) > 0,
		segments:  strings.Split(path, "/"), answers: map[int]*answer{},
	}
	if body := written.RequestBody.Content.JSON; body != nil {
		o.body = d.schema("paths", path, method, "requestBody", "content", mediaType)
		for _, name := range slices.Sorted(maps.Keys(body.Examples))[:min(1, len(body.Examples))] {
			o.Body = body.Examples[name].Value
		}
	}
	for name, r := range written.Responses {
		place := []string{"paths", path, method, "responses", name}
		if r.Ref != "" {
			place = []string{"components", "responses", nameOf(r.Ref)}
			r = d.Components.Responses[nameOf(r.Ref)]
		}
		status, err := strconv.Atoi(name)
		d.broken = errors.Join(d.broken, err)
		o.answers[status] = d.answer(status, r, place)
	}
	return o
}

func (d *document) answer(status int, r response, place []string) *answer {
	a := &answer{headers: map[string]header{}, body: d.schema(append(place, "content", mediaType)...)}
	_, gateways := r.Headers["Apigw-Requestid"]
	_, either := r.Headers["Retry-After"] // the answer comes from a function, or from API Gateway with fewer headers
	for name, component := range d.Components.Headers {
		if _, listed := r.Headers[name]; listed || component.OfAll && (!gateways || either) {
			required := component.Required && (!either || name == "Apigw-Requestid")
			a.headers[http.CanonicalHeaderKey(name)] = header{required, d.schema("components", "headers", name)}
		}
	}
	if status < http.StatusBadRequest {
		return a
	}
	a.refusals = map[string]string{}
	if r.Content.JSON != nil {
		for name, example := range r.Content.JSON.Examples {
			code, text, err := refusal(example.Value)
			if err != nil {
				d.broken = errors.Join(d.broken, fmt.Errorf("the example %s: %w", name, err))
			}
			a.refusals[text] = code
		}
	}
	return a
}

var digits = regexp.MustCompile(`[0-9]+`)

// refusal returns an error response's code, and a text that identifies the response by its code and message. In the
// text, all numbers become 0.
func refusal(body []byte) (code, text string, err error) {
	var fields struct{ Error, Message string }
	err = json.Unmarshal(body, &fields)
	return fields.Error, fmt.Sprintf("the code %q with the message %q", fields.Error, digits.ReplaceAllString(fields.Message, "0")), err
}
