package cloudwatch

import (
	"slices"
	"testing"
	"time"

	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// ranchAlarm returns an alarm of the real template, for the stack ranch.
func ranchAlarm(t *testing.T, name string) *Alarm {
	t.Helper()
	loaded, err := samtemplate.LoadRoot()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(loaded.Alarms, func(a samtemplate.Alarm) bool { return a.LogicalID == name })
	if i < 0 {
		t.Fatalf("there is no %s", name)
	}
	physical := map[string]string{"AWS::StackName": "ranch", "Api": "api", "Table": "table"}
	for _, f := range loaded.Functions {
		physical[f.LogicalID] = f.LogicalID
	}
	a, err := New(loaded, loaded.Alarms[i], physical)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// states plays periods, each with what it adds to the metrics, and returns the state after each.
func states(t *testing.T, a *Alarm, periods ...map[string]float64) (all []State) {
	t.Helper()
	var d Data
	now, state := midnight, InsufficientData
	for _, period := range periods {
		for name, value := range period {
			i := slices.IndexFunc(a.Metrics(), func(m Metric) bool { return m.Name == name })
			if i < 0 {
				t.Fatalf("%s does not go by %s", a.Name, name)
			}
			d.Add(Point{a.Metrics()[i], now, value})
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
		want    State // of the last
	}{
		"one of three at night":               {[]map[string]float64{night(0), night(1), night(0)}, OK},
		"one of three, minute by minute":      {[]map[string]float64{night(1), night(1), night(1)}, OK},
		"all of three in a minute":            {[]map[string]float64{night(0), night(3), night(0)}, OK},
		"all of three in two minutes":         {[]map[string]float64{night(0), night(3), night(3)}, Alarming},
		"below 1 % by day":                    {[]map[string]float64{day(3), day(3), day(3)}, OK},
		"2 % by day":                          {[]map[string]float64{day(7), day(0), day(7)}, Alarming},
		"a tenth of one of seven routes":      {[]map[string]float64{day(4), day(5), day(5)}, Alarming},
		"every judging":                       {[]map[string]float64{day(1), day(0), day(1)}, OK},
		"nobody calls":                        {[]map[string]float64{{}, {}, {}}, OK},
		"it is over, and nobody calls at all": {[]map[string]float64{night(3), night(3), {}, {}, {}, {}}, OK},
	} {
		if got := states(t, ranchAlarm(t, "FaultsAlarm"), c.periods...); got[len(got)-1] != c.want {
			t.Errorf("%s: %v, want %s in the end", name, got, c.want)
		}
	}
}

func TestRanchFaultsBurn(t *testing.T) {
	a := ranchAlarm(t, "FaultsBurnAlarm")
	const calls = 324 * 360 // in six hours
	want := []State{OK, OK, Alarming, OK}
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
	want := []State{OK, OK, OK, OK, Alarming, Alarming, Alarming, Alarming, OK, OK}
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
		if want := map[bool]State{true: Alarming, false: OK}[i == 14]; state != want {
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
		want    State // of the last
	}{
		"two failures":               {[]map[string]float64{fine, fails, fine, fails, fine}, OK},
		"failures":                   {[]map[string]float64{fine, fails, fine, fails, fails}, Alarming},
		"it does not run":            {[]map[string]float64{fine, throttled, throttled, throttled}, Alarming},
		"some of both":               {[]map[string]float64{fine, fails, throttled, fails}, Alarming},
		"it has failed, and is fine": {[]map[string]float64{fails, fails, fails, fine, fine, fine}, OK},
		"it has failed, and is off":  {[]map[string]float64{fails, fails, fails, nil, nil, nil}, OK},
		"it is off":                  {[]map[string]float64{nil, nil, nil}, OK},
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
	if got, want := states(t, a, usual, flood, usual), []State{OK, Alarming, OK}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	scan := map[string]float64{"ConsumedReadCapacityUnits": 1e6} // by a tool, in an hour without calls
	if got, want := states(t, a, usual, scan), []State{OK, Alarming}; !slices.Equal(got, want) {
		t.Errorf("without calls: %v, want %v", got, want)
	}
	a.threshold = 1 // prod's
	if got, want := states(t, a, usual, flood, usual), []State{OK, Alarming, OK}; !slices.Equal(got, want) {
		t.Errorf("in prod: %v, want %v", got, want)
	}
}

// What alarms of the real template go by can be resolved in every case.
func TestRanchAlarmsResolve(t *testing.T) {
	loaded, err := samtemplate.LoadRoot()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range loaded.Alarms {
		for _, m := range ranchAlarm(t, a.LogicalID).Metrics() {
			if m.Namespace == "" || m.Name == "" {
				t.Errorf("%s goes by %s", a.LogicalID, m)
			}
		}
	}
}
