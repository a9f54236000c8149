package reference

import (
	"fmt"
	"slices"
)

// limit is a rule for a value: words, and then the code that they are about.
type limit struct {
	Words string
	Codes []string
}

// limits says what a value must keep to, beyond its type. A schema that is referred to is described where its name
// leads: its pattern, and that it has no other fields, are not repeated everywhere.
func (c *contract) limits(s *schema) (all []limit, err error) {
	own := s.Ref == ""
	if s, err = c.follow(s); err != nil {
		return nil, err
	}
	add := func(words string, codes ...string) { all = append(all, limit{words, codes}) }
	if !s.Const.IsZero() {
		add("always", compact(&s.Const))
	}
	if len(s.Enum) > 0 {
		var values []string
		for i := range s.Enum {
			values = append(values, compact(&s.Enum[i]))
		}
		words := "one of"
		if len(values) == 1 {
			words = "always"
		}
		add(words, values...)
	}
	count(add, "characters", "character", s.MinLength, s.MaxLength)
	count(add, "items", "item", s.MinItems, s.MaxItems)
	count(add, "fields", "field", s.MinProperties, s.MaxProperties)
	switch {
	case s.Minimum != nil && s.Maximum != nil && *s.Minimum == *s.Maximum:
		add("always", *s.Minimum)
	case s.Minimum != nil && s.Maximum != nil:
		add(fmt.Sprintf("%s to %s", *s.Minimum, *s.Maximum))
	case s.Minimum != nil:
		add(*s.Minimum + " or more")
	case s.Maximum != nil:
		add(*s.Maximum + " or less")
	}
	if s.ExclusiveMinimum != nil {
		add("more than " + *s.ExclusiveMinimum)
	}
	if s.ExclusiveMaximum != nil {
		add("less than " + *s.ExclusiveMaximum)
	}
	if s.UniqueItems {
		add("no item twice")
	}
	if s.Pattern != "" && own {
		add("matches", s.Pattern)
	}
	if a := s.AdditionalProperties; a != nil && a.Schema == nil && !a.Any && own {
		add("no other fields in this version")
	}
	if !s.Default.IsZero() {
		add("by default", compact(&s.Default))
	}
	for i := range s.Examples {
		add("for example", compact(&s.Examples[i]))
	}
	if s.Deprecated {
		add("deprecated")
	}
	// What the values inside must keep to, where they have no rows of their own.
	inside := slices.Concat(s.AnyOf, s.OneOf, s.AllOf)
	for _, i := range inside {
		more, err := c.limits(i)
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	for _, i := range []struct {
		words string
		of    *schema
	}{{"each ", s.Items}, {"each name ", s.PropertyNames}, {"not ", s.Not}} {
		if i.of == nil {
			continue
		}
		more, err := c.limits(i.of)
		if err != nil {
			return nil, err
		}
		for _, l := range more {
			words := i.words + l.Words
			if i.of == s.Not && len(l.Codes) == 1 && l.Words == "always" {
				words = "never"
			}
			all = append(all, limit{words, l.Codes})
		}
	}
	return all, nil
}

func count(add func(string, ...string), many, one string, least, most *int) {
	unit := func(n int) string {
		if n == 1 {
			return one
		}
		return many
	}
	switch {
	case least != nil && most != nil && *least == *most:
		add(fmt.Sprintf("exactly %d %s", *least, unit(*least)))
	case least != nil && most != nil:
		add(fmt.Sprintf("%d to %d %s", *least, *most, many))
	case least != nil:
		add(fmt.Sprintf("at least %d %s", *least, unit(*least)))
	case most != nil:
		add(fmt.Sprintf("at most %d %s", *most, unit(*most)))
	}
}
