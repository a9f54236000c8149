package main

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/shared/boot"
	"github.com/ranch-game/ranch/shared/game"
)

// TestNewEvent feeds each function's event to the real function.
func TestNewEvent(t *testing.T) {
	template := treeOfPrograms(t)
	s, out := openStack(t, usual(t))
	keys, err := boot.DevelopmentKeys(t.Context(), tableOf(s.engine))
	require.NoError(t, err)
	for _, f := range template.Functions {
		event, err := newEvent(t.Context(), tableOf(s.engine), keys, template, f, game.InstantOf(time.Now()))
		require.NoError(t, err, f.LogicalID)
		output, err := s.served.Invoke(t.Context(), f.LogicalID, []byte(event))
		require.NoError(t, err, "%s\n%s", f.LogicalID, out)
		var answer struct{ StatusCode int }
		require.NoError(t, json.Unmarshal(output, &answer))
		assert.Equal(t, f.Schedule == nil, answer.StatusCode >= 200 && answer.StatusCode < 300, "%s: %s", f.LogicalID, output)
	}
}
