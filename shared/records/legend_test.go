package records

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each attribute of an item has one line in the legend of doc.go, and each line an item with the attribute.
func TestLegend(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	_, legend, _ := strings.Cut(string(text), "# Attributes")
	listed := map[string]bool{}
	for _, line := range regexp.MustCompile(`(?m)^//\t(\w+) +\S`).FindAllStringSubmatch(legend, -1) {
		assert.False(t, listed[line[1]], "the legend has %s twice", line[1])
		listed[line[1]] = true
	}
	used := map[string]bool{}
	for _, item := range []any{
		ReservationItem{}, UserItem{}, ranchItem{}, RefreshItem{}, LedgerItem{}, AnimalItem{}, ShowItem{}, BoardItem{}, GateItem{}, SheetItem{},
		PageItem{}, EntryItem{}, ClaimItem{}, ParticipationItem{}, SeasonItem{}, AuditItem{}, AuditHeadItem{}, PendingItem{}, PublicKeysItem{},
		LayoutItem{}, JudgedItem{}, StandingsItem{}, StandingsPageItem{}, StandingsIndexItem{}, FoldedItem{},
	} {
		for _, field := range reflect.VisibleFields(reflect.TypeOf(item)) {
			name, _, _ := strings.Cut(field.Tag.Get("dynamodbav"), ",")
			if used[name] = true; name != "" && name != "PK" && name != "SK" {
				assert.True(t, listed[name], "%T has %s, which is not in the legend", item, name)
			}
		}
	}
	for name := range listed {
		assert.True(t, used[name], "the legend has %s, which no item has", name)
	}
}
