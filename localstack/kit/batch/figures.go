package batch

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"time"
)

// Run describes the run of a command that has measured some figures.
type Run struct {
	Command     string  // repeats the run
	Date        string  // the day of the run, in UTC
	Minutes     float64 // the duration so far
	Interrupted bool    `json:",omitempty"` // a signal ended the run early
}

// NewRun returns the Run of a command that began at the time began. interrupted says whether a signal ended it early.
func NewRun(command string, began time.Time, interrupted bool) Run {
	now := time.Now()
	return Run{command, now.UTC().Format(time.DateOnly), math.Round(now.Sub(began).Minutes()*10) / 10, interrupted}
}

// WriteFigures prints figures as JSON. Unless path is "", it also writes them to that file. A reader of the file gets
// either the old or the new content, never a part.
func WriteFigures(path string, figures any) error {
	text, err := json.MarshalIndent(figures, "", "\t")
	if err != nil {
		return err
	}
	if _, err := fmt.Printf("%s\n", text); err != nil || path == "" {
		return err
	}
	next := path + ".new"
	if err := os.WriteFile(next, append(text, '\n'), 0o644); err != nil {
		return errors.Join(err, os.Remove(next))
	}
	return os.Rename(next, path)
}
