package cloudwatch

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// rows are the data with which each alarm fires or does not. data has the values of each metric in successive periods, by
// its statistic: "-" is no value, and 0*3 is 0 in three periods. Login/Faults is a metric of one function's new version.
// want has the alarm's states after the last of these periods: O is OK, A is ALARM.
var rows = []struct{ alarm, name, data, want string }{
	{"TableThrottlesAlarm", "reads and writes", "ReadThrottleEvents 5*4 -; WriteThrottleEvents 4 5*3 -", "OOOAA"},
	{"TableThrottlesAlarm", "a table that splits", "WriteThrottleEvents 900*2 -*3", "OOOOO"},
	{"TableThrottlesAlarm", "writes", "WriteThrottleEvents 10 11 900 -*3", "OOAAAO"},

	{"SyntheticAlarm", "two runs fail", "SyntheticPlays 1*5 0*2", "OOO"},
	{"SyntheticAlarm", "three of five runs fail, then it plays again", "SyntheticPlays 1*5 0*2 1 0 1*2", "OAAO"},
	{"SyntheticAlarm", "nothing runs", "SyntheticPlays 1*5 -*5", "OOAAA"},
	{"SyntheticAlarm", "just below a flood of log-ins", "SyntheticPlays 1*5 0*5; Logins 959*10", "OOAAA"},
	{"SyntheticAlarm", "few throttles of the table", "SyntheticPlays 1*5 0*5; ReadThrottleEvents 9*10", "OOAAA"},

	{"FaultsAlarm", "exactly 1 %", "SyntheticPlays 1*3; Count 300*3; 5xx 3 0 3", "OOA"},
	{"FaultsAlarm", "less by day", "SyntheticPlays 1*3; Count 324*3; 5xx 3*3", "OOO"},
	{"FaultsAlarm", "a tenth of one of seven routes", "SyntheticPlays 1*3; Count 324*3; 5xx 4 5 5", "OAA"},
	{"FaultsAlarm", "one of three calls at night", "SyntheticPlays 1*3; Count 3*3; 5xx 1*3", "OOO"},
	{"FaultsAlarm", "all of three, in one minute", "SyntheticPlays 1*3; Count 3*3; 5xx 0 3 0", "OOO"},
	{"FaultsAlarm", "all of three, then no calls", "SyntheticPlays 1*7; Count 3*2 -*5; 5xx 3*2 -*5", "OAAAAOO"},
	{"FaultsAlarm", "closed doors", "SyntheticPlays 1*3; Count 324*3; 5xx 324*3; TurnedAway 324 324 322", "OOO"},
	{"FaultsAlarm", "faults behind closed doors", "SyntheticPlays 1*3; Count 324*3; 5xx 324*3; TurnedAway 320 - 320", "OAA"},

	{"FloodAlarm", "log-ins at 80 % of their limit", "Logins 959 960*3", "OOOA"},
	{"FloodAlarm", "registrations, then none", "Registrations 480*2 900 -*3", "OOAAAO"},
	{"FloodAlarm", "both", "Logins 960*3; Registrations 480*3", "OOA"},
	{"FloodAlarm", "a minute's rush", "Logins 1200*2 400*3", "OOOOO"},

	{"LedgerDriftAlarm", "until an audit finds none", "LedgerDrift 0 -*3 1 -*3 0 -", "OOOOAAAAOO"},
	{"KeysAlarm", "one process, then none", "KeysUnparsable 0 1 -*3", "OAAAO"},

	{"FaultsBurnAlarm", "exactly 0.1 %", "Count 1000000*2; 5xx 1000 999", "AO"},
	{"FaultsBurnAlarm", "few calls", "Count 100*2; 5xx 20 19", "AO"},
	{"FaultsBurnAlarm", "every judging of a usual day", "Count 116833; 5xx 167", "A"},
	{"FaultsBurnAlarm", "no calls", "Count 100 -*3; 5xx 20 -*3", "AAAO"},
	{"FaultsBurnAlarm", "closed doors", "Count 100000; 5xx 100000; TurnedAway 99981", "O"},

	{"LatencyAlarm", "slow calls, then no calls", "Latency 3000 3001*3 -*5", "OOOAAAAAO"},
	{"LatencyAlarm", "at the limit", "Latency 3000*5", "OOOOO"},
	{"LatencyAlarm", "long judgings", "Latency 20000*5; JudgingDuration 19900*5", "OOOOO"},
	{"LatencyAlarm", "slow calls beside short judgings", "Latency 3001*3; JudgingDuration 3000*3", "OOA"},

	{"RefreshRefusalsAlarm", "in two periods, then none", "RefreshRefusals 59 60 61 59", "OOAO"},

	{"LateWorkAlarm", "a large show", "OldestUnfinished 0*6 301*4 0; OldestOverdue 0*11; OldestUnfolded 0*11", "OOOOO"},
	{"LateWorkAlarm", "refunds fail", "OldestUnfinished 300*6 301*5; OldestOverdue 0*11; OldestUnfolded 0*11", "OA"},
	{"LateWorkAlarm", "standings are old", "OldestUnfinished 0*11; OldestOverdue 0*11; OldestUnfolded 300*6 301*5", "OA"},
	{"LateWorkAlarm", "a show is not judged", "OldestUnfinished 0*11; OldestOverdue 300*6 301*5; OldestUnfolded 0*11", "OA"},
	{"LateWorkAlarm", "one schedule has stopped", "OldestUnfinished 0*11; OldestOverdue 0*6 -*5; OldestUnfolded 0*11", "OA"},
	{"LateWorkAlarm", "all have stopped, and run again", "OldestUnfinished 0*6 -*7 0*6; OldestOverdue 0*6 -*7 0*6; OldestUnfolded 0*6 -*7 0*6", "AO"},

	{"AuditAlarm", "30 hours without a complete audit", "LedgersAudited 1 -*3 1 -*4 1 -*5 1", "OOOOOOOOOOOOOOAO"},

	{"AbuseAlarm", "passwords are guessed", "FailedLogins 600 601 -", "OAO"},
	{"AbuseAlarm", "accounts are made in bulk", "SignUps 600 601", "OA"},
	{"AbuseAlarm", "shows are judged early", "EarlyJudgings 2 3", "OA"},
	{"AbuseAlarm", "two kinds", "SignUps 601; EarlyJudgings 3", "A"},

	{"CostAlarm", "the hours of docs/costs.md beside a flood", "Count 19473 720000 19473; " +
		"ConsumedReadCapacityUnits 100000 1440000 100000; ConsumedWriteCapacityUnits 30000*3", "OAO"},
	{"CostAlarm", "exactly 0.1 dollars", "ConsumedWriteCapacityUnits 160000 160001", "OA"},
	{"CostAlarm", "two gigabytes of data", "DataProcessed 1000000000 2000000000", "OA"},
	{"CostAlarm", "a scan by a tool, then nothing", "ConsumedReadCapacityUnits 1000000 -", "AO"},

	{"AccountFaultsGate", "three of two functions, then none", "Login/Faults 1 1 -; Refresh/Faults 1 2 -", "OAO"},
	{"ShowFaultsGate", "three of two functions, then none", "JudgeShow/Faults 2 3 -; GetShow/Faults - 1 -", "OAO"},
	{"ShowFaultsGate", "exactly three", "EnterShow/Faults 2 3", "OA"},
	{"AccountFaultsGate", "exactly three", "Register/Faults 2 3", "OA"},
	{"AccountErrorsGate", "a version that does not start", "Logout/Errors 2 3 4", "OAA"},
	{"ShowErrorsGate", "a version that does not start", "ClaimReward/Errors 2 3 4", "OAA"},
	{"LatencyGate", "slow lists", "ListShows/Duration 3000 3001*3", "OOOA"},
	{"LatencyGate", "two slow functions", "ListShows/Duration 4000*3; Login/Duration 5000*3", "OOA"},
	{"LatencyGate", "entries wait for a judging", "EnterShow/Duration 11000*3; JudgingDuration 3001*3", "OOO"},
}

// watched is an alarm with its template.
type watched struct {
	samtemplate.Alarm
	template *samtemplate.Template
}

// pages reports whether the alarm pages.
func (w watched) pages() bool {
	return slices.Equal(w.AlarmActions, []samtemplate.Value{{Ref: "Pages"}})
}

// load returns the alarms, and the gates of a gradual roll-out.
func load(t *testing.T) (all []watched) {
	t.Helper()
	for file, values := range map[string]map[string]string{
		samtemplate.AlarmsFile: nil, samtemplate.FileName: {"Rollout": "Canary10Percent5Minutes"},
	} {
		template, err := samtemplate.LoadFile(file, values)
		require.NoError(t, err)
		for _, a := range template.Alarms {
			all = append(all, watched{a, template})
		}
	}
	return all
}

// physical returns the references of a stack named ranch. A function's version is the function's name and -7.
func physical(t *samtemplate.Template) map[string]string {
	all := map[string]string{"AWS::StackName": "ranch", "Service": "ranch", "ApiId": "api", "TableName": "table"}
	for _, f := range t.Functions {
		all[f.LogicalID], all[f.LogicalID+".Version.Version"] = f.LogicalID, f.LogicalID+"-7"
	}
	return all
}

// statistics are the statistics of the metrics that alarms do not add up.
var statistics = map[string]string{
	"Latency": "p99", "Duration": "p99", "JudgingDuration": "Maximum", "LedgerDrift": "Maximum",
	"LedgersAudited": "SampleCount", "OldestUnfinished": "Maximum", "OldestOverdue": "Maximum", "OldestUnfolded": "Maximum",
}

// published returns the key of a metric as AWS or the functions publish it.
func published(metric string) string {
	function, name, ofFunction := strings.Cut(metric, "/")
	if !ofFunction {
		name = metric
	}
	type dimensions = map[string]string
	statistic, version := cmp.Or(statistics[name], "Sum"), function+"-7"
	switch {
	case name == "Faults":
		return key("ranch", name, statistic, dimensions{"FunctionName": function, "FunctionVersion": version})
	case ofFunction:
		live := dimensions{"FunctionName": function, "Resource": function + ":live", "ExecutedVersion": version}
		return key("AWS/Lambda", name, statistic, live)
	case slices.Contains([]string{"Count", "5xx", "Latency", "DataProcessed"}, name):
		return key("AWS/ApiGateway", name, statistic, dimensions{"ApiId": "api"})
	case strings.HasPrefix(name, "Consumed") || strings.HasSuffix(name, "ThrottleEvents"):
		return key("AWS/DynamoDB", name, statistic, dimensions{"TableName": "table"})
	}
	return key("ranch", name, statistic, nil)
}

var repeated = regexp.MustCompile(`(\S+)\*(\d+)`)

// play returns the states of an alarm after each period of a row's data.
func play(t *testing.T, a watched, text string) (states string) {
	t.Helper()
	text = repeated.ReplaceAllStringFunc(text, func(match string) string {
		value, times, _ := strings.Cut(match, "*")
		n, err := strconv.Atoi(times)
		require.NoError(t, err)
		return strings.Repeat(value+" ", n)
	})
	d, periods := data{}, 0
	for series := range strings.SplitSeq(text, ";") {
		fields := strings.Fields(series)
		var values []float64
		for _, field := range fields[1:] {
			value, err := strconv.ParseFloat(strings.Replace(field, "-", "NaN", 1), 64)
			require.NoError(t, err, series)
			values = append(values, value)
		}
		d[published(fields[0])] = values
		periods = len(values)
	}
	resolved, state := resolve(t, a.template, a.Alarm, physical(a.template)), "O"
	for period := range periods {
		state = resolved.state(t, d, period, state)
		states += state
	}
	return states
}

// TestAlarms plays the rows. The rows of an alarm must tell the alarm from one with another comparison, and from one
// that needs another number of bad periods.
func TestAlarms(t *testing.T) {
	wrong := func(alarm watched) (found []string) {
		for _, row := range rows {
			if row.alarm != alarm.LogicalID {
				continue
			}
			if got := play(t, alarm, row.data); !strings.HasSuffix(got, row.want) {
				found = append(found, row.name+": "+got+", want "+row.want)
			}
		}
		return found
	}
	alarms := map[string]bool{}
	for _, alarm := range load(t) {
		alarms[alarm.LogicalID] = true
		assert.Empty(t, wrong(alarm), alarm.LogicalID)
		for comparison := range comparisons {
			other := alarm
			other.ComparisonOperator = comparison
			assert.True(t, comparison == alarm.ComparisonOperator || len(wrong(other)) > 0,
				"%s needs a row against %s", alarm.LogicalID, comparison)
		}
		for _, n := range []int{max(1, alarm.DatapointsToAlarm-1), alarm.DatapointsToAlarm + 1} {
			other := alarm
			other.DatapointsToAlarm, other.EvaluationPeriods = n, max(n, alarm.EvaluationPeriods)
			assert.True(t, n == alarm.DatapointsToAlarm || len(wrong(other)) > 0,
				"%s needs a row against %d bad periods", alarm.LogicalID, n)
		}
	}
	for _, row := range rows {
		assert.True(t, alarms[row.alarm], "there is no %s", row.alarm)
	}
}

// TestOneOutageOnePage plays outages. Exactly one alarm may page in each.
func TestOneOutageOnePage(t *testing.T) {
	for name, outage := range map[string]struct{ data, want string }{
		"none":                       {"Count 300*10; SyntheticPlays 1*10", ""},
		"the table throttles":        {"Count 300*10; 5xx 150*10; SyntheticPlays 0*10; ReadThrottleEvents 900*10", "TableThrottlesAlarm"},
		"the table is gone":          {"Count 300*10; 5xx 300*10; SyntheticPlays 0*10; RefreshRefusals 0*10", "SyntheticAlarm"},
		"nothing answers":            {"SyntheticPlays -*10", "SyntheticAlarm"},
		"one function fails":         {"Count 300*10; 5xx 40*10; SyntheticPlays 1*10; EnterShow/Faults 40*10", "FaultsAlarm"},
		"Lambda turns calls away":    {"Count 300*10; 5xx 40*10; SyntheticPlays 1*10", "FaultsAlarm"},
		"a flood of log-ins":         {"Count 1500*10; Logins 1200*10; FailedLogins 1190*10; SyntheticPlays 0*10", "FloodAlarm"},
		"operators close the doors":  {"Count 300*10; 5xx 300*10; TurnedAway 300*10; SyntheticPlays 1*10", ""},
		"the secret does not parse":  {"Count 300*10; SyntheticPlays 1*10; KeysUnparsable 1*10", "KeysAlarm"},
		"a balance is wrong":         {"Count 300*10; SyntheticPlays 1*10; LedgerDrift 1*10", "LedgerDriftAlarm"},
		"no schedule runs but plays": {"Count 300*10; SyntheticPlays 1*10; OldestUnfinished -*10", ""},
	} {
		var paged []string
		for _, alarm := range load(t) {
			if alarm.pages() && strings.Contains(play(t, alarm, outage.data)[5:], "A") { // before them, there are no data
				paged = append(paged, alarm.LogicalID)
			}
		}
		assert.Equal(t, outage.want, strings.Join(paged, " "), name)
	}
}

// TestEveryFunctionHasGates checks that exactly one gate fires if a new version of a function of the API answers with
// faults or does not answer. At most one fires if it is slow.
func TestEveryFunctionHasGates(t *testing.T) {
	template, err := samtemplate.LoadRoot()
	require.NoError(t, err)
	for _, f := range template.Endpoints() {
		for trouble, want := range map[string]string{"Faults": "FaultsGate", "Errors": "ErrorsGate", "Duration": "LatencyGate"} {
			fired := ""
			for _, alarm := range load(t) {
				if strings.HasSuffix(alarm.LogicalID, "Gate") && strings.HasSuffix(play(t, alarm, f.LogicalID+"/"+trouble+" 9000*5"), "A") {
					fired += alarm.LogicalID
				}
			}
			assert.True(t, strings.HasSuffix(fired, want) && strings.Count(fired, "Gate") == 1 || trouble == "Duration" && fired == "",
				"%s of %s: fired %q, want one that ends in %s", trouble, f.LogicalID, fired, want)
		}
	}
}
