package main

import (
	"maps"
	"slices"
	"time"

	"github.com/ranch-game/ranch/localstack/sam/cloudwatch"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// watch evaluates all alarms of a template. It evaluates an alarm at the end of each of the alarm's periods.
type watch struct {
	alarms []*cloudwatch.Alarm
	states map[string]cloudwatch.State
	fired  map[string]bool // at any time
}

func newWatch(t *samtemplate.Template, physical map[string]string) (*watch, error) {
	w := &watch{states: map[string]cloudwatch.State{}, fired: map[string]bool{}}
	for _, a := range t.Alarms {
		alarm, err := cloudwatch.New(t, a, physical)
		if err != nil {
			return nil, err
		}
		w.alarms = append(w.alarms, alarm)
		w.states[alarm.Name] = cloudwatch.InsufficientData
	}
	return w, nil
}

// evaluate evaluates the alarms whose periods end after after, and at or before until. Periods are whole minutes.
func (w *watch) evaluate(d *cloudwatch.Data, after, until time.Time) (err error) {
	for at := after.Add(time.Minute); !at.After(until); at = at.Add(time.Minute) {
		for _, a := range w.alarms {
			if !at.Equal(at.Truncate(a.Period)) {
				continue
			}
			if w.states[a.Name], err = a.Evaluate(d, at, w.states[a.Name]); err != nil {
				return err
			}
			if w.states[a.Name] == cloudwatch.Alarming {
				w.fired[a.Name] = true
			}
		}
	}
	return nil
}

func (w *watch) period(alarm string) time.Duration {
	i := slices.IndexFunc(w.alarms, func(a *cloudwatch.Alarm) bool { return a.Name == alarm })
	return w.alarms[i].Period
}

// others returns the alarms that have fired, without the named one.
func (w *watch) others(but string) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(w.fired)), func(name string) bool { return name == but })
}
