package main

import (
	"cmp"
	"context"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/ranch-game/ranch/shared/records"
)

// versionRecord describes the source of this program, as far as the build recorded it.
type versionRecord struct {
	Version  string `json:"version"`
	Revision string `json:"revision"`
	Time     string `json:"time"`     // of the revision
	Modified bool   `json:"modified"` // the source was changed since
	Go       string `json:"go"`
	Layout   int    `json:"layout"` // of tables that it can use
}

func newVersion(a *app) *cobra.Command {
	return &cobra.Command{Use: "version", Short: "Show the source of this program, and the layout of tables that it can use", Example: "  ranchctl version -o json",
		RunE: a.action(func(context.Context, []string) error {
			info, ok := debug.ReadBuildInfo()
			if !ok {
				info = &debug.BuildInfo{}
			}
			return versions.one(a)(new(versionOf(info)), nil)
		})}
}

var versions = listing[versionRecord]{"VERSION REVISION TIME MODIFIED GO LAYOUT", func(v versionRecord) []any {
	return []any{v.Version, v.Revision, v.Time, v.Modified, v.Go, v.Layout}
}}

func versionOf(info *debug.BuildInfo) versionRecord {
	setting := map[string]string{}
	for _, s := range info.Settings {
		setting[s.Key] = s.Value
	}
	const unknown = "unknown"
	return versionRecord{
		Version: cmp.Or(info.Main.Version, unknown), Revision: cmp.Or(setting["vcs.revision"], unknown), Time: cmp.Or(setting["vcs.time"], unknown),
		Modified: setting["vcs.modified"] == "true", Go: cmp.Or(info.GoVersion, unknown), Layout: records.Layout,
	}
}
