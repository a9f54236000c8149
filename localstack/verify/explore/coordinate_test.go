package explore

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ranch-game/ranch/localstack/kit/batch"
)

// workerVariable says that a process is one of those that do the jobs. Each has an engine of its own: ids are drawn
// from one source a process, so that it plays one history at a time.
const workerVariable = "EXPLORE_WORKER"

// coordinator shares the jobs out.
type coordinator struct {
	settings
	began   time.Time
	mu      sync.Mutex
	queue   []job
	open    int // jobs that workers have
	done    int
	ended   bool
	moved   *sync.Cond
	figures Figures
	kept    time.Time // when the figures were written last
	until   time.Time // random histories are played; zero while there are others
}

const (
	// randomLate is how many random histories each of lateTriples gets.
	randomLate = 3_000
	// randomRest is how many a case gets that has more histories than are tried: those are alike in how they begin.
	randomRest = 300
	// keepEvery is how often the figures are written while it goes on.
	keepEvery = time.Minute
)

// coordinate is make explore.
func coordinate(ctx context.Context, getenv func(string) string) error {
	s, err := parseSettings(getenv)
	if err != nil {
		return err
	}
	c := newCoordinator(s)
	fmt.Println(s.command)
	defer context.AfterFunc(ctx, c.end)()
	shown := batch.Show(os.Stderr, c.progress)
	var workers errgroup.Group
	for range s.workers {
		workers.Go(func() error { return c.employ(ctx) })
	}
	err = workers.Wait()
	shown()
	return errors.Join(err, c.conclude(ctx.Err() != nil))
}

// newCoordinator queues what the settings ask for.
func newCoordinator(s settings) *coordinator {
	c := &coordinator{settings: s, began: time.Now(), kept: time.Now()}
	c.moved = sync.NewCond(&c.mu)
	if s.history != "" {
		c.queue, c.random = []job{{Case: s.history, Most: s.most}}, 0
		return c
	}
	for _, all := range [][]Case{s.pairs, s.triples} {
		for _, one := range all {
			c.queue = append(c.queue, job{Case: one.String() + "/", Most: s.most})
		}
	}
	for _, one := range s.late {
		c.queue = append(c.queue, job{Case: one.String() + "/", Seed: s.seed, Random: randomLate})
	}
	return c
}

// end lets no more jobs begin.
func (c *coordinator) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	c.moved.Broadcast()
}

// progress is how far it is: by cases, of which those with a fault are known once those without have been tried; and
// then by the time of random histories.
func (c *coordinator) progress() batch.Progress {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := batch.Progress{What: "cases", Done: c.done, Of: c.done + c.open + len(c.queue)}
	if !c.until.IsZero() {
		p.What, p.Of = "seconds of random histories", int(c.random.Seconds())
		p.Done = max(0, p.Of-int(time.Until(c.until).Seconds()))
	}
	p.Note = fmt.Sprintf("%d histories, %d wrong", c.figures.Histories, c.figures.Violations)
	return p
}

// conclude tells what was found, and keeps the figures. It returns an error where something is wrong, or where there
// was nothing to try.
func (c *coordinator) conclude(interrupted bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	figures, err := c.keep(interrupted)
	figures.Print(os.Stdout)
	switch {
	case interrupted:
		return errors.Join(err, context.Canceled)
	case c.figures.Violations > 0:
		return errors.Join(err, fmt.Errorf("%d histories with violations", c.figures.Violations))
	case c.figures.Histories == 0:
		return errors.Join(err, errors.New("there was no history to try: nothing was asked for, or the fault has no turn"))
	}
	return err
}

// keep writes the figures so far: where there is more to do, those of a run that is interrupted, as it is if the
// machine goes down now.
func (c *coordinator) keep(more bool) (Figures, error) {
	c.kept = time.Now()
	f := c.figures
	if more {
		f.Left += len(c.queue) + c.open
	}
	f.Finish(c.command, c.began, more)
	return f, batch.WriteFigures(c.settings.figures, &f)
}

// employ starts a worker and gives it jobs, until there are no more.
func (c *coordinator) employ(ctx context.Context) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	read, write, err := os.Pipe()
	if err != nil {
		return err
	}
	defer read.Close()
	worker := exec.Command(program, "-test.run=^TestExplore$", "-test.timeout=0")
	worker.Env = append(os.Environ(), workerVariable+"=1", "GOMAXPROCS=1", "GOGC=800")
	var said bytes.Buffer // "PASS", unless it fails
	worker.Stdout, worker.Stderr, worker.ExtraFiles = &said, os.Stderr, []*os.File{write}
	jobs, err := worker.StdinPipe()
	if err == nil {
		err = worker.Start()
	}
	write.Close()
	if err != nil {
		return err
	}
	// On a terminal it has the signal, too; elsewhere it may have reached this process alone.
	defer context.AfterFunc(ctx, func() { _ = worker.Process.Signal(os.Interrupt) })()
	gaveUp := c.give(json.NewEncoder(jobs), json.NewDecoder(bufio.NewReader(read)))
	jobs.Close()
	if err := worker.Wait(); err != nil {
		return fmt.Errorf("a worker: %w\n%s", err, &said)
	}
	return gaveUp
}

func (c *coordinator) give(jobs *json.Encoder, results *json.Decoder) error {
	for {
		j, any := c.next()
		if !any {
			return nil
		}
		var r Result
		err := jobs.Encode(j)
		if err == nil {
			err = results.Decode(&r)
		}
		if err == nil {
			err = c.took(j, r)
		} else {
			c.lost(j)
		}
		if err == io.EOF {
			return fmt.Errorf("a worker has ended with %+v", j)
		}
		if err != nil {
			return err
		}
	}
}

// next waits for a job; false when there are no more.
func (c *coordinator) next() (job, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.queue) == 0 && c.open > 0 && !c.ended {
		c.moved.Wait()
	}
	if len(c.queue) == 0 && !c.ended {
		if c.until.IsZero() {
			c.until = time.Now().Add(c.random)
		}
		if time.Now().Before(c.until) {
			const batch = 50
			c.queue = append(c.queue, job{Seed: c.seed, Random: batch, Faults: c.faults})
			c.seed += batch
		}
	}
	if len(c.queue) == 0 || c.ended {
		c.ended = true
		c.moved.Broadcast()
		return job{}, false
	}
	j := c.queue[0]
	c.queue = c.queue[1:]
	if j.Random == 0 {
		c.open++
	}
	return j, true
}

// lost counts a job whose worker has died of it: another one would, too.
func (c *coordinator) lost(j job) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.figures.Left++
	if j.Random == 0 {
		c.open--
	}
	c.moved.Broadcast()
}

// took counts what came of a job, and adds those that follow from it.
func (c *coordinator) took(j job, r Result) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done++
	defer c.moved.Broadcast()
	if j.Random == 0 {
		c.open--
	} else {
		c.figures.RandomHistories += r.Histories
	}
	c.figures.Add(r)
	one, choices, err := ParseHistory(j.Case)
	if isCase := err == nil && choices == "" && c.history == "" && j.Random == 0; isCase && !r.Interrupted {
		switch {
		case one.Strike.Fault != "":
			if r.Histories > 0 {
				c.figures.WithOneFault++
			}
		case len(one.Calls) == 3:
			c.figures.Triples++
		default:
			c.figures.Pairs++
			if c.faults && !slices.Contains(faultless, one.String()) {
				for _, s := range r.Struck(one) {
					c.queue = append(c.queue, job{Case: s.String() + "/", Most: c.most})
				}
			}
		}
		if r.Unfinished {
			c.queue = append(c.queue, job{Case: j.Case, Seed: c.seed, Random: randomRest})
		}
	}
	if v := r.Shortest; v != nil {
		fmt.Printf("\n%d of %d histories are wrong. The shortest one: make explore HISTORY='%s'\n%s%s\n%s\n", r.Violations, r.Histories, v.History, v.Story, strings.Join(v.Problems, "\n"), v.Test())
	}
	if r.Astray != "" {
		fmt.Printf("The calls send other requests than they did in this history. It went %s\n", r.Astray)
	}
	if c.history != "" && r.Histories > 0 && r.Shortest == nil {
		fmt.Println("Nothing is wrong with it.")
	}
	if time.Since(c.kept) > keepEvery {
		_, err = c.keep(true)
		return err
	}
	return nil
}

// What was not explored is not counted: neither what an interruption has broken off or left, nor a job whose worker has
// died; and to have explored nothing is an error.
func TestFiguresAreOfWhatWasDone(t *testing.T) {
	t.Parallel()
	begun := func(pairs ...string) (*coordinator, []job) {
		c := newCoordinator(settings{pairs: parseCases(pairs), faults: true, figures: filepath.Join(t.TempDir(), "figures.json"), command: "make explore"})
		var jobs []job
		for range pairs {
			j, _ := c.next()
			jobs = append(jobs, j)
		}
		return c, jobs
	}
	whole := Result{Case: "fair/logout+list", Attempts: make([]string, 2)}
	whole.add(Case{}, Outcome{Whole: true, Attempts: []string{"w", ""}}, nil)
	whole.add(Case{}, Outcome{Attempts: []string{"", "r"}}, nil) // abandoned, but a fault can strike its read

	c, jobs := begun("fair/logout+list")
	if err := c.took(jobs[0], whole); err != nil {
		t.Fatal(err)
	}
	if faults := len(faultsOfWrites) + len(faultsOfReads); c.figures.Pairs != 1 || len(c.queue) != faults {
		t.Errorf("%+v, and %d cases with a fault, want %d", c.figures, len(c.queue), faults)
	}
	j, _ := c.next()
	if err := c.took(j, Result{Case: j.Case}); err != nil || c.figures.WithOneFault != 0 {
		t.Errorf("%+v, %v: a fault without a turn counts", c.figures, err)
	}

	c, jobs = begun("fair/refund+refund") // whose faults are those of another pair
	if err := c.took(jobs[0], whole); err != nil || c.figures.Pairs != 1 || len(c.queue) != 0 {
		t.Errorf("%+v, and %d cases with a fault: %v", c.figures, len(c.queue), err)
	}

	// One that has more histories than were tried is played at random, too.
	c, jobs = begun("fair/logout+list")
	c.faults = false
	unfinished := whole
	unfinished.Unfinished = true
	if err := c.took(jobs[0], unfinished); err != nil {
		t.Fatal(err)
	}
	if j, _ := c.next(); j.Case != jobs[0].Case || j.Random != randomRest || j.Most != 0 || len(c.queue) != 0 {
		t.Errorf("%+v comes after it, and %+v", j, c.queue)
	}

	c, jobs = begun("fair/logout+list", "fair/logout+logout", "fair/list+list")
	c.lost(jobs[0])
	c.end()
	broken := whole
	broken.Interrupted = true
	if err := c.took(jobs[1], broken); err != nil {
		t.Fatal(err)
	}
	if _, any := c.next(); any {
		t.Error("there are jobs after the end")
	}
	written := func() (f Figures) {
		text, err := os.ReadFile(c.settings.figures)
		if err = errors.Join(err, json.Unmarshal(text, &f)); err != nil {
			t.Error(err)
		}
		return f
	}
	c.queue, c.open = append(c.queue, jobs[2]), 0
	if err := c.conclude(true); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if f := written(); f.Pairs != 0 || f.Left != 3 || f.Histories != 1 || !f.Interrupted {
		t.Errorf("%+v", f)
	}

	// While it goes on, what is kept says that there is more to do.
	c, jobs = begun("fair/logout+list", "fair/list+list")
	c.kept = time.Now().Add(-keepEvery)
	if err := c.took(jobs[0], whole); err != nil {
		t.Error(err)
	}
	if f := written(); f.Left != 1+len(c.queue) || !f.Interrupted {
		t.Errorf("%+v", f)
	}

	c, _ = begun()
	if err := c.conclude(false); err == nil || !strings.Contains(err.Error(), "no history") {
		t.Error(err)
	}
}
