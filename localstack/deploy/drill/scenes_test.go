package main

import (
	"slices"
	"testing"

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
