package docs_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/localstack/bench/figures"
)

var blockForm = regexp.MustCompile(`(?ms)^<!-- (\S+): [^\n]+ -->\n([^\n]*)\n.*?^<!-- end -->$`)

// TestFigures checks that every generated block of a page names its command. The block must also state the day, the
// commit and the tolerance of its figures. If the tolerance names a test, TestPages checks that the test exists.
func TestFigures(t *testing.T) {
	t.Parallel()
	all := 0
	for _, page := range pages() {
		blocks := blockForm.FindAllStringSubmatch(page.text, -1)
		marks := strings.Count("\n"+page.text, "\n<!-- ")
		assert.Equal(t, 2*len(blocks), marks,
			"%s has %d lines that begin or end a block, want %d: each block needs its command and its end", page.name, marks, 2*len(blocks))
		for _, block := range blocks {
			if all++; !figures.AsOf.MatchString(block[2]) {
				t.Errorf("%s: %s has no day, commit and tolerance, but %q", page.name, block[1], block[2])
			}
		}
	}
	assert.True(t, all >= 9, "there are %d blocks", all)
}
