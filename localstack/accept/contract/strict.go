package contract

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"
)

// beyond are the further requirements for answers, by schema.
//
//go:embed strict.yaml
var beyond []byte

// tree is a part of a document.
type tree = map[string]any

// Strict returns the strict contract, in JSON, with which the tests compare the service. The contract itself promises
// less, so that a later version may add fields, codes and values without breaking a client. The strict one describes
// only this version. Objects of answers have no other fields. Known values (x-known) are the only ones. Texts and
// numbers are those of strict.yaml. An error has a message if the examples with its code have one. Every answer of a
// function has the common headers.
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
				holdAnswers(operation["responses"], components)
			}
		}
	}
	holdAnswers(components["responses"], components)
	for name, schema := range schemas {
		narrow(schema, !sent[name])
	}
	return json.Marshal(document)
}

// merge adds more to a tree. If both have a value, it takes the one of more.
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

// narrow closes the objects of a schema of answers, and allows only the known values.
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

// holdAnswers adds the requirements to these answers, unless they are references ($ref).
func holdAnswers(responses any, components tree) {
	all, _ := components["headers"].(tree)
	by, _ := responses.(tree)
	for _, r := range by {
		if response, is := r.(tree); is && response["$ref"] == nil {
			addHeaders(response, all)
			holdMessages(response["content"].(tree)[mediaType].(tree))
		}
	}
}

// addHeaders adds the common headers of all functions' answers. An answer that lists Apigw-Requestid is API Gateway's
// own, and has only the headers that it lists. With Retry-After it may be a function's, too (document.answer).
func addHeaders(response, all tree) {
	headers, _ := response["headers"].(tree)
	if headers["Apigw-Requestid"] != nil && headers["Retry-After"] == nil {
		return
	}
	if headers = maps.Clone(headers); headers == nil {
		headers = tree{}
	}
	for name, header := range all {
		if header.(tree)["x-of-all-answers"] == true {
			headers[name] = tree{"$ref": "#/components/headers/" + name}
		}
	}
	response["headers"] = headers
}

// holdMessages makes the message of a code required in an error's schema, if the examples with the code have one.
func holdMessages(content tree) {
	examples, _ := content["examples"].(tree)
	rules := map[any]any{}
	for _, example := range examples {
		if value, is := example.(tree)["value"].(tree); is && value["error"] != nil && value["message"] != nil {
			rules[value["error"]] = tree{
				"if":   tree{"properties": tree{"error": tree{"const": value["error"]}}},
				"then": tree{"required": []any{"message"}},
			}
		}
	}
	if len(rules) > 0 {
		content["schema"].(tree)["allOf"] = slices.Collect(maps.Values(rules))
	}
}
