package main

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// TestScenes checks that every alarm of the template has a scene, and that every scene belongs to an alarm.
func TestScenes(t *testing.T) {
	template, err := samtemplate.LoadRoot()
	require.NoError(t, err)
	var alarms, played []string
	for _, a := range template.Alarms {
		alarms = append(alarms, a.LogicalID)
	}
	for _, s := range scenes {
		played = append(played, s.alarm)
	}
	assert.True(t, slices.Equal(alarms, played), "the alarms are %q, and the drill plays %q", alarms, played)
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
		err := s.expects(c.fired)
		assert.True(t, (err == nil) == (c.wrong == "") && (err == nil || err.Error() == c.wrong), "%q: %v, want %q", c.fired, err, c.wrong)
	}
}
