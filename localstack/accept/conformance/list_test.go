package conformance

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// scenarios are all scenarios.
var scenarios = slices.Concat(accounts, ownAccount, refreshing, doubt, overtaking, storage, clocks, entering, otherChanges,
	refusals, pages, repeating, givingUp, foreign, shapes)

// TestList checks that docs/scenarios.md describes all scenarios and no others.
func TestList(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/scenarios.md")
	require.NoError(t, err)
	var described, want []string
	row := regexp.MustCompile("(?m)^\\| ((?:`[a-z0-9-]+`(?:, )?)+) \\| .+\\. \\|$")
	for _, row := range row.FindAllStringSubmatch(string(page), -1) {
		described = append(described, strings.Split(row[1], ", ")...)
	}
	for _, s := range scenarios {
		want = append(want, "`"+s.id+"`")
	}
	assert.ElementsMatch(t, want, described, "docs/scenarios.md")
}
