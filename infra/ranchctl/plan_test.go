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

// A preview says what the change is, and how large.
func TestPreviews(t *testing.T) {
	x := newTool(t)
	x.AddFair(t, storetest.Fee(1_000))
	bob := x.AddPlayer(t, storetest.Bob)
	x.adjust("Ann", "12000", "--force")
	x.adjust("Bob", "3000")
	x.MustEnter(t, x.Ann, x.Show, 0, 1, 2)
	x.MustEnter(t, bob, x.Show, 0)
	show, ann := "County Fair ("+string(x.Show.ID)+")", "Ann ("+string(x.Ann.ID)+")"
	over := x.AddSeason(t, func(s *game.Season) {
		s.Name, s.IsActive, s.StartDate, s.EndDate = "Old", false, game.InstantOf(fixed.Add(-48*time.Hour)), game.InstantOf(fixed.Add(-time.Hour))
	})
	for _, c := range []struct {
		args   []string
		change string
		force  string // why it takes --force
	}{
		{[]string{"show", "cancel", string(x.Show.ID)}, "cancel " + show + ": 4 entries, 4,000 gold refunded to 2 players", ""},
		{[]string{"show", "judge", string(x.Show.ID)}, "judge " + show + ": 4 entries, and it still accepts more until 2026-11-20T10:30:00.000Z", ""},
		{[]string{"show", "set", string(x.Show.ID), "--name", "Fair", "--closes-in", "2h"}, "set " + show + ": name: County Fair -> Fair, closes: 2026-11-20T10:30:00.000Z -> 2026-11-20T11:30:00.000Z", ""},
		{[]string{"user", "ban", "ann"}, "ban " + ann + ": active, 3 entries, 9,500 gold", ""},
		{[]string{"user", "delete", "ann"}, "delete " + ann + ": 3 entries, 9,500 gold", "a deletion is for good"},
		{[]string{"user", "set", "ann", "--username", "Annie"}, "set " + ann + ": username: Ann -> Annie, which has 3 entries, 9,500 gold", ""},
		{[]string{"user", "reset-password", "ann"}, "give " + ann + ", ann@example.com, a new password, and end all sessions", ""},
		{[]string{"gold", "adjust", "ann", "-100", "--reason", "r"}, "give " + ann + " -100 gold: 9,500 -> 9,400", ""},
		{[]string{"gold", "adjust", "ann", "10001", "--reason", "r"}, "give " + ann + " 10,001 gold: 9,500 -> 19,501", "10,001 gold is more than 10,000"},
		{[]string{"animal", "set", string(x.Ann.Animals[0].ID), "--user", "ann", "--condition", "7.5"}, ": condition: ", ""},
		{[]string{"season", "close", string(x.Season.ID)}, "active: true -> false, 1 open show", "1 show of the season is open"},
		{[]string{"season", "activate", string(over.ID)}, "active: false -> true, 0 open shows", "the season Old (" + string(over.ID) + ") has been over since"},
		{[]string{"show", "create", "--name", "Cup", "--tier", "pro", "--fee", "25", "--closes-in", "1h", "--season", string(over.ID)}, "create Cup: tier pro, fee 25 gold", "has been over since"},
	} {
		x.Unchanged(t, func() {
			stdout, stderr, exit := x.run(append(c.args, "--dry-run")...)
			if exit != exitDone || !strings.Contains(stdout, c.change) || strings.Contains(stderr, "it needs --force: ") != (c.force != "") || !strings.Contains(stderr, c.force) {
				t.Errorf("%v: exit %d: %s%s", c.args, exit, stdout, stderr)
			}
			if c.force != "" { // and there is no terminal
				x.refused(exitUsage, c.force, c.args...)
			}
		})
	}
	before := x.audit()
	if stdout, stderr, exit := x.run("show", "set", string(x.Show.ID), "--name", "County Fair"); exit != exitDone || !strings.Contains(stdout, "County Fair") ||
		stderr != "ranchctl: nothing is changed: "+show+" is already like that\n" || len(x.auditSince(before)) > 0 {
		t.Errorf("exit %d: %s%s, %v", exit, stdout, stderr, x.auditSince(before))
	}
}

func (x tool) adjust(user, amount string, more ...string) {
	x.t.Helper()
	if _, stderr, exit := x.run(append([]string{"gold", "adjust", user, amount, "--reason", "a test's"}, more...)...); exit != exitDone {
		x.t.Fatal(stderr)
	}
}

// A cancellation of more gold than the limit needs --force. Continuing it does not, since the operator has agreed
// before.
func TestALargeCancellation(t *testing.T) {
	x := newTool(t)
	x.AddFair(t, storetest.Fee(10_001))
	x.adjust("Ann", "20000", "--force")
	x.MustEnter(t, x.Ann, x.Show, 0)
	x.refused(exitUsage, "10,001 gold is more than 10,000", "show", "cancel", string(x.Show.ID))
	if err := x.Operator().CancelShow(t.Context(), x.Show.ID); err != nil {
		t.Fatal(err)
	}
	stdout, _, exit := x.run("show", "cancel", string(x.Show.ID), "--dry-run")
	if want := "continue the refunds of the cancelled County Fair (" + string(x.Show.ID) + "): 1 entry is left"; exit != exitDone || !strings.Contains(stdout, want) {
		t.Errorf("exit %d: %s", exit, stdout)
	}
	if _, stderr, exit := x.run("show", "cancel", string(x.Show.ID)); exit != exitDone {
		t.Errorf("exit %d: %s", exit, stderr)
	}
	x.CheckGold(t, x.Ann.ID, 20_500, 500, 20_000, -10_001, 10_001)
}

// Wrong usage shows the command's own help. Every command has an example.
func TestWrongUsage(t *testing.T) {
	x := newTool(t)
	for _, c := range []struct {
		args []string
		says string
		of   []string
	}{
		{[]string{"shwo", "list"}, `there is no command "shwo": did you mean show?`, nil},
		{[]string{"user", "bann"}, `user has no sub-command "bann": did you mean ban?`, []string{"user"}},
		{[]string{"show", "list", "--statsu", "open"}, "unknown flag: --statsu: did you mean --status?", []string{"show", "list"}},
		{[]string{"show", "list", "--status", "opne"}, `--status "opne": must be one of open, completed, cancelled: did you mean open?`, []string{"show", "list"}},
		{[]string{"audit", "--action", "adjust-gold"}, "change animal: did you mean adjust gold?", []string{"audit"}},
		{[]string{"gold", "adjust", "Ann", "5"}, `required flag(s) "reason" not set`, []string{"gold", "adjust"}},
		{[]string{"gold", "adjust", "Ann", "--reason", "r"}, "gold adjust needs AMOUNT", []string{"gold", "adjust"}},
		{[]string{"user", "ban", "Ann", "-f", "users.csv"}, "give either Ann or --file, not both", []string{"user", "ban"}},
	} {
		stdout, stderr, exit := x.run(c.args...)
		says, help, _ := strings.Cut(stderr, "\n\n")
		if exit != exitUsage || stdout != "" || !strings.HasSuffix(says, c.says) || help != helpOf(t, c.of...) {
			t.Errorf("%v: exit %d: %s", c.args, exit, stderr)
		}
	}
	walk(newRoot(newApp(io.Discard, io.Discard, time.Now)), func(c *cobra.Command) {
		if example := "  " + c.CommandPath(); !c.HasSubCommands() && !strings.HasPrefix(c.Example, example) {
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

// ranchctl prints all problems of a file at once, and changes nothing.
func TestProblemsOfAFile(t *testing.T) {
	x := newTool(t)
	x.AddFair(t)
	x.AddPlayer(t, storetest.Bob)
	for _, c := range []struct {
		command []string
		lines   []string
		want    []string
	}{
		{[]string{"gold", "adjust", "--reason", "r"}, []string{"user,amount", "Ann,x", "a b,0", "Ann,5", "Bob,1,2"},
			[]string{`line 2: amount "x": must be a whole number`, `line 3: the amount must be from 1 to`, "line 4: Ann is in line 2, too", "record on line 5: wrong number of fields"}},
		{[]string{"gold", "adjust", "--reason", "r"}, []string{"user,amount", "Nobody,1", "Ann,-501", "Bob,1", "bob@example.com,2"},
			[]string{"line 2: there is no such user", "line 3: the balance must stay", "line 5: bob@example.com is in line 4, too"}},
		{[]string{"user", "ban"}, []string{"name"}, []string{`the column "user" is missing`}},
		{[]string{"show", "judge"}, []string{"show", "1", string(x.Ann.ID)}, []string{`line 2: show id "1": must be a UUID`}},
		{[]string{"show", "judge"}, []string{"show", string(x.Ann.ID)}, []string{"line 2: there is no such show"}},
		{[]string{"show", "create"}, []string{"name,tier,fee,closes-at,gates", ",pro,x,soon,1", "Cup,pro,-1,2026-11-21T09:30:00Z,41"},
			[]string{`line 2: closes-at: "soon": must be RFC 3339`, `line 2: fee: "x": must be a whole number`, "line 3: the entry fee must be from 0", "line 3: --gates 41: must be from 1 to 40"}},
		{[]string{"show", "create"}, []string{"nmae,price,tier,tier"}, []string{`the column "nmae" is unknown: must be one of name, tier, fee, closes-at, season, gates, id: did you mean name?`,
			`the column "price" is unknown: must be one of`, `the column "tier" occurs twice`, `the column "name" is missing`, `the column "fee" is missing`}},
	} {
		x.Unchanged(t, func() {
			file := csvFile(t, c.lines...)
			stdout, stderr, exit := x.run(append(c.command, "-f", file)...)
			for _, want := range c.want {
				if !strings.Contains(stderr, file+": "+want) {
					t.Errorf("%v: %q is not in %s", c.command, want, stderr)
				}
			}
			if problems := strings.Count(stderr, file); exit != exitUsage || stdout != "" || problems < len(c.want) {
				t.Errorf("%v: exit %d: %s%s", c.command, exit, stdout, stderr)
			}
		})
	}
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

// The CSV output of lists can be used as files of their subjects.
func TestListedFilesOfSubjects(t *testing.T) {
	x := newTool(t)
	x.AddFair(t, storetest.Fee(50))
	x.AddShow(t, func(d *storetest.ShowDraft) { d.Name = "Other" })
	bob := x.AddPlayer(t, storetest.Bob)
	x.MustEnter(t, x.Ann, x.Show, 0)
	x.MustEnter(t, bob, x.Show, 0)
	listed := func(args ...string) (file string) {
		stdout, stderr, exit := x.run(append(args, "-o", "csv")...)
		if exit != exitDone {
			t.Fatal(stderr)
		}
		return csvFile(t, stdout)
	}
	shows, users := listed("show", "list"), listed("user", "list")
	cancel := []string{"show", "cancel", "-f", shows, "--reason", "rain"}
	stdout, stderr, exit := x.run(append(cancel, "--dry-run")...)
	if exit != exitDone || !strings.Contains(stdout, shows+": 2 changes, 100 gold\n") || !strings.Contains(stdout, "100 gold refunded to 2 players\n") {
		t.Errorf("exit %d: %s%s", exit, stdout, stderr)
	}
	if stdout, stderr, exit := x.run(cancel...); exit != exitDone || !strings.HasSuffix(stderr, "1 of 2 changes made\n2 of 2 changes made\n") {
		t.Fatalf("exit %d: %s%s", exit, stdout, stderr)
	}
	x.CheckGold(t, x.Ann.ID, 500, 500, -50, 50)
	x.CheckGold(t, bob.ID, 500, 500, -50, 50)
	x.Unchanged(t, func() { // although it is another change
		if stdout, stderr, exit := x.run(cancel...); exit != exitDone || stderr != "2 of 2 lines read\nranchctl: nothing is changed: "+shows+": 0 changes\n" {
			t.Errorf("exit %d: %s%s", exit, stdout, stderr)
		}
	})
	before := x.audit()
	if _, stderr, exit := x.run("user", "ban", "-f", users, "--reason", "cheats"); exit != exitDone {
		t.Fatal(stderr)
	}
	for _, r := range x.auditSince(before) {
		if r.Action != "ban" || r.Reason != "cheats" || r.By != localUser(t) || r.At != game.InstantOf(fixed) {
			t.Errorf("%+v", r)
		}
	}
	storetest.Equal(t, "bans", len(x.auditSince(before)), 2)
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
