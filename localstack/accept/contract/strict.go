package contract

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// beyond has the strict requirements for responses, by schema (strict.yaml).
//
//go:embed strict.yaml
var beyond []byte

// tree is a JSON or YAML object.
type tree = map[string]any

// Strict returns the strict form of the contract text, in JSON. The tests compare the service with the strict form. The
// contract itself promises less, so that a later version can add fields, codes and values without breaking a client.
// The strict form describes only this version: objects in responses have no further fields, a field with x-known has
// only the known values, and strict.yaml limits texts and numbers.
func Strict(text []byte) ([]byte, error) {
	var document, stricter tree
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, err
	}
	if err := yaml.Unmarshal(beyond, &stricter); err != nil {
		return nil, fmt.Errorf("strict.yaml: %w", err)
	}
	components, _ := document["components"].(tree)
	schemas, _ := components["schemas"].(tree)
	for name, more := range stricter {
		schema, is := schemas[name].(tree)
		if !is {
			return nil, fmt.Errorf("strict.yaml: the contract has no schema %s", name)
		}
		merge(schema, more.(tree))
	}
	sent := map[string]bool{} // schemas of requests, which may have unknown fields
	paths, _ := document["paths"].(tree)
	for _, item := range paths {
		for _, operation := range item.(tree) {
			if operation, is := operation.(tree); is {
				if body, is := operation["requestBody"].(tree); is {
					schema := body["content"].(tree)[mediaType].(tree)["schema"].(tree)
					sent[nameOf(fmt.Sprint(schema["$ref"]))] = true
				}
			}
		}
	}
	for name, schema := range schemas {
		narrow(schema, !sent[name])
	}
	return json.Marshal(document)
}

// merge adds the members of more to the tree to. It merges objects, and otherwise replaces the value in to.
func merge(to, more tree) {
	for name, value := range more {
		mine, isTree := to[name].(tree)
		if theirs, is := value.(tree); is && isTree {
			merge(mine, theirs)
		} else {
			to[name] = value
		}
	}
}

// narrow allows only the known values (x-known) in a schema. If closes is true, it also forbids further fields.
func narrow(schema any, closes bool) {
	switch s := schema.(type) {
	case []any:
		for _, part := range s {
			narrow(part, closes)
		}
	case tree:
		if known, is := s["x-known"]; is {
			s["enum"] = known
		}
		if _, open := s["additionalProperties"]; !open && closes && s["type"] == "object" {
			s["additionalProperties"] = false
		}
		for _, part := range s {
			narrow(part, closes)
		}
	}
}

// nameOf returns the name of the component of a reference.
func nameOf(ref string) string { return ref[strings.LastIndexByte(ref, '/')+1:] }
