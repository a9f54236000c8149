package cloudwatch

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
)

// Datum is one value of one metric in a log line.
type Datum struct {
	Namespace, Name, Unit string
	Dimensions            map[string]string // empty for a metric of the whole namespace
	Value                 float64
	At                    int64 // milliseconds since 1970
}

// metadata is the member _aws.
type metadata struct {
	Timestamp         int64
	CloudWatchMetrics []directive
}

// directive names members of the line that are metrics, and sets of members that are their dimensions.
type directive struct {
	Namespace  string
	Dimensions [][]string
	Metrics    []struct{ Name, Unit string }
}

var unit = regexp.MustCompile(`^(Seconds|Microseconds|Milliseconds|Bytes|Percent|Count|None|)$`)

// isText reports whether s can be a name, or the value of a dimension.
func isText(s string) bool { return s != "" && len(s) <= 1024 }

// ReadEMF returns the data that CloudWatch reads from a log line in the embedded metric format. If the line has no
// member _aws, ReadEMF returns no data. The error says how the line violates the format or its limits
// (docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html).
// ReadEMF also refuses what no line of ours has, such as lists of values.
func ReadEMF(line []byte) (all []Datum, err error) {
	var root map[string]json.RawMessage
	if err := json.Unmarshal(line, &root); err != nil {
		return nil, fmt.Errorf("no JSON object: %w", err)
	}
	if root["_aws"] == nil {
		return nil, nil
	}
	var m metadata
	d := json.NewDecoder(bytes.NewReader(root["_aws"]))
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil {
		return nil, fmt.Errorf("_aws: %w", err)
	}
	if len(line) > 256<<10 || m.Timestamp == 0 || len(m.CloudWatchMetrics) == 0 {
		return nil, errors.New("want at most 256 KiB, a Timestamp and CloudWatchMetrics")
	}
	for _, directive := range m.CloudWatchMetrics {
		data, err := directive.read(root, m.Timestamp)
		if err != nil {
			return nil, err
		}
		all = append(all, data...)
	}
	return all, nil
}

func (d directive) read(root map[string]json.RawMessage, at int64) (all []Datum, err error) {
	if !isText(d.Namespace) || len(d.Dimensions) == 0 || len(d.Metrics) > 100 {
		return nil, fmt.Errorf("want a Namespace, Dimensions and at most 100 Metrics, not %.500v", d)
	}
	for _, keys := range d.Dimensions {
		dimensions := map[string]string{}
		for _, key := range keys {
			value := ""
			if err := json.Unmarshal(root[key], &value); err != nil || !isText(value) || len(keys) > 30 {
				return nil, fmt.Errorf("the dimension %s of %d is %s", key, len(keys), root[key])
			}
			dimensions[key] = value
		}
		for _, m := range d.Metrics {
			var value *float64
			if err := json.Unmarshal(root[m.Name], &value); err != nil || value == nil || !unit.MatchString(m.Unit) {
				return nil, fmt.Errorf("the metric %s with the unit %q is %s", m.Name, m.Unit, root[m.Name])
			}
			all = append(all, Datum{d.Namespace, m.Name, cmp.Or(m.Unit, "None"), dimensions, *value, at})
		}
	}
	return all, nil
}
