package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/lmittmann/tint"

	"github.com/ranch-game/ranch/shared/emf"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/tally"
)

// console prints the functions' log lines: their JSON becomes text for people.
type console struct {
	handler slog.Handler
	file    *os.File // the file to which the raw lines are appended; nil for none
}

func newConsole(w io.Writer, coloured bool) console {
	return console{handler: tint.NewTextHandler(w, &tint.Options{Level: slog.LevelDebug, TimeFormat: "15:04:05.000", NoColor: !coloured})}
}

// keeping returns a console that also appends the lines to a file, each after its time, as CloudWatch exports them. ""
// stands for no file. The caller closes the console.
func (c console) keeping(path string) (console, error) {
	if path == "" {
		return c, nil
	}
	err := os.MkdirAll(filepath.Dir(path), 0o755) // the folder .build may be missing
	if err == nil {
		c.file, err = os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	}
	return c, err
}

func (c console) close() error {
	if c.file == nil {
		return nil
	}
	return c.file.Close()
}

// notShown are the fields that only CloudWatch needs, or that repeat others.
var notShown = []string{
	slog.TimeKey, slog.LevelKey, slog.MessageKey,
	"_aws", emf.FunctionName, emf.FunctionVersion, emf.Code, "version", "lambda_request_id", "trace_id",
	tally.Faults.String(), tally.ColdStarts.String(), tally.Refusals.String(), tally.RefreshRefusals.String(), tally.KeysUnparsable.String(),
}

// line prints one log line of a function. It prints other output, such as a crash or a word from the gateway, unchanged
// as a warning.
func (c console) line(function, line string) {
	if c.file != nil {
		_, _ = fmt.Fprintf(c.file, "%v %s\n", game.InstantOf(time.Now()), line) // a full disk does not stop the service
	}
	var fields map[string]any
	d := json.NewDecoder(strings.NewReader(line))
	d.UseNumber()
	if err := d.Decode(&fields); err != nil || fields[slog.MessageKey] == nil {
		c.show(slog.NewRecord(time.Now(), slog.LevelWarn, function+": "+line, 0))
		return
	}
	when, err := time.Parse(time.RFC3339Nano, fmt.Sprint(fields[slog.TimeKey]))
	if err != nil {
		when = time.Now()
	}
	var level slog.Level // info if the line has none
	_ = level.UnmarshalText([]byte(fmt.Sprint(fields[slog.LevelKey])))
	message := fmt.Sprint(fields[slog.MessageKey])
	if message == "request" {
		message = fmt.Sprintf("%v %v %vms", fields["route"], fields["status"], fields["duration_ms"])
		for _, shown := range []string{"route", "status", "duration_ms"} {
			delete(fields, shown)
		}
	}
	for _, name := range notShown {
		delete(fields, name)
	}
	fields["function"] = function
	r := slog.NewRecord(when.Local(), level, message, 0)
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		r.AddAttrs(slog.Any(name, fields[name]))
	}
	c.show(r)
}

func (c console) show(r slog.Record) {
	_ = c.handler.Handle(context.Background(), r) // a closed terminal does not stop the service
}
