package docs_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// TestRunbook checks that every alarm has a section in the runbook with the alarm's numbers, and every section an
// alarm.
func TestRunbook(t *testing.T) {
	t.Parallel()
	template, err := samtemplate.LoadFile(samtemplate.AlarmsFile, nil)
	require.NoError(t, err)
	sections := runbookSections(t)
	for _, a := range template.Alarms {
		s := sections[a.LogicalID]
		delete(sections, a.LogicalID)
		want := inWords(a)
		assert.True(t, want.MatchString(strings.Join(strings.Fields(s), " ")), "the section on %s does not say %v", a.LogicalID, want)
		for _, part := range []string{"**Means**: ", "\n1. ", "\n2. "} {
			assert.Contains(t, s, part, "the section on %s has no %q", a.LogicalID, part)
		}
	}
	for alarm := range sections {
		t.Errorf("docs/runbook.md has a section on %s, which is no alarm of infra/alarms.yaml", alarm)
	}
}

// runbookSections returns the texts of the runbook's sections on alarms, by the alarms' logical ids. The heading of
// such a section has the third rank and is one word that ends in Alarm.
func runbookSections(t *testing.T) map[string]string {
	sections := map[string]string{}
	for part := range strings.SplitSeq(readFile(t, "docs/runbook.md"), "\n##") {
		if section := regexp.MustCompile(`(?s)^# (\w+Alarm)\n(.*)`).FindStringSubmatch(part); section != nil {
			sections[section[1]] += section[2]
		}
	}
	return sections
}

// inWords returns the form of the sentence that a section must have just before a block of commands. The sentence has
// the numbers of the section's alarm and its treatment of missing data.
func inWords(a samtemplate.Alarm) *regexp.Regexp {
	comparison := map[string]string{
		"GreaterThanOrEqualToThreshold": "at least", "GreaterThanThreshold": "above", "LessThanThreshold": "below", "LessThanOrEqualToThreshold": "at most",
	}[a.ComparisonOperator]
	tells := map[string]string{"Pages": "Pages", "Tickets": "Files a ticket"}[a.AlarmActions[0].Ref]
	missing := map[string]string{"notBreaching": "", "breaching": "Missing data count as bad. ", "ignore": "Missing data keep the state. "}[a.TreatMissingData]
	period := strings.NewReplacer("1m0s", "1 minute", "m0s", " minutes", "1h0m0s", "1 hour", "h0m0s", " hours").Replace(a.Period().String())
	if a.EvaluationPeriods > 1 {
		period = fmt.Sprintf("%d of %d periods of %s", a.DatapointsToAlarm, a.EvaluationPeriods, period)
	}
	return regexp.MustCompile(tells + " if [^.]+ is " +
		regexp.QuoteMeta(fmt.Sprintf("%s %s during %s. %s```sh", comparison, a.Threshold.Literal+a.Threshold.Ref, strings.Replace(period, "periods of 1 minute", "minutes", 1), missing)))
}
