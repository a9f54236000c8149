package contract

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

var update = flag.Bool("update", false, "rewrite the examples in docs/openapi.yaml from the golden files")

// TestExamples checks that the contract's examples equal the golden files and have their names. A response has an
// example for each golden file of its operation and status. A request has an example for each body that the contract
// accepts, with the name of the first golden file of this body. Files of a success count before others. With the flag
// -update, the test writes the examples.
func TestExamples(t *testing.T) {
	t.Parallel()
	const path = "../../../" + FileName
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	var tree yaml.Node
	require.NoError(t, yaml.Unmarshal(text, &tree))
	root, c, all := tree.Content[0], load(t), goldens(t)
	blocks := map[int]block{} // by the number of their first line
	place := func(key, value *yaml.Node, all []example) {
		if value == nil {
			t.Errorf("line %d has no examples: want %d", key.Line, len(all))
			return
		}
		b := block{key.Column - 1, render(t, key.Column-1, all)}
		if other, twice := blocks[key.Line]; twice && !slices.Equal(other.lines, b.lines) {
			t.Errorf("line %d: operations that share an answer have other examples:\n%s", key.Line, cmp.Diff(other.lines, b.lines))
		}
		blocks[key.Line] = b
	}
	for _, o := range c.Operations() {
		_, item := find(root, "paths", o.Path, strings.ToLower(o.Method))
		if o.body != nil {
			key, value := find(item, "requestBody", "content", mediaType, "examples")
			place(key, value, o.requests(all))
		}
		for status := range o.answers {
			answers := o.answersOf(all, status)
			if len(answers) == 0 && gatewayOnly[status] {
				continue
			}
			_, r := find(item, "responses", strconv.Itoa(status))
			if _, ref := find(r, "$ref"); ref != nil {
				_, r = find(root, "components", "responses", nameOf(ref.Value))
			}
			key, value := find(r, "content", mediaType, "examples")
			place(key, value, answers)
		}
	}
	got := strings.Split(string(text), "\n")
	want := replaceBlocks(got, blocks)
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(strings.Join(want, "\n")), 0o644))
	} else if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("%s has other examples than the golden files; go test ./localstack/accept/contract -update writes them (-is +ought to be):\n%s", FileName, diff)
	}
}

// gatewayOnly has statuses without golden files: API Gateway's, and a closed API's 503. Their examples are handwritten.
var gatewayOnly = map[int]bool{413: true, 429: true, 503: true}

type example struct {
	name string
	body []byte
}

func (o *Operation) answersOf(all []golden, status int) (examples []example) {
	for _, g := range all {
		if g.route == o.Route() && g.status == status {
			examples = append(examples, example{g.name, g.answer})
		}
	}
	return examples
}

func (o *Operation) requests(all []golden) (examples []example) {
	seen := map[string]bool{}
	for _, granted := range []bool{true, false} {
		for _, g := range all {
			body := string(g.body)
			v, err := decode(g.body)
			if g.route != o.Route() || (g.status < 300) != granted || seen[body] || err != nil || o.body.Validate(v) != nil {
				continue
			}
			seen[body] = true
			examples = append(examples, example{g.name, g.body})
		}
	}
	return examples
}

// find follows keys from a YAML mapping, and returns the last key and its value. If a key is missing, it returns the
// last key that exists, and nil as the value.
func find(node *yaml.Node, keys ...string) (key, value *yaml.Node) {
	key, value = node, node
	for _, name := range keys {
		i := slices.IndexFunc(value.Content, func(n *yaml.Node) bool { return n.Value == name })
		if i < 0 {
			return key, nil
		}
		key, value = value.Content[i], value.Content[i+1]
	}
	return key, value
}

// block is the lines of a key with everything below it.
type block struct {
	indent int
	lines  []string
}

// replaceBlocks replaces blocks of lines. blocks has them by the number, from 1, of their first line.
func replaceBlocks(lines []string, blocks map[int]block) (out []string) {
	for i := 0; i < len(lines); {
		b, begins := blocks[i+1]
		if !begins {
			out = append(out, lines[i])
			i++
			continue
		}
		out = append(out, b.lines...)
		for i++; i < len(lines) && strings.HasPrefix(lines[i], strings.Repeat(" ", b.indent+1)); i++ {
		}
	}
	return out
}

// render returns the lines of examples in the form of the contract's file. The bodies are JSON, which is valid YAML:
// each on one line, or indented if it is too long.
func render(t *testing.T, indent int, examples []example) []string {
	t.Helper()
	pad := strings.Repeat(" ", indent)
	out := []string{pad + "examples:"}
	for _, e := range examples {
		var short, long bytes.Buffer
		err := errors.Join(json.Compact(&short, e.body), json.Indent(&long, e.body, pad+"      ", "  "))
		require.NoError(t, err, e.name)
		if line := fmt.Sprintf("%s  %s: {value: %s}", pad, e.name, short.String()); len(line) <= 155 {
			out = append(out, line)
			continue
		}
		out = append(out, pad+"  "+e.name+":", pad+"    value:")
		out = append(out, strings.Split(pad+"      "+long.String(), "\n")...)
	}
	return out
}
