package explore

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// workerVariable says that a process is one of those that do the jobs. Each has an engine of its own: ids are drawn
// from one source a process, so that it plays one history at a time.
const workerVariable = "EXPLORE_WORKER"

// settings are the variables of make explore.
type settings struct {
	pairs, triples []Case
	faults         bool
	random         time.Duration
	seed           uint64
	history        string
	figures        string // where the figures go, as JSON; "" for nowhere
	workers        int
	most           int // histories of a case
}

func parseSettings(env func(string) string) (s settings, err error) {
	s = settings{faults: env("FAULTS") != "0", history: env("HISTORY"), figures: env("JSON"), random: time.Minute, seed: uint64(time.Now().UnixNano()), workers: runtime.NumCPU(), most: mostHistories}
	for _, c := range pairs() {
		if chosen(env("PAIRS"), c) {
			s.pairs = append(s.pairs, c)
		}
	}
	for _, text := range triples {
		if c := parseCase(text); chosen(env("TRIPLES"), c) {
			s.triples = append(s.triples, c)
		}
	}
	if text := env("SECONDS"); text != "" {
		var seconds int
		if seconds, err = strconv.Atoi(text); err != nil {
			return s, fmt.Errorf("SECONDS: %w", err)
		}
		s.random = time.Duration(seconds) * time.Second
	}
	if text := env("SEED"); text != "" {
		if s.seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			return s, fmt.Errorf("SEED: %w", err)
		}
	}
	if text := env("MOST"); text != "" {
		if s.most, err = strconv.Atoi(text); err != nil || s.most < 1 {
			return s, fmt.Errorf("MOST=%s is no number of histories", text)
		}
	}
	if text := env("WORKERS"); text != "" {
		if s.workers, err = strconv.Atoi(text); err != nil || s.workers < 1 {
			return s, fmt.Errorf("WORKERS=%s is no number of workers", text)
		}
	}
	return s, nil
}

// randomLate is how many random histories each of lateTriples gets.
const randomLate = 3_000

// chosen reports whether the case is among those named: by its calls, or the operations of them, divided by commas. All
// are where nothing is named, none where it is "none".
func chosen(names string, c Case) bool {
	var kinds []string
	for _, call := range c.Calls {
		kind, _, _ := strings.Cut(call, ".")
		kinds = append(kinds, kind)
	}
	named := strings.Split(names, ",")
	return names == "" || slices.Contains(named, strings.Join(c.Calls, "+")) || slices.Contains(named, strings.Join(kinds, "+"))
}

// coordinator shares the jobs out.
type coordinator struct {
	settings
	mu      sync.Mutex
	queue   []job
	open    int // jobs that workers have
	done    int
	ended   bool
	moved   *sync.Cond
	figures Figures
	until   time.Time // random histories are played; zero while there are others
}

// coordinate is make explore. It returns the exit code.
func coordinate(env func(string) string) int {
	s, err := parseSettings(env)
	if err != nil {
		fmt.Fprintln(os.Stderr, "explore:", err)
		return 2
	}
	c := &coordinator{settings: s}
	c.moved = sync.NewCond(&c.mu)
	if s.history != "" {
		c.queue, c.random = []job{{Case: s.history, Most: s.most}}, 0
	} else {
		for _, all := range [][]Case{s.pairs, s.triples} {
			for _, one := range all {
				c.queue = append(c.queue, job{Case: one.String() + "/", Most: s.most})
			}
		}
		for _, text := range lateTriples {
			if one, choices, err := ParseHistory(text); err == nil && s.faults && chosen(env("TRIPLES"), one) {
				c.queue = append(c.queue, job{Case: one.String() + "/" + string(choices), Seed: s.seed, Random: randomLate})
			}
		}
		c.figures.Pairs, c.figures.Triples = len(s.pairs), len(s.triples)
		fmt.Printf("SEED=%d\n", s.seed)
	}
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt)
	go func() {
		<-interrupted
		c.mu.Lock()
		defer c.mu.Unlock()
		c.ended = true
		c.moved.Broadcast()
	}()
	start := time.Now()
	var workers sync.WaitGroup
	failed := make(chan error, s.workers)
	for range s.workers {
		workers.Go(func() {
			if err := c.employ(); err != nil {
				failed <- err
			}
		})
	}
	workers.Wait()
	c.figures.Finish(time.Since(start))
	c.figures.Print(os.Stdout)
	if s.figures != "" {
		text, err := json.MarshalIndent(c.figures, "", "\t")
		if err == nil {
			err = os.WriteFile(s.figures, append(text, '\n'), 0o644)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "explore:", err)
			return 1
		}
	}
	select {
	case err := <-failed:
		fmt.Fprintln(os.Stderr, "explore:", err)
		return 1
	default:
	}
	return min(c.figures.Violations, 1)
}

// employ starts a worker and gives it jobs, until there are no more.
func (c *coordinator) employ() error {
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
	worker.Env = append(os.Environ(), workerVariable+"=1", "GOGC=400")
	worker.Stdout, worker.Stderr, worker.ExtraFiles = os.Stderr, os.Stderr, []*os.File{write}
	jobs, err := worker.StdinPipe()
	if err == nil {
		err = worker.Start()
	}
	write.Close()
	if err != nil {
		return err
	}
	gaveUp := c.give(json.NewEncoder(jobs), json.NewDecoder(bufio.NewReader(read)))
	jobs.Close()
	if err := worker.Wait(); err != nil {
		return fmt.Errorf("a worker: %w", err)
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
		c.took(j, r, err)
		if err != nil && err != io.EOF {
			return err
		}
		if err != nil {
			return fmt.Errorf("a worker has ended with %+v", j)
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

// took counts what came of a job, and adds those that follow from it.
func (c *coordinator) took(j job, r Result, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done++
	defer c.moved.Broadcast()
	if j.Random == 0 {
		c.open--
	} else {
		c.figures.Random += r.Histories
	}
	if err != nil {
		return
	}
	c.figures.Add(r)
	if one, choices, err := ParseHistory(j.Case); err == nil && choices == "" && c.history == "" && j.Random == 0 {
		switch {
		case one.Strike.Fault != "":
			if r.Histories > 0 {
				c.figures.WithFaults++
			}
		case c.faults && len(one.Calls) == 2:
			for _, s := range r.Struck(one) {
				c.queue = append(c.queue, job{Case: s.String() + "/", Most: c.most})
			}
		}
	}
	if v := r.Shortest; v != nil {
		fmt.Printf("\n%d of %d histories are wrong. The shortest one: make explore HISTORY='%s'\n%s%s\n%s\n", r.Violations, r.Histories, v.History, v.Story, strings.Join(v.Problems, "\n"), v.Test())
	}
	if c.history != "" && r.Shortest == nil {
		fmt.Println("Nothing is wrong with it.")
	}
	if c.done%20 == 0 || len(c.queue) == 0 && j.Random == 0 {
		fmt.Fprintf(os.Stderr, "%s: %d histories, %d cases done, %d left, %d wrong (%s)\n", time.Now().Format(time.TimeOnly), c.figures.Histories, c.done, len(c.queue), c.figures.Violations, j.Case)
	}
}
