package docs_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

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
		if want := inWords(template.Alarms[i]); !want.MatchString(strings.Join(strings.Fields(s.Text), " ")) {
			t.Errorf("the section on %s does not say %v", s.Alarm, want)
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

// inWords returns the form of the sentence that a section must have just before its first block of commands, with the
// numbers of its alarm and what missing data count as.
func inWords(a samtemplate.Alarm) *regexp.Regexp {
	comparison := map[string]string{
		"GreaterThanOrEqualToThreshold": "at least", "GreaterThanThreshold": "above", "LessThanThreshold": "below", "LessThanOrEqualToThreshold": "at most",
	}[a.Comparison]
	tells := map[string]string{"Pages": "Pages", "Tickets": "Files a ticket"}[a.Actions[0].Ref]
	missing := map[string]string{"notBreaching": "", "breaching": "Missing data count as bad. ", "ignore": "Missing data keep the state. "}[a.Missing]
	period := strings.NewReplacer("1m0s", "1 minute", "m0s", " minutes", "1h0m0s", "1 hour", "h0m0s", " hours").Replace(a.Period.String())
	if a.EvaluationPeriods > 1 {
		period = fmt.Sprintf("%d of %d periods of %s", a.DatapointsToAlarm, a.EvaluationPeriods, period)
	}
	return regexp.MustCompile(tells + " if [^.]+ is " +
		regexp.QuoteMeta(fmt.Sprintf("%s %s during %s. %s```sh", comparison, a.Threshold.Literal+a.Threshold.Ref, strings.Replace(period, "periods of 1 minute", "minutes", 1), missing)))
}
