package explore

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// quick are the cases that TestExplore tries by default.
const quick = "fair/register+register.email/-/,fair/login+refresh/-/,fair/reset+login/-/,fair/list+judge/-/," +
	"fair/show+judge/-/,fair/judge+season/-/,fair/judge+claim.open/-/,fair/enter+enter/-/,poor/enter+enter.other/-/," +
	"fair/enter+ban/-/,fair/enter+animal/-/,fair/claim+ban/-/,fair/cancel+refund.open/-/," +
	"fair/list.open+set.later/overdue@1.3/,fair/enter+list/split@0.0/"

// mostHistories is the limit of a case's histories, unless MOST sets another.
const mostHistories = 20_000

// TestExplore tries all histories of some pairs of calls. `make explore` sets SHARE, such as 0/2 for each second case.
// TestExplore then tries its share of all cases, or of those that CASES chooses, and prints a line for each.
func TestExplore(t *testing.T) {
	share, shares, most, named := 0, 1, mostHistories, quick
	if text := os.Getenv("SHARE"); text != "" {
		_, err := fmt.Sscanf(text, "%d/%d", &share, &shares)
		require.NoError(t, err)
		most, err = strconv.Atoi(cmp.Or(os.Getenv("MOST"), strconv.Itoa(mostHistories)))
		require.True(t, err == nil && most > 0, "MOST=%s must be a whole number of at least 1", os.Getenv("MOST"))
		named = os.Getenv("CASES")
	}
	jobs, err := choose(named)
	require.NoError(t, err)
	placeOf, all, began := places(t), Result{}, time.Now()
	for i, j := range jobs {
		if i%shares != share {
			continue
		}
		r := placeOf(j.Case).do(j, most)
		fmt.Printf("%s: %s\n", j.Case, r)
		if r.Wrong > 0 {
			fmt.Println(r.Shortest)
			t.Errorf("%s: %d wrong histories", j.Case, r.Wrong)
		}
		assert.True(t, r.Histories > 0, "%s: there is no history to try: the fault has no turn", j.Case)
		assert.True(t, len(r.Unfinished) == 0 || named != quick, "%s", r)
		all.sum(r)
	}
	fmt.Printf("share %d/%d: %s, in %s\n", share, shares, all, time.Since(began).Round(time.Second))
}

// do tries the histories of a job, at most most of each case.
func (p *place) do(j job, most int) (r Result) {
	p.t.Helper()
	if j.choices != "" {
		out, problems := p.play(j.Case, NewReplay(j.choices))
		r.add(j.Case, out, problems)
		assert.Equal(p.t, j.choices, out.Choices, "the calls send other requests:\n%s", out.Story())
		return r
	}
	p.explore(j.Case, most, &r)
	if j.faults {
		for _, j.Strike = range r.strikes() {
			p.explore(j.Case, most, &r)
		}
	}
	return r
}

// explore tries at most most histories of a case, and adds them to r. The limit also counts histories that are
// abandoned or in which the fault does not strike.
func (p *place) explore(c Case, most int, r *Result) {
	p.t.Helper()
	search := &Search{strike: c.Strike}
	for tried, again := 0, true; again; tried, again = tried+1, search.Again() {
		if tried == most {
			r.Unfinished = append(r.Unfinished, c.String())
			return
		}
		out, problems := p.play(c, search)
		r.add(c, out, problems)
	}
}

// Result is the result of histories.
type Result struct {
	Histories  int
	Faults     int             // histories in which the fault struck
	Wrong      int             // histories with a flaw
	Unfinished []string        // cases that may have more histories, which were not tried
	Strikes    map[Strike]bool // the faults that could have struck
	Shortest   string          // the wrong history with the fewest steps, as text
	steps      int             // of Shortest
}

func (r Result) String() string {
	text := fmt.Sprintf("%d histories, %d with a fault, %d wrong", r.Histories, r.Faults, r.Wrong)
	if len(r.Unfinished) > 0 {
		text += ", not all of " + strings.Join(r.Unfinished, ", ")
	}
	return text
}

// add adds a history. It does not count an abandoned history. It does not count a history in which the fault did not
// strike, because that history belongs to the case without the fault.
func (r *Result) add(c Case, out Outcome, problems []string) {
	if r.Strikes == nil {
		r.Strikes = map[Strike]bool{}
	}
	maps.Copy(r.Strikes, out.Strikes)
	if !out.Whole || c.Strike.Fault != "" && !out.Struck {
		return
	}
	r.Histories++
	if out.Struck {
		r.Faults++
	}
	if len(problems) == 0 {
		return
	}
	if r.Wrong++; r.Wrong == 1 || len(out.Steps) < r.steps {
		history := fmt.Sprintf("%s/%s", c, out.Choices)
		r.steps = len(out.Steps)
		r.Shortest = fmt.Sprintf("make explore CASES=%s\n%s%s", history, out.Story(), strings.Join(problems, "\n"))
	}
}

// sum adds the numbers of another result.
func (r *Result) sum(other Result) {
	r.Histories, r.Faults, r.Wrong = r.Histories+other.Histories, r.Faults+other.Faults, r.Wrong+other.Wrong
	r.Unfinished = append(r.Unfinished, other.Unfinished...)
}

// strikes returns the faults that could have struck the histories, in an order that does not change.
func (r *Result) strikes() []Strike {
	return slices.SortedFunc(maps.Keys(r.Strikes), func(a, b Strike) int {
		return cmp.Or(cmp.Compare(a.Call, b.Call), cmp.Compare(a.Attempt, b.Attempt), cmp.Compare(a.Fault, b.Fault))
	})
}

// TestHistories replays histories that were wrong once. Each must go the same way, and its story must have a text.
func TestHistories(t *testing.T) {
	placeOf := places(t)
	for name, h := range map[string]struct{ history, shows string }{
		"an entry becomes visible during a refund": {
			"fair/enter+cancel+refund.open/-/0000010200000000000000000",
			"an operator refunds the open show: reads entry; does not see the change of entry yet",
		},
		"an operator's time ends before the change is visible": {
			"fair/list.open+set.later/overdue@1.3/111120100100", "overdue",
		},
		// An attempt arrives late, after its call was refused and the reason for the refusal went away.
		"a late entry of an animal": {"fair/enter+animal+animal.back/late@0.1/0111001000100000", "arrives"},
		"a late claim":              {"fair/claim+ban+unban/late@0.1/00111200111100", "arrives"},
		"a late entry of a player":  {"fair/enter+ban+unban/late@0.1/0111001000100000", "arrives"},
	} {
		jobs, err := choose(h.history)
		require.NoError(t, err)
		p := placeOf(jobs[0].Case)
		out, problems := p.play(jobs[0].Case, NewReplay(jobs[0].choices))
		assert.Empty(t, problems, name)
		assert.Equal(t, jobs[0].choices, out.Choices, "%s: the calls send other requests", name)
		assert.Contains(t, out.Story(), h.shows, name)
	}
}
