package samtemplate

// readConditions finds out which conditions hold where every parameter has its default, as it does in a local set-up.
func (t *Template) readConditions(conditions property, r *reader) {
	for _, c := range conditions.fields() {
		r.conditions[c.name] = t.holds(c)
	}
}

// holds knows !Equals, of texts and parameters, and !Not.
func (t *Template) holds(c property) bool {
	arguments := c.items()
	switch {
	case c.node.Tag == "!Not" && len(arguments) == 1:
		return !t.holds(arguments[0])
	case c.node.Tag == "!Equals" && len(arguments) == 2:
		return t.defaulted(arguments[0]) == t.defaulted(arguments[1])
	}
	c.fail("want !Equals or !Not")
	return false
}

// defaulted is a text, or a parameter's default.
func (t *Template) defaulted(p property) string {
	v := p.value()
	if v.Ref == "" {
		return v.Literal
	}
	parameter, known := t.parameters[v.Ref]
	if !known || parameter.Default == nil {
		p.fail("want a parameter with a default, not %s", v)
		return ""
	}
	return *parameter.Default
}
