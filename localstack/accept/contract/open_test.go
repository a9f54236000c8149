package contract

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// TestAnswersAreOpen checks that limits that may change within a version are only in strict.yaml, not in the contract.
// Generated clients refuse a response that breaks the contract. It also checks that no schema has both a pattern and a
// format. From such a schema, older versions of openapi-generator make a Python client that cannot be imported.
func TestAnswersAreOpen(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", filepath.FromSlash(FileName)))
	require.NoError(t, err)
	var document tree
	require.NoError(t, yaml.Unmarshal(text, &document))
	requests := []string{"Registration", "Credentials", "RefreshRequest", "LogoutRequest", "EntryRequest", "Email"}
	var walk func(at string, node any, closes ...string)
	walk = func(at string, node any, closes ...string) {
		switch node := node.(type) {
		case []any:
			for i, part := range node {
				walk(fmt.Sprint(at, "/", i), part, closes...)
			}
		case tree:
			for _, word := range closes {
				assert.True(t, node[word] == nil, "%s has %s: move it to strict.yaml", at, word)
			}
			assert.True(t, node["additionalProperties"] != false && (node["pattern"] == nil || node["format"] == nil),
				"%s is closed, or has a pattern beside a format: move it to strict.yaml", at)
			for name, part := range node {
				walk(at+"/"+name, part, closes...)
			}
		}
	}
	for name, schema := range document["components"].(tree)["schemas"].(tree) {
		if slices.Contains(requests, name) {
			walk(name, schema)
		} else {
			walk(name, schema, "enum", "const", "pattern", "maxLength", "maxItems")
		}
	}
	walk("paths", document["paths"])
}
