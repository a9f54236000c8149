package reference

import (
	"slices"
	"strings"
)

// term is a piece of a type's description, with a link where it is a schema's name.
type term struct{ Text, Link string }

// field is a row of a table: a member of an object somewhere in a value, or a heading.
type field struct {
	Within, Name string // "user.ranch.", "name"
	Type         []term
	Required     bool
	Description  string
	Limits       []limit
	Heading      []term // of the rows from here on, where a value is one of several kinds; nothing else is there then
}

// expansion says how far a table goes.
type expansion bool

const (
	throughNames expansion = true  // into the schemas that are referred to
	upToNames    expansion = false // no further than their names
)

// terms describes a schema's type in words: "array of Animal", "Time (string, date-time) or null".
func (c *contract) terms(s *schema) ([]term, error) {
	if s.Ref != "" {
		target, err := c.follow(s)
		if err != nil {
			return nil, err
		}
		named := []term{{Text: refName(s), Link: "#" + schemaAnchor(refName(s))}}
		if plain := plainType(target); plain != "" {
			named = append(named, term{Text: " (" + plain + ")"})
		}
		return named, nil
	}
	for _, several := range []struct {
		schemas []*schema
		join    string
	}{{s.AnyOf, " or "}, {s.OneOf, " or "}, {s.AllOf, " and "}} {
		if len(several.schemas) > 0 {
			return c.joined(several.schemas, several.join)
		}
	}
	if s.Items != nil {
		items, err := c.terms(s.Items)
		return append([]term{{Text: "array of "}}, items...), err
	}
	if a := s.AdditionalProperties; a != nil && a.Schema != nil && len(s.Properties) == 0 {
		values, err := c.terms(a.Schema)
		return append([]term{{Text: "object with any names, each " + article(values)}}, values...), err
	}
	return []term{{Text: plainOr(s, "any value")}}, nil
}

func article(of []term) string {
	if len(of) > 0 && strings.ContainsAny(of[0].Text[:1], "aeioAEIO") {
		return "an "
	}
	return "a "
}

func (c *contract) joined(schemas []*schema, join string) (all []term, err error) {
	for i, s := range schemas {
		if i > 0 {
			all = append(all, term{Text: join})
		}
		one, err := c.terms(s)
		if err != nil {
			return nil, err
		}
		all = append(all, one...)
	}
	return all, nil
}

// plainType names the types of a schema that is no object and no array, and has no alternatives.
func plainType(s *schema) string {
	if len(s.Type) == 0 || slices.Contains(s.Type, "object") || slices.Contains(s.Type, "array") {
		return ""
	}
	return plainOr(s, "")
}

func plainOr(s *schema, otherwise string) string {
	name := strings.Join(s.Type, " or ")
	if name == "" {
		return otherwise
	}
	if s.Format != "" {
		name += ", " + s.Format
	}
	return name
}

// fields returns the rows of a schema's table: the members of all objects in its values.
func (c *contract) fields(s *schema, far expansion) ([]field, error) {
	return c.rows(s, "", far, nil)
}

func (c *contract) rows(s *schema, within string, far expansion, through []string) (all []field, err error) {
	if s.Ref != "" {
		if (far == upToNames && within != "") || slices.Contains(through, s.Ref) {
			return nil, nil
		}
		through = append(slices.Clone(through), s.Ref)
		if s, err = c.follow(s); err != nil {
			return nil, err
		}
	}
	for _, p := range s.Properties {
		row := field{Within: within, Name: p.Name, Required: slices.Contains(s.Required, p.Name)}
		if row.Type, err = c.terms(p.Value); err != nil {
			return nil, err
		}
		if row.Limits, err = c.limits(p.Value); err != nil {
			return nil, err
		}
		if row.Description, err = c.description(p.Value); err != nil {
			return nil, err
		}
		inside, err := c.rows(p.Value, within+p.Name+".", far, through)
		if err != nil {
			return nil, err
		}
		all = append(append(all, row), inside...)
	}
	add := func(s *schema, within string) error {
		inside, err := c.rows(s, within, far, through)
		all = append(all, inside...)
		return err
	}
	if s.Items != nil {
		if err := add(s.Items, strings.TrimSuffix(within, ".")+"[]."); err != nil {
			return nil, err
		}
	}
	if a := s.AdditionalProperties; a != nil && a.Schema != nil {
		if err := add(a.Schema, within+"*."); err != nil {
			return nil, err
		}
	}
	for _, part := range s.AllOf {
		if err := add(part, within); err != nil {
			return nil, err
		}
	}
	alternatives := slices.DeleteFunc(slices.Concat(s.AnyOf, s.OneOf), null)
	for _, alternative := range alternatives {
		before := len(all)
		if err := add(alternative, within); err != nil {
			return nil, err
		}
		if len(alternatives) > 1 && len(all) > before {
			heading, err := c.terms(alternative)
			if err != nil {
				return nil, err
			}
			all = slices.Insert(all, before, field{Within: strings.TrimSuffix(within, "."), Heading: heading})
		}
	}
	return all, nil
}

// description returns a schema's own text, or that of what it refers to.
func (c *contract) description(s *schema) (string, error) {
	if s.Description != "" {
		return s.Description, nil
	}
	if s.Ref != "" {
		target, err := c.follow(s)
		if err != nil {
			return "", err
		}
		if plainType(target) != "" {
			return target.Description, nil
		}
		return "", nil
	}
	var texts []string
	for _, part := range slices.Concat(s.AnyOf, s.OneOf, s.AllOf) {
		text, err := c.description(part)
		if err != nil {
			return "", err
		}
		if text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n\n"), nil
}
