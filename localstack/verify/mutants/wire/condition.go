package wire

import (
	"regexp"
	"slices"
	"strings"
)

// always holds for every item, and never for none. A disabled term stays in the text beside one of them, because
// DynamoDB refuses a request with values that no expression uses.
const (
	always = "attribute_exists(PK) OR attribute_not_exists(PK)"
	never  = "attribute_exists(PK) AND attribute_not_exists(PK)"
)

// variant is a condition that differs from what the store sends in one term.
type variant struct{ change, condition string }

// variants returns the conditions that miss one guard of the given one. Each term of an AND always holds, each
// alternative of an OR never does, and each boundary moves.
func variants(condition string) []variant {
	var found []variant
	disable(condition, func(s string) string { return s }, func(change, condition string) {
		found = append(found, variant{change, condition})
	})
	return found
}

// comparison is a term whose boundary can move.
var comparison = regexp.MustCompile(`^(\S+) (<=?|>=?) (\S+)$`)

var boundary = map[string]string{"<": "<=", "<=": "<", ">": ">=", ">=": ">"}

// disable calls add for each variant of an expression; around puts the expression back into the whole condition.
func disable(expression string, around func(string) string, add func(change, condition string)) {
	alternatives := split(expression, " OR ")
	for i, alternative := range alternatives {
		besideOthers := func(s string) string { return around(replaced(alternatives, i, s, " OR ")) }
		if len(alternatives) > 1 {
			add("never "+alternative, besideOthers("("+never+" AND "+alternative+")"))
		}
		terms := split(alternative, " AND ")
		for j, term := range terms {
			put := func(s string) string { return besideOthers(replaced(terms, j, s, " AND ")) }
			if len(terms) > 1 || len(alternatives) == 1 {
				add("always "+term, put("("+always+" OR "+term+")"))
			}
			if m := comparison.FindStringSubmatch(term); m != nil {
				add(boundary[m[2]]+" for "+term, put(m[1]+" "+boundary[m[2]]+" "+m[3]))
			}
			if inner, found := strings.CutPrefix(term, "("); found {
				disable(strings.TrimSuffix(inner, ")"), func(s string) string { return put("(" + s + ")") }, add)
			}
		}
	}
}

func replaced(parts []string, i int, by, separator string) string {
	parts = slices.Clone(parts)
	parts[i] = by
	return strings.Join(parts, separator)
}

// split cuts an expression at the separators outside of parentheses.
func split(expression, separator string) []string {
	var parts []string
	depth, from := 0, 0
	for i := range len(expression) {
		switch {
		case expression[i] == '(':
			depth++
		case expression[i] == ')':
			depth--
		case depth == 0 && i >= from && strings.HasPrefix(expression[i:], separator):
			parts = append(parts, expression[from:i])
			from = i + len(separator)
		}
	}
	return append(parts, expression[from:])
}
