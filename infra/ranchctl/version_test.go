package main

import (
	"runtime/debug"
	"strings"
	"testing"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/store"
)

// The version needs no table.
func TestVersion(t *testing.T) {
	x := newTool(t)
	var got versionRecord
	if x.json(&got, "version"); got.Layout != store.Layout || !strings.HasPrefix(got.Go, "go1.") {
		t.Errorf("%+v", got)
	}
	info := &debug.BuildInfo{GoVersion: "go1.26", Main: debug.Module{Version: "v1.2.3"}, Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.time", Value: "2026-11-20T09:30:00Z"}, {Key: "vcs.modified", Value: "true"},
	}}
	storetest.Equal(t, "version", versionOf(info), versionRecord{"v1.2.3", "abc", "2026-11-20T09:30:00Z", true, "go1.26", store.Layout})
	storetest.Equal(t, "unknown version", versionOf(&debug.BuildInfo{}), versionRecord{"unknown", "unknown", "unknown", false, "unknown", store.Layout})
}

// Shells are told the sub-commands, and what -o takes.
func TestCompletion(t *testing.T) {
	x := newTool(t)
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if stdout, stderr, exit := x.run("completion", shell); exit != exitDone || !strings.Contains(stdout, "ranchctl") {
			t.Errorf("%s: exit %d: %s", shell, exit, stderr)
		}
	}
	for asked, want := range map[string]string{"season list -o ": "table\njson\ncsv\n:4\n", "user rev": "revoke-sessions\t"} {
		words := strings.Split(asked, " ")
		if stdout, stderr, exit := x.run(append([]string{"__complete"}, words...)...); exit != exitDone || !strings.HasPrefix(stdout, want) {
			t.Errorf("%q: exit %d: %q %s", asked, exit, stdout, stderr)
		}
	}
}
