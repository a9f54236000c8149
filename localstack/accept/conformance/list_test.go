package conformance

import (
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// scenarios are all scenarios.
var scenarios = slices.Concat(accounts, refreshing, doubt, overtaking, storage, clocks, entering, otherChanges,
	refusals, pages, repeating, givingUp, foreign, shapes)

// unclaimed has patterns (path.Match) of the scenarios that a client does not claim to pass. A client that is missing
// here claims all of them. The Go client, for tests and tools, neither looks up changes nor stores sessions, and it has
// no events and only the first pages of shows.
var unclaimed = map[string][]string{"go": strings.Fields(`
	tabs-* processes-* file-* of-another-service revoked-late events-* pages-* clock-of-* refresh-in-doubt*
	enter-lost-* judge-lost-* claim-lost-* register-lost-* *-never-there logout-answer-lost refresh-when-refused
	refresh-once-for-ten refresh-once-for-ten-refused refresh-offline refresh-answer-lost refresh-busy-for-long
	refresh-failed refresh-revoked refresh-banned refresh-not-cancelled-by-one refresh-overtaken-by-logout
	refresh-overtaken-by-login enter-answer-lost enter-500-applied enter-request-lost enter-answers-all-lost
	enter-500-not-applied enter-offline judge-answer-lost claim-answer-lost claim-no-prize register-answer-lost
	lists-by-tier-and-status repeats-log-ins cancel-a-sent-change cancel-a-change-in-doubt time-out-of-an-entry
	refused-by-a-page shape-of-a-registration shape-of-a-refresh shape-of-an-entry shape-of-a-claim shape-of-a-judging
`)}

// claims reports whether the client claims to pass the scenario.
func claims(client, id string) bool {
	return !slices.ContainsFunc(unclaimed[client], func(pattern string) bool {
		match, err := path.Match(pattern, id)
		return err != nil || match
	})
}

// TestList checks that docs/scenarios.md describes all scenarios and no others, and marks those of the Go client.
func TestList(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/scenarios.md")
	require.NoError(t, err)
	var described, want []string
	row := regexp.MustCompile("(?m)^\\| ((?:`[a-z0-9-]+`\\*?(?:, )?)+) \\| .+\\. \\|$")
	for _, row := range row.FindAllStringSubmatch(string(page), -1) {
		described = append(described, strings.Split(row[1], ", ")...)
	}
	for _, s := range scenarios {
		want = append(want, "`"+s.id+"`"+map[bool]string{true: "*"}[claims("go", s.id)])
	}
	assert.ElementsMatch(t, want, described, "docs/scenarios.md")
}
