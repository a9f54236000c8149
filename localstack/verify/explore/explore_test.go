package explore

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
)

// TestExplore does a small part of `make explore`: it tries all histories of some pairs of calls. In a process that
// `make explore` has started, it explores the process's share instead.
func TestExplore(t *testing.T) {
	if share := os.Getenv(shareVariable); share != "" {
		obey(t, share)
		return
	}
	places := newPlaces(t)
	for _, c := range []string{
		"fair/register+register.email", "fair/login+refresh", "fair/reset+login", "fair/list+judge", "fair/show+judge", "fair/judge+season", "fair/judge+claim.open",
		"fair/enter+enter", "poor/enter+enter.other", "fair/enter+ban", "fair/enter+animal", "fair/claim+ban", "fair/cancel+refund.open",
		"fair/list.open+set.later/overdue@1.3/", "fair/enter+list/split@0.0/",
	} {
		c := parseCase(c)
		r := places.of(c).explore(t.Context(), c, mostHistories)
		assert.True(t, r.Shortest == nil, r.Shortest)
		assert.True(t, len(r.Unfinished) == 0 && r.Histories != 0, "%s: %d histories were tried, and not all", c, r.Histories)
	}
}

// replay repeats a history. The test fails if the history is wrong, if its fault does not strike, if the calls now send
// other requests, or if the story lacks one of the texts in shows.
func replay(t *testing.T, history string, shows ...string) {
	t.Helper()
	r, story, astray := newPlaces(t).replay(history)
	switch {
	case r.Shortest != nil:
		t.Error(r.Shortest)
	case astray:
		t.Errorf("%s goes another way, and is the test of nothing:\n%s", history, story)
	case r.Histories == 0:
		t.Errorf("%s: the fault has no turn\n%s", history, story)
	}
	for _, line := range shows {
		assert.Contains(t, story, line, "%s does not show that %s:\n%s", history, line, story)
	}
}

// TestRefundsWaitForEntries replays a history in which an entry becomes visible during the refund of a show's fees.
func TestRefundsWaitForEntries(t *testing.T) {
	replay(t, "fair/enter+cancel+refund.open/-/0000010200000000000000000",
		"an operator refunds the open show: reads entry; does not see yet what is new of entry")
}

// TestAChangeIsDoneOnceItIsVisible replays a history in which an operator's time ends while the change becomes visible.
// The change must not count as done before all of it is visible.
func TestAChangeIsDoneOnceItIsVisible(t *testing.T) {
	replay(t, "fair/list.open+set.later/overdue@1.3/111120100100")
}

// statusAlone weakens conditions that compare the number of status changes: they also hold if the status is not bad. A
// status that has changed and come back then counts as unchanged.
func statusAlone(number, bad string) func(write map[string]any) {
	return func(write map[string]any) {
		as := "attribute_not_exists(" + number + ")"
		condition, _ := write["ConditionExpression"].(string)
		if !strings.Contains(condition, as) {
			return
		}
		values, _ := write["ExpressionAttributeValues"].(map[string]any)
		if values == nil {
			values = map[string]any{}
		}
		values[":planted"] = map[string]any{"S": bad}
		write["ExpressionAttributeValues"] = values
		write["ConditionExpression"] = strings.ReplaceAll(condition, as, "("+as+" OR NOT st = :planted)")
	}
}

// TestLateAttempts replays histories in which an attempt arrives late, after its call was refused and the reason for
// the refusal went away. The attempt must do nothing. Only the number of status changes prevents its effect, since the
// status is as before. Without this number these histories are wrong.
func TestLateAttempts(t *testing.T) {
	for history, weaken := range map[string]func(write map[string]any){
		"fair/enter+animal+animal.back/late@0.1/0111001000100000": statusAlone("ch", game.StatusPregnant),
		"fair/claim+ban+unban/late@0.1/00111200111100":            statusAlone("uc", string(game.UserBanned)),
		"fair/enter+ban+unban/late@0.1/0111001000100000":          statusAlone("uc", string(game.UserBanned)),
	} {
		replay(t, history)
		c, choices, err := ParseHistory(history)
		require.NoError(t, err)
		p := newPlace(t, c.Fixture, func(next http.RoundTripper) http.RoundTripper {
			return storetest.Weakened{RoundTripper: next, Weaken: weaken}
		})
		if out, problems := p.play(c, NewReplay(choices)); len(problems) == 0 {
			t.Errorf("%s: nothing is found to be wrong with\n%s", history, out.Story())
		} else {
			t.Log(out.Story(), problems)
		}
	}
}
