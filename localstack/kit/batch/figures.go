package batch

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"time"
)

// Run is what figures say of the run that they are of.
type Run struct {
	Command     string  // that does the same again
	Date        string  // of the day on which they were counted, in UTC
	Minutes     float64 // that it has taken so far
	Interrupted bool    `json:",omitempty"` // it was to do more
}

// NewRun says of a run by what it was made, when it began and whether it is over.
func NewRun(command string, began time.Time, interrupted bool) Run {
	now := time.Now()
	return Run{
		Command: command, Date: now.UTC().Format(time.DateOnly), Minutes: math.Round(now.Sub(began).Minutes()*10) / 10, Interrupted: interrupted,
	}
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
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+"-")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name()) // where it has not become the other
	_, err = file.Write(append(text, '\n'))
	if closing := file.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Chmod(file.Name(), 0o644)
	}
	if err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}
