package explore

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// kinds are the operations whose pairs explore tries. A pair is named by its kinds in this order.
var kinds = []string{
	"register", "login", "refresh", "logout", "list", "show", "enter", "judge", "claim", "season",
	"ban", "unban", "revoke", "animal", "cancel", "set", "refund", "due", "adjust", "delete", "activate", "rename", "reset",
}

// meetings has the cases of some pairs of kinds. In "fair/" with these kinds as calls, the default, the calls
// would not touch the same items, or there are several ways to do so.
var meetings = map[string][]string{
	"register+register": {"fair/register+register.name", "fair/register+register.email"},
	"register+login":    {"fair/register+login.cid"},
	"login+login":       {"fair/login+login"},
	"list+judge":        {"fair/list+judge", "fair/list.open+judge"},
	"list+set":          {"fair/list+set", "fair/list.open+set.later", "empty/list+set.fee"},
	"show+claim":        {"fair/show.judged+claim"},
	"show+refund":       {"fair/show+refund.open"},
	"enter+enter":       {"fair/enter+enter", "poor/enter+enter", "fair/enter+enter.other", "poor/enter+enter.other", "fair/enter+enter.bob"},
	"enter+judge":       {"fair/enter+judge", "fair/enter.bob+judge"},
	"enter+claim":       {"fair/enter+claim", "poor/enter.other+claim"},
	"enter+set":         {"fair/enter+set", "fair/enter+set.later", "fair/enter+set.over", "empty/enter+set.fee"},
	"enter+unban":       {"banned/enter+unban"},
	"enter+refund":      {"fair/enter+refund", "poor/enter+refund"},
	"judge+judge":       {"fair/judge+judge", "fair/judge+judge.bob"},
	"judge+claim":       {"fair/judge+claim.open", "fair/judge+claim"},
	"judge+unban":       {"banned/judge+unban"},
	"judge+animal":      {"fair/judge+animal.entered"},
	"judge+set":         {"fair/judge+set", "fair/judge+set.later"},
	"judge+refund":      {"fair/judge+refund.open"},
	"claim+unban":       {"banned/claim+unban"},
	"login+unban":       {"banned/login+unban"},
	"refresh+unban":     {"banned/refresh+unban"},
	"ban+unban":         {"fair/ban+unban", "banned/ban+unban"},
	"unban+unban":       {"banned/unban+unban"},
	"unban+revoke":      {"banned/unban+revoke"},
	"animal+animal":     {"fair/animal+animal", "fair/animal+animal.back"},
	"cancel+refund":     {"fair/cancel+refund.open", "fair/cancel+refund"},
	"set+set":           {"fair/set+set.later", "fair/set.later+set.over", "empty/set.fee+set"},
	"refund+refund":     {"alone/refund+refund", "fair/refund+refund"},
	"register+delete":   {"fair/register.ann+delete"},
	"enter+adjust":      {"fair/enter+adjust", "poor/enter+adjust", "fair/enter+adjust.down"},
	"claim+adjust":      {"fair/claim+adjust"},
	"adjust+adjust":     {"fair/adjust+adjust", "fair/adjust+adjust.down"},
	"refund+due":        {"fair/refund.open+due"},
	"set+due":           {"fair/set+due", "fair/set.later+due"},
	"claim+due":         {"fair/claim.open+due"},
	"unban+due":         {"banned/unban+due"},
	"unban+delete":      {"banned/unban+delete"},
	"register+rename":   {"fair/register.ann+rename", "fair/register+rename.cid", "fair/register+rename.own"},
	"login+reset":       {"fair/login+reset", "fair/reset+login", "fair/login+reset.own"},
	"refresh+reset":     {"fair/refresh+reset", "fair/refresh+reset.own"},
	"ban+reset":         {"fair/ban+reset", "fair/ban+reset.own"},
	"reset+reset":       {"fair/reset+reset", "fair/reset.own+reset", "fair/reset.own+reset.own"},
	"delete+reset":      {"fair/delete+reset", "fair/delete+reset.own", "fair/delete.own+reset.own"},
	"delete+rename":     {"fair/delete+rename", "fair/delete.own+rename.own"},
	"enter+delete":      {"fair/enter+delete", "fair/enter+delete.own"},
	"claim+delete":      {"fair/claim+delete", "fair/claim+delete.own"},
	"ban+delete":        {"fair/ban+delete", "fair/ban+delete.own"},
	"login+ban":         {"fair/login+ban", "fair/ban+login"},
	"login+revoke":      {"fair/login+revoke", "fair/revoke+login"},
	"login+delete":      {"fair/login+delete", "fair/delete+login"},
	"login+rename":      {"fair/login+rename.address", "fair/rename.address+login", "fair/rename+login", "fair/login+rename.own"},
	"unban+rename":      {"banned/unban+rename"},
	"unban+reset":       {"banned/unban+reset"},
	"rename+rename":     {"fair/rename+rename", "fair/rename+rename.other", "fair/rename.own+rename.address"},
	"rename+reset":      {"fair/rename.address+reset", "fair/rename.own+reset.own"},
	"activate+activate": {"fair/activate+activate.not", "fair/activate.not+activate.not"},
}

// triples are cases with three calls.
var triples = []string{
	"fair/enter+enter.other+judge", "fair/enter+judge+claim.open", "fair/claim+claim+ban", "fair/judge+judge.bob+enter",
	"fair/register+register.name+login.cid", "fair/enter+ban+unban", "fair/enter+season+judge", "fair/enter+cancel+refund.open",
	"poor/claim+enter+enter.other", "fair/claim+ban+unban", "fair/judge+claim.open+claim.open", "fair/enter+animal+animal.back",
	"fair/login+ban+unban", "fair/login+revoke+refresh", "fair/cancel+refund.open+refund.open", "fair/judge+cancel+enter.bob",
	"fair/set.later+enter+judge", "fair/show+enter+judge", "fair/list.open+enter+cancel", "fair/enter+enter.bob+set.over",
	"fair/judge+ban+unban", "fair/season+judge+enter.bob", "fair/show+judge+claim.open", "fair/judge+claim.open+ban", "poor/claim+enter+ban",
	"fair/enter+cancel+season", "fair/refresh+ban+unban", "fair/enter+animal+cancel", "fair/list+judge+claim.open", "fair/enter+delete+show",
	"fair/enter+adjust+claim", "fair/judge+due+enter", "empty/enter+set.fee+enter.bob", "fair/login+delete+register.ann",
	"fair/enter+rename+show", "fair/login+rename.address+register.ann",
	// In three of these, a call is refused, and the reason goes away before a late attempt of the call arrives. In two,
	// a batch of reads is split, and other calls change its items in between.
	"fair/enter+ban+unban/late@0.1/", "fair/enter+animal+animal.back/late@0.1/", "fair/claim+ban+unban/late@0.2/",
	"fair/enter+adjust+animal/split@0.0/", "fair/judge+claim.open+ban/split@1.0/",
}

// job is a case to explore, or one history of it.
type job struct {
	Case
	choices Choices // of the history; "" for all histories
	faults  bool    // also with each fault
}

// all returns all pairs of kinds, also with faults, and the triples. Two operators who each refund two players have too
// many histories with a fault. In the fixture "alone", with one refunded player, faults strike the same calls.
func all() (jobs []job) {
	for i, a := range kinds {
		for _, b := range kinds[i:] {
			cases := meetings[a+"+"+b]
			if cases == nil {
				cases = []string{"fair/" + a + "+" + b}
			}
			for _, text := range cases {
				jobs = append(jobs, job{Case: parseCase(text), faults: text != "fair/refund+refund"})
			}
		}
	}
	for _, text := range triples {
		jobs = append(jobs, job{Case: parseCase(text)})
	}
	return jobs
}

// parseCase parses a case as in the lists above, with or without a fault. It panics if the text is wrong.
func parseCase(text string) Case {
	if strings.Count(text, "/") == 1 {
		text += "/-/"
	}
	c, _, err := ParseHistory(text)
	if err != nil {
		panic(err)
	}
	return c
}

// choose returns the jobs of a text of names with commas between them; all jobs for "". A name is a case or a history
// ("fair/enter+claim/-/"), or has the calls, or the kinds, of cases in any order ("enter+claim").
func choose(text string) (some []job, err error) {
	if text == "" {
		return all(), nil
	}
	for name := range strings.SplitSeq(text, ",") {
		found := slices.DeleteFunc(all(), func(j job) bool { return !j.called(name) })
		if strings.Contains(name, "/") {
			c, choices, err := ParseHistory(name)
			if err := cmp.Or(err, c.known()); err != nil {
				return nil, fmt.Errorf("CASES=%s: %w", name, err)
			}
			found = []job{{Case: c, choices: choices}}
		}
		if some = append(some, found...); len(found) == 0 {
			return nil, fmt.Errorf("CASES=%s: there is no such case in localstack/verify/explore/plan_test.go", name)
		}
	}
	return some, nil
}

// called reports whether the case has the calls, or the kinds, of a name.
func (c Case) called(name string) bool {
	sorted := func(names []string) []string { return slices.Sorted(slices.Values(names)) }
	wanted, kinds := sorted(strings.Split(name, "+")), slices.Clone(c.Calls)
	for i, call := range c.Calls {
		kinds[i], _, _ = strings.Cut(call, ".")
	}
	return slices.Equal(wanted, sorted(c.Calls)) || slices.Equal(wanted, sorted(kinds))
}

// known returns an error if a part of the case does not exist.
func (c Case) known() error {
	if _, there := fixtures[c.Fixture]; !there {
		return fmt.Errorf("there is no fixture %q", c.Fixture)
	}
	for _, name := range c.Calls {
		if _, there := parts[name]; !there {
			return fmt.Errorf("there is no call %q", name)
		}
	}
	if c.Strike.Call >= len(c.Calls) {
		return fmt.Errorf("there is no call %d, from 0, for a fault", c.Strike.Call)
	}
	return nil
}

// TestChoose checks how many jobs names choose, and that a wrong name is an error.
func TestChoose(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"": len(all()), "judge+enter": 2, "judge+enter.bob": 1, "unban+ban+enter": 2, "fair/enter+judge/-/01,list+set": 4,
		"entr+judge": 0, "enter+judge,enter": 0, "fair/enter": 0, "fete/enter/-/": 0, "fair/dance/-/": 0,
		"fair/enter/lost@1.0/": 0, "fair/enter/lots@0.0/": 0, "fair/enter/-/!": 0,
	} {
		jobs, err := choose(text)
		assert.True(t, len(jobs) == want && (err == nil) == (want > 0), "%s: %d jobs, %v", text, len(jobs), err)
	}
}
