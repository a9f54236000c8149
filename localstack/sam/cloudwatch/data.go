package cloudwatch

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
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

// String returns the metric in the form Cats/Faults{FunctionName="Login"}.
func (m Metric) String() string {
	text := m.Namespace + "/" + m.Name
	if m.dimensions != "" {
		text += "{" + m.dimensions + "}"
	}
	return text
}

// Point is the value of a metric at a time.
type Point struct {
	Metric Metric
	Time   time.Time
	Value  float64
}

// Data holds the data points of metrics. The zero value is empty. Data is safe for concurrent use.
type Data struct {
	mu     sync.Mutex
	points map[Metric][]Point
}

// Add adds points.
func (d *Data) Add(points ...Point) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.points == nil {
		d.points = map[Metric][]Point{}
	}
	for _, p := range points {
		d.points[p.Metric] = append(d.points[p.Metric], p)
	}
}

// values returns a metric's values from the time from, included, to the time to, excluded.
func (d *Data) values(m Metric, from, to time.Time) (values []float64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, p := range d.points[m] {
		if !p.Time.Before(from) && p.Time.Before(to) {
			values = append(values, p.Value)
		}
	}
	return values
}

// statistics need at least one value.
var statistics = map[string]func(values []float64) float64{
	"SampleCount": func(values []float64) float64 { return float64(len(values)) },
	"Minimum":     slices.Min[[]float64],
	"Maximum":     slices.Max[[]float64],
	"Sum":         sum,
	"Average":     func(values []float64) float64 { return sum(values) / float64(len(values)) },
}

func sum(values []float64) (sum float64) {
	for _, v := range values {
		sum += v
	}
	return sum
}

// statistic returns the function for a name in statistics, or for a percentile such as p99 or p99.9.
func statistic(name string) (func(values []float64) float64, error) {
	if known, ok := statistics[name]; ok {
		return known, nil
	}
	percent, percentile := strings.CutPrefix(name, "p")
	p, err := strconv.ParseFloat(percent, 64)
	if err != nil || !percentile || !(p > 0 && p <= 100) {
		return nil, fmt.Errorf("the statistic %q is not known", name)
	}
	return func(values []float64) float64 {
		slices.Sort(values)
		return values[int(math.Ceil(p/100*float64(len(values))))-1] // the nearest rank
	}, nil
}
