package reference

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// contract is what the page takes from a document of OpenAPI 3.1. All references are resolved but those to schemas,
// which have names that readers are told. Every object has a rest, which must be empty: nothing is left out in silence.
type contract struct {
	OpenAPI    string `yaml:"openapi"`
	Info       info
	Servers    []server
	Tags       []tag
	Security   []security
	Paths      ordered[pathItem]
	Components components
	Rest       rest `yaml:",inline"`
}

type info struct {
	Title, Summary, Description, Version string
	License                              license
	Rest                                 rest `yaml:",inline"`
}

type license struct {
	Name, Identifier, URL string
	Rest                  rest `yaml:",inline"`
}

type server struct {
	URL, Description string
	Rest             rest `yaml:",inline"`
}

type tag struct {
	Name, Description string
	Rest              rest `yaml:",inline"`
}

// security has the names of the schemes that a caller must fulfil; none: anybody may call.
type security = ordered[[]string]

// components are what is referred to. Of all but schemas and security schemes there is nothing to tell but where they
// are used.
type components struct {
	SecuritySchemes ordered[securityScheme] `yaml:"securitySchemes"`
	Schemas         ordered[*schema]
	Parameters      yaml.Node
	Headers         yaml.Node
	Responses       yaml.Node
	Examples        yaml.Node
	RequestBodies   yaml.Node `yaml:"requestBodies"`
	Rest            rest      `yaml:",inline"`
}

type securityScheme struct {
	Type, Scheme, Description string
	BearerFormat              string `yaml:"bearerFormat"`
	Rest                      rest   `yaml:",inline"`
}

type pathItem struct {
	Parameters                                          []parameter
	Get, Put, Post, Delete, Options, Head, Patch, Trace *operationObject
	Rest                                                rest `yaml:",inline"`
}

// operations returns the path's operations by their methods.
func (i pathItem) operations() (all ordered[*operationObject]) {
	for _, o := range []named[*operationObject]{
		{"get", i.Get}, {"head", i.Head}, {"post", i.Post}, {"put", i.Put}, {"patch", i.Patch}, {"delete", i.Delete},
		{"options", i.Options}, {"trace", i.Trace},
	} {
		if o.Value != nil {
			all = append(all, o)
		}
	}
	return all
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
	Rest        rest `yaml:",inline"`
}

type parameter struct {
	Name, In, Description string
	Required              bool
	AllowEmptyValue       bool `yaml:"allowEmptyValue"`
	Schema                *schema
	exampleFields         `yaml:",inline"`
	Rest                  rest `yaml:",inline"`
}

type requestBody struct {
	Description string
	Required    bool
	Content     ordered[mediaType]
	Rest        rest `yaml:",inline"`
}

type response struct {
	Description string
	Headers     ordered[parameter]
	Content     ordered[mediaType]
	Rest        rest `yaml:",inline"`
}

type mediaType struct {
	Schema        *schema
	exampleFields `yaml:",inline"`
	Rest          rest `yaml:",inline"`
}

type exampleFields struct {
	Example  yaml.Node
	Examples ordered[example]
}

type example struct {
	Summary, Description string
	Value                yaml.Node
	Rest                 rest `yaml:",inline"`
}

// rest has the members of an object that nothing else takes. There may be none.
type rest map[string]unknown

// unknown is a member that the page would not show.
type unknown struct{}

func (unknown) UnmarshalYAML(node *yaml.Node) error {
	return fmt.Errorf("line %d: the page does not know what this belongs to, and cannot show it", node.Line)
}

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
	dropExtensions(node)
	for _, child := range node.Content {
		if err := resolve(child, root, through); err != nil {
			return err
		}
	}
	return nil
}

// dropExtensions drops the members that begin with "x-", which are for tools.
func dropExtensions(node *yaml.Node) {
	if node.Kind != yaml.MappingNode {
		return
	}
	var rest []*yaml.Node
	for pair := range slices.Chunk(node.Content, 2) {
		if !strings.HasPrefix(pair[0].Value, "x-") {
			rest = append(rest, pair...)
		}
	}
	node.Content = rest
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
