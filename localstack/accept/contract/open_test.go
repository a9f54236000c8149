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
	requests := []string{"Registration", "Credentials", "RefreshRequest", "LogoutRequest", "EntryRequest", "Email", "PasswordChange", "EmailChange"}
	var walk func(at string, node any, closing []string)
	walk = func(at string, node any, closing []string) {
		switch node := node.(type) {
		case []any:
			for i, part := range node {
				walk(fmt.Sprint(at, "/", i), part, closing)
			}
		case tree:
			for name, part := range node {
				assert.NotContains(t, closing, name, "%s: move it to strict.yaml", at)
				walk(at+"/"+name, part, closing)
			}
			assert.True(t, node["additionalProperties"] != false && (node["pattern"] == nil || node["format"] == nil),
				"%s is closed, or has a pattern beside a format: move it to strict.yaml", at)
		}
	}
	for name, schema := range document["components"].(tree)["schemas"].(tree) {
		closing := []string{"enum", "const", "pattern", "maxLength", "maxItems"}
		if slices.Contains(requests, name) {
			closing = nil
		}
		walk(name, schema, closing)
	}
	walk("paths", document["paths"], nil)
}
