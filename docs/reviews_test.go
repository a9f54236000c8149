package docs_test

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

var reviewForm = regexp.MustCompile(`^\| ([^|]+) \| [^|]+ \| [^|]+ \| ([\d-]+) \| (\d+) \|$`)

// TestReviews checks that each list in reviews.md was compared with its source within its number of days. An overdue
// list fails only in CI, because the tests of an old commit must pass elsewhere.
func TestReviews(t *testing.T) {
	t.Parallel()
	rows := 0
	for line := range strings.Lines(readFile(t, "docs/reviews.md")) {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| List |") {
			continue
		}
		rows++
		if problem := overdue(strings.TrimSpace(line), time.Now()); problem != "" && os.Getenv("CI") == "true" {
			t.Error(problem)
		}
	}
	assert.True(t, rows >= 7, "reviews.md has %d rows", rows)
	now := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	for row, want := range map[string]string{
		"| A | b | c | 2026-06-01 | 180 |": "",
		"| A | b | c | 2026-05-31 | 180 |": "A: reviewed on 2026-05-31, more than 180 days ago",
		"| A | b | c | 2026-11-29 | 180 |": "A: reviewed on 2026-11-29, which is in the future",
		"| A | b | c | 2026-02-30 | 180 |": "must be a row with a date",
		"| A | b | c | 2026-11-28 | |":     "must be a row with a date",
	} {
		problem := overdue(row, now)
		assert.True(t, (problem == "") == (want == "") && strings.Contains(problem, want), "%s: %q", row, problem)
	}
}

// overdue returns what is wrong with a row of reviews.md at a time, and what to do, or "" if nothing is.
func overdue(row string, now time.Time) string {
	cells := append(reviewForm.FindStringSubmatch(row), "", "", "", "")
	list, date := cells[1], cells[2]
	reviewed, err := time.Parse(time.DateOnly, date)
	days, _ := strconv.Atoi(cells[3])
	switch {
	case err != nil:
		return "reviews.md: " + row + ": must be a row with a date (2026-11-28) and a number of days"
	case now.Before(reviewed):
		return fmt.Sprintf("%s: reviewed on %s, which is in the future: correct docs/reviews.md", list, date)
	case now.After(reviewed.AddDate(0, 0, days+1)):
		return fmt.Sprintf("%s: reviewed on %s, more than %d days ago: compare the list with its source, correct it, "+
			"and write today's date into docs/reviews.md", list, date, days)
	}
	return ""
}
