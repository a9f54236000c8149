package cloudwatch

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// Metric identifies a metric. As in CloudWatch, other dimensions or other values of a dimension make another metric.
type Metric struct {
	Namespace, Name string
	dimensions      string
}

// NewMetric returns the metric with these dimensions; nil for none.
func NewMetric(namespace, name string, dimensions map[string]string) Metric {
	return Metric{namespace, name, fmt.Sprintf("%q", dimensions)} // in the order of the keys
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
	"p99":         p99,
}

func sum(values []float64) (sum float64) {
	for _, v := range values {
		sum += v
	}
	return sum
}

// p99 returns the value with the nearest rank.
func p99(values []float64) float64 {
	slices.Sort(values)
	return values[int(math.Ceil(0.99*float64(len(values))))-1]
}
