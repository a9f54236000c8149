package samtemplate

// Statement is a statement of an IAM policy.
type Statement struct {
	Effect    string
	Actions   []string
	Resources []Value
	// LeadingKeys are patterns, at least one of which must match each partition key that a request names; such a
	// statement allows nothing to a request that names none. nil: requests may name any, or none.
	LeadingKeys []string
}

func readPolicy(document property) (statements []Statement) {
	document.only("Version", "Statement")
	for _, s := range document.get("Statement").items() {
		s.only("Sid", "Effect", "Action", "Resource", "Condition")
		statements = append(statements, Statement{
			Effect:      s.get("Effect").text(),
			Actions:     s.get("Action").texts(),
			Resources:   s.get("Resource").values(),
			LeadingKeys: readLeadingKeys(s.get("Condition")),
		})
	}
	return statements
}

// readLeadingKeys reads the one condition that is known, in both of its halves: ForAllValues alone would also hold for
// a request without any key.
func readLeadingKeys(condition property) []string {
	if !condition.present() {
		return nil
	}
	const name, forAll, null = "dynamodb:LeadingKeys", "ForAllValues:StringLike", "Null"
	condition.only(forAll, null)
	for _, operator := range condition.fields() {
		operator.only(name)
	}
	if absent := condition.get(null).get(name); absent.required() && absent.boolean() {
		absent.fail("want false")
	}
	patterns := condition.get(forAll).get(name)
	patterns.required()
	return patterns.texts()
}
