package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// longestTest is how long a test of the original may take.
const longestTest = 5 * time.Minute

// reach finds out which sites each test comes by and how long it takes, by running each alone. What it has found out is
// kept until the code or the tests are others. It returns the tests with the quickest first. One that fails without any
// mutant, as on a machine that is too busy for it, is said and left out: it could catch nothing. told hears how many
// of those that have to be run have been.
func reach(ctx context.Context, folder string, suites []*suite, processes int, told func(done, of int)) ([]*test, error) {
	var tests []*test
	for _, s := range suites {
		files, err := testsIn(s.root, s.dir)
		if err != nil {
			return nil, err
		}
		for name, file := range files {
			tests = append(tests, &test{suite: s, name: name, file: file})
		}
	}
	known := readReach(folder)
	var unknown []*test
	for _, t := range tests {
		if r, is := known[t.key()]; is {
			t.take(r)
		} else {
			unknown = append(unknown, t)
		}
	}
	var mu sync.Mutex
	ended := 0
	told(ended, len(unknown))
	group, within := errgroup.WithContext(ctx)
	group.SetLimit(processes)
	for _, t := range unknown {
		group.Go(func() error {
			r, err := t.measure(within, folder)
			if within.Err() != nil {
				return within.Err()
			}
			mu.Lock()
			defer mu.Unlock()
			ended++
			told(ended, len(unknown))
			if err != nil {
				fmt.Fprintf(os.Stderr, "\nLEFT OUT: %v\n", err)
				return nil
			}
			t.take(r)
			known[t.key()] = r
			return nil
		})
	}
	err := group.Wait()
	for key := range known { // of other code
		if !slices.ContainsFunc(suites, func(s *suite) bool { return strings.HasPrefix(key, s.digest) }) {
			delete(known, key)
		}
	}
	tests = slices.DeleteFunc(tests, func(t *test) bool { return t.seconds == 0 })
	slices.SortFunc(tests, func(a, b *test) int { return cmp.Or(cmp.Compare(a.seconds, b.seconds), cmp.Compare(a.name, b.name)) })
	return tests, errors.Join(err, writeReach(folder, known))
}

// reached is what is kept of a test.
type reached struct {
	Seconds float64
	Sites   []int
}

func (t *test) key() string { return t.suite.digest + " " + t.String() }

func (t *test) take(r reached) {
	t.seconds, t.reached = r.Seconds, map[int]bool{}
	for _, site := range r.Sites {
		t.reached[site] = true
	}
}

// measure runs a test of the original, which must pass: if need be, at a second attempt, since the machine may be busy.
func (t *test) measure(ctx context.Context, folder string) (reached, error) {
	notes := filepath.Join(folder, strings.ReplaceAll(t.String(), "/", "_")+".sites")
	defer os.Remove(notes)
	var o outcome
	for range 2 {
		_ = os.Remove(notes) // of an attempt before
		var err error
		if o, err = t.suite.run(ctx, 0, notes, longestTest, []string{t.name}); err != nil {
			return reached{}, err
		}
		if !o.failed {
			break
		}
	}
	if o.failed {
		return reached{}, fmt.Errorf("%v fails without any mutant:\n%s", t, o.output)
	}
	r := reached{Seconds: o.seconds}
	text, err := os.ReadFile(notes)
	if err != nil && !os.IsNotExist(err) {
		return reached{}, err
	}
	for _, line := range strings.Fields(string(text)) {
		site, err := strconv.Atoi(line)
		if err != nil {
			return reached{}, err
		}
		r.Sites = append(r.Sites, site)
	}
	return r, nil
}

func readReach(folder string) map[string]reached {
	known := map[string]reached{}
	if text, err := os.ReadFile(filepath.Join(folder, "reach.json")); err == nil {
		if json.Unmarshal(text, &known) != nil {
			return map[string]reached{} // half a file, of a run that was ended
		}
	}
	return known
}

func writeReach(folder string, known map[string]reached) error {
	text, err := json.Marshal(known)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "reach.json"), text, 0o644)
}
