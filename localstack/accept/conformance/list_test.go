package conformance

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/bench/figures"
)

// scenarios returns all scenarios, by theme.
func scenarios() []scenario {
	var all []scenario
	for _, theme := range themes {
		all = append(all, theme.scenarios...)
	}
	return all
}

// theme is a group of scenarios about one subject.
type theme struct {
	title     string
	scenarios []scenario
}

var themes = []theme{
	{"Logging in and out", accounts},
	{"Refreshing", refreshing},
	{"Doubtful refusals of a refresh: `INVALID_TOKEN` with `Invalid refresh token`", doubt},
	{"Logging in and out during a refresh", overtaking},
	{"Storage, tabs and processes", storage},
	{"Clocks", clocks},
	{"Lost answers: entering", entering},
	{"Lost answers: judging, claiming, registering", otherChanges},
	{"Refusals", refusals},
	{"Pages of lists", pages},
	{"Repeating and waiting", repeating},
	{"Giving up: cancellation and time-outs", givingUp},
	{"Foreign answers", foreign},
	{"Answers of another shape", shapes},
}

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

var listPage = figures.Block{Page: "docs/scenarios.md", Name: "scenarios", Tolerance: "none (`TestList`)"}

// TestList checks that docs/scenarios.md lists all scenarios. With the flag -update it writes the list.
func TestList(t *testing.T) {
	t.Parallel()
	const root = "../../.."
	if *update {
		require.NoError(t, listPage.Write(root, list()))
	}
	written, err := listPage.Read(root)
	require.NoError(t, err)
	assert.Empty(t, cmp.Diff(written, list()),
		"docs/scenarios.md; go test ./localstack/accept/conformance -run TestList -update writes it (-is +ought to be)")
}

func list() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d scenarios. The Go client claims to pass those with a *, and the other clients all of them.\n", len(scenarios()))
	for _, theme := range themes {
		fmt.Fprintf(&b, "\n### %s\n\n| Scenario | What holds |\n|---|---|\n", theme.title)
		for _, s := range theme.scenarios {
			mark := map[bool]string{true: "*"}[claims("go", s.id)]
			fmt.Fprintf(&b, "| `%s`%s | %s |\n", s.id, mark, s.sentence)
		}
	}
	return b.String()
}
