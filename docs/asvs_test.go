package docs_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// asvs lists levels 1 and 2 of ASVS 4.0.3 as section:numbers. The other numbers belong to level 3 or were deleted.
const asvs = `1.1:1-7 1.2:1-4 1.4:1,4,5 1.5:1-4 1.6:1-4 1.7:1-2 1.8:1-2 1.9:1-2 1.10:1 1.11:1-2 1.12:2 1.14:1-6
2.1:1-12 2.2:1-3 2.3:1-3 2.4:1-5 2.5:1-7 2.6:1-3 2.7:1-6 2.8:1-7 2.9:1-3 2.10:1-4
3.1:1 3.2:1-4 3.3:1-4 3.4:1-5 3.5:1-3 3.7:1
4.1:1-3,5 4.2:1-2 4.3:1-3
5.1:1-5 5.2:1-8 5.3:1-10 5.4:1-3 5.5:1-4
6.1:1-3 6.2:1-6 6.3:1-2 6.4:1-2
7.1:1-4 7.2:1-2 7.3:1,3,4 7.4:1-3
8.1:1-4 8.2:1-3 8.3:1-8
9.1:1-3 9.2:1-4
10.2:1-2 10.3:1-3
11.1:1-8
12.1:1-3 12.2:1 12.3:1-6 12.4:1-2 12.5:1-2 12.6:1
13.1:1,3,4,5 13.2:1,2,3,5,6 13.3:1-2 13.4:1-2
14.1:1-4 14.2:1-6 14.3:2,3 14.4:1-7 14.5:1-4`

// TestASVS checks that each requirement is in exactly one row of asvs.md, with a verdict and a reason. The rows must be
// in the order of their first requirements. TestPages checks the names on the page.
func TestASVS(t *testing.T) {
	t.Parallel()
	var want, got []string
	span := func(all []string, section, from, to string) []string {
		var first, last int
		n, err := fmt.Sscan(from+" "+to, &first, &last)
		require.True(t, err == nil && n == 2 && last >= first, "%s.%s to %s is no span", section, from, to)
		for n := first; n <= last; n++ {
			all = append(all, fmt.Sprintf("V%s.%d", section, n))
		}
		return all
	}
	for part := range strings.FieldsSeq(asvs) {
		section, numbers, _ := strings.Cut(part, ":")
		for numbers := range strings.SplitSeq(numbers, ",") {
			first, last, more := strings.Cut(numbers, "-")
			if !more {
				last = first
			}
			want = span(want, section, first, last)
		}
	}
	place := -1
	row, number := regexp.MustCompile(`(?m)^\| (V[\d.]+\b.*?) \| (.*) \| (.*) \| (.*)\|$`), regexp.MustCompile(`V(\d+\.\d+)\.(\d+)(?: to V(\d+\.\d+)\.(\d+))?`)
	for _, r := range row.FindAllStringSubmatch(readFile(t, "docs/asvs.md"), -1) {
		before, above := len(got), place
		for _, n := range number.FindAllStringSubmatch(r[1], -1) {
			if n[3] == "" {
				n[4] = n[2]
			} else if n[3] != n[1] {
				t.Errorf("%s is no span", n[0])
			}
			got = span(got, n[1], n[2], n[4])
		}
		place = slices.Index(want, got[before])
		assert.True(t, place >= above, "%s is not in its order", got[before])
		assert.True(t, slices.Contains([]string{"met", "partly", "not met", "none", "outside"}, r[3]) && strings.TrimSpace(r[4]) != "",
			"%s has the verdict %q and the reason %q", r[1], r[3], r[4])
	}
	slices.Sort(got)
	slices.Sort(want)
	if len(want) != 259 || !slices.Equal(got, want) {
		t.Errorf("the page has %d requirements, want %d of 259, each once; it lacks %v", len(got), len(want),
			slices.DeleteFunc(want, func(n string) bool { return slices.Contains(got, n) }))
	}
}
