package wire

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestVariants checks the variants of two conditions.
func TestVariants(t *testing.T) {
	t.Parallel()
	for condition, want := range map[string][]variant{
		"attribute_not_exists(PK)": {{"always attribute_not_exists(PK)", "(" + always + " OR attribute_not_exists(PK))"}},
		"a = :a AND (b > :b OR attribute_exists(c))": {
			{"always a = :a", "(" + always + " OR a = :a) AND (b > :b OR attribute_exists(c))"},
			{"always (b > :b OR attribute_exists(c))", "a = :a AND (" + always + " OR (b > :b OR attribute_exists(c)))"},
			{"never b > :b", "a = :a AND ((" + never + " AND b > :b) OR attribute_exists(c))"},
			{">= for b > :b", "a = :a AND (b >= :b OR attribute_exists(c))"},
			{"never attribute_exists(c)", "a = :a AND (b > :b OR (" + never + " AND attribute_exists(c)))"},
		},
	} {
		got := variants(condition)
		assert.True(t, slices.Equal(got, want), "%s:\ngot  %v\nwant %v", condition, got, want)
	}
}
