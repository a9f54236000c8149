package explore

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/ranch-game/ranch/localstack/kit/batch"
)

const (
	// mostHistories is the limit of a case's histories, unless MOST sets another.
	mostHistories = 20_000
	// randomRest is the number of random histories that explore adds for a case with more histories than the limit,
	// because the histories up to the limit all begin alike.
	randomRest = 300
)

// job is the task of a process: the histories of a case, one history, or random histories of any case.
type job struct {
	History string        `json:",omitempty"` // a case, or one history; "": random histories
	Most    int           `json:",omitempty"` // the limit of a case's histories
	For     time.Duration `json:",omitempty"` // how long to play random histories
	Seed    uint64        `json:",omitempty"` // of random histories
	First   bool          `json:",omitempty"` // stop at the first flaw
	Faults  bool          `json:",omitempty"` // also play each fault of a case, or one in half of the random histories
}

// settings are the variables of make explore.
type settings struct {
	jobs    []job
	faults  bool
	seed    uint64
	history string
	figures string // the path of the file for the figures; "" for none
	command string // the command that repeats the run
}

func parseSettings(getenv func(string) string) (settings, error) {
	from := batch.NewSettings(getenv)
	s := settings{
		faults: from.Text("FAULTS", "") != "0", history: from.Text("HISTORY", ""), figures: from.Figures(),
		seed: uint64(from.Number("SEED", int(time.Now().UnixNano()), 0)),
	}
	random := time.Duration(from.Number("SECONDS", 60, 0)) * time.Second
	if getenv("SEED") == "" && s.history == "" {
		from.Went("SEED", strconv.FormatUint(s.seed, 10))
	}
	most := from.Number("MOST", mostHistories, 1)
	for _, c := range chosen(from, slices.Concat(pairs(), parseCases(triples))) {
		if s.faults || c.Strike.Fault == "" {
			s.jobs = append(s.jobs, job{History: c.String() + "/", Most: most, Faults: s.faults && len(c.Calls) == 2, Seed: s.seed})
		}
	}
	for n := range uint64(runtime.GOMAXPROCS(0)) {
		if random > 0 {
			s.jobs = append(s.jobs, job{For: random, Seed: s.seed + n<<32, Faults: s.faults})
		}
	}
	if s.history != "" {
		c, _, err := ParseHistory(s.history)
		if err := cmp.Or(err, c.known()); err != nil {
			from.Wrong("HISTORY", err)
		}
		s.jobs = []job{{History: s.history, Most: most}}
	}
	s.command = from.Command("explore")
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

// run is a run of `make explore`. Each job has a process, since a process, with its one source of ids, plays only one
// history at a time.
type run struct {
	settings
	began time.Time

	mu      sync.Mutex
	figures Figures
	done    int // jobs
}

// jobVariable gives a process its job, as JSON.
const jobVariable = "EXPLORE_JOB"

// coordinate does the work of `make explore`.
func coordinate(ctx context.Context, getenv func(string) string) error {
	if named := getenv("PLANT"); named != "" {
		return searchPlants(ctx, named)
	}
	s, err := parseSettings(getenv)
	if err != nil {
		return err
	}
	r := &run{settings: s, began: time.Now(), figures: Figures{Faults: map[Fault]int{}}}
	fmt.Println(s.command)
	shown := batch.Show(os.Stderr, r.progress)
	err = r.employ(ctx)
	shown()
	return errors.Join(err, r.conclude(ctx.Err() != nil))
}

func (r *run) progress() batch.Progress {
	r.mu.Lock()
	defer r.mu.Unlock()
	note := fmt.Sprintf("%d histories, %d wrong", r.figures.Histories, r.figures.Violations)
	return batch.Progress{What: "cases", Done: r.done, Of: len(r.jobs), Note: note}
}

// employ runs each job in a process of this program, one for each processor. After an interruption, it starts no more.
func (r *run) employ(ctx context.Context) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	var processes errgroup.Group
	processes.SetLimit(runtime.GOMAXPROCS(0))
	for _, j := range r.jobs {
		processes.Go(func() error {
			if ctx.Err() != nil {
				return nil
			}
			err := employed(ctx, program, j, r.took)
			r.mu.Lock()
			defer r.mu.Unlock()
			if err == nil {
				r.done++
			}
			return err
		})
	}
	return processes.Wait()
}

// employed starts a process of the program for the job, and calls report with each of the job's results.
func employed(ctx context.Context, program string, j job, report func(Result)) error {
	text, textErr := json.Marshal(j)
	read, write, err := os.Pipe()
	if err := errors.Join(textErr, err); err != nil {
		return err
	}
	defer read.Close()
	worker := exec.Command(program, "-test.run=^TestExplore$", "-test.timeout=0")
	worker.Env = append(os.Environ(), jobVariable+"="+string(text), "GOMAXPROCS=1", "GOGC=800")
	var said bytes.Buffer // "PASS", unless it fails
	worker.Stdout, worker.Stderr, worker.ExtraFiles = &said, os.Stderr, []*os.File{write}
	err = worker.Start()
	write.Close()
	if err != nil {
		return err
	}
	// Unless both run on a terminal, a signal may have reached only this process.
	defer context.AfterFunc(ctx, func() { _ = worker.Process.Signal(os.Interrupt) })()
	for results := json.NewDecoder(read); ; {
		var one Result
		if results.Decode(&one) != nil {
			break // the process has ended
		}
		report(one)
	}
	if err := worker.Wait(); err != nil {
		return fmt.Errorf("the process of %s: %w\n%s", text, err, &said)
	}
	return nil
}

// took adds a result to the figures, and prints its shortest history with a flaw.
func (r *run) took(one Result) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.figures.add(one)
	if v := one.Shortest; v != nil {
		fmt.Printf("\n%d of %d histories are wrong. The shortest one: make explore HISTORY='%s'\n%s%s\nfunc TestThisHistory(t *testing.T) { replay(t, %q) }\n\n",
			one.Violations, one.Histories, v.History, v.Story, strings.Join(v.Problems, "\n"), v.History)
	} else if r.history != "" && one.Histories > 0 {
		fmt.Println("Nothing is wrong with it.")
	}
}

// conclude writes the figures. It returns an error if the run was interrupted, found a flaw, or played no history.
func (r *run) conclude(interrupted bool) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	f := &r.figures
	f.Left += len(r.jobs) - r.done
	f.Run, f.PerSecond = batch.NewRun(r.command, r.began, interrupted), float64(f.Histories)/time.Since(r.began).Seconds()
	err := batch.WriteFigures(r.settings.figures, f)
	switch {
	case interrupted:
		return errors.Join(err, context.Canceled)
	case f.Violations > 0:
		return errors.Join(err, fmt.Errorf("%d histories with violations", f.Violations))
	case f.Histories == 0:
		return errors.Join(err, errors.New("there was no history to try: nothing was asked for, or the fault has no turn"))
	}
	return err
}

// obey does the job of a process that `make explore` has started, and writes the results to file 3, a pipe to `make
// explore`. A signal interrupts the job.
func obey(t *testing.T, text string) {
	ctx, stop := signal.NotifyContext(t.Context(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	var j job
	require.NoError(t, json.Unmarshal([]byte(text), &j))
	results := json.NewEncoder(os.NewFile(3, "results"))
	newPlaces(t).do(ctx, j, func(r Result) {
		require.NoError(t, results.Encode(r))
	})
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

// do does a job until it is finished or ctx ends. It calls report with each result.
func (p places) do(ctx context.Context, j job, report func(Result)) {
	p.t.Helper()
	if j.History == "" {
		report(p.random(ctx, j.Seed, func(_ int, took time.Duration) bool { return took < j.For }, func(seed uint64) Case { return anyCase(seed, j.Faults) }))
		return
	}
	c, choices, err := ParseHistory(j.History)
	switch {
	case err != nil:
		p.t.Fatal(err)
	case choices != "":
		r, story, astray := p.replay(j.History)
		report(r)
		if astray {
			fmt.Fprintf(os.Stderr, "The calls send other requests than they did in this history. It went:\n%s", story)
		}
		return
	}
	cases := []Case{c}
	for i := 0; i < len(cases); i++ {
		r := p.of(c).explore(ctx, cases[i], j.Most, j.First)
		report(r)
		if r.Interrupted {
			return
		}
		if i == 0 && j.Faults && !slices.Contains(faultless, c.String()) {
			cases = append(cases, r.struck(c)...)
		}
		if r.Unfinished && !j.First {
			report(p.random(ctx, j.Seed, func(n int, _ time.Duration) bool { return n < randomRest }, func(uint64) Case { return r.Case }))
		}
	}
}

// random plays random histories of the cases of(seed), with the seeds from first, while more(number, time) is true.
func (p places) random(ctx context.Context, first uint64, more func(n int, took time.Duration) bool, of func(seed uint64) Case) Result {
	r := Result{Random: true}
	for n, began := 0, time.Now(); more(n, time.Since(began)); n++ {
		if r.Interrupted = ctx.Err() != nil; r.Interrupted {
			break
		}
		seed := first + uint64(n)
		c := of(seed)
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

// TestSettings checks how many jobs the variables select, and that a wrong value is an error instead of an empty run.
func TestSettings(t *testing.T) {
	t.Parallel()
	from := func(variables ...string) (settings, error) {
		return parseSettings(func(name string) string {
			for _, v := range variables {
				if text, is := strings.CutPrefix(v, name+"="); is {
					return text
				}
			}
			return ""
		})
	}
	for variables, want := range map[string]int{ // jobs, without random calls
		"":                               len(pairs()) + len(triples),
		"CASES=judge+enter":              2,
		"CASES=judge+enter.bob":          1,
		"CASES=unban+ban+enter":          2,
		"CASES=enter+ban+unban FAULTS=0": 1,
		"HISTORY=fair/enter+judge/-/01":  1,
	} {
		s, err := from(append(strings.Fields(variables), "SECONDS=0")...)
		assert.True(t, err == nil && len(s.jobs) == want, "%s: %+v, %v", variables, s.jobs, err)
	}
	s, err := from()
	assert.True(t, err == nil && strings.HasPrefix(s.command, "make explore SEED="), "%s does not do the same again: %v", s.command, err)
	for _, wrong := range []string{
		"CASES=entr+judge", "CASES=enter+judge,enter", "MOST=0", "HISTORY=fair/enter", "HISTORY=fete/enter/-/",
		"HISTORY=fair/dance/-/", "HISTORY=fair/enter/lost@1.0/", "HISTORY=fair/list+list+list+list+list/-/",
	} {
		name, _, _ := strings.Cut(wrong, "=")
		_, err := from(wrong)
		assert.True(t, err != nil && strings.Contains(err.Error(), name+"="), "%s: %v", wrong, err)
	}
}

// TestFiguresAreOfWhatWasDone checks that the figures count only explored histories, and only faults that struck. A run
// that played no history, or that found a flaw, is an error.
func TestFiguresAreOfWhatWasDone(t *testing.T) {
	done := func(ctx context.Context, j job) (f Figures, cases int) {
		f.Faults = map[Fault]int{}
		newPlaces(t).do(ctx, j, func(r Result) { f.add(r); cases++ })
		return f, cases
	}
	// A log-out has one attempt that writes.
	f, cases := done(t.Context(), job{History: "fair/logout+logout/-/", Most: mostHistories, Faults: true})
	assert.True(t, f.Pairs == 1 && f.WithOneFault >= 2*len(faultsOfWrites) && f.WithOneFault == cases-1 && f.Left == 0 && f.Faults[Lost] != 0 && f.RandomHistories == 0,
		"%d cases, %+v", cases, f)
	// A case with more histories than the limit also gets random ones.
	f, cases = done(t.Context(), job{History: "fair/logout+list/-/", Most: 1})
	assert.True(t, cases == 2 && f.Pairs == 1 && len(f.Unfinished) == 1 && f.RandomHistories == randomRest, "%d cases, %+v", cases, f)
	ended, end := context.WithCancel(t.Context())
	end()
	f, cases = done(ended, job{History: "fair/logout+list/-/", Most: 9, Faults: true})
	assert.True(t, cases == 1 && f.Pairs == 0 && f.Left == 1, "%d cases, %+v", cases, f)
	err := (&run{}).conclude(false)
	assert.True(t, err != nil && strings.Contains(err.Error(), "no history"), err)
	err = (&run{figures: Figures{Histories: 2, Violations: 1}}).conclude(false)
	assert.True(t, err != nil && strings.Contains(err.Error(), "1 histories with"), err)
}
