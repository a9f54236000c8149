package reference

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

// A schema's table has a row for each member of each object in it.
func TestFields(t *testing.T) {
	t.Parallel()
	var c contract
	if err := yaml.Unmarshal([]byte(`
components:
  schemas:
    ID: {type: string, format: uuid, pattern: "^x$", description: An id.}
    Tree: {type: object, additionalProperties: false, properties: {left: {$ref: "#/components/schemas/Tree"}}}
`), &c); err != nil {
		t.Fatal(err)
	}
	for schemaText, want := range map[string]string{
		`{type: object, required: [a], properties: {a: {$ref: "#/components/schemas/ID"}, b: {type: [integer, "null"], minimum: 1}}}`: `
a: ID (string, uuid), required. An id.
b: integer or null. 1 or more`,
		`{type: array, items: {type: object, properties: {a: {type: array, maxItems: 3, items: {type: string, minLength: 1}}}}}`: `
[].a: array of string. at most 3 items; each at least 1 character`,
		`{type: object, properties: {m: {type: object, minProperties: 1, propertyNames: {enum: [a, b]}, additionalProperties: {type: object, properties: {c: {const: 5}}}}}}`: `
m: object with any names, each an object. at least 1 field; each name one of "a" "b"
m.*.c: any value. always 5`,
		`{oneOf: [{$ref: "#/components/schemas/Tree"}, {type: object, properties: {x: {type: number, exclusiveMinimum: 0.5, maximum: 2}}}]}`: `
 as Tree
left: Tree
 as object
x: number. 2 or less; more than 0.5`,
		`{type: object, properties: {t: {description: Null if not., anyOf: [{$ref: "#/components/schemas/Tree"}, {type: "null"}]}}}`: `
t: Tree or null. Null if not.
t.left: Tree`,
		`{allOf: [{type: object, properties: {x: {type: string, enum: [only], default: only}}}, {type: object, properties: {y: {type: boolean, deprecated: true, examples: [true]}}}]}`: `
x: string. always "only"; by default "only"
y: boolean. for example true; deprecated`,
		`{type: object, properties: {b: {type: boolean, not: {const: false}}}}`: `
b: boolean. never false`,
		`{type: object, properties: {n: {type: integer, minimum: 3, maximum: 3}, s: {type: string, minLength: 2, maxLength: 2, pattern: "^a"}}}`: `
n: integer. always 3
s: string. exactly 2 characters; matches ^a`,
	} {
		var s schema
		if err := yaml.Unmarshal([]byte(schemaText), &s); err != nil {
			t.Fatal(err)
		}
		fields, err := c.fields(&s, throughNames)
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		for _, f := range fields {
			got.WriteString("\n" + inWords(f))
		}
		if diff := cmp.Diff(want, got.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", schemaText, diff)
		}
	}
}

func inWords(f field) string {
	plain := func(terms []term) (all string) {
		for _, t := range terms {
			all += t.Text
		}
		return all
	}
	if f.Heading != nil {
		return f.Within + " as " + plain(f.Heading)
	}
	line := f.Within + f.Name + ": " + plain(f.Type)
	if f.Required {
		line += ", required"
	}
	var rest []string
	if f.Description != "" {
		rest = append(rest, f.Description)
	}
	var limits []string
	for _, l := range f.Limits {
		limits = append(limits, strings.Join(append([]string{l.Words}, l.Codes...), " "))
	}
	if limits != nil {
		rest = append(rest, strings.Join(limits, "; "))
	}
	return strings.ReplaceAll(strings.Join(append([]string{line}, rest...), ". "), ".. ", ". ")
}
