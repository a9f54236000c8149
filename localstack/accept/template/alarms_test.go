package template

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ranch-game/ranch/localstack/sam/cloudwatch"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// ranchAlarm returns an alarm of the real template, for the stack ranch. Parameters are names and values in turn.
func ranchAlarm(t *testing.T, name string, parameters ...string) *cloudwatch.Alarm {
	t.Helper()
	loaded := ranch(t)
	i := slices.IndexFunc(loaded.Alarms, func(a samtemplate.Alarm) bool { return a.LogicalID == name })
	if i < 0 {
		t.Fatalf("there is no %s", name)
	}
	physical := map[string]string{"AWS::StackName": "ranch", "Api": "api", "Table": "table"}
	for i := 0; i < len(parameters); i += 2 {
		physical[parameters[i]] = parameters[i+1]
	}
	for _, f := range loaded.Functions {
		physical[f.LogicalID] = f.LogicalID
	}
	a, err := cloudwatch.New(loaded, loaded.Alarms[i], physical)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// states plays periods, each with what it adds to the metrics, and returns the state after each.
func states(t *testing.T, a *cloudwatch.Alarm, periods ...map[string]float64) (all []cloudwatch.State) {
	t.Helper()
	var d cloudwatch.Data
	now, state := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), cloudwatch.InsufficientData
	for _, period := range periods {
		for name, value := range period {
			i := slices.IndexFunc(a.Metrics(), func(m cloudwatch.Metric) bool { return m.Name == name })
			if i < 0 {
				t.Fatalf("%s does not go by %s", a.Name, name)
			}
			d.Add(cloudwatch.Point{Metric: a.Metrics()[i], Time: now, Value: value})
		}
		now = now.Add(a.Period)
		var err error
		if state, err = a.Evaluate(&d, now, state); err != nil {
			t.Fatal(err)
		}
		all = append(all, state)
	}
	return all
}

// night is a minute with few calls.
func night(faults float64) map[string]float64 { return map[string]float64{"Count": 3, "5xx": faults} }

// By day there are the 324 calls of an average minute of docs/costs.md; each function of a session has 46 of them.
func TestRanchFaults(t *testing.T) {
	day := func(faults float64) map[string]float64 { return map[string]float64{"Count": 324, "5xx": faults} }
	for name, c := range map[string]struct {
		periods []map[string]float64
		want    cloudwatch.State // of the last
	}{
		"one of three at night":               {[]map[string]float64{night(0), night(1), night(0)}, cloudwatch.OK},
		"one of three, minute by minute":      {[]map[string]float64{night(1), night(1), night(1)}, cloudwatch.OK},
		"all of three in a minute":            {[]map[string]float64{night(0), night(3), night(0)}, cloudwatch.OK},
		"all of three in two minutes":         {[]map[string]float64{night(0), night(3), night(3)}, cloudwatch.Alarming},
		"below 1 % by day":                    {[]map[string]float64{day(3), day(3), day(3)}, cloudwatch.OK},
		"2 % by day":                          {[]map[string]float64{day(7), day(0), day(7)}, cloudwatch.Alarming},
		"a tenth of one of seven routes":      {[]map[string]float64{day(4), day(5), day(5)}, cloudwatch.Alarming},
		"every judging":                       {[]map[string]float64{day(1), day(0), day(1)}, cloudwatch.OK},
		"nobody calls":                        {[]map[string]float64{{}, {}, {}}, cloudwatch.OK},
		"it is over, and nobody calls at all": {[]map[string]float64{night(3), night(3), {}, {}, {}, {}}, cloudwatch.OK},
	} {
		if got := states(t, ranchAlarm(t, "FaultsAlarm"), c.periods...); got[len(got)-1] != c.want {
			t.Errorf("%s: %v, want %s in the end", name, got, c.want)
		}
	}
}

func TestRanchFaultsBurn(t *testing.T) {
	a := ranchAlarm(t, "FaultsBurnAlarm")
	const calls = 324 * 360 // in six hours
	want := []cloudwatch.State{cloudwatch.OK, cloudwatch.OK, cloudwatch.Alarming, cloudwatch.OK}
	if got := states(t, a, map[string]float64{"Count": 100, "5xx": 19}, map[string]float64{"Count": calls, "5xx": calls * 0.005},
		map[string]float64{"Count": calls, "5xx": calls*0.006 + 1}, map[string]float64{"Count": calls, "5xx": 5}); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// Drift stays until an audit finds none: that there is no data between two audits says nothing.
func TestRanchLedgerDrift(t *testing.T) {
	a := ranchAlarm(t, "LedgerDriftAlarm")
	audit := func(drift float64) map[string]float64 { return map[string]float64{"LedgerDrift": drift} }
	got := states(t, a, audit(0), nil, nil, nil, audit(2), nil, nil, nil, audit(0), nil)
	want := []cloudwatch.State{cloudwatch.OK, cloudwatch.OK, cloudwatch.OK, cloudwatch.OK, cloudwatch.Alarming, cloudwatch.Alarming, cloudwatch.Alarming, cloudwatch.Alarming, cloudwatch.OK, cloudwatch.OK}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// An audit a day keeps it quiet, at whatever hour; 30 hours without one do not.
func TestRanchAudit(t *testing.T) {
	a := ranchAlarm(t, "AuditAlarm")
	audit := map[string]float64{"LedgersAudited": 0} // of a table without accounts, which is one, too
	got := states(t, a, audit, nil, nil, nil, audit, nil, nil, nil, nil, audit, nil, nil, nil, nil, nil, audit)
	for i, state := range got {
		if want := map[bool]cloudwatch.State{true: cloudwatch.Alarming, false: cloudwatch.OK}[i == 14]; state != want {
			t.Errorf("after %v: %s, want %s", time.Duration(i+1)*a.Period, state, want)
		}
	}
}

// JudgeDue may fail now and then, and must not go on with it, whether it runs and fails or does not run. Where its
// schedule is off there is nothing.
func TestRanchJudgeDue(t *testing.T) {
	fine, fails, throttled := map[string]float64{"Errors": 0}, map[string]float64{"Errors": 1}, map[string]float64{"Throttles": 1}
	for name, c := range map[string]struct {
		periods []map[string]float64
		want    cloudwatch.State // of the last
	}{
		"two failures":               {[]map[string]float64{fine, fails, fine, fails, fine}, cloudwatch.OK},
		"failures":                   {[]map[string]float64{fine, fails, fine, fails, fails}, cloudwatch.Alarming},
		"it does not run":            {[]map[string]float64{fine, throttled, throttled, throttled}, cloudwatch.Alarming},
		"some of both":               {[]map[string]float64{fine, fails, throttled, fails}, cloudwatch.Alarming},
		"it has failed, and is fine": {[]map[string]float64{fails, fails, fails, fine, fine, fine}, cloudwatch.OK},
		"it has failed, and is off":  {[]map[string]float64{fails, fails, fails, nil, nil, nil}, cloudwatch.OK},
		"it is off":                  {[]map[string]float64{nil, nil, nil}, cloudwatch.OK},
	} {
		if got := states(t, ranchAlarm(t, "JudgeDueAlarm"), c.periods...); got[len(got)-1] != c.want {
			t.Errorf("%s: %v, want %s in the end", name, got, c.want)
		}
	}
}

// A month of docs/costs.md is far from the limit of an hour, and a flood at the API's own limit is above that of prod.
func TestRanchCost(t *testing.T) {
	a := ranchAlarm(t, "CostAlarm")
	usual := map[string]float64{"Count": 14_020_000 / 720, "ConsumedReadCapacityUnits": 1e5, "ConsumedWriteCapacityUnits": 3e4}
	flood := map[string]float64{"Count": 200 * 3600, "ConsumedReadCapacityUnits": 2 * 200 * 3600}
	if got, want := states(t, a, usual, flood, usual), []cloudwatch.State{cloudwatch.OK, cloudwatch.Alarming, cloudwatch.OK}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	scan := map[string]float64{"ConsumedReadCapacityUnits": 1e6} // by a tool, in an hour without calls
	if got, want := states(t, a, usual, scan), []cloudwatch.State{cloudwatch.OK, cloudwatch.Alarming}; !slices.Equal(got, want) {
		t.Errorf("without calls: %v, want %v", got, want)
	}
	a = ranchAlarm(t, "CostAlarm", "HourlyCostLimit", "1") // prod's
	if got, want := states(t, a, usual, flood, usual), []cloudwatch.State{cloudwatch.OK, cloudwatch.Alarming, cloudwatch.OK}; !slices.Equal(got, want) {
		t.Errorf("in prod: %v, want %v", got, want)
	}
}

// What alarms of the real template go by can be resolved in every case.
func TestRanchAlarmsResolve(t *testing.T) {
	for _, a := range ranch(t).Alarms {
		for _, m := range ranchAlarm(t, a.LogicalID).Metrics() {
			if m.Namespace == "" || m.Name == "" {
				t.Errorf("%s goes by %s", a.LogicalID, m)
			}
		}
	}
}

// Every alarm tells the topic of its beginning and of its end, and names its section of the runbook. Its name ends in
// Alarm, by which others find it. It stays within CloudWatch's limits (Amazon CloudWatch User Guide, "Alarm limits").
func TestRanchAlarms(t *testing.T) {
	template := ranch(t)
	if len(template.Alarms) == 0 {
		t.Fatal("there is no alarm")
	}
	topic := []samtemplate.Value{{Ref: "Alarms"}}
	for _, a := range template.Alarms {
		if !slices.Equal(a.Actions, topic) || !slices.Equal(a.OKActions, topic) {
			t.Errorf("%s tells %v, and %v when it is over", a.LogicalID, a.Actions, a.OKActions)
		}
		if !strings.HasSuffix(a.LogicalID, "Alarm") || !strings.HasSuffix(a.Description, ": docs/runbook.md#"+strings.ToLower(a.LogicalID)) {
			t.Errorf("%s says %q", a.LogicalID, a.Description)
		}
		metrics := 0
		for _, m := range a.Metrics {
			if m.Expression == "" {
				metrics++
			}
		}
		const day = 24 * time.Hour
		if watched := a.Period * time.Duration(a.EvaluationPeriods); metrics > 10 || watched > day && a.Period < time.Hour || watched > 7*day {
			t.Errorf("%s goes by %d metrics, and looks at %v", a.LogicalID, metrics, watched)
		}
	}
}

// A function that throttles turns players away, whichever it is; one without a route is invoked again by Lambda itself.
func TestRanchThrottlesOfEveryFunctionAreWatched(t *testing.T) {
	template, watched := ranch(t), map[string]int{}
	for _, a := range template.Alarms {
		for _, m := range a.Metrics {
			if m.Namespace.Literal == "AWS/Lambda" && m.Name == "Throttles" {
				watched[m.Dimensions["FunctionName"].Ref]++
			}
		}
	}
	for _, f := range template.Functions {
		if f.Path != "" && watched[f.LogicalID] != 1 {
			t.Errorf("%d alarms watch the throttles of %s, want 1", watched[f.LogicalID], f.LogicalID)
		}
	}
}

// The dashboard shows every alarm, and is text that CloudWatch can read.
func TestTransformedDashboard(t *testing.T) {
	template, c := ranch(t), transformed(t)
	sub := properties[struct{ DashboardBody map[string][]any }](t, c, "Dashboard", "AWS::CloudWatch::Dashboard").DashboardBody["Fn::Sub"]
	text, _ := sub[0].(string)
	var body struct {
		Widgets []struct {
			Type          string
			X, Y          int
			Width, Height int
			Properties    struct {
				Title, Query string
				Alarms       []string
				Metrics      [][]any
			}
		}
	}
	if err := json.Unmarshal([]byte(text), &body); err != nil {
		t.Fatal(err)
	}
	var alarms, want []string
	for i, w := range body.Widgets {
		p := w.Properties
		alarms = append(alarms, p.Alarms...)
		if w.Width < 1 || w.X+w.Width > 24 || w.Height < 1 || p.Title == "" {
			t.Errorf("%q is at %d, %d, %d by %d", p.Title, w.X, w.Y, w.Width, w.Height)
		}
		if shows := map[string]bool{"metric": p.Metrics != nil, "alarm": p.Alarms != nil, "log": strings.Contains(p.Query, "SOURCE '${Logs}'")}; !shows[w.Type] {
			t.Errorf("%q, of the type %s, shows nothing", p.Title, w.Type)
		}
		for _, other := range body.Widgets[:i] {
			if w.X < other.X+other.Width && other.X < w.X+w.Width && w.Y < other.Y+other.Height && other.Y < w.Y+w.Height {
				t.Errorf("%q covers %q", p.Title, other.Properties.Title)
			}
		}
	}
	for _, a := range template.Alarms {
		want = append(want, "${"+a.LogicalID+".Arn}")
	}
	slices.Sort(alarms)
	slices.Sort(want)
	if diff := cmp.Diff(want, alarms); diff != "" {
		t.Errorf("the alarms on the dashboard (-want +got):\n%s", diff)
	}
}
