package reference

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// hostile has what is something else in HTML, in attributes, in addresses, in Markdown and for a shell.
const hostile = `<script>alert(1)</script> "'><img src=x onerror=alert(2)> [x](javascript:alert(3)) {{.}} $(reboot) é`

// TestRender_hostileText puts the same text behind all that people write into a contract: it is text on the page, too.
func TestRender_hostileText(t *testing.T) {
	t.Parallel()
	var root yaml.Node
	if err := yaml.Unmarshal(read(t), &root); err != nil {
		t.Fatal(err)
	}
	n := 0
	var spoil func(under string, node *yaml.Node)
	spoil = func(under string, node *yaml.Node) {
		for i, child := range node.Content {
			name := under
			if node.Kind == yaml.MappingNode {
				if i%2 == 0 {
					continue
				}
				name = node.Content[i-1].Value
			}
			spoil(name, child)
		}
		texts := []string{"title", "version", "summary", "description", "pattern", "enum", "format", "url", "message", "email", "ranchName", "bearerFormat"}
		if node.Kind == yaml.ScalarNode && slices.Contains(texts, under) {
			*node = yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: node.Value + " " + hostile}
			n++
		}
	}
	spoil("", &root)
	text, err := yaml.Marshal(&root)
	if err != nil {
		t.Fatal(err)
	}
	page := render(t, text)
	seen := 0
	for e := range page.all() {
		if slices.Contains([]string{"script", "img"}, e.name) {
			t.Errorf("the page has a <%s>", e.name)
		}
		for name, value := range e.attributes {
			if strings.HasPrefix(name, "on") || strings.HasPrefix(value, "javascript:") {
				t.Errorf("<%s %s=%q>", e.name, name, value)
			}
		}
		seen += strings.Count(e.data, "<script>alert(1)</script>")
	}
	if n < 100 || seen < n {
		t.Errorf("of %d hostile texts the page shows %d", n, seen)
	}
}

// What the page could not show it refuses, by name.
func TestRender_refuses(t *testing.T) {
	t.Parallel()
	contract := func(operation string) string {
		return "openapi: 3.1.0\ninfo: {title: T, version: '1'}\npaths: {/a: {get: {operationId: a, responses: {'200': {description: Yes." + operation + "}}}}}\n"
	}
	schema := func(text string) string { return contract(", content: {application/json: {schema: " + text + "}}") }
	var page bytes.Buffer
	if err := Render(&page, []byte(schema("{type: string}")), ""); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct{ text, says string }{
		"nothing":           {"", "empty"},
		"no YAML":           {"a: [", "yaml"},
		"another version":   {"openapi: 3.0.3", "3.1"},
		"keyword":           {schema("{type: array, prefixItems: []}"), "line 3"},
		"member":            {contract(", links: {}"), "line 3"},
		"unknown schema":    {schema("{$ref: '#/components/schemas/B'}"), "there is no schema #/components/schemas/B"},
		"unknown reference": {contract(", headers: {X: {$ref: '#/components/headers/B'}}"), "#/components/headers/B is not there"},
		"endless reference": {contract("") + "components: {headers: {B: {$ref: '#/components/headers/B'}}}", "#/components/headers/B refers to itself"},
		"endless schema":    {schema("{$ref: '#/components/schemas/B'}") + "components: {schemas: {B: {$ref: '#/components/schemas/B'}}}", "refers to itself"},
		"no schema":         {contract(", content: {application/json: {}}"), "no schema"},
		"no operationId":    {strings.Replace(contract(""), "operationId: a, ", "", 1), "no operationId"},
		"picture":           {strings.Replace(contract(""), "Yes.", "'![x](x.png)'", 1), "picture"},
	} {
		if err := Render(io.Discard, []byte(test.text), ""); err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v, and not %q", name, err, test.says)
		}
	}
}
