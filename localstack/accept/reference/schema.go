package reference

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// schema is what the page can show of a JSON Schema.
type schema struct {
	Ref         string `yaml:"$ref"`
	Type        types
	Title       string
	Description string
	Format      string
	Pattern     string
	Enum        []yaml.Node
	Const       yaml.Node
	Default     yaml.Node
	Examples    []yaml.Node
	Deprecated  bool

	MinLength        *int    `yaml:"minLength"`
	MaxLength        *int    `yaml:"maxLength"`
	Minimum          *string // as it is written
	Maximum          *string
	ExclusiveMinimum *string `yaml:"exclusiveMinimum"`
	ExclusiveMaximum *string `yaml:"exclusiveMaximum"`
	MinItems         *int    `yaml:"minItems"`
	MaxItems         *int    `yaml:"maxItems"`
	UniqueItems      bool    `yaml:"uniqueItems"`
	MinProperties    *int    `yaml:"minProperties"`
	MaxProperties    *int    `yaml:"maxProperties"`

	Items                *schema
	Properties           ordered[*schema]
	Required             []string
	AdditionalProperties *orNot    `yaml:"additionalProperties"`
	PropertyNames        *schema   `yaml:"propertyNames"`
	AllOf                []*schema `yaml:"allOf"`
	AnyOf                []*schema `yaml:"anyOf"`
	OneOf                []*schema `yaml:"oneOf"`
	Not                  *schema

	Rest rest `yaml:",inline"`
}

// types are the names of one type or several.
type types []string

func (t *types) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode {
		*t = types{node.Value}
		return nil
	}
	return node.Decode((*[]string)(t))
}

// orNot is a schema, or whether there may be anything at all.
type orNot struct {
	Schema *schema
	Any    bool
}

func (o *orNot) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode {
		return node.Decode(&o.Any)
	}
	return node.Decode(&o.Schema)
}

func refName(s *schema) string { return strings.TrimPrefix(s.Ref, schemaRef) }

func null(s *schema) bool { return len(s.Type) == 1 && s.Type[0] == "null" }

// follow returns what a schema that is a reference refers to.
func (c *contract) follow(s *schema) (*schema, error) {
	for range 10 {
		if s.Ref == "" {
			return s, nil
		}
		target, ok := c.Components.Schemas.get(refName(s))
		if !ok {
			return nil, fmt.Errorf("there is no schema %s", s.Ref)
		}
		s = target
	}
	return nil, fmt.Errorf("the schema %s refers to itself", s.Ref)
}

// names returns the schemas that a schema refers to, each once.
func (s *schema) names() (all []string) {
	if s == nil {
		return nil
	}
	if s.Ref != "" {
		all = append(all, refName(s))
	}
	inner := slices.Concat(s.AllOf, s.AnyOf, s.OneOf, []*schema{s.Items, s.Not, s.PropertyNames})
	if s.AdditionalProperties != nil {
		inner = append(inner, s.AdditionalProperties.Schema)
	}
	for _, p := range s.Properties {
		inner = append(inner, p.Value)
	}
	for _, i := range inner {
		for _, name := range i.names() {
			if !slices.Contains(all, name) {
				all = append(all, name)
			}
		}
	}
	return all
}
