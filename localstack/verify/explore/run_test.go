package explore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/kit/batch"
	"github.com/ranch-game/ranch/localstack/kit/storetest"
)

// TestMain is also the main function of make explore. It then runs a process of this program for each processor, since
// a process, with its one source of ids, plays only one history at a time.
func TestMain(m *testing.M) {
	if os.Getenv("EXPLORE") != "" && os.Getenv(shareVariable) == "" {
		batch.Main("explore", "the lines above are of what was explored before", func(ctx context.Context) error {
			if named := os.Getenv("PLANT"); named != "" {
				return searchPlants(ctx, named)
			}
			return runShares(ctx, runtime.GOMAXPROCS(0))
		})
		os.Exit(0)
	}
	storetest.Main(m)
}

// shareVariable gives a process its share of the cases, such as "0/2": each second one.
const shareVariable = "EXPLORE_SHARE"

// runShares runs a process for each of n shares.
func runShares(ctx context.Context, n int) error {
	s, err := parseSettings(os.Getenv)
	if err != nil {
		return err
	}
	if s.history != "" {
		n = 1
	}
	program, err := os.Executable()
	var processes []*exec.Cmd
	for i := 0; i < n && err == nil; i++ {
		p := shareProcess(ctx, program, fmt.Sprintf("%d/%d", i, n))
		p.Stdout, p.Stderr = os.Stdout, os.Stderr
		err = p.Start()
		processes = append(processes, p)
	}
	for _, p := range processes {
		err = errors.Join(err, p.Wait())
	}
	return cmp.Or(ctx.Err(), err)
}

// shareProcess returns a process of the program for a share. The end of ctx interrupts it.
func shareProcess(ctx context.Context, program, share string) *exec.Cmd {
	p := exec.CommandContext(ctx, program, "-test.run=^TestExplore$", "-test.timeout=0")
	p.Env = append(os.Environ(), shareVariable+"="+share, "GOMAXPROCS=1", "GOGC=800")
	p.Cancel = func() error { return p.Process.Signal(os.Interrupt) }
	return p
}

// mostHistories is the limit of a case's histories, unless MOST sets another.
const mostHistories = 20_000

// settings are the variables of make explore.
type settings struct {
	cases   []Case
	history string
	faults  bool
	most    int           // the limit of a case's histories
	random  time.Duration // how long to play random histories
	seed    uint64
}

func parseSettings(getenv func(string) string) (settings, error) {
	from := batch.NewSettings(getenv)
	s := settings{
		cases: chosen(from, slices.Concat(pairs(), parseCases(triples))), history: from.Text("HISTORY", ""),
		faults: from.Text("FAULTS", "") != "0", most: from.Number("MOST", mostHistories, 1),
		random: time.Duration(from.Number("SECONDS", 60, 0)) * time.Second, seed: uint64(from.Number("SEED", 1, 0)),
	}
	if s.history != "" {
		c, _, err := ParseHistory(s.history)
		if err := cmp.Or(err, c.known()); err != nil {
			from.Wrong("HISTORY", err)
		}
		s.cases, s.faults, s.random = []Case{c}, false, 0
	}
	if !s.faults {
		s.cases = slices.DeleteFunc(s.cases, func(c Case) bool { return s.history == "" && c.Strike.Fault != "" })
	}
	return s, from.Err()
}

// chosen returns the cases that the variable CASES names. A name has the case's calls or kinds, in any order, such as
// "enter+judge", and commas separate names. Without CASES, all cases are chosen; for "none", none. An unknown name is
// an error.
func chosen(from *batch.Settings, all []Case) (some []Case) {
	text := from.Text("CASES", "")
	switch text {
	case "":
		return all
	case "none":
		return nil
	}
	for _, name := range strings.Split(text, ",") {
		found := slices.DeleteFunc(slices.Clone(all), func(c Case) bool { return !c.called(name) })
		if len(found) == 0 {
			from.Wrong("CASES", fmt.Errorf("%s is none of the cases (localstack/verify/explore/plan_test.go)", name))
		}
		some = append(some, found...)
	}
	return some
}

// called reports whether the case has the calls, or the kinds, of a name.
func (c Case) called(name string) bool {
	var kinds []string
	for _, call := range c.Calls {
		kind, _, _ := strings.Cut(call, ".")
		kinds = append(kinds, kind)
	}
	wanted := slices.Sorted(slices.Values(strings.Split(name, "+")))
	return slices.Equal(wanted, slices.Sorted(slices.Values(c.Calls))) || slices.Equal(wanted, slices.Sorted(slices.Values(kinds)))
}

// places has the places of one test, by fixture. It makes a place when the test first needs it.
type places struct {
	t  *testing.T
	at map[string]*place
}

func newPlaces(t *testing.T) places { return places{t, map[string]*place{}} }

func (p places) of(c Case) *place {
	if p.at[c.Fixture] == nil {
		p.at[c.Fixture] = newPlace(p.t, c.Fixture)
	}
	return p.at[c.Fixture]
}

// do explores a share of the cases, and prints a line for each and the shortest wrong histories. It returns the sum.
func (p places) do(ctx context.Context, s settings, share, shares int) (all Result) {
	p.t.Helper()
	add := func(what string, r Result) {
		if fmt.Printf("%s: %s\n", what, r); r.Shortest != nil {
			fmt.Printf("%s\nfunc TestThisHistory(t *testing.T) { replay(t, %q) }\n\n", r.Shortest, r.Shortest.History)
		}
		all.sum(r)
	}
	for i, c := range s.cases {
		switch _, choices, _ := ParseHistory(s.history); {
		case i%shares != share || ctx.Err() != nil:
		case choices != "":
			r, story, astray := p.replay(s.history)
			if add(s.history, r); astray {
				fmt.Printf("The calls send other requests than they did in this history. It went:\n%s", story)
			}
		default:
			r := p.of(c).explore(ctx, c, s.most)
			add(c.String(), r)
			if s.faults && len(c.Calls) == 2 && !slices.Contains(faultless, c.String()) {
				struck := Result{}
				for _, c := range r.struck(c) {
					struck.sum(p.of(c).explore(ctx, c, s.most))
				}
				add(c.String()+" with a fault", struck)
			}
		}
	}
	if s.random > 0 {
		add("random calls", p.random(ctx, s.seed+uint64(share)<<32, s.random, s.faults))
	}
	return all
}

// random plays a random history of a random case for each seed from first on, until the time is over or ctx ends.
func (p places) random(ctx context.Context, first uint64, while time.Duration, faults bool) (r Result) {
	for seed, began := first, time.Now(); time.Since(began) < while && ctx.Err() == nil; seed++ {
		c := anyCase(seed, faults)
		out, problems := p.of(c).play(c, NewRandom(seed))
		r.add(c, out, problems)
	}
	return r
}

// anyCase returns a case of two to four calls, drawn from a seed. If faults is true, half of the cases have a fault.
func anyCase(seed uint64, faults bool) Case {
	rng := rand.New(rand.NewPCG(seed, 1))
	c := Case{Fixture: []string{"fair", "fair", "poor", "banned"}[rng.IntN(4)]}
	for range 2 + rng.IntN(mostCalls-1) {
		c.Calls = append(c.Calls, callNames[rng.IntN(len(callNames))])
	}
	if faults && rng.IntN(2) == 0 {
		c.Strike = Strike{allFaults[rng.IntN(len(allFaults))], rng.IntN(len(c.Calls)), rng.IntN(6)}
	}
	return c
}

// replay repeats a history. astray reports whether the calls now send other requests than the history needs.
func (p places) replay(history string) (r Result, story string, astray bool) {
	p.t.Helper()
	c, choices, err := ParseHistory(history)
	require.NoError(p.t, err)
	out, problems := p.of(c).play(c, NewReplay(choices))
	r.add(c, out, problems)
	return r, out.Story(), out.Choices != choices
}

// obey explores the share of a process of `make explore`. A signal interrupts it.
func obey(t *testing.T, text string) {
	ctx, stop := signal.NotifyContext(t.Context(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	share, shares := 0, 0
	_, err := fmt.Sscanf(text, "%d/%d", &share, &shares)
	require.NoError(t, err)
	s, err := parseSettings(os.Getenv)
	require.NoError(t, err)
	began := time.Now()
	all := newPlaces(t).do(ctx, s, share, shares)
	fmt.Printf("share %s: %s, in %s\n", text, all, time.Since(began).Round(time.Second))
	assert.NoError(t, ctx.Err())
	assert.Zero(t, all.Violations, "histories with violations")
	assert.True(t, all.Histories > 0 || s.history == "", "there was no history to try: the fault has no turn")
}

// TestSettings checks how many cases the variables select, and that a wrong value is an error instead of an empty run.
func TestSettings(t *testing.T) {
	t.Parallel()
	from := func(variables string) (settings, error) {
		return parseSettings(func(name string) string {
			for _, v := range strings.Fields(variables) {
				if text, is := strings.CutPrefix(v, name+"="); is {
					return text
				}
			}
			return ""
		})
	}
	for variables, want := range map[string]int{
		"":                               len(pairs()) + len(triples),
		"CASES=judge+enter":              2,
		"CASES=judge+enter.bob":          1,
		"CASES=unban+ban+enter":          2,
		"CASES=enter+ban+unban FAULTS=0": 1,
		"HISTORY=fair/enter+judge/-/01":  1,
	} {
		s, err := from(variables)
		assert.True(t, err == nil && len(s.cases) == want, "%s: %+v, %v", variables, s.cases, err)
	}
	for _, wrong := range []string{
		"CASES=entr+judge", "CASES=enter+judge,enter", "MOST=0", "HISTORY=fair/enter", "HISTORY=fete/enter/-/",
		"HISTORY=fair/dance/-/", "HISTORY=fair/enter/lost@1.0/", "HISTORY=fair/list+list+list+list+list/-/",
	} {
		name, _, _ := strings.Cut(wrong, "=")
		_, err := from(wrong)
		assert.True(t, err != nil && strings.Contains(err.Error(), name+"="), "%s: %v", wrong, err)
	}
}

// TestResultsAreOfWhatWasDone checks that results count only explored histories, and only faults that struck.
func TestResultsAreOfWhatWasDone(t *testing.T) {
	// A log-out has one attempt that writes.
	c := parseCase("fair/logout+logout")
	all := newPlaces(t).do(t.Context(), settings{cases: []Case{c}, faults: true, most: mostHistories}, 0, 1)
	assert.True(t, all.Faults >= 2*len(faultsOfWrites) && all.Histories > all.Faults && len(all.Unfinished) == 0, "%+v", all)
	limited := newPlaces(t).do(t.Context(), settings{cases: []Case{parseCase("fair/logout+list")}, most: 1}, 0, 1)
	assert.True(t, limited.Histories == 1 && len(limited.Unfinished) == 1, "%+v", limited)
}
