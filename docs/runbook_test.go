package docs_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ranch-game/ranch/localstack/deploy/drill/runbook"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
	"github.com/ranch-game/ranch/shared/emf"
)

// Every alarm has its section and every section its alarm, with the numbers of the template; what an alarm goes by is
// what the functions emit.
func TestRunbook(t *testing.T) {
	t.Parallel()
	template, err := samtemplate.LoadRoot()
	if err != nil {
		t.Fatal(err)
	}
	sections, err := runbook.Read(template.Root)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sections {
		i := slices.IndexFunc(template.Alarms, func(a samtemplate.Alarm) bool { return a.LogicalID == s.Alarm })
		if i < 0 {
			t.Errorf("%s has a section on %s, which is no alarm of template.yaml", runbook.Page, s.Alarm)
			continue
		}
		if want := inWords(template.Alarms[i]); !strings.Contains(s.Text, want) {
			t.Errorf("the section on %s does not say %q", s.Alarm, want)
		}
		for _, part := range []string{"**Means**: ", "\n1. ", "\n2. ", "lears "} {
			if !strings.Contains(s.Text, part) {
				t.Errorf("the section on %s has no %q", s.Alarm, part)
			}
		}
	}
	for _, a := range template.Alarms {
		if !slices.ContainsFunc(sections, func(s runbook.Section) bool { return s.Alarm == a.LogicalID }) {
			t.Errorf("%s has no section on the alarm %s", runbook.Page, a.LogicalID)
		}
		for _, m := range a.Metrics {
			filtered := slices.ContainsFunc(template.MetricFilters, func(f samtemplate.MetricFilter) bool { return f.MetricName == m.Name })
			if m.Namespace.Ref == "AWS::StackName" && !emitted(m) && !filtered {
				t.Errorf("%s goes by %s %v, which neither a function nor a metric filter emits", a.LogicalID, m.Name, m.Dimensions)
			}
		}
	}
}

// emitted reports whether the functions emit a metric with just these dimensions.
func emitted(m samtemplate.AlarmMetric) bool {
	return slices.ContainsFunc(emf.Metrics(), func(known emf.Metric) bool {
		return known.Name == m.Name && slices.ContainsFunc(known.Dimensions, func(set []string) bool {
			return len(set) == len(m.Dimensions) && !slices.ContainsFunc(set, func(name string) bool { _, has := m.Dimensions[name]; return !has })
		})
	})
}

// inWords is what the page says of an alarm's numbers.
func inWords(a samtemplate.Alarm) string {
	comparison := map[string]string{
		"GreaterThanOrEqualToThreshold": "at least", "GreaterThanThreshold": "above", "LessThanThreshold": "below", "LessThanOrEqualToThreshold": "at most",
	}[a.Comparison]
	period := fmt.Sprintf("%d minutes", a.Period/time.Minute)
	if a.Period%time.Hour == 0 {
		period = fmt.Sprintf("%d hours", a.Period/time.Hour)
	}
	if period == "1 minutes" || period == "1 hours" {
		period = strings.TrimSuffix(period, "s")
	}
	tells := map[string]string{"Pages": "Pages", "Tickets": "Files a ticket"}[a.Actions[0].Ref]
	return fmt.Sprintf(tells+" when it is %s %s in %d of %d periods of %s; missing data are %s.",
		comparison, a.Threshold.Literal+a.Threshold.Ref, a.DatapointsToAlarm, a.EvaluationPeriods, period, a.Missing)
}
