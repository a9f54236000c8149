package main

import (
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

var documentedRow = regexp.MustCompile(`(?m)^\| ([^|]+) \| [a-z]+ \| [\d.]+ \| [\d.]+ \| [\d.]+ \| [\d.]+ \| (\d+) \| (\d+) \|$`)

// TestAllocations plays a small form of the script, and compares the allocations of calls with docs/processor.md. It
// leaves out calls whose allocations depend on the number of a show's entries.
func TestAllocations(t *testing.T) {
	t.Parallel()
	page, err := callsBlock.Read("../../..")
	require.NoError(t, err)
	documented := map[string]taken{}
	for _, row := range documentedRow.FindAllStringSubmatch(page, -1) {
		objects, _ := strconv.ParseUint(row[2], 10, 64)
		kilobytes, _ := strconv.ParseUint(row[3], 10, 64)
		documented[row[1]] = taken{objects: objects, bytes: kilobytes << 10}
	}
	template, err := samtemplate.LoadRoot()
	require.NoError(t, err)
	template.Functions = append(template.Functions, emptyFunction)
	programs := t.TempDir()
	require.NoError(t, compileProbed(t.Context(), template, programs))
	measured, err := observe(t.Context(), template, amounts{players: 40, shows: 3, repeated: 100}, programs)
	require.NoError(t, err)
	assert.Len(t, measured, len(documented), "%d calls, and docs/processor.md has %d", len(measured), len(documented))
	for _, got := range measured {
		switch got.program {
		// These depend on the number of entries.
		case "getshow", "judgeshow", "claimreward", "listownentries", "listshowentries", "getseason":
			continue
		}
		was, known := documented[got.scene]
		assert.True(t, known, "docs/processor.md does not have %q", got.scene)
		t.Logf("%s: %d allocations, %d KB", got.scene, got.objects, got.bytes>>10)
		if differs(got.objects, was.objects, 0) || differs(got.bytes, was.bytes, 1<<10) { // the page has whole KB
			t.Errorf("%s: %d allocations of %d bytes, which docs/processor.md does not say: make measure", got.scene, got.objects, got.bytes)
		}
	}
}

// differs reports whether a figure differs from the documented figure by more than the tolerance. The documented figure
// may be rounded down by up to rounded.
func differs(got, documented, rounded uint64) bool {
	return 100*got > (100+tolerated)*(documented+rounded) || 100*got < (100-tolerated)*documented
}
