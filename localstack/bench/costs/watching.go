package costs

import (
	"fmt"
	"strings"

	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// These are AWS's prices in us-east-1, in dollars (aws.amazon.com/cloudwatch/pricing): a month of an alarm's metric, a
// month of a custom metric, a gigabyte written to a log, and a gigabyte read by Logs Insights.
const (
	perAlarmMetric     = 0.10
	perMetric          = 0.30
	perGigabyteLogged  = 0.50
	perGigabyteQueried = 0.005
)

const (
	// lineOfAccess is the size of a line of the access log in bytes, as docs/costs.md states it.
	lineOfAccess = 330
	// floodOfOne is the number of requests a second that one machine sent in the flood of docs/security.md.
	floodOfOne = 357
)

// floodedHour is the amount of data, in gigabytes, that a flood of floodOfOne requests a second writes to the access
// log in an hour.
const floodedHour = floodOfOne * 3600 * lineOfAccess / 1e9

// Watching returns a table in Markdown with the price of detecting floods: the alarms and metrics of a month, and the
// access log of a flood.
func Watching(template *samtemplate.Template) string {
	metrics := 0
	for _, a := range template.Alarms {
		for _, m := range a.Metrics {
			if m.Expression == "" {
				metrics++
			}
		}
	}
	filters := len(template.MetricFilters)
	var b strings.Builder
	b.WriteString("| What | How much | $ |\n|---|---:|---:|\n")
	fmt.Fprintf(&b, "| Metrics of all alarms, a month | %d | %.2f |\n", metrics, float64(metrics)*perAlarmMetric)
	fmt.Fprintf(&b, "| Metrics of the access log, a month with data in every hour | %d | %.2f |\n", filters, float64(filters)*perMetric)
	fmt.Fprintf(&b, "| Access log of %d requests a second, an hour | %.2f GB | %.2f |\n", floodOfOne, floodedHour, floodedHour*perGigabyteLogged)
	fmt.Fprintf(&b, "| The query by-address over that hour, a run | %.2f GB | %.4f |\n", floodedHour, floodedHour*perGigabyteQueried)
	return b.String()
}
