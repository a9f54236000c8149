package template

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/sam/cloudwatch"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// ranchAlarm returns an alarm of template.yaml, in a stack named ranch. parameters has names and values in turn.
func ranchAlarm(t *testing.T, name string, parameters ...string) *cloudwatch.Alarm {
	t.Helper()
	loaded := ranch(t)
	i := slices.IndexFunc(loaded.Alarms, func(a samtemplate.Alarm) bool { return a.LogicalID == name })
	require.True(t, i >= 0, "there is no %s", name)
	physical := map[string]string{"AWS::StackName": "ranch", "Api": "api", "Table": "table"}
	for i := 0; i < len(parameters); i += 2 {
		physical[parameters[i]] = parameters[i+1]
	}
	for _, f := range loaded.Functions {
		physical[f.LogicalID], physical[f.LogicalID+".Version.Version"] = f.LogicalID, "7"
	}
	a, err := cloudwatch.New(loaded, loaded.Alarms[i], physical)
	require.NoError(t, err)
	return a
}

// states adds the values of periods to an alarm's metrics, and returns the alarm's state after each period.
func states(t *testing.T, a *cloudwatch.Alarm, periods []figures) (all []cloudwatch.State) {
	t.Helper()
	var d cloudwatch.Data
	now, state := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), cloudwatch.InsufficientData
	for _, period := range periods {
		for name, value := range period {
			name, function, _ := strings.Cut(name, " of ")
			i := slices.IndexFunc(a.Metrics(), func(m cloudwatch.Metric) bool {
				return m.Name == name && strings.Contains(m.String(), strconv.Quote(function)) == (function != "")
			})
			require.True(t, i >= 0, "%s does not use %s of %q", a.Name, name, function)
			d.Add(cloudwatch.Point{Metric: a.Metrics()[i], Time: now, Value: value})
		}
		now = now.Add(a.Period)
		var err error
		state, err = a.Evaluate(&d, now, state)
		require.NoError(t, err)
		all = append(all, state)
	}
	return all
}

// figures are the values of one period by the metrics' names, or as "Faults of Login" for a metric of one function.
type figures = map[string]float64

// watched is a test of an alarm: periods with values, and the wanted states after them. In want, O means OK and A
// alarm. If want is shorter than periods, it has only the last states.
type watched struct {
	alarm, name string
	want        string
	periods     []figures
	parameters  []string
}

func checkStates(t *testing.T, all []watched) {
	t.Helper()
	for _, w := range all {
		got := ""
		for _, state := range states(t, ranchAlarm(t, w.alarm, w.parameters...), w.periods) {
			got += map[cloudwatch.State]string{cloudwatch.OK: "O", cloudwatch.Alarming: "A"}[state]
		}
		assert.True(t, len(got) == len(w.periods) && strings.HasSuffix(got, w.want),
			"%s, %s: %s, want %s in the end", w.alarm, w.name, got, w.want)
	}
}

// TestRanchFaults tests the alarms on faults. A minute by day has the 324 calls of an average minute of docs/costs.md.
// Each function of a session gets 46 of these calls.
func TestRanchFaults(t *testing.T) {
	night := func(faults float64) figures { return figures{"Count": 3, "5xx": faults} }
	day := func(faults float64) figures { return figures{"Count": 324, "5xx": faults} }
	closed := func(calls, turnedAway float64) figures {
		return figures{"Count": calls, "5xx": calls, "TurnedAway": turnedAway}
	}
	const calls = 324 * 360 // in six hours
	checkStates(t, []watched{
		{alarm: "FaultsAlarm", name: "one of three at night", want: "O", periods: []figures{night(0), night(1), night(0)}},
		{alarm: "FaultsAlarm", name: "one of three, minute by minute", want: "O", periods: []figures{night(1), night(1), night(1)}},
		{alarm: "FaultsAlarm", name: "all of three in a minute", want: "O", periods: []figures{night(0), night(3), night(0)}},
		{alarm: "FaultsAlarm", name: "all of three in two minutes", want: "A", periods: []figures{night(0), night(3), night(3)}},
		{alarm: "FaultsAlarm", name: "below 1 % by day", want: "O", periods: []figures{day(3), day(3), day(3)}},
		{alarm: "FaultsAlarm", name: "2 % by day", want: "A", periods: []figures{day(7), day(0), day(7)}},
		{alarm: "FaultsAlarm", name: "a tenth of one of seven routes", want: "A", periods: []figures{day(4), day(5), day(5)}},
		{alarm: "FaultsAlarm", name: "every judging", want: "O", periods: []figures{day(1), day(0), day(1)}},
		{alarm: "FaultsAlarm", name: "nobody calls", want: "O", periods: []figures{{}, {}, {}}},
		{alarm: "FaultsAlarm", name: "it is over, and nobody calls at all", want: "O", periods: []figures{night(3), night(3), {}, {}, {}, {}}},

		{alarm: "FaultsAlarm", name: "closed doors", want: "OOO", periods: []figures{closed(324, 324), closed(324, 324), closed(324, 322)}},
		{alarm: "FaultsAlarm", name: "faults behind closed doors", want: "A", periods: []figures{closed(324, 320), closed(324, 0), closed(324, 320)}},

		{alarm: "FaultsBurnAlarm", name: "closed doors for six hours", want: "O", periods: []figures{closed(calls, calls-19)}},
		{alarm: "FaultsBurnAlarm", name: "half a percent, then more", want: "OOAO", periods: []figures{
			{"Count": 100, "5xx": 19}, {"Count": calls, "5xx": calls * 0.005}, {"Count": calls, "5xx": calls*0.006 + 1}, {"Count": calls, "5xx": 5},
		}},
	})
}

// TestRanchVersionsThatFail tests the alarms on new versions during a roll-out, which gives a tenth of the calls to the
// new version. FaultsAlarm notices a version in which everything fails. The alarms on versions notice a single function
// that fails, if it gets calls in at least three of five minutes. They ignore single faults.
func TestRanchVersionsThatFail(t *testing.T) {
	of := func(function string, calls, faults float64) figures {
		all := figures{"Invocations of " + function: calls}
		if faults > 0 {
			all["Faults of "+function] = faults
		}
		return all
	}
	took := func(function string, p99, errors float64) figures {
		return figures{"Duration of " + function: p99, "Errors of " + function: errors}
	}
	checkStates(t, []watched{
		{alarm: "AuthFaultsAlarm", name: "a tenth of refreshes, all fail", want: "OOA", periods: []figures{of("Refresh", 4, 4), of("Refresh", 5, 5), of("Refresh", 5, 5)}},
		{alarm: "AuthFaultsAlarm", name: "one log-in now and then, all fail", want: "A", periods: []figures{of("Login", 1, 1), nil, of("Login", 1, 1), nil, of("Login", 1, 1)}},
		{alarm: "AuthFaultsAlarm", name: "two of five minutes", want: "OOOOO", periods: []figures{of("Login", 1, 1), nil, of("Login", 1, 1), nil, nil}},
		{alarm: "AuthFaultsAlarm", name: "one fault in each minute by day", want: "OOO", periods: slices.Repeat([]figures{of("Refresh", 46, 1)}, 3)},
		{alarm: "AuthFaultsAlarm", name: "a tenth of the calls of a version fails", want: "OOA", periods: slices.Repeat([]figures{of("Logout", 40, 4)}, 3)},
		{alarm: "BrowseFaultsAlarm", name: "one of five functions", want: "OOA", periods: slices.Repeat([]figures{of("GetSeason", 3, 2)}, 3)},
		{alarm: "ShowFaultsAlarm", name: "every judging", want: "OOA", periods: slices.Repeat([]figures{of("JudgeShow", 1, 1)}, 3)},
		{alarm: "ShowFaultsAlarm", name: "nobody judges", want: "AAAO", periods: slices.Concat(slices.Repeat([]figures{of("JudgeShow", 1, 1)}, 5), []figures{nil, nil, nil})},

		{alarm: "AuthLatencyAlarm", name: "slow log-ins", want: "OOA", periods: slices.Repeat([]figures{took("Login", 3001, 0)}, 3)},
		{alarm: "AuthLatencyAlarm", name: "log-outs crash", want: "OOA", periods: slices.Repeat([]figures{took("Logout", 5, 0.1)}, 3)},
		{alarm: "AuthLatencyAlarm", name: "a crash among many calls", want: "OOO", periods: slices.Repeat([]figures{took("Logout", 5, 0.05)}, 3)},
		{alarm: "BrowseLatencyAlarm", name: "a slow list", want: "OOA", periods: slices.Repeat([]figures{took("ListShows", 1501, 0)}, 3)},
		{alarm: "BrowseLatencyAlarm", name: "as slow as it may be", want: "OOO", periods: slices.Repeat([]figures{took("ListShows", 1500, 0)}, 3)},
		{alarm: "ShowLatencyAlarm", name: "slow entries", want: "OOA", periods: slices.Repeat([]figures{took("EnterShow", 3001, 0)}, 3)},
		{alarm: "ShowLatencyAlarm", name: "entries that wait for a judging", want: "OOO", periods: slices.Repeat([]figures{{"Duration of EnterShow": 11_000, "JudgingDuration": 20_000}}, 3)},
		{alarm: "ShowLatencyAlarm", name: "judgings that run out of time", want: "OOA", periods: slices.Repeat([]figures{{"Errors of JudgeShow": 1, "JudgingDuration": 20_000}}, 3)},
	})
}

// TestRanchVersionsOfEveryFunctionAreWatched checks that alarms watch each version that the API calls: its faults in
// proportion to its calls, its errors, and its duration, except for judgings. An alarm also watches whether Lambda
// throttles the function. Lambda repeats such invocations only for functions without a route.
func TestRanchVersionsOfEveryFunctionAreWatched(t *testing.T) {
	watched := map[string]int{}
	for _, a := range ranch(t).Alarms {
		for _, m := range a.Metrics {
			version, executed := m.Dimensions["FunctionVersion"].GetAtt, m.Dimensions["ExecutedVersion"].GetAtt
			name := m.Dimensions["FunctionName"].Ref
			throttles := m.Namespace.Literal == "AWS/Lambda" && m.Name == "Throttles"
			if of := version + executed; throttles || of == name+".Version.Version" && (executed == "" || m.Dimensions["Resource"].Sub == "${"+name+"}:live") {
				watched[name+" "+m.Name]++
			} else if of != "" {
				t.Errorf("%s goes by %s of %s, in the version of %s", a.LogicalID, m.Name, name, of)
			}
		}
	}
	want := map[string]int{}
	for _, f := range ranch(t).Endpoints() {
		for _, metric := range []string{"Faults", "Invocations", "Errors", "Duration", "Throttles"} {
			want[f.LogicalID+" "+metric] = 1
		}
	}
	delete(want, "JudgeShow Duration")
	assert.Empty(t, cmp.Diff(want, watched), "what is watched of functions (-want +got)")
}

// TestRanchAlarmStates tests when the other alarms fire.
func TestRanchAlarmStates(t *testing.T) {
	drift := func(n float64) figures { return figures{"LedgerDrift": n} }
	unfinished := func(seconds float64) figures { return figures{"OldestUnfinished": seconds} }
	audit := figures{"LedgersAudited": 0} // the figure of a table without accounts
	plays := func(n float64) figures { return figures{"SyntheticPlays": n} }
	due := func(seconds float64) figures { return figures{"OldestOverdue": seconds} }
	minutes := func(n int, each figures) []figures { return slices.Repeat([]figures{each}, n) }
	usual := figures{"Count": 14_020_000 / 720, "ConsumedReadCapacityUnits": 1e5, "ConsumedWriteCapacityUnits": 3e4}
	flood := figures{"Count": 200 * 3600, "ConsumedReadCapacityUnits": 2 * 200 * 3600}
	scan := figures{"ConsumedReadCapacityUnits": 1e6} // by a tool, in an hour without calls of the API
	checkStates(t, []watched{
		// Missing data between two audits changes nothing.
		{alarm: "LedgerDriftAlarm", name: "drift stays until an audit finds none", want: "OOOOAAAAOO",
			periods: []figures{drift(0), nil, nil, nil, drift(2), nil, nil, nil, drift(0), nil}},

		// Refunds that take minutes cause no alarm. Refunds that never end, and a stopped schedule, cause an alarm.
		{alarm: "UnfinishedWorkAlarm", name: "a large show", want: "O", periods: slices.Concat(minutes(6, unfinished(0)), minutes(4, unfinished(301)), minutes(1, unfinished(0)))},
		{alarm: "UnfinishedWorkAlarm", name: "refunds that fail", want: "OA", periods: slices.Concat(minutes(6, unfinished(300)), minutes(5, unfinished(301)))},
		{alarm: "UnfinishedWorkAlarm", name: "the schedule has stopped", want: "OA", periods: slices.Concat(minutes(6, unfinished(0)), minutes(7, nil))},

		// One audit a day, at any hour, causes no alarm. After 30 hours without an audit, the alarm fires.
		{alarm: "AuditAlarm", name: "an audit is late", want: "OOOOOOOOOOOOOOAO",
			periods: []figures{audit, nil, nil, nil, audit, nil, nil, nil, nil, audit, nil, nil, nil, nil, nil, audit}},

		// A run of JudgeDue reports for how long the oldest unjudged show has been due. A failed run reports nothing.
		{alarm: "JudgeDueAlarm", name: "four late minutes", want: "O", periods: slices.Concat(minutes(6, due(0)), minutes(4, due(301)))},
		{alarm: "JudgeDueAlarm", name: "five late minutes", want: "OA", periods: slices.Concat(minutes(6, due(300)), minutes(5, due(301)))},
		{alarm: "JudgeDueAlarm", name: "the schedule has stopped", want: "OA", periods: slices.Concat(minutes(6, due(0)), minutes(7, nil))},
		{alarm: "JudgeDueAlarm", name: "some runs fail", want: "O", periods: slices.Concat(minutes(4, due(0)), minutes(2, nil), minutes(3, due(60)), minutes(2, nil))},
		{alarm: "JudgeDueAlarm", name: "it runs again", want: "AO", periods: slices.Concat(minutes(10, nil), minutes(6, due(0)))},

		// A minute with a judging of more than 3 s counts as 0. Slow calls in other minutes cause an alarm.
		{alarm: "LatencyAlarm", name: "slow calls", want: "OOA", periods: []figures{{"Latency": 40}, {"Latency": 3001}, {"Latency": 3001}, {"Latency": 3001}}},
		{alarm: "LatencyAlarm", name: "long judgings", want: "O", periods: minutes(6, figures{"Latency": 20_000, "JudgingDuration": 19_900})},
		{alarm: "LatencyAlarm", name: "slow calls beside short judgings", want: "A", periods: minutes(3, figures{"Latency": 3001, "JudgingDuration": 200})},
		{alarm: "LatencyAlarm", name: "nobody calls", want: "O", periods: []figures{{"Latency": 40}, nil, nil, nil, nil, nil}},

		// If the synthetic player fails or does not run, an alarm fires. One or two failed runs cause no alarm.
		{alarm: "SyntheticAlarm", name: "two runs fail", want: "OOO", periods: slices.Concat(minutes(5, plays(1)), minutes(2, plays(0)))},
		{alarm: "SyntheticAlarm", name: "three of five runs fail", want: "OA", periods: slices.Concat(minutes(5, plays(1)), minutes(2, plays(0)), minutes(1, plays(1)), minutes(1, plays(0)))},
		{alarm: "SyntheticAlarm", name: "nothing runs", want: "A", periods: slices.Concat(minutes(3, plays(1)), minutes(5, nil))},
		{alarm: "SyntheticAlarm", name: "it plays again", want: "AO", periods: slices.Concat(minutes(5, nil), minutes(2, plays(1)), minutes(1, plays(1)))},

		// A flood of requests causes an alarm at the end of its first whole minute. A busy minute causes none.
		{alarm: "TooManyRequestsAlarm", name: "a flood", want: "OAAO",
			periods: []figures{{"TooManyRequests": 60}, {"TooManyRequests": 61}, {"TooManyRequests": 20_000}, {"TooManyRequests": 1}}},
		{alarm: "TooManyRequestsAlarm", name: "a flood, and silence", want: "AAAO", periods: []figures{{"TooManyRequests": 61}, nil, nil, nil}},
		{alarm: "FailedLoginsAlarm", name: "passwords are guessed", want: "OAO", periods: []figures{{"FailedLogins": 60}, {"FailedLogins": 61}, {"FailedLogins": 2}}},
		{alarm: "SignUpsAlarm", name: "accounts are made in bulk", want: "OAO", periods: []figures{{"SignUps": 60}, {"SignUps": 61}, {"SignUps": 2}}},
		{alarm: "SignUpsAlarm", name: "a launch that is expected", want: "O", periods: []figures{{"SignUps": 600}}, parameters: []string{"SignUpsAMinute", "600"}},

		// The usage of docs/costs.md stays below the limit of an hour. A flood at the API's rate limit exceeds prod's.
		{alarm: "CostAlarm", name: "a flood", want: "OAO", periods: []figures{usual, flood, usual}},
		{alarm: "CostAlarm", name: "a flood in prod", want: "OAO", periods: []figures{usual, flood, usual}, parameters: []string{"HourlyCostLimit", "1"}},
		{alarm: "CostAlarm", name: "a scan without calls", want: "OA", periods: []figures{usual, scan}},
	})
}

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
		for _, m := range ranchAlarm(t, a.LogicalID).Metrics() {
			assert.True(t, m.Namespace != "" && m.Name != "", "%s goes by %s", a.LogicalID, m)
		}
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

// TestRanchMetricFilters checks that each metric filter of the access log counts only its own kind of response.
func TestRanchMetricFilters(t *testing.T) {
	template, counted := ranch(t), map[string]string{}
	for _, f := range template.MetricFilters {
		filter, err := cloudwatch.NewFilter(template, f, map[string]string{"AWS::StackName": "ranch"})
		require.NoError(t, err)
		assert.True(t, f.LogGroup == (samtemplate.Value{Ref: "AccessLog"}), "%s reads %s", f.MetricName, f.LogGroup)
		for _, endpoint := range template.Endpoints() {
			for _, status := range []string{"200", "201", "400", "401", "429", "500"} {
				line := strings.NewReplacer("$context.routeKey", endpoint.Route(), "$context.status", status).Replace(template.AccessLog)
				line = regexp.MustCompile(`\$context(\.\w+)+`).ReplaceAllString(line, "7")
				if len(filter.Points([]byte(line), time.Time{})) == 1 {
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
