package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// report is what a run came to, as its file has it.
type report struct {
	Go       string   `json:"go"`       // the version, whose mutations these are
	FuzzTime string   `json:"fuzzTime"` // of each target
	Targets  []result `json:"targets"`  // in the order in which they ran
}

// result is what one target's run came to.
type result struct {
	Folder     string  `json:"folder"`
	Name       string  `json:"name"`
	Seconds    float64 `json:"seconds"`    // with compiling
	Executions int64   `json:"executions"` // inputs tried
	New        int64   `json:"new"`        // of them, those that reached what none before them had
	Corpus     int64   `json:"corpus"`     // all that are kept: seeds, those of earlier runs, and the new ones
	Broken     string  `json:"broken,omitempty"`
}

func (r result) String() string {
	line := fmt.Sprintf("%d executions, %d new of %d interesting, %.1f s", r.Executions, r.New, r.Corpus, r.Seconds)
	if r.Broken != "" {
		line += "\n" + r.Broken
	}
	return line
}

func newReport(fuzzTime string) *report {
	return &report{Go: runtime.Version(), FuzzTime: fuzzTime, Targets: []result{}}
}

// write writes the report's file.
func (r *report) write(root string) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	file := filepath.Join(root, reportFile)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o644)
}

// verdict is an error if a property was broken.
func (r *report) verdict() error {
	broken := 0
	for _, t := range r.Targets {
		if t.Broken != "" {
			broken++
		}
	}
	if broken > 0 {
		return fmt.Errorf("%d of %d targets have found an input that breaks their property: it is in testdata/fuzz of the target's folder", broken, len(r.Targets))
	}
	return nil
}
