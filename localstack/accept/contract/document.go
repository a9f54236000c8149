package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// document is the part of the OpenAPI document that is not a JSON schema.
type document struct {
	Paths      map[string]pathItem `json:"paths"`
	Components struct {
		Responses map[string]response    `json:"responses"`
		Headers   map[string]headerEntry `json:"headers"`
	} `json:"components"`

	compiler *jsonschema.Compiler
}

type pathItem struct {
	Parameters []struct {
		Ref string `json:"$ref"`
	} `json:"parameters"`
	Get  *operation `json:"get"`
	Post *operation `json:"post"`
}

type operation struct {
	OperationID string `json:"operationId"`
	Summary     string `json:"summary"`
	Security    *[]any `json:"security"` // an empty list: public
	Parameters  []any  `json:"parameters"`
	RequestBody *struct {
		Content map[string]content `json:"content"`
	} `json:"requestBody"`
	Responses map[string]response `json:"responses"`
}

type response struct {
	Ref     string                 `json:"$ref"`
	Headers map[string]headerEntry `json:"headers"`
	Content map[string]content     `json:"content"`
}

type headerEntry struct {
	Ref      string `json:"$ref"`
	Required bool   `json:"required"`
	Always   bool   `json:"x-of-all-answers"` // a header of every response of a function
}

type content struct {
	Examples map[string]struct {
		Value json.RawMessage `json:"value"`
	} `json:"examples"`
}

// mediaType is the media type of all bodies.
const mediaType = "application/json"

func newDocument(text []byte) (*document, error) {
	d := &document{compiler: jsonschema.NewCompiler()}
	if err := json.Unmarshal(text, d); err != nil {
		return nil, err
	}
	tree, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	d.compiler.AssertFormat()
	for _, f := range formats {
		d.compiler.RegisterFormat(f)
	}
	return d, d.compiler.AddResource("", tree)
}

// schema compiles the schema of a part of the document. place has the names of the members on the way to this part.
func (d *document) schema(place ...string) (*jsonschema.Schema, error) {
	pointer := ""
	for _, name := range append(place, "schema") {
		pointer += "/" + strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D").Replace(name)
	}
	return d.compiler.Compile("#" + pointer)
}

func (d *document) operation(method, path string, item pathItem, written *operation) (*Operation, error) {
	o := &Operation{
		ID: written.OperationID, Summary: written.Summary, Method: method, Path: path, segments: strings.Split(path, "/"),
		answers: map[int]*answer{}, Plain: method == http.MethodGet && len(item.Parameters)+len(written.Parameters) == 0,
		Protected: written.Security == nil || len(*written.Security) > 0,
	}
	place := []string{"paths", path, strings.ToLower(method)}
	var err error
	if len(item.Parameters) > 0 != slices.Contains(o.segments, idSegment) {
		return nil, fmt.Errorf("the path's parameters are not %s", idSegment)
	}
	for _, parameter := range item.Parameters {
		if o.id, err = d.schema("components", "parameters", nameOf(parameter.Ref)); err != nil {
			return nil, err
		}
	}
	if written.RequestBody != nil {
		if o.body, err = d.schema(append(place, "requestBody", "content", mediaType)...); err != nil {
			return nil, err
		}
		examples := written.RequestBody.Content[mediaType].Examples
		for _, name := range slices.Sorted(maps.Keys(examples)) {
			if o.Body == nil {
				o.Body = examples[name].Value
			}
		}
	}
	for name, r := range written.Responses {
		status, err := strconv.Atoi(name)
		if err != nil {
			return nil, fmt.Errorf("the answers of status %s are none of one status", name)
		}
		at := append(slices.Clone(place), "responses", name)
		if r.Ref != "" {
			at = []string{"components", "responses", nameOf(r.Ref)}
			r = d.Components.Responses[nameOf(r.Ref)]
		}
		if o.answers[status], err = d.answer(status, r, at); err != nil {
			return nil, fmt.Errorf("%d: %w", status, err)
		}
	}
	return o, nil
}

func (d *document) answer(status int, r response, place []string) (*answer, error) {
	a := &answer{headers: map[string]header{}}
	var err error
	if a.body, err = d.schema(append(place, "content", mediaType)...); err != nil {
		return nil, err
	}
	_, gateways := r.Headers["Apigw-Requestid"]
	_, either := r.Headers["Retry-After"] // the answer comes from a function, or from API Gateway with fewer headers
	entries := maps.Clone(r.Headers)
	if entries == nil {
		entries = map[string]headerEntry{}
	}
	for name, header := range d.Components.Headers {
		if header.Always && (!gateways || either) {
			entries[name] = headerEntry{Ref: name}
		}
	}
	for name, entry := range entries {
		component := d.Components.Headers[nameOf(entry.Ref)]
		value, err := d.schema("components", "headers", nameOf(entry.Ref))
		if err != nil {
			return nil, err
		}
		a.headers[http.CanonicalHeaderKey(name)] = header{component.Required && (!either || name == "Apigw-Requestid"), value}
	}
	if status < http.StatusBadRequest {
		return a, nil
	}
	a.refusals = map[string]string{}
	for name, example := range r.Content[mediaType].Examples {
		code, text, err := refusal(example.Value)
		if err != nil {
			return nil, fmt.Errorf("the example %s: %w", name, err)
		}
		a.refusals[text] = code
	}
	return a, nil
}

// nameOf returns the name of the component of a reference.
func nameOf(ref string) string { return ref[strings.LastIndexByte(ref, '/')+1:] }

// formats has the check of each format in the contract. The check of e-mail addresses does nothing, because the
// library's rule differs from the contract's patterns, and the patterns decide.
var formats = []*jsonschema.Format{
	{Name: "int32", Validate: func(v any) error { return wholeOf(v, 32) }},
	{Name: "int64", Validate: func(v any) error { return wholeOf(v, 64) }},
	{Name: "date-time", Validate: func(v any) error {
		text, isText := v.(string)
		if !isText {
			return nil
		}
		_, err := time.Parse(time.RFC3339, text)
		return err // for example for a day that does not exist
	}},
	{Name: "email", Validate: func(any) error { return nil }},
}

// wholeOf returns an error if a number is not written as an integer, or does not fit into the given number of bits.
func wholeOf(v any, bits int) error {
	n, isNumber := v.(json.Number)
	if !isNumber {
		return nil
	}
	_, err := strconv.ParseInt(n.String(), 10, bits)
	return err
}
