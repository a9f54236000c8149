package main

import (
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
)

// inFiles has every command that takes a file, with a file that changes something in the scene of the table changing.
var inFiles = map[string]func(x tool) []string{
	"show create": func(tool) []string { return []string{"name,tier,fee,closes-at", "Cup,pro,25,2026-11-21T09:30:00Z"} },
	"show cancel": func(x tool) []string { return []string{"show", string(x.Show.ID)} },
	"show judge":  func(x tool) []string { return []string{"id,name", string(x.Show.ID) + ",Fair"} },
	"user ban":    func(x tool) []string { return []string{"user", "ANN"} },
	"gold adjust": func(x tool) []string { return []string{"amount,user", "-5,ann@example.com"} },
}

// Every command that changes something has --dry-run, which prints the plan and sends no writes.
func TestEveryDryRunOnlyReads(t *testing.T) {
	t.Parallel()
	reads := []string{"GetItem", "BatchGetItem", "Query", "Scan"}
	paths := slices.Collect(maps.Keys(changing))
	for path := range inFiles {
		paths = append(paths, path+" -f")
	}
	for _, path := range paths {
		t.Run(path, func(t *testing.T) {
			x := newTool(t)
			x.AddFair(t)
			var args []string
			if command, file := strings.CutSuffix(path, " -f"); file {
				args = append(strings.Fields(command), "--reason", "tested", "-f", csvFile(t, inFiles[command](x)...))
			} else {
				args = x.command(path)
			}
			args = append(args, "--dry-run")
			x.Unchanged(t, func() {
				for _, format := range formats {
					var mu sync.Mutex
					sent := map[string]bool{}
					stdout, stderr, exit := x.interrupted(func(operation string, _ func()) bool {
						mu.Lock()
						sent[operation] = true
						mu.Unlock()
						return true
					}, append(args, "-o", format)...)
					assert.True(t, exit == exitDone && strings.HasSuffix(stderr, "ranchctl: --dry-run changes nothing\n") && len(stdout) >= 30,
						"exit %d: %s%s", exit, stdout, stderr)
					for operation := range sent {
						assert.Contains(t, reads, operation, "%v sends %s", args, operation)
					}
					var shown preview
					assert.True(t, format != "json" || json.Unmarshal([]byte(stdout), &shown) == nil && shown.Change != "", "%s", stdout)
				}
			})
		})
	}
}

// A repair scans the table as often as its preview alone.
func TestARepairScansTheTableOnce(t *testing.T) {
	x := newTool(t)
	x.AddFair(t)
	var scans [2]atomic.Int32
	for i, more := range []string{"--dry-run=false", "--dry-run"} {
		_, stderr, exit := x.interrupted(func(operation string, _ func()) bool {
			if operation == "Scan" {
				scans[i].Add(1)
			}
			return true
		}, "show", "repair", string(x.Show.ID), "--reason", "a test's", more)
		assert.Equal(t, exitDone, exit, stderr)
	}
	repair, preview := scans[0].Load(), scans[1].Load()
	assert.True(t, repair != 0 && repair == preview, "%d scans, and %d for the preview", repair, preview)
}

// An unknown flag of a command shows the reason, and then the command's own help, which has an example.
func TestWrongUsage(t *testing.T) {
	x := newTool(t)
	walk(newRoot(newApp(io.Discard, io.Discard, time.Now)), func(c *cobra.Command) {
		if c.HasSubCommands() {
			return
		}
		path := strings.Fields(c.CommandPath())[1:]
		stdout, stderr, exit := x.run(append(path, "--no-such-flag")...)
		assert.True(t, stderr == "ranchctl: unknown flag: --no-such-flag\n"+helpOf(t, path...) && exit == exitUsage && stdout == "",
			"%v: exit %d: %s", path, exit, stderr)
		if !strings.HasPrefix(c.Example, "  "+c.CommandPath()) {
			t.Errorf("%s has the example %q", c.CommandPath(), c.Example)
		}
	})
}
