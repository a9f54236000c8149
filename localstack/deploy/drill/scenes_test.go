package main

import (
	"slices"
	"testing"
	"time"

	"github.com/ranch-game/ranch/localstack/sam/cloudwatch"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// Every alarm of the template has a scene, and every scene is an alarm's.
func TestScenes(t *testing.T) {
	template, err := samtemplate.LoadRoot()
	if err != nil {
		t.Fatal(err)
	}
	var alarms, played []string
	for _, a := range template.Alarms {
		alarms = append(alarms, a.LogicalID)
	}
	for _, s := range scenes {
		played = append(played, s.alarm)
	}
	if !slices.Equal(alarms, played) {
		t.Errorf("the alarms are %q, and the drill plays %q", alarms, played)
	}
}

func TestExpects(t *testing.T) {
	s := scene{also: []string{"A"}, perhaps: []string{"B"}}
	for _, c := range []struct {
		fired []string
		wrong string
	}{
		{[]string{"A"}, ""},
		{[]string{"A", "B"}, ""},
		{[]string{"B"}, "A did not fire as well, which the scene expects"},
		{[]string{"A", "C"}, "C fired as well, which the scene does not expect"},
	} {
		if err := s.expects(c.fired); (err == nil) != (c.wrong == "") || err != nil && err.Error() != c.wrong {
			t.Errorf("%q: %v, want %q", c.fired, err, c.wrong)
		}
	}
}

// watch evaluates each alarm at the end of its own periods. Without any data four alarms fire; one has periods of six
// hours.
func TestWatch(t *testing.T) {
	template, err := samtemplate.LoadRoot()
	if err != nil {
		t.Fatal(err)
	}
	w, err := newWatch(template, (&drill{template: template}).physical(nil))
	if err != nil {
		t.Fatal(err)
	}
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		after, until time.Duration
		want         []string
	}{
		{0, 6*time.Hour - time.Minute, []string{"JudgeDueAlarm", "SyntheticAlarm", "UnfinishedWorkAlarm"}},
		{6*time.Hour - time.Minute, 6 * time.Hour, []string{"AuditAlarm", "JudgeDueAlarm", "SyntheticAlarm", "UnfinishedWorkAlarm"}},
	} {
		if err := w.evaluate(&cloudwatch.Data{}, start.Add(c.after), start.Add(c.until)); err != nil {
			t.Fatal(err)
		}
		if got := w.others("FaultsAlarm"); !slices.Equal(got, c.want) {
			t.Errorf("until %v: %q, want %q", c.until, got, c.want)
		}
	}
	if got := w.others("JudgeDueAlarm"); !slices.Equal(got, []string{"AuditAlarm", "SyntheticAlarm", "UnfinishedWorkAlarm"}) {
		t.Errorf("without JudgeDueAlarm: %q", got)
	}
}

// A function that a schedule runs has run in each minute of a period, or once. Calls are spread over the minutes.
func TestRuns(t *testing.T) {
	template, err := samtemplate.LoadRoot()
	if err != nil {
		t.Fatal(err)
	}
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	d := &drill{template: template, now: start, at: start, end: start.Add(5 * time.Minute)}
	for function, want := range map[string]int{"JudgeDue": 5, "AuditLedgers": 1, "Login": 1} {
		times := d.runs(function)
		if len(times) != want || !times[0].Equal(start) || !times[want-1].Equal(start.Add(time.Duration(want-1)*time.Minute)) {
			t.Errorf("%s runs at %v", function, times)
		}
	}
	for _, want := range []time.Duration{1, 2, 3, 4, 0, 1} {
		if d.next(); !d.at.Equal(start.Add(want * time.Minute)) {
			t.Errorf("a call at %v, want minute %d", d.at, want)
		}
	}
}
