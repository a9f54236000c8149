package template

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// TestRanchAlarms checks that each alarm notifies one of the two topics of its beginning and its end, and names its
// section of the runbook. The alarm's name must end in Alarm, because other tools find it by that. The alarm must stay
// within CloudWatch's limits (Amazon CloudWatch User Guide, "Alarm limits").
func TestRanchAlarms(t *testing.T) {
	template := ranch(t)
	require.True(t, len(template.Alarms) != 0, "there is no alarm")
	pages, tickets := []samtemplate.Value{{Ref: "Pages"}}, []samtemplate.Value{{Ref: "Tickets"}}
	for _, a := range template.Alarms {
		assert.True(t, (slices.Equal(a.Actions, pages) || slices.Equal(a.Actions, tickets)) && slices.Equal(a.OKActions, a.Actions),
			"%s tells %v, and %v when it is over", a.LogicalID, a.Actions, a.OKActions)
		assert.True(t, strings.HasSuffix(a.LogicalID, "Alarm") && strings.HasSuffix(a.Description, ": docs/runbook.md#"+strings.ToLower(a.LogicalID)),
			"%s says %q", a.LogicalID, a.Description)
		metrics := 0
		for _, m := range a.Metrics {
			if m.Expression == "" {
				metrics++
			}
		}
		const day = 24 * time.Hour
		watched := a.Period * time.Duration(a.EvaluationPeriods)
		assert.True(t, metrics <= 10 && (watched <= day || a.Period >= time.Hour) && watched <= 7*day,
			"%s goes by %d metrics, and looks at %v", a.LogicalID, metrics, watched)
	}
}

// TestRanchFloodsAreReportedSoon checks that an alarm fires within 120 seconds after the beginning of a flood. This
// includes a flood that begins in the last second of a period and fills only the next one.
func TestRanchFloodsAreReportedSoon(t *testing.T) {
	template := ranch(t)
	for _, f := range template.MetricFilters {
		i := slices.IndexFunc(template.Alarms, func(a samtemplate.Alarm) bool { return a.LogicalID == f.MetricName+"Alarm" })
		if i < 0 {
			t.Errorf("there is no alarm on %s", f.MetricName)
			continue
		}
		a := template.Alarms[i]
		m := a.Metrics[0]
		assert.True(t, m.Name == f.MetricName && m.Namespace == f.Namespace && len(m.Dimensions) == 0,
			"%s goes by %+v, and the filter makes %+v", a.LogicalID, m, f)
		worst := a.Period * time.Duration(1+a.DatapointsToAlarm)
		assert.True(t, worst <= 120*time.Second, "%s fires %v after a flood has begun", a.LogicalID, worst)
		assert.Equal(t, "Number", template.Parameters[a.Threshold.Ref].Type,
			"the threshold of %s is %s, and no parameter", a.LogicalID, a.Threshold)
	}
}

// A metric filter's pattern is a condition, as in { $.a = 1 }, or several, as in { ($.a = 1) && ($.b = "text") }.
var (
	condition = regexp.MustCompile(`\$\.(\w+) = ("[^"]*"|\d+)`)
	pattern   = regexp.MustCompile(strings.ReplaceAll(`^{ (C|\(C\)( && \(C\))+) }$`, "C", condition.String()))
)

// TestRanchMetricFilters checks that each metric filter of the access log counts only its own kind of response.
func TestRanchMetricFilters(t *testing.T) {
	template, counted := ranch(t), map[string]string{}
	for _, f := range template.MetricFilters {
		conditions := condition.FindAllStringSubmatch(f.Pattern, -1)
		require.Regexp(t, pattern, f.Pattern)
		assert.True(t, f.LogGroup == (samtemplate.Value{Ref: "AccessLog"}), "%s reads %s", f.MetricName, f.LogGroup)
		for _, endpoint := range template.Endpoints() {
			for _, status := range []string{"200", "201", "400", "401", "429", "500"} {
				line := strings.NewReplacer("$context.routeKey", endpoint.Route(), "$context.status", status).Replace(template.AccessLog)
				line = regexp.MustCompile(`\$context(\.\w+)+`).ReplaceAllString(line, "7")
				var members map[string]any
				require.NoError(t, json.Unmarshal([]byte(line), &members))
				if !slices.ContainsFunc(conditions, func(c []string) bool { return fmt.Sprintf("%#v", members[c[1]]) != c[2] }) {
					counted[f.MetricName] += endpoint.Route() + " " + status + ";"
				}
			}
		}
	}
	want := map[string]string{"FailedLogins": "POST /auth/login 401;", "SignUps": "POST /auth/register 201;"}
	for _, endpoint := range template.Endpoints() {
		want["TooManyRequests"] += endpoint.Route() + " 429;"
	}
	assert.Empty(t, cmp.Diff(want, counted), "what is counted (-want +got)")
}

// TestTransformedDashboard checks that the dashboard shows every alarm, and that its body is JSON.
func TestTransformedDashboard(t *testing.T) {
	template, c := ranch(t), transformed(t)
	text := at(c.properties(t, "Dashboard", "AWS::CloudWatch::Dashboard"), "DashboardBody", "Fn::Sub").([]any)[0].(string)
	var body struct {
		Widgets []struct{ Properties struct{ Alarms []string } }
	}
	require.NoError(t, json.Unmarshal([]byte(text), &body))
	var alarms, want []string
	for _, w := range body.Widgets {
		alarms = append(alarms, w.Properties.Alarms...)
	}
	for _, a := range template.Alarms {
		want = append(want, "${"+a.LogicalID+".Arn}")
	}
	slices.Sort(alarms)
	slices.Sort(want)
	assert.Empty(t, cmp.Diff(want, alarms), "the alarms on the dashboard (-want +got)")
}
