package runbook

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const page = "# Runbook\n## On call\n### Who is told\n## The alarms\n" +
	"### OneAlarm\nIt is slow.\n```sh\nbin/one -x   # look\nbin/two\n```\nMore.\n" +
	"### TwoAlarm\n\n```sh\nbin/three\n```\n## After the alarms\n"

func TestParse(t *testing.T) {
	got, err := parse(page)
	if err != nil {
		t.Fatal(err)
	}
	want := []Section{
		{"OneAlarm", "It is slow.\n```sh\nbin/one -x   # look\nbin/two\n```\nMore.", "bin/one -x   # look"},
		{"TwoAlarm", "\n```sh\nbin/three\n```", "bin/three"},
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
