package emf

import (
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/ranch-game/ranch/shared/tally"
)

// Source is the origin of metrics.
type Source struct {
	Namespace string // in CloudWatch; "" means lines without metrics
	Function  string // FunctionName
	Version   string // FunctionVersion
}

// Value is a figure and its number in a log line. A line without a Value for a figure reports nothing, and not 0.
type Value struct {
	Figure tally.Figure
	N      int64
}

// metadata is the member _aws of a line, in the form that CloudWatch defines.
type metadata struct {
	Timestamp         int64 // in milliseconds
	CloudWatchMetrics []directive
}

// directive lists the metrics of one kind. CloudWatch accepts up to 100, and a line has far fewer.
type directive struct {
	Namespace  string
	Dimensions [][]string
	Metrics    []member
}

// member is the entry in a directive for a member of the line that is a metric.
type member struct {
	Name string
	Unit string `json:",omitempty"` // "" means None
}

// Append appends the values to the attributes of a log line, each under its figure's name. If s has a namespace and a
// value is a metric, it also appends the metadata that turn values into metrics: the dimensions and the member _aws.
// The logger must write the line as JSON, with the attributes at the root. code is the refusal's error code, or "". If
// err is not nil, its bounded text is the line's last attribute, so a cut line still has its metrics.
func (s Source) Append(line []slog.Attr, at time.Time, code string, err error, values ...Value) []slog.Attr {
	line = s.appendMetrics(line, at, code, values)
	if err == nil {
		return line
	}
	return append(line, slog.String("error", Bounded(err).Error()))
}

func (s Source) appendMetrics(line []slog.Attr, at time.Time, code string, values []Value) []slog.Attr {
	var metrics [kinds][]member
	for _, v := range values {
		line = append(line, slog.Int64(v.Figure.String(), v.N))
		switch d := definitions[v.Figure]; d.unit {
		case "":
		case Unitless:
			metrics[d.kind] = append(metrics[d.kind], member{Name: v.Figure.String()})
		default:
			metrics[d.kind] = append(metrics[d.kind], member{v.Figure.String(), d.unit})
		}
	}
	var directives []directive
	for k, members := range metrics {
		if members != nil {
			directives = append(directives, directive{s.Namespace, dimensions[k], members})
		}
	}
	if s.Namespace == "" || directives == nil {
		return line
	}
	if metrics[ofFunction] != nil || metrics[ofStackAndFunction] != nil {
		line = append(line, slog.String(FunctionName, s.Function), slog.String(FunctionVersion, s.Version))
	}
	if metrics[ofCode] != nil {
		line = append(line, slog.String(Code, code))
	}
	return append(line, slog.Any("_aws", metadata{at.UnixMilli(), directives}))
}

// longestError limits the text of an error, in bytes. CloudWatch splits a log line of more than 256 kB, and finds no
// metrics in its parts. JSON may write a byte as six.
const longestError = 20_000

// Bounded returns err, or an error that wraps err and has the beginning of its text, if the text has more than 20,000
// bytes. Joined errors can have such a text, even if each of them is short.
func Bounded(err error) error {
	if err == nil || len(err.Error()) <= longestError {
		return err
	}
	text := err.Error()
	start := strings.ToValidUTF8(text[:longestError], "") // without a half character at the end
	return cut{err, fmt.Sprintf("%s … and %d more bytes", start, len(text)-longestError)}
}

type cut struct {
	error
	text string
}

func (c cut) Error() string { return c.text }

func (c cut) Unwrap() error { return c.error }
