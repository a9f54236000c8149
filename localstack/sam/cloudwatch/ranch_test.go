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

// rows are the data with which each alarm of template.yaml fires or does not. data has the values of each metric in
// successive periods, by its statistic: "-" is no value, and 0*3 is 0 in three periods. Login/Faults is a metric of one
// function.
// want has the alarm's states after the last of these periods: O is OK, A is ALARM.
var rows = []struct{ alarm, name, data, want string }{
	{"FaultsAlarm", "exactly 1 %", "Count 300*3; 5xx 3 0 3", "OOA"},
	{"FaultsAlarm", "less by day", "Count 324*3; 5xx 3*3", "OOO"},
	{"FaultsAlarm", "a tenth of one of seven routes", "Count 324*3; 5xx 4 5 5", "OAA"},
	{"FaultsAlarm", "one of three calls at night", "Count 3*3; 5xx 1*3", "OOO"},
	{"FaultsAlarm", "all of three, in one minute", "Count 3*3; 5xx 0 3 0", "OOO"},
	{"FaultsAlarm", "all of three, then no calls", "Count 3*2 -*5; 5xx 3*2 -*5", "OAAAAOO"},
	{"FaultsAlarm", "closed doors", "Count 324*3; 5xx 324*3; TurnedAway 324 324 322", "OOO"},
	{"FaultsAlarm", "faults behind closed doors", "Count 324*3; 5xx 324*3; TurnedAway 320 - 320", "OAA"},

	{"SyntheticAlarm", "two runs fail", "SyntheticPlays 1*5 0*2", "OOO"},
	{"SyntheticAlarm", "three of five runs fail, then it plays again", "SyntheticPlays 1*5 0*2 1 0 1*2", "OAAO"},
	{"SyntheticAlarm", "nothing runs", "SyntheticPlays 1*5 -*5", "OOOOA"},

	{"FaultsBurnAlarm", "exactly 0.6 %", "Count 1000000*2; 5xx 6000 5999", "AO"},
	{"FaultsBurnAlarm", "few calls", "Count 100*2; 5xx 20 19", "AO"},
	{"FaultsBurnAlarm", "no calls", "Count 100 -*3; 5xx 20 -*3", "AAAO"},
	{"FaultsBurnAlarm", "closed doors", "Count 100000; 5xx 100000; TurnedAway 99981", "O"},

	{"LatencyAlarm", "slow calls, then no calls", "Latency 3000 3001*3 -*5", "OOOAAAAAO"},
	{"LatencyAlarm", "at the limit", "Latency 3000*5", "OOOOO"},
	{"LatencyAlarm", "long judgings", "Latency 20000*5; JudgingDuration 19900*5", "OOOOO"},
	{"LatencyAlarm", "slow calls beside short judgings", "Latency 3001*3; JudgingDuration 3000*3", "OOA"},

	{"AuthFaultsAlarm", "some minutes have a log-in", "Login/Invocations 1 - 1 - 1; Login/Faults 1 - 1 - 1", "OOOOA"},
	{"AuthFaultsAlarm", "in two of five minutes", "Login/Invocations 1 - 1 - -; Login/Faults 1 - 1 - -", "OOOOO"},
	{"BrowseFaultsAlarm", "less than a tenth", "GetMe/Invocations 41*3; GetMe/Faults 4*3", "OOO"},
	{"BrowseFaultsAlarm", "a tenth", "GetMe/Invocations 40*3; GetMe/Faults 4*3", "OOA"},
	{"BrowseFaultsAlarm", "two functions", "GetMe/Faults 1*3; ListShows/Faults 1*3", "OOA"},
	{"ShowFaultsAlarm", "judgings, then none", "JudgeShow/Invocations 1*3 -*3; JudgeShow/Faults 1*3 -*3", "OOAAAO"},
	{"ShowFaultsAlarm", "in two minutes", "JudgeShow/Invocations 1*3; JudgeShow/Faults 1 1 -", "OOO"},

	{"AuthLatencyAlarm", "slow log-ins", "Login/Duration 3000 3001*3", "OOOA"},
	{"AuthLatencyAlarm", "a crash among many log-outs", "Logout/Errors 0.09*5", "OOOOO"},
	{"AuthLatencyAlarm", "two causes", "Login/Duration 3001*3; Logout/Errors 1*3", "OOA"},
	{"BrowseLatencyAlarm", "slow lists", "ListShows/Duration 1500 1501*3", "OOOA"},
	{"BrowseLatencyAlarm", "crashes", "GetSeason/Errors 0.1*3", "OOA"},
	{"BrowseLatencyAlarm", "two causes", "GetMe/Duration 2000*3; GetMe/Errors 1*3", "OOA"},
	{"ShowLatencyAlarm", "slow entries", "EnterShow/Duration 3000 3001*3", "OOOA"},
	{"ShowLatencyAlarm", "entries wait for a judging", "EnterShow/Duration 11000*3; JudgingDuration 3001*3", "OOO"},
	{"ShowLatencyAlarm", "judgings run out of time", "JudgeShow/Errors 1*3; JudgingDuration 28000*3", "OOA"},
	{"ShowLatencyAlarm", "two causes", "JudgeShow/Errors 1*3; GetShow/Errors 1*3", "OOA"},

	{"AuthThrottlesAlarm", "of two functions", "Login/Throttles 3 2 3; Refresh/Throttles 1 2 2", "OOO"},
	{"AuthThrottlesAlarm", "twice in three minutes", "Login/Throttles 5 - 5 9 - -", "OOAAAO"},
	{"PlayThrottlesAlarm", "of two functions", "GetShow/Throttles 3 2 3; EnterShow/Throttles 1 3 2", "OOA"},
	{"PlayThrottlesAlarm", "more, in one minute", "GetShow/Throttles 4 900 4", "OOO"},

	{"TableThrottlesAlarm", "reads and writes", "ReadThrottleEvents 5*4 -; WriteThrottleEvents 4 5*3 -", "OOOAA"},
	{"TableThrottlesAlarm", "a table that splits", "WriteThrottleEvents 900*2 -*3", "OOOOO"},
	{"TableThrottlesAlarm", "writes", "WriteThrottleEvents 10 11 900 -*3", "OOAAAO"},

	{"ConflictsAlarm", "30 %", "Conflicts 30 29 30 - - -; Attempts 100*3 - - -", "OOAAAO"},
	{"ConflictsAlarm", "few attempts", "Conflicts 18*3; Attempts 19*3", "OOO"},
	{"ConflictsAlarm", "one bad period", "Conflicts 20 2 2; Attempts 20*3", "OOO"},

	{"RefreshRefusalsAlarm", "in two periods, then none", "RefreshRefusals 59 60 61 59", "OOAO"},
	{"LedgerDriftAlarm", "until an audit finds none", "LedgerDrift 0 -*3 1 -*3 0 -", "OOOOAAAAOO"},

	{"UnfinishedWorkAlarm", "a large show", "OldestUnfinished 0*6 301*4 0", "OOOOO"},
	{"UnfinishedWorkAlarm", "refunds fail", "OldestUnfinished 300*6 301*5", "OA"},
	{"UnfinishedWorkAlarm", "the schedule has stopped", "OldestUnfinished 0*6 -*7", "OA"},

	{"AuditAlarm", "30 hours without an audit", "LedgersAudited 1 -*3 1 -*4 1 -*5 1", "OOOOOOOOOOOOOOAO"},
	{"AuditAlarm", "audits fail", "LedgersAudited 1*6; AuditLedgers/Errors - 1*5", "OOOOOA"},

	{"JudgeDueAlarm", "four late minutes", "OldestOverdue 0*6 301*4", "OOOO"},
	{"JudgeDueAlarm", "five late minutes", "OldestOverdue 300*6 301*5", "OA"},
	{"JudgeDueAlarm", "the schedule has stopped, and runs again", "OldestOverdue 0*6 -*7 0*6", "AO"},

	{"EarlyJudgingsAlarm", "three in an hour, then none", "EarlyJudgings 2 3 -*3", "OAAAO"},
	{"KeysAlarm", "one process, then none", "KeysUnparsable 0 1 -*3", "OAAAO"},

	{"CostAlarm", "the hours of docs/costs.md beside a flood", "Count 19473 720000 19473; " +
		"ConsumedReadCapacityUnits 100000 1440000 100000; ConsumedWriteCapacityUnits 30000*3", "OAO"},
	{"CostAlarm", "exactly 0.1 dollars", "ConsumedWriteCapacityUnits 160000 160001", "OA"},
	{"CostAlarm", "a scan by a tool, then nothing", "ConsumedReadCapacityUnits 1000000 -", "AO"},

	{"TooManyRequestsAlarm", "a flood, then silence", "TooManyRequests 60 61 -*3", "OAAAO"},
	{"FailedLoginsAlarm", "passwords are guessed", "FailedLogins 60 61 -*3", "OAAAO"},
	{"SignUpsAlarm", "accounts are made in bulk", "SignUps 60 61 -*3", "OAAAO"},
}

// physical returns the references of a stack named ranch. A function's version is the function's name and -7.
func physical(t *samtemplate.Template) map[string]string {
	all := map[string]string{"AWS::StackName": "ranch", "Api": "api", "Table": "table"}
	for _, f := range t.Functions {
		all[f.LogicalID], all[f.LogicalID+".Version.Version"] = f.LogicalID, f.LogicalID+"-7"
	}
	return all
}

// statistics are the statistics of the metrics that alarms do not add up.
var statistics = map[string]string{
	"Latency": "p99", "Duration": "p99", "Errors": "Average", "JudgingDuration": "Maximum", "LedgerDrift": "Maximum",
	"LedgersAudited": "SampleCount", "OldestUnfinished": "Maximum", "OldestOverdue": "Maximum",
}

// keys returns the keys of a metric as AWS or the functions publish it, one for each set of its dimensions.
func keys(metric string) []string {
	function, name, ofFunction := strings.Cut(metric, "/")
	if !ofFunction {
		name = metric
	}
	type dimensions = map[string]string
	statistic, version := cmp.Or(statistics[name], "Sum"), function+"-7"
	switch {
	case name == "Faults":
		return []string{key("ranch", name, statistic, dimensions{"FunctionName": function, "FunctionVersion": version})}
	case ofFunction:
		live := dimensions{"FunctionName": function, "Resource": function + ":live", "ExecutedVersion": version}
		all := dimensions{"FunctionName": function}
		return []string{key("AWS/Lambda", name, statistic, live), key("AWS/Lambda", name, "Sum", all)}
	case slices.Contains([]string{"Count", "5xx", "Latency"}, name):
		return []string{key("AWS/ApiGateway", name, statistic, dimensions{"ApiId": "api"})}
	case strings.HasPrefix(name, "Consumed") || strings.HasSuffix(name, "ThrottleEvents"):
		return []string{key("AWS/DynamoDB", name, statistic, dimensions{"TableName": "table"})}
	}
	return []string{key("ranch", name, statistic, nil)}
}

var repeated = regexp.MustCompile(`(\S+)\*(\d+)`)

// play returns the states of an alarm of template.yaml after each period of a row's data.
func play(t *testing.T, template *samtemplate.Template, a samtemplate.Alarm, text string) (states string) {
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
		for _, key := range keys(fields[0]) {
			d[key] = values
		}
		periods = len(values)
	}
	resolved, state := resolve(t, template, a, physical(template)), ""
	for period := range periods {
		state = resolved.state(t, d, period, state)
		states += state
	}
	return states
}

// TestAlarms plays the rows. The rows of an alarm must tell the alarm from one with another comparison, and from one
// that needs another number of bad periods.
func TestAlarms(t *testing.T) {
	template, err := samtemplate.LoadRoot()
	require.NoError(t, err)
	wrong := func(alarm samtemplate.Alarm) (found []string) {
		for _, row := range rows {
			if row.alarm != alarm.LogicalID {
				continue
			}
			if got := play(t, template, alarm, row.data); !strings.HasSuffix(got, row.want) {
				found = append(found, row.name+": "+got+", want "+row.want)
			}
		}
		return found
	}
	alarms := map[string]bool{}
	for _, alarm := range template.Alarms {
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
		assert.True(t, alarms[row.alarm], "template.yaml has no %s", row.alarm)
	}
}

// TestEveryFunctionIsWatched checks that exactly one alarm fires if a function of the API fails, crashes, is slow, or
// is throttled. Judgings may be slow.
func TestEveryFunctionIsWatched(t *testing.T) {
	template, err := samtemplate.LoadRoot()
	require.NoError(t, err)
	const healthy = "SyntheticPlays 1*10; OldestUnfinished 0*10; OldestOverdue 0*10; LedgersAudited 1*10"
	for _, f := range template.Endpoints() {
		for trouble, want := range map[string]string{
			"Faults": "FaultsAlarm", "Errors": "LatencyAlarm", "Duration": "LatencyAlarm", "Throttles": "ThrottlesAlarm",
		} {
			fired := ""
			for _, alarm := range template.Alarms {
				if strings.HasSuffix(play(t, template, alarm, healthy+"; "+f.LogicalID+"/"+trouble+" 9000*10"), "A") {
					fired += alarm.LogicalID
				}
			}
			slow := f.LogicalID == "JudgeShow" && trouble == "Duration"
			assert.True(t, slow && fired == "" || !slow && strings.HasSuffix(fired, want) && strings.Count(fired, "Alarm") == 1,
				"%s of %s: fired %q, want one that ends in %s", trouble, f.LogicalID, fired, want)
		}
	}
}
