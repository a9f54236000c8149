package contract

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// document is the tree of an OpenAPI document, with the compiler of its JSON schemas.
type document struct {
	root     tree
	compiler *jsonschema.Compiler
}

// mediaType is the media type of all bodies.
const mediaType = "application/json"

func newDocument(root tree) (*document, error) {
	d := &document{root, jsonschema.NewCompiler()}
	d.compiler.AssertFormat()
	// The contract's patterns decide on e-mail addresses, because the library's own rule differs from them.
	d.compiler.RegisterFormat(&jsonschema.Format{Name: "email", Validate: func(any) error { return nil }})
	return d, d.compiler.AddResource("", root)
}

// find returns the part of the document at a place, and its place. If the part is a reference, find follows it. place
// has the names of the members on the way to the part. If there is no such part, find returns nil.
func (d *document) find(place ...string) (tree, []string) {
	part := d.root
	for _, name := range place {
		part, _ = part[name].(tree)
	}
	if ref, is := part["$ref"].(string); is {
		return d.find(strings.Split(ref, "/")[1:]...)
	}
	return part, place
}

// schema compiles the schema of the part of the document at a place.
func (d *document) schema(place ...string) (*jsonschema.Schema, error) {
	pointer := "#"
	for _, name := range append(place, "schema") {
		pointer += "/" + strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D").Replace(name)
	}
	return d.compiler.Compile(pointer)
}

func (d *document) operation(path, method string) (*Operation, error) {
	place := []string{"paths", path, method}
	written, _ := d.find(place...)
	security, limited := written["security"].([]any)
	o := &Operation{
		Method: strings.ToUpper(method), Path: path, segments: strings.Split(path, "/"), answers: map[int]*answer{},
		Protected: !limited || len(security) > 0, // an empty list: public
	}
	o.ID, _ = written["operationId"].(string)
	o.Summary, _ = written["summary"].(string)
	body := append(slices.Clone(place), "requestBody", "content", mediaType)
	if content, _ := d.find(body...); content != nil {
		var err error
		if o.body, err = d.schema(body...); err != nil {
			return nil, err
		}
		examples, _ := content["examples"].(tree)
		for _, name := range slices.Sorted(maps.Keys(examples))[:min(1, len(examples))] {
			if o.Body, err = json.Marshal(examples[name].(tree)["value"]); err != nil {
				return nil, err
			}
		}
	}
	responses, _ := written["responses"].(tree)
	for name := range responses {
		status, err := strconv.Atoi(name)
		if err == nil {
			o.answers[status], err = d.answer(status, append(slices.Clone(place), "responses", name)...)
		}
		if err != nil {
			return nil, fmt.Errorf("the response %s: %w", name, err)
		}
	}
	return o, nil
}

func (d *document) answer(status int, place ...string) (_ *answer, err error) {
	r, place := d.find(place...)
	a := &answer{headers: map[string]header{}}
	if a.body, err = d.schema(append(place, "content", mediaType)...); err != nil {
		return nil, err
	}
	own, _ := r["headers"].(tree)
	_, gateways := own["Apigw-Requestid"]
	_, either := own["Retry-After"] // the answer comes from a function, or from API Gateway with fewer headers
	headers, _ := d.find("components", "headers")
	for name, component := range headers {
		_, listed := own[name]
		ofAll := component.(tree)["x-of-all-answers"] == true && (!gateways || either) // a header of every function's answer
		if !listed && !ofAll {
			continue
		}
		value, err := d.schema("components", "headers", name)
		if err != nil {
			return nil, err
		}
		required := component.(tree)["required"] == true && (!either || name == "Apigw-Requestid")
		a.headers[http.CanonicalHeaderKey(name)] = header{required, value}
	}
	if status < http.StatusBadRequest {
		return a, nil
	}
	a.refusals = map[string]string{}
	content, _ := d.find(append(place, "content", mediaType)...)
	examples, _ := content["examples"].(tree)
	for name, example := range examples {
		text, err := json.Marshal(example.(tree)["value"])
		if err != nil {
			return nil, err
		}
		code, described, err := refusal(text)
		if err != nil {
			return nil, fmt.Errorf("the example %s: %w", name, err)
		}
		a.refusals[described] = code
	}
	return a, nil
}
