package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/lmittmann/tint"

	"github.com/ranch-game/ranch/shared/emf"
	"github.com/ranch-game/ranch/shared/tally"
)

// console prints the functions' log lines: it turns the JSON of each line into text for people.
type console struct {
	handler slog.Handler
}

func newConsole(w io.Writer, coloured bool) console {
	return console{handler: tint.NewTextHandler(w, &tint.Options{Level: slog.LevelDebug, TimeFormat: "15:04:05.000", NoColor: !coloured})}
}

// notShown are the fields that console leaves out: only CloudWatch needs them, or the printed line has their value.
var notShown = []string{
	slog.TimeKey, slog.LevelKey, slog.MessageKey,
	"_aws", emf.FunctionName, emf.FunctionVersion, emf.Code, "version", "lambda_request_id", "trace_id",
	tally.Faults.String(), tally.ColdStarts.String(), tally.Refusals.String(), tally.RefreshRefusals.String(), tally.KeysUnparsable.String(),
}

// line prints one log line of a function. If the line is no log record, such as a line of a crash or of the gateway, it
// prints the text unchanged as a warning.
func (c console) line(function, line string) {
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
