package reference

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// contract is what the page takes from a document of OpenAPI 3.1. All references are resolved but those to schemas,
// which have names that readers are told.
type contract struct {
	OpenAPI string `yaml:"openapi"`
	Info    struct {
		Title, Summary, Description, Version string
	}
	Servers    []struct{ URL, Description string }
	Tags       []tag
	Security   []security
	Paths      ordered[ordered[yaml.Node]]
	Components struct {
		SecuritySchemes ordered[securityScheme] `yaml:"securitySchemes"`
		Schemas         ordered[*schema]
	}
}

type tag struct{ Name, Description string }

// security has the names of the schemes that a caller must fulfil; none: anybody may call.
type security = ordered[[]string]

type securityScheme struct {
	Type, Scheme, Description, In, Name string
	BearerFormat                        string `yaml:"bearerFormat"`
}

type operationObject struct {
	ID          string `yaml:"operationId"`
	Tags        []string
	Summary     string
	Description string
	Deprecated  bool
	Security    *[]security
	Parameters  []parameter
	RequestBody *requestBody `yaml:"requestBody"`
	Responses   ordered[response]
}

type parameter struct {
	Name, In, Description string
	Required              bool
	AllowEmptyValue       bool `yaml:"allowEmptyValue"`
	Schema                *schema
	exampleFields         `yaml:",inline"`
}

type requestBody struct {
	Description string
	Required    bool
	Content     ordered[mediaType]
}

type response struct {
	Description string
	Headers     ordered[parameter]
	Content     ordered[mediaType]
	Links       ordered[link]
}

type link struct {
	OperationID string `yaml:"operationId"`
	Description string
}

type mediaType struct {
	Schema        *schema
	exampleFields `yaml:",inline"`
}

type exampleFields struct {
	Example  yaml.Node
	Examples ordered[example]
}

type example struct {
	Summary, Description string
	Value                yaml.Node
}

// methods are the members of a path that are operations.
var methods = []string{"get", "put", "post", "delete", "options", "head", "patch", "trace"}

// parse reads a contract.
func parse(text []byte) (*contract, error) {
	var root yaml.Node
	if err := yaml.Unmarshal(text, &root); err != nil {
		return nil, err
	}
	if root.Kind == 0 {
		return nil, fmt.Errorf("the contract is empty")
	}
	if err := resolve(&root, root.Content[0], nil); err != nil {
		return nil, err
	}
	c := new(contract)
	if err := root.Decode(c); err != nil {
		return nil, err
	}
	if !strings.HasPrefix(c.OpenAPI, "3.1") {
		return nil, fmt.Errorf("the contract is of OpenAPI %q, and not 3.1", c.OpenAPI)
	}
	return c, nil
}

// schemaRef begins a reference to a schema.
const schemaRef = "#/components/schemas/"

// resolve puts in place of each reference below the node what it refers to, except for schemas.
func resolve(node, root *yaml.Node, through []string) error {
	if ref := member(node, "$ref"); ref != nil && !strings.HasPrefix(ref.Value, schemaRef) {
		for _, r := range through {
			if r == ref.Value {
				return fmt.Errorf("line %d: %s refers to itself", ref.Line, ref.Value)
			}
		}
		target := root
		for _, name := range strings.Split(strings.TrimPrefix(ref.Value, "#/"), "/") {
			if target = member(target, strings.NewReplacer("~1", "/", "~0", "~").Replace(name)); target == nil {
				return fmt.Errorf("line %d: %s is not there", ref.Line, ref.Value)
			}
		}
		*node = *target
		return resolve(node, root, append(through, ref.Value))
	}
	for _, child := range node.Content {
		if err := resolve(child, root, through); err != nil {
			return err
		}
	}
	return nil
}

// member returns a mapping's value, nil where there is none.
func member(node *yaml.Node, name string) *yaml.Node {
	if node.Kind == yaml.MappingNode {
		for i := 0; i < len(node.Content); i += 2 {
			if node.Content[i].Value == name {
				return node.Content[i+1]
			}
		}
	}
	return nil
}

// ordered is a mapping in the order in which it is written.
type ordered[T any] []named[T]

type named[T any] struct {
	Name  string
	Value T
}

func (o *ordered[T]) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind != yaml.MappingNode {
		return fmt.Errorf("line %d: no mapping", node.Line)
	}
	for i := 0; i < len(node.Content); i += 2 {
		entry := named[T]{Name: node.Content[i].Value}
		if err := node.Content[i+1].Decode(&entry.Value); err != nil {
			return err
		}
		*o = append(*o, entry)
	}
	return nil
}

// get returns what a name stands for.
func (o ordered[T]) get(name string) (value T, ok bool) {
	for _, entry := range o {
		if entry.Name == name {
			return entry.Value, true
		}
	}
	return value, false
}
