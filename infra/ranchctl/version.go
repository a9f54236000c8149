package main

import (
	"cmp"
	"fmt"
	"runtime/debug"

	"github.com/ranch-game/ranch/shared/records"
)

// versionOf returns what --version prints: the source of this program, as far as the build recorded it, and the layout
// of tables that it can use.
func versionOf(info *debug.BuildInfo) string {
	setting := map[string]string{}
	for _, s := range info.Settings {
		setting[s.Key] = s.Value
	}
	const unknown = "unknown"
	revision := cmp.Or(setting["vcs.revision"], unknown)
	if setting["vcs.modified"] == "true" {
		revision += ", changed since"
	}
	return fmt.Sprintf("%s (revision %s), %s, layout %d", cmp.Or(info.Main.Version, unknown), revision, cmp.Or(info.GoVersion, unknown), records.Layout)
}
