package cloudwatch

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// Filter is a metric filter of a template. References in its namespace are resolved.
type Filter struct {
	Metric     Metric
	conditions map[string]any // the wanted members of a line, by name
}

var condition = regexp.MustCompile(`^\$\.(\w+) = ("[^"]*"|\d+)$`)

// NewFilter resolves the references in a filter (Template.Text) and parses its pattern. A pattern is one condition,
// as in { $.a = 1 }, or several conditions, as in { ($.a = 1) && ($.b = "text") }.
func NewFilter(t *samtemplate.Template, f samtemplate.MetricFilter, physical map[string]string) (*Filter, error) {
	namespace, err := t.Text(f.Namespace, physical)
	if err != nil {
		return nil, fmt.Errorf("the filter of %s: %w", f.MetricName, err)
	}
	filter := &Filter{NewMetric(namespace, f.MetricName, nil), map[string]any{}}
	text, opened := strings.CutPrefix(f.Pattern, "{ ")
	text, closed := strings.CutSuffix(text, " }")
	all := strings.Split(text, " && ")
	for _, one := range all {
		if len(all) > 1 {
			one = strings.TrimSuffix(strings.TrimPrefix(one, "("), ")")
		}
		found := condition.FindStringSubmatch(one)
		if !opened || !closed || found == nil {
			return nil, fmt.Errorf("the filter of %s: the pattern %s is not understood", f.MetricName, f.Pattern)
		}
		var value any
		if err := json.Unmarshal([]byte(found[2]), &value); err != nil {
			return nil, fmt.Errorf("the filter of %s: %w", f.MetricName, err)
		}
		filter.conditions[found[1]] = value
	}
	return filter, nil
}

// Points returns the data point that the filter makes from a log line. If the line does not match, or is no JSON
// object, Points returns none.
func (f *Filter) Points(line []byte, at time.Time) []Point {
	var members map[string]any
	if json.Unmarshal(line, &members) != nil {
		return nil
	}
	for name, want := range f.conditions {
		if members[name] != want {
			return nil
		}
	}
	return []Point{{f.Metric, at, 1}}
}
