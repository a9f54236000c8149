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

// Metric names a metric: another value of a dimension, or another set of dimensions, is another metric.
type Metric struct {
	Namespace, Name string
	dimensions      string
}

// NewMetric returns the metric with these dimensions; nil: with none.
func NewMetric(namespace, name string, dimensions map[string]string) Metric {
	var all []string
	for _, d := range slices.Sorted(maps.Keys(dimensions)) {
		all = append(all, fmt.Sprintf("%s=%q", d, dimensions[d]))
	}
	return Metric{namespace, name, strings.Join(all, ",")}
}

// String writes it as in Cats/Faults{FunctionName="Login"}.
func (m Metric) String() string {
	text := m.Namespace + "/" + m.Name
	if m.dimensions != "" {
		text += "{" + m.dimensions + "}"
	}
	return text
}

// Point is a value of a metric at a time.
type Point struct {
	Metric Metric
	Time   time.Time
	Value  float64
}

// Data are data points. The zero value has none; several may use it at once.
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

// statistic returns a metric's statistic of the points from a time on and before another one; false: there are none.
func (d *Data) statistic(m Metric, statistic string, from, to time.Time) (float64, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var values []float64
	for _, p := range d.points[m] {
		if !p.Time.Before(from) && p.Time.Before(to) {
			values = append(values, p.Value)
		}
	}
	if len(values) == 0 {
		return 0, false
	}
	switch statistic {
	case "SampleCount":
		return float64(len(values)), true
	case "Minimum":
		return slices.Min(values), true
	case "Maximum":
		return slices.Max(values), true
	}
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	switch statistic {
	case "Sum":
		return sum, true
	case "Average":
		return sum / float64(len(values)), true
	}
	p, err := strconv.ParseFloat(strings.TrimPrefix(statistic, "p"), 64)
	if err != nil {
		return 0, false // the template's reader lets no other one in
	}
	slices.Sort(values)
	rank := int(math.Ceil(p / 100 * float64(len(values)))) // the nearest
	return values[max(rank, 1)-1], true
}
