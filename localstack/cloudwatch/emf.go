package cloudwatch

import (
	"encoding/json"
	"fmt"
	"time"
)

// The limits of the Embedded Metric Format, as the Amazon CloudWatch User Guide has them: CloudWatch does not take what
// is beyond them.
const (
	mostDimensions = 30
	mostMetrics    = 100
	mostValues     = 100
)

// ParseEMF returns the data points of a line of a log: none where the line is no JSON object, or has no member _aws. A
// line that CloudWatch would take only in part, or not at all, is an error.
func ParseEMF(line string) ([]Point, error) {
	var root map[string]json.RawMessage
	if json.Unmarshal([]byte(line), &root) != nil || root["_aws"] == nil {
		return nil, nil
	}
	var metadata struct {
		Timestamp         *int64
		CloudWatchMetrics []struct {
			Namespace  string
			Dimensions [][]string
			Metrics    []struct{ Name, Unit string }
		}
	}
	if err := json.Unmarshal(root["_aws"], &metadata); err != nil {
		return nil, fmt.Errorf("_aws: %w", err)
	}
	if metadata.Timestamp == nil || len(metadata.CloudWatchMetrics) == 0 {
		return nil, fmt.Errorf("_aws needs Timestamp and CloudWatchMetrics, and has %s", root["_aws"])
	}
	var points []Point
	for _, directive := range metadata.CloudWatchMetrics {
		if directive.Namespace == "" || directive.Dimensions == nil || len(directive.Metrics) > mostMetrics {
			return nil, fmt.Errorf("a directive with the namespace %q, dimensions %v and %d metrics", directive.Namespace, directive.Dimensions, len(directive.Metrics))
		}
		for _, set := range directive.Dimensions {
			dimensions, err := dimensionsOf(root, set)
			if err != nil {
				return nil, err
			}
			for _, m := range directive.Metrics {
				values, err := valuesOf(root[m.Name])
				if err != nil {
					return nil, fmt.Errorf("the metric %s: %w", m.Name, err)
				}
				metric, at := NewMetric(directive.Namespace, m.Name, dimensions), time.UnixMilli(*metadata.Timestamp)
				for _, v := range values {
					points = append(points, Point{metric, at, v})
				}
			}
		}
	}
	return points, nil
}

func dimensionsOf(root map[string]json.RawMessage, set []string) (map[string]string, error) {
	if len(set) > mostDimensions {
		return nil, fmt.Errorf("%d dimensions", len(set))
	}
	dimensions := map[string]string{}
	for _, name := range set {
		var value string
		if err := json.Unmarshal(root[name], &value); err != nil || value == "" {
			return nil, fmt.Errorf("the dimension %s is %s, want a text", name, root[name])
		}
		dimensions[name] = value
	}
	return dimensions, nil
}

// valuesOf reads a number, or a list of numbers.
func valuesOf(text json.RawMessage) ([]float64, error) {
	var one float64
	if err := json.Unmarshal(text, &one); err == nil {
		return []float64{one}, nil
	}
	var several []float64
	if err := json.Unmarshal(text, &several); err != nil || len(several) == 0 || len(several) > mostValues {
		return nil, fmt.Errorf("it is %.100s, want a number or up to %d of them", text, mostValues)
	}
	return several, nil
}
