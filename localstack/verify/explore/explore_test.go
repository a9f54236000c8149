package explore

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/kit/batch"
	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
)

// TestMain is also the main function of make explore.
func TestMain(m *testing.M) {
	if os.Getenv("EXPLORE") != "" && os.Getenv(jobVariable) == "" {
		batch.Main("explore", "the figures are of what was explored before", func(ctx context.Context) error { return coordinate(ctx, os.Getenv) })
		os.Exit(0)
	}
	storetest.Main(m)
}

// TestASeedIsAHistory checks that equal seeds and equal choices lead to equal histories.
func TestASeedIsAHistory(t *testing.T) {
	p := newPlace(t, "fair")
	for seed := range uint64(12) {
		c := parseCase(triples[int(seed)%len(triples)])
		if c.Fixture != "fair" {
			continue
		}
		if seed%3 > 0 {
			c.Strike = Strike{allFaults[int(seed)%len(allFaults)], int(seed) % 3, int(seed) % 5}
		}
		first, after := p.take(c, NewRandom(seed))
		for _, again := range []Chooser{NewRandom(seed), NewReplay(first.Choices)} {
			second, then := p.take(c, again)
			a, b := trace(t, first)+after.rows, trace(t, second)+then.rows
			require.Equal(t, b, a, "%s, seed %d:\n%s\nand then\n%s", c, seed, a, b)
		}
	}
}

// cutOff matches the name of the read in which a call's time ended. If several reads were running, any can be named.
var cutOff = regexp.MustCompile(`unknown \(query [^:]*:`)

// trace returns a history's steps, story, calls and choices as text.
func trace(t *testing.T, o Outcome) string {
	t.Helper()
	var text strings.Builder
	for _, step := range o.Steps {
		fmt.Fprintf(&text, "%s %+v\n", step.ID, step.touched)
	}
	return fmt.Sprint(text.String(), cutOff.ReplaceAllString(o.Story(), "unknown (query:"), o.Choices)
}

// TestExplore does a small part of `make explore`: it tries all histories of some pairs of calls. In a process that
// `make explore` has started, it does the job from the environment instead.
func TestExplore(t *testing.T) {
	if job := os.Getenv(jobVariable); job != "" {
		obey(t, job)
		return
	}
	places := newPlaces(t)
	for _, c := range []string{
		"fair/register+register.email", "fair/login+refresh", "fair/list+judge", "fair/show+judge", "fair/judge+season", "fair/judge+claim.open",
		"fair/enter+enter", "poor/enter+enter.other", "fair/enter+ban", "fair/enter+animal", "fair/claim+ban", "fair/cancel+refund.open",
		"fair/list.open+set.later/overdue@1.3/", "fair/enter+list/split@0.0/",
	} {
		c := parseCase(c)
		r := places.of(c).explore(t.Context(), c, mostHistories, false)
		assert.True(t, r.Shortest == nil, r.Shortest)
		assert.True(t, !r.Unfinished && r.Histories != 0, "%s: %d histories were tried, and not all", c, r.Histories)
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
	replay(t, "fair/enter+cancel+refund.open/-/0000000021000000100000000000000000",
		"an operator refunds the open show: reads entry; does not see yet what is new of entry")
}

// TestAChangeIsDoneOnceItIsVisible replays a history in which an operator's time ends while the change becomes visible.
// The change must not count as done before all of it is visible.
func TestAChangeIsDoneOnceItIsVisible(t *testing.T) {
	replay(t, "fair/list.open+set.later/overdue@1.3/111120100100")
}

// statusAlone weakens conditions that compare the number of status changes: they also hold if the status is not bad. A
// status that has changed and come back then counts as unchanged.
func statusAlone(number, bad string) func(pk, sk, condition string, values map[string]any) string {
	return func(_, _, condition string, values map[string]any) string {
		as := "attribute_not_exists(" + number + ")"
		if strings.Contains(condition, as) {
			values[":planted"] = map[string]any{"S": bad}
		}
		return strings.ReplaceAll(condition, as, "("+as+" OR NOT st = :planted)")
	}
}

// TestFindsWhatIsPlanted checks that explore finds each of five removed conditions.
func TestFindsWhatIsPlanted(t *testing.T) {
	for name, c := range map[string]struct {
		history string
		item    func(pk, sk string) bool
	}{
		"an entry does not look at its gate":          {"fair/enter+judge", func(pk, _ string) bool { return strings.HasPrefix(pk, "G#") }},
		"a judging does not look at the show":         {"fair/judge+set", func(_, sk string) bool { return sk == "SHOW" }},
		"a claim does not look for a receipt":         {"fair/claim+claim", func(_, sk string) bool { return strings.HasPrefix(sk, "CLAIM#") }},
		"a balance goes without the ledger's number":  {"fair/enter+claim", func(_, sk string) bool { return sk == "PROFILE" }},
		"a registration does not look at the address": {"fair/register+register.email", func(pk, _ string) bool { return strings.HasPrefix(pk, "EMAIL#") }},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t, parseCase(c.history).Fixture, func(next http.RoundTripper) http.RoundTripper {
				return storetest.Weakened{RoundTripper: next, Weaker: storetest.Always(c.item)}
			})
			found := p.explore(t.Context(), parseCase(c.history), 500, true)
			assert.True(t, found.Violations != 0, "not found in %d histories", found.Histories)
		})
	}
}

// TestLateAttempts replays histories in which an attempt arrives late, after its call was refused and the reason for
// the refusal went away. The attempt must do nothing. Only the number of status changes prevents its effect, since the
// status is as before. Without this number these histories are wrong.
func TestLateAttempts(t *testing.T) {
	for history, weaker := range map[string]func(pk, sk, condition string, values map[string]any) string{
		"fair/enter+animal+animal.back/late@0.1/0111001000100000": statusAlone("ch", game.StatusPregnant),
		"fair/claim+ban+unban/late@0.1/00111200111100":            statusAlone("sn", string(game.UserBanned)),
		"fair/enter+ban+unban/late@0.1/0111001000100000":          statusAlone("sn", string(game.UserBanned)),
	} {
		replay(t, history)
		c, choices, err := ParseHistory(history)
		require.NoError(t, err)
		p := newPlace(t, c.Fixture, func(next http.RoundTripper) http.RoundTripper {
			return storetest.Weakened{RoundTripper: next, Weaker: weaker}
		})
		if out, problems := p.play(c, NewReplay(choices)); len(problems) == 0 {
			t.Errorf("%s: nothing is found to be wrong with\n%s", history, out.Story())
		} else {
			t.Log(out.Story(), problems)
		}
	}
}
