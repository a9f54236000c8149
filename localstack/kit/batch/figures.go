package batch

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"time"
)

// Run says which run figures are of.
type Run struct {
	Command     string  // that does the same again
	Date        string  // of the day on which they were counted, in UTC
	Minutes     float64 // that the run has taken so far
	Interrupted bool    `json:",omitempty"` // the run was to do more
}

// NewRun returns the Run of a command that began then.
func NewRun(command string, began time.Time, interrupted bool) Run {
	now := time.Now()
	return Run{command, now.UTC().Format(time.DateOnly), math.Round(now.Sub(began).Minutes()*10) / 10, interrupted}
}

// WriteFigures writes figures as JSON, whole or not at all. The path "" is nowhere.
func WriteFigures(path string, figures any) error {
	if path == "" {
		return nil
	}
	text, err := json.MarshalIndent(figures, "", "\t")
	if err != nil {
		return err
	}
	next := path + ".new"
	if err := os.WriteFile(next, append(text, '\n'), 0o644); err != nil {
		return errors.Join(err, os.Remove(next))
	}
	return os.Rename(next, path)
}
