package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/ranch-game/ranch/localstack/deploy/drill/runbook"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// Every alarm of the template has a scene and a section of the runbook.
func TestScenes(t *testing.T) {
	template, err := samtemplate.LoadRoot()
	if err != nil {
		t.Fatal(err)
	}
	sections, err := runbook.Read(template.Root)
	if err != nil {
		t.Fatal(err)
	}
	if err := check(template, scenes, sections); err != nil {
		t.Error(err)
	}
	without := slices.Clone(scenes)[1:]
	empty := append(slices.Clone(scenes), scene{alarm: "NoAlarm"})
	for want, got := range map[string]error{
		"FaultsAlarm has no scene":                check(template, without, sections),
		"FaultsAlarm has no section":              check(template, scenes, sections[1:]),
		"plays NoAlarm, which is no alarm":        check(template, empty, sections),
		"section on NoneAlarm, which is no alarm": check(template, scenes, append(slices.Clone(sections), runbook.Section{Alarm: "NoneAlarm"})),
	} {
		if got == nil || !strings.Contains(got.Error(), want) {
			t.Errorf("%v, want a word of %q", got, want)
		}
	}
}
