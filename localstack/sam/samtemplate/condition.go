package samtemplate

import "go.yaml.in/yaml/v3"

// readConditions finds out which conditions hold where every parameter has its default, as it does in a local set-up.
func (t *Template) readConditions(conditions property, r *reader) {
	for _, c := range conditions.fields() {
		r.conditions[c.name] = t.holds(c, nil)
	}
}

// readRules reads the rules of what parameters may be together, which the defaults must keep.
func (t *Template) readRules(rules property) {
	t.rules = rules.fields()
	for _, rule := range t.rules {
		rule.only("RuleCondition", "Assertions")
		for _, assertion := range rule.get("Assertions").items() {
			assertion.only("Assert", "AssertDescription")
			assertion.get("Assert").required()
		}
	}
	for _, broken := range t.Broken(nil) {
		rules.fail("the defaults break it: %s", broken)
	}
}

// Broken returns what the template's rules say against the values of parameters; those that are not there have their
// defaults. CloudFormation refuses such a deployment before it begins.
func (t *Template) Broken(parameters map[string]string) (descriptions []string) {
	for _, rule := range t.rules {
		if c := rule.get("RuleCondition"); c.present() && !t.holds(c, parameters) {
			continue
		}
		for _, assertion := range rule.get("Assertions").items() {
			if a := assertion.get("Assert"); a.present() && !t.holds(a, parameters) {
				descriptions = append(descriptions, assertion.get("AssertDescription").text())
			}
		}
	}
	return descriptions
}

// holds knows !Equals, of texts and parameters, and !Not.
func (t *Template) holds(c property, parameters map[string]string) bool {
	var arguments []property
	if c.node.Kind == yaml.SequenceNode { // what is no list would be the only item of itself
		arguments = c.items()
	}
	switch {
	case c.node.Tag == "!Not" && len(arguments) == 1:
		return !t.holds(arguments[0], parameters)
	case c.node.Tag == "!Equals" && len(arguments) == 2:
		return t.given(arguments[0], parameters) == t.given(arguments[1], parameters)
	}
	c.fail("want !Equals or !Not")
	return false
}

// given is a text, or a parameter's value.
func (t *Template) given(p property, parameters map[string]string) string {
	v := p.value()
	if v.Ref == "" {
		return v.Literal
	}
	if value, ok := parameters[v.Ref]; ok {
		return value
	}
	parameter, known := t.parameters[v.Ref]
	if !known || parameter.Default == nil {
		p.fail("want a parameter with a default, not %s", v)
		return ""
	}
	return *parameter.Default
}
