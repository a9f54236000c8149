package runbook

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const page = `# Runbook

## On call

### Who is told

## The alarms

### OneAlarm

It is slow.

` + "```sh\nbin/one -x   # look\nbin/two\n```" + `

More.

### TwoAlarm

` + "```sh\nbin/three\n```" + `

## After the alarms
`

func TestParse(t *testing.T) {
	got, err := parse(page)
	if err != nil {
		t.Fatal(err)
	}
	want := []Section{
		{"OneAlarm", "\nIt is slow.\n\n```sh\nbin/one -x   # look\nbin/two\n```\n\nMore.\n", "bin/one -x   # look"},
		{"TwoAlarm", "\n```sh\nbin/three\n```\n", "bin/three"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for old, replacement := range map[string]string{"### TwoAlarm": "### OneAlarm", "```sh\nbin/three\n```": "bin/three", "bin/three\n": ""} {
		if _, err := parse(strings.Replace(page, old, replacement, 1)); err == nil {
			t.Errorf("%q is taken in place of %q", replacement, old)
		}
	}
}
