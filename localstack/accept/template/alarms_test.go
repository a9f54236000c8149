package template

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
	"github.com/ranch-game/ranch/shared/emf"
)

// TestRanchAlarms checks that each alarm notifies one of the two topics of its beginning and its end, names its section
// of the runbook, and is on the dashboard. Six page. The alarm's name must end in Alarm, because other tools find it by
// that. The tests of localstack/sam/cloudwatch check when each alarm fires.
func TestRanchAlarms(t *testing.T) {
	pages, tickets := []samtemplate.Value{{Ref: "Pages"}}, []samtemplate.Value{{Ref: "Tickets"}}
	var all, paging []string
	for _, a := range loaded(t, samtemplate.AlarmsFile, nil).Alarms {
		all = append(all, "${"+a.LogicalID+".Arn}")
		if slices.Equal(a.AlarmActions, pages) {
			paging = append(paging, a.LogicalID)
		}
		assert.Contains(t, [][]samtemplate.Value{pages, tickets}, a.AlarmActions, "%s tells", a.LogicalID)
		assert.Equal(t, a.AlarmActions, a.OKActions, "%s tells when it is over", a.LogicalID)
		assert.Regexp(t, "Alarm$", a.LogicalID)
		assert.Contains(t, a.AlarmDescription, ": docs/runbook.md#"+strings.ToLower(a.LogicalID))
	}
	assert.ElementsMatch(t, []string{
		"SyntheticAlarm", "FaultsAlarm", "LedgerDriftAlarm", "KeysAlarm", "TableThrottlesAlarm", "FloodAlarm",
	}, paging)
	var dashboard struct {
		Widgets []struct{ Properties struct{ Alarms []string } }
	}
	body := at(written(t, samtemplate.AlarmsFile), "Resources", "Dashboard", "Properties", "DashboardBody").(string)
	require.NoError(t, json.Unmarshal([]byte(body), &dashboard))
	assert.ElementsMatch(t, all, dashboard.Widgets[0].Properties.Alarms, "the alarms on the dashboard")
}

// TestRanchGates checks that the alarms of template.yaml act for CodeDeploy alone, and that each of its deployment groups
// has all of them. They exist only with a gradual roll-out.
func TestRanchGates(t *testing.T) {
	assert.Empty(t, ranch(t).Alarms)
	var gates []any
	for _, a := range loaded(t, samtemplate.FileName, map[string]string{"Rollout": "Canary10Percent5Minutes"}).Alarms {
		gate := object{"Fn::If": []any{"RollsOutGradually", object{"Ref": a.LogicalID}, object{"Ref": "AWS::NoValue"}}}
		gates = append(gates, object{"Name": gate})
		assert.Empty(t, slices.Concat(a.AlarmActions, a.OKActions), a.LogicalID)
		assert.Regexp(t, "Gate$", a.LogicalID)
		assert.Contains(t, a.AlarmDescription, ": docs/runbook.md#a-gate-ends-a-roll-out")
	}
	for id, resource := range at(golden(t), "Resources").(object) {
		if at(resource, "Type") == "AWS::CodeDeploy::DeploymentGroup" {
			assert.Equal(t, gates, at(resource, "Properties", "AlarmConfiguration", "Alarms"), id)
		}
	}
}

// condition is a condition in the pattern of a metric filter, as in { ($.a = 1) && ($.b = "text") }.
var condition = regexp.MustCompile(`\$\.(\w+) (!?=) ("[^"]*"|\d+)`)

// TestRanchMetricFilters checks that each metric filter of the access log counts only its own kind of response. None may
// count calls that API Gateway throttles, because it promises no line for them. The functions or a metric filter must emit each metric of the stack that an alarm reads.
func TestRanchMetricFilters(t *testing.T) {
	counted, want := map[string][]string{}, map[string][]string{
		"FailedLogins": {"POST /auth/login 401"}, "SignUps": {"POST /auth/register 201"},
	}
	filters := map[string]string{} // the pattern of each metric
	for _, resource := range at(written(t, samtemplate.AlarmsFile), "Resources").(object) {
		if at(resource, "Type") == "AWS::Logs::MetricFilter" {
			metric := at(resource, "Properties", "MetricTransformations").([]any)[0]
			filters[at(metric, "MetricName").(string)] = at(resource, "Properties", "FilterPattern").(string)
		}
	}
	for _, status := range []string{"200", "201", "400", "401", "500"} {
		want["Logins"] = append(want["Logins"], "POST /auth/login "+status)
		want["Registrations"] = append(want["Registrations"], "POST /auth/register "+status)
	}
	for _, endpoint := range ranch(t).Endpoints() {
		for _, status := range []string{"200", "201", "400", "401", "429", "500"} {
			line := strings.NewReplacer("$context.routeKey", endpoint.Route(), "$context.status", status).Replace(accessLog(t))
			line = regexp.MustCompile(`\$context(\.\w+)+`).ReplaceAllString(line, "7")
			var members map[string]any
			require.NoError(t, json.Unmarshal([]byte(line), &members))
			for metric, filter := range filters {
				matches := true
				for _, c := range condition.FindAllStringSubmatch(filter, -1) {
					matches = matches && (fmt.Sprintf("%#v", members[c[1]]) == c[3]) == (c[2] == "=")
				}
				if matches {
					counted[metric] = append(counted[metric], endpoint.Route()+" "+status)
				}
			}
		}
	}
	assert.Equal(t, want, counted)
	gates := loaded(t, samtemplate.FileName, map[string]string{"Rollout": "Canary10Percent5Minutes"}).Alarms
	for _, a := range append(gates, loaded(t, samtemplate.AlarmsFile, nil).Alarms...) {
		for _, m := range a.Metrics {
			source := m.MetricStat.Metric
			ours := source.Namespace.Ref == "AWS::StackName" || source.Namespace.Ref == "Service"
			assert.True(t, !ours || filters[source.MetricName] != "" || emitted(source),
				"%s goes by %+v, which neither a function nor a metric filter emits", a.LogicalID, source)
		}
	}
}

// emitted reports whether the functions emit a metric with just these dimensions.
func emitted(m samtemplate.Metric) bool {
	return slices.ContainsFunc(emf.Metrics(), func(known emf.Metric) bool {
		return known.Name == m.MetricName && slices.ContainsFunc(known.Dimensions, func(set []string) bool {
			return slices.EqualFunc(m.Dimensions, set, func(d samtemplate.Dimension, name string) bool { return d.Name == name })
		})
	})
}
