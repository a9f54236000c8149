package cloudwatch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
)

// Datum is one value of one metric, as a line of a log has it.
type Datum struct {
	Namespace, Name, Unit string
	Dimensions            map[string]string // empty: the metric of the whole namespace
	Value                 float64
	At                    int64 // milliseconds since 1970
}

// The limits of the Embedded Metric Format, by the rules and the schema that AWS publishes
// (docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html).
const (
	maxDocument   = 256 << 10 // bytes
	maxNamespace  = 1024
	maxName       = 1024
	maxMetrics    = 100
	maxDimensions = 30
	maxKey        = 250
	maxText       = 1024
)

var units = regexp.MustCompile(`^(Seconds|Microseconds|Milliseconds|Percent|None|` +
	`((B|Kilob|Megab|Gigab|Terab)(ytes|its)|Count)(/Second)?)$`)

// metadata is the member _aws; nil: the member is missing.
type metadata struct {
	Timestamp         *int64
	CloudWatchMetrics *[]directive
}

type directive struct {
	Namespace  *string
	Dimensions [][]string
	Metrics    []definition
}

type definition struct {
	Name              *string
	Unit              *string
	StorageResolution *int
}

// ReadEMF returns what a line of the log becomes in CloudWatch: nothing if it has no member _aws. The error names what
// the format does not allow.
func ReadEMF(line []byte) ([]Datum, error) {
	var root map[string]json.RawMessage
	if err := json.Unmarshal(line, &root); err != nil {
		return nil, fmt.Errorf("no JSON object: %w", err)
	}
	text, ok := root["_aws"]
	if !ok {
		return nil, nil
	}
	if len(line) > maxDocument {
		return nil, fmt.Errorf("%d bytes", len(line))
	}
	var m metadata
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&m); err != nil {
		return nil, fmt.Errorf("_aws: %w", err)
	}
	if m.Timestamp == nil || m.CloudWatchMetrics == nil || len(*m.CloudWatchMetrics) == 0 {
		return nil, errors.New("_aws has no Timestamp, or no CloudWatchMetrics")
	}
	var all []Datum
	for i, d := range *m.CloudWatchMetrics {
		data, err := d.read(root, *m.Timestamp)
		if err != nil {
			return nil, fmt.Errorf("directive %d: %w", i, err)
		}
		all = append(all, data...)
	}
	return all, nil
}

func (d directive) read(root map[string]json.RawMessage, at int64) ([]Datum, error) {
	if d.Namespace == nil || !within(*d.Namespace, maxNamespace) {
		return nil, errors.New("no Namespace")
	}
	if len(d.Dimensions) == 0 || len(d.Metrics) > maxMetrics || d.Metrics == nil {
		return nil, fmt.Errorf("%d sets of dimensions, %d metrics", len(d.Dimensions), len(d.Metrics))
	}
	var all []Datum
	for _, keys := range d.Dimensions {
		if keys == nil || len(keys) > maxDimensions {
			return nil, fmt.Errorf("%d dimensions in a set", len(keys))
		}
		dimensions := map[string]string{}
		for _, key := range keys {
			var value *string
			if err := json.Unmarshal(root[key], &value); err != nil || value == nil || !within(key, maxKey) || !within(*value, maxText) {
				return nil, fmt.Errorf("the dimension %s is %s", key, root[key])
			}
			dimensions[key] = *value
		}
		for _, m := range d.Metrics {
			values, unit, err := m.read(root)
			if err != nil {
				return nil, err
			}
			for _, value := range values {
				all = append(all, Datum{*d.Namespace, *m.Name, unit, dimensions, value, at})
			}
		}
	}
	return all, nil
}

// read returns the metric's values, and its unit.
func (m definition) read(root map[string]json.RawMessage) (values []float64, unit string, err error) {
	if m.Name == nil || !within(*m.Name, maxName) {
		return nil, "", errors.New("a metric without a Name")
	}
	unit = "None"
	if m.Unit != nil {
		unit = *m.Unit
	}
	if !units.MatchString(unit) {
		return nil, "", fmt.Errorf("the metric %s has the unit %s", *m.Name, unit)
	}
	var value *float64
	if err := json.Unmarshal(root[*m.Name], &value); err == nil && value != nil {
		return []float64{*value}, unit, nil
	}
	if err := json.Unmarshal(root[*m.Name], &values); err != nil || len(values) == 0 || len(values) > maxMetrics {
		return nil, "", fmt.Errorf("the metric %s is %s", *m.Name, root[*m.Name])
	}
	return values, unit, nil
}

func within(text string, most int) bool { return text != "" && len(text) <= most }
