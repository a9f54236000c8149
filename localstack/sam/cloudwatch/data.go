package cloudwatch

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
)

// Metric identifies a metric. As in CloudWatch, other dimensions or other values of a dimension make another metric.
type Metric struct {
	Namespace, Name string
	dimensions      string
}

// NewMetric returns the metric with these dimensions; nil for none.
func NewMetric(namespace, name string, dimensions map[string]string) Metric {
	var all []string
	for _, d := range slices.Sorted(maps.Keys(dimensions)) {
		all = append(all, fmt.Sprintf("%s=%q", d, dimensions[d]))
	}
	return Metric{namespace, name, strings.Join(all, ",")}
}

// Point is the value of a metric at a time.
type Point struct {
	Metric Metric
	Time   time.Time
	Value  float64
}

// Data are data points of any metrics, in any order.
type Data []Point

// values returns a metric's values from the time from, included, to the time to, excluded.
func (d Data) values(m Metric, from, to time.Time) (values []float64) {
	for _, p := range d {
		if p.Metric == m && !p.Time.Before(from) && p.Time.Before(to) {
			values = append(values, p.Value)
		}
	}
	return values
}

// statistics need at least one value.
var statistics = map[string]func(values []float64) float64{
	"SampleCount": func(values []float64) float64 { return float64(len(values)) },
	"Maximum":     slices.Max[[]float64],
	"Sum":         sum,
	"Average":     func(values []float64) float64 { return sum(values) / float64(len(values)) },
	"p99":         func(values []float64) float64 { return percentile(values, 99) },
}

func sum(values []float64) (sum float64) {
	for _, v := range values {
		sum += v
	}
	return sum
}

// percentile returns the value with the nearest rank.
func percentile(values []float64, p float64) float64 {
	slices.Sort(values)
	return values[int(math.Ceil(p/100*float64(len(values))))-1]
}
