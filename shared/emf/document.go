package emf

import (
	"encoding/json"
	"log/slog"
	"strconv"
	"time"

	"github.com/ranch-game/ranch/shared/tally"
)

// Source is the origin of metrics.
type Source struct {
	Namespace string // of CloudWatch; "" makes plain lines without metrics
	Function  string // FunctionName
	Version   string // FunctionVersion
}

// Value is a figure in a line. Leave out a figure that must not appear as 0.
type Value struct {
	Figure tally.Figure
	N      int64
}

// Append appends the values to the attributes of a line, each under its figure's name, with the metadata that makes
// metrics of them: the dimensions' values and _aws. The line must be written as JSON, with the attributes at its root.
// The code is the refusal's, or "".
func (s Source) Append(line []slog.Attr, at time.Time, code string, values ...Value) []slog.Attr {
	var present [kinds]bool
	metrics := false
	for _, v := range values {
		line = append(line, slog.Int64(v.Figure.String(), v.N))
		if d := definitions[v.Figure]; d.unit != "" {
			present[d.kind], metrics = true, true
		}
	}
	if s.Namespace == "" || !metrics {
		return line
	}
	if present[ofFunction] || present[ofStackAndFunction] {
		line = append(line, slog.String(FunctionName, s.Function), slog.String(FunctionVersion, s.Version))
	}
	if present[ofCode] {
		line = append(line, slog.String(Code, code))
	}
	return append(line, slog.Any("_aws", s.metadata(at, present, values)))
}

// metadata returns the member _aws: a directive for each present kind of metric. A line has far less than the 100
// metrics that a directive may have. It omits the unit None.
func (s Source) metadata(at time.Time, present [kinds]bool, values []Value) json.RawMessage {
	b := make([]byte, 0, 512)
	b = append(b, `{"Timestamp":`...)
	b = strconv.AppendInt(b, at.UnixMilli(), 10)
	b = append(b, `,"CloudWatchMetrics":`...)
	before := byte('[')
	for k := range kinds {
		if !present[k] {
			continue
		}
		b = append(b, before)
		b = append(b, `{"Namespace":`...)
		b = strconv.AppendQuote(b, s.Namespace) // a stack's name: letters, digits and dashes
		b = append(b, `,"Dimensions":`...)
		b = append(b, dimensionsJSON[k]...)
		b = append(b, `,"Metrics":`...)
		b = appendMetrics(b, k, values)
		b = append(b, '}')
		before = ','
	}
	return append(b, "]}"...)
}

func appendMetrics(b []byte, k kind, values []Value) []byte {
	before := byte('[')
	for _, v := range values {
		d := definitions[v.Figure]
		if d.unit == "" || d.kind != k {
			continue
		}
		b = append(b, before)
		b = append(b, `{"Name":"`...)
		b = append(b, v.Figure.String()...)
		if d.unit != Unitless {
			b = append(b, `","Unit":"`...)
			b = append(b, d.unit...)
		}
		b = append(b, `"}`...)
		before = ','
	}
	return append(b, ']')
}

// dimensionsJSON are the dimension sets of each kind in the form of a line.
var dimensionsJSON = func() (all [kinds]string) {
	for k, sets := range dimensions {
		text, err := json.Marshal(sets)
		if err != nil {
			panic(err) // texts can be marshalled
		}
		all[k] = string(text)
	}
	return all
}()
