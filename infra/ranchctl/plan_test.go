package main

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
)

// inFiles has every command that takes a file, with a file that changes something in the scene of the table changing.
var inFiles = map[string]func(x tool) []string{
	"show create": func(tool) []string { return []string{"name,tier,fee,closes-at", "Cup,pro,25,2026-11-21T09:30:00Z"} },
	"show cancel": func(x tool) []string { return []string{"show", string(x.Show.ID)} },
	"show judge":  func(x tool) []string { return []string{"id,name", string(x.Show.ID) + ",Fair"} },
	"user ban":    func(x tool) []string { return []string{"user", "ANN"} },
	"gold adjust": func(x tool) []string { return []string{"amount,user", "-5,ann@example.com"} },
}

// previewing returns the commands of the tables changing and inFiles.
func previewing() map[string]func(x tool) []string {
	all := maps.Clone(changing)
	for path, content := range inFiles {
		all[path+" -f"] = func(x tool) []string { return []string{csvFile(x.t, content(x)...)} }
	}
	return all
}

// Every command that changes something has --dry-run, which prints the plan and sends no writes.
func TestEveryDryRunOnlyReads(t *testing.T) {
	t.Parallel()
	reads := []string{"GetItem", "BatchGetItem", "Query", "Scan"}
	for path, arguments := range previewing() {
		t.Run(path, func(t *testing.T) {
			x := newTool(t)
			x.AddFair(t)
			args := append(append(strings.Fields(path), arguments(x)...), "--reason", "a test's", "--dry-run")
			x.Unchanged(t, func() {
				for _, format := range formats {
					var mu sync.Mutex
					sent := map[string]bool{}
					stdout, stderr, exit := x.through(func(engine http.Handler, _ func()) http.Handler {
						return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
							mu.Lock()
							sent[operation(r)] = true
							mu.Unlock()
							engine.ServeHTTP(w, r)
						})
					}, append(args, "-o", format)...)
					if exit != exitDone || !strings.HasSuffix(stderr, "ranchctl: --dry-run changes nothing\n") || len(stdout) < 30 {
						t.Errorf("exit %d: %s%s", exit, stdout, stderr)
					}
					for operation := range sent {
						if !slices.Contains(reads, operation) {
							t.Errorf("%v sends %s", args, operation)
						}
					}
					var shown preview
					if format == "json" && (json.Unmarshal([]byte(stdout), &shown) != nil || shown.Change == "") {
						t.Errorf("%s", stdout)
					}
				}
			})
		})
	}
	var found []string
	walk(newRoot(newApp(io.Discard, io.Discard, time.Now)), func(c *cobra.Command) {
		if c.Flags().Lookup("dry-run") != nil {
			found = append(found, strings.TrimPrefix(c.CommandPath(), "ranchctl "))
		}
	})
	want := slices.AppendSeq([]string{"keys publish", "keys retire", "keys rotate"}, maps.Keys(changing))
	slices.Sort(found)
	slices.Sort(want)
	storetest.Equal(t, "commands with --dry-run", found, want)
	for _, command := range [][]string{{"rotate"}, {"retire", "k0"}, {"publish"}} {
		x := newKeyTool(t)
		x.Put(`{"current":"k1","k0":"` + strings.Repeat("k", 43) + `","k1":"` + strings.Repeat("l", 43) + `"}`)
		x.now = fixed.Add(40 * 24 * time.Hour)
		_, before := x.Current()
		stdout, stderr, exit := x.run(append(command, "--dry-run")...)
		if _, writes := x.Current(); exit != exitDone || writes != before || len(x.Published()) > 0 || !strings.HasPrefix(stdout, "CHANGE\n") {
			t.Errorf("%v: exit %d, %d writes: %s%s", command, exit, writes-before, stdout, stderr)
		}
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
		if exit != exitDone {
			t.Error(stderr)
		}
	}
	if repair, preview := scans[0].Load(), scans[1].Load(); repair == 0 || repair != preview {
		t.Errorf("%d scans, and %d for the preview", repair, preview)
	}
}

// Wrong usage of a command shows the command's own help, which has an example, and then the reason.
func TestWrongUsage(t *testing.T) {
	x := newTool(t)
	walk(newRoot(newApp(io.Discard, io.Discard, time.Now)), func(c *cobra.Command) {
		if c.HasSubCommands() {
			return
		}
		path := strings.Fields(c.CommandPath())[1:]
		stdout, stderr, exit := x.run(append(path, "--no-such-flag")...)
		if stderr != helpOf(t, path...)+"\nranchctl: unknown flag: --no-such-flag\n" || exit != exitUsage || stdout != "" {
			t.Errorf("%v: exit %d: %s", path, exit, stderr)
		}
		if !strings.HasPrefix(c.Example, "  "+c.CommandPath()) {
			t.Errorf("%s has the example %q", c.CommandPath(), c.Example)
		}
	})
}

// A file makes one change for each line, all under one id. Repeating or continuing it makes each change once.
func TestAFileOfAdjustments(t *testing.T) {
	x := newTool(t)
	x.AddFair(t)
	bob, cid := x.AddPlayer(t, storetest.Bob), x.AddPlayer(t, storetest.Cid)
	adjust := []string{"gold", "adjust", "--reason", "paid twice", "-f", csvFile(t, "amount,user,why", "50,Ann,x", "-20, bob@example.com,y", "5,"+string(cid.ID)+",z")}
	writes, before := 0, x.audit()
	_, stderr, exit := x.interrupted(func(operation string, interrupt func()) bool {
		if operation == "TransactWriteItems" {
			if writes++; writes >= 2 {
				interrupt()
				return false
			}
		}
		return true
	}, adjust...)
	_, id, printed := strings.Cut(strings.TrimSpace(stderr), "\n  ranchctl --endpoint")
	_, id, _ = strings.Cut(id, " --change ")
	if exit != exitUnclear || !printed || !strings.HasPrefix(stderr, "3 of 3 lines read\nranchctl: if this is interrupted, continue with the same command and --change "+id+"\n") {
		t.Fatalf("exit %d: %s", exit, stderr)
	}
	x.CheckGold(t, x.Ann.ID, 550, 500, 50)
	for range 2 {
		stdout, stderr, exit := x.run(append(adjust, "--change", id, "-o", "json")...)
		var results []lineResult
		if err := json.Unmarshal([]byte(stdout), &results); exit != exitDone || err != nil || len(results) != 3 || !strings.HasSuffix(stderr, "3 of 3 changes made\n") {
			t.Fatalf("exit %d: %s%s", exit, stdout, stderr)
		}
		for i, r := range results {
			if r.Line != 2+i || !r.Done || r.Error != nil {
				t.Errorf("%+v", r)
			}
		}
		x.CheckGold(t, x.Ann.ID, 550, 500, 50)
		x.CheckGold(t, bob.ID, 480, 500, -20)
		x.CheckGold(t, cid.ID, 505, 500, 5)
	}
	storetest.Equal(t, "records", len(x.auditSince(before)), 3)
	changed := csvFile(t, "amount,user", "50,Ann", "-21, bob@example.com")
	if stdout, stderr, exit := x.run("gold", "adjust", "--reason", "paid twice", "-f", changed, "--change", id); exit != exitFailed ||
		!strings.Contains(stderr, "1 of 2 changes failed: line 3: another change has this id") || !strings.Contains(stdout, "false") {
		t.Errorf("exit %d: %s%s", exit, stdout, stderr)
	}
	x.Invariants(t)
}

// The records of a resumed file have its reason.
func TestAResumedFileKeepsItsReason(t *testing.T) {
	x := newTool(t)
	x.AddFair(t)
	x.AddPlayer(t, storetest.Bob)
	ban := []string{"user", "ban", "--reason", "ticket 1", "-f", csvFile(t, "user", "Ann", "Bob")}
	writes, before := 0, x.audit()
	_, stderr, _ := x.interrupted(func(operation string, interrupt func()) bool {
		if operation == "TransactWriteItems" {
			writes++
		}
		if writes == 2 {
			interrupt()
		}
		return writes < 2
	}, ban...)
	id := strings.TrimSpace(stderr[strings.LastIndex(stderr, " ")+1:])
	if _, stderr, exit := x.run(append(ban, "--change", id)...); exit != exitDone {
		t.Errorf("exit %d: %s", exit, stderr)
	}
	var reasons []string
	for _, r := range x.auditSince(before) {
		reasons = append(reasons, r.Reason)
	}
	storetest.Equal(t, "reasons", reasons, []string{"ticket 1", "ticket 1"})
}

// If a line's change is refused, the others are still made. A file of large sums needs --force.
func TestAFileGoesOnAfterARefusal(t *testing.T) {
	x := newTool(t)
	x.AddFair(t)
	other := x.AddShow(t, func(d *storetest.ShowDraft) { d.Name = "Other" })
	judge := []string{"show", "judge", "-f", csvFile(t, "id", string(x.Show.ID), string(other.ID))}
	var once sync.Once
	stdout, stderr, exit := x.interrupted(func(operation string, _ func()) bool {
		if operation == "TransactWriteItems" {
			once.Do(func() {
				if err := x.Operator().CancelShow(t.Context(), x.Show.ID); err != nil {
					t.Error(err)
				}
			})
		}
		return true
	}, judge...)
	if exit != exitFailed || !strings.Contains(stderr, "1 of 2 changes failed: line 2: ") || !strings.Contains(stderr, "\n  ranchctl --endpoint") || strings.Count(stdout, "true") != 1 {
		t.Errorf("exit %d: %s%s", exit, stdout, stderr)
	}
	bob := x.AddPlayer(t, storetest.Bob)
	x.refused(exitUsage, "10,001 gold is more than 10,000", "gold", "adjust", "--reason", "r", "-f", csvFile(t, "user,amount", "Ann,5001", string(bob.ID)+",5000"))
	x.Invariants(t)
}

// The output of 'show list -o csv' is a file of shows: ranchctl skips existing ones, and creates them in another table.
func TestAListedFileOfShows(t *testing.T) {
	t.Parallel()
	scene := func() tool { return tool{storetest.NewFixedScene(t, game.InstantOf(fixed)), t, "Operators"} }
	x, other := scene(), scene()
	x.AddSeason(t)
	other.AddSeason(t)
	for _, name := range []string{"=Cup;-1", "Cap, the \"small\""} {
		if _, stderr, exit := x.run("show", "create", "--name", name, "--tier", "pro", "--fee", "25", "--closes-in", "2h"); exit != exitDone {
			t.Fatal(stderr)
		}
	}
	listed, _, _ := x.run("show", "list", "-o", "csv")
	file := filepath.Join(t.TempDir(), "shows.csv")
	if err := os.WriteFile(file, []byte(listed), 0o600); err != nil {
		t.Fatal(err)
	}
	x.Unchanged(t, func() {
		if stdout, stderr, exit := x.run("show", "create", "-f", file, "-o", "json"); exit != exitDone || stdout != "[]\n" || strings.Count(stderr, "exists already\n") != 2 {
			t.Errorf("exit %d: %s%s", exit, stdout, stderr)
		}
	})
	if _, stderr, exit := other.run("show", "create", "-f", file); exit != exitDone {
		t.Fatal(stderr)
	}
	var copied, want []object
	other.json(&copied, "show", "list")
	x.json(&want, "show", "list")
	storetest.Equal(t, "shows", copied, want)
}
