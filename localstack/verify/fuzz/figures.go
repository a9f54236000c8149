package main

import (
	"fmt"
	"runtime"

	"github.com/ranch-game/ranch/localstack/kit/batch"
)

// figures are what a run came to. docs/truth.md is made of their JSON.
type figures struct {
	batch.Run
	Go                 string // the version, whose mutations these are
	EachTarget         string // its time, or its number of inputs
	Targets            int
	Executions         int64    // inputs tried
	New                int64    // of them, those that reached what none before them had
	Broken             []string // targets whose property was broken
	ExecutionsByTarget map[string]int64
}

func newFigures(fuzzTime string) *figures {
	return &figures{Go: runtime.Version(), EachTarget: fuzzTime, Broken: []string{}, ExecutionsByTarget: map[string]int64{}}
}

// add counts what a target's run came to.
func (f *figures) add(t target, r result) {
	f.Targets++
	f.Executions += r.Executions
	f.New += r.New
	f.ExecutionsByTarget[t.String()] = r.Executions
	if r.Broken != "" {
		f.Broken = append(f.Broken, t.String())
	}
}

// verdict is an error if a property was broken.
func (f *figures) verdict() error {
	if len(f.Broken) == 0 {
		return nil
	}
	return fmt.Errorf("%d of %d targets have found an input that breaks their property: it is in testdata/fuzz of the target's folder", len(f.Broken), f.Targets)
}

// result is what one target's run came to.
type result struct {
	Seconds    float64 // with compiling
	Executions int64
	New        int64
	Corpus     int64 // all that are kept: seeds, those of earlier runs, and the new ones
	Broken     string
}

func (r result) String() string {
	line := fmt.Sprintf("%d executions, %d new of %d interesting, %.1f s", r.Executions, r.New, r.Corpus, r.Seconds)
	if r.Broken != "" {
		line += "\n" + r.Broken
	}
	return line
}
